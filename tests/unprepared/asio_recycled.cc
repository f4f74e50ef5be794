// A coroutine whose frame Asio keeps for the next one: it is destroyed, but malloc has the block as
// in use, and the byte that Asio writes into it is the one that was there. Another waits.
#include <unistd.h>

#include <utility>
#ifdef BOOST
#include <boost/asio.hpp>
namespace asio = boost::asio;
#else
#include <asio.hpp>
#endif

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

asio::awaitable<void> waits(asio::steady_timer& timer) {
  co_await timer.async_wait(asio::use_awaitable);
}

template <int Variant>
asio::awaitable<void> kept() {
  co_await asio::this_coro::executor;
  std::printf("%d\n", Variant);
}

auto* this_thread() {
#ifdef BOOST
  return asio::detail::thread_context::thread_call_stack::top();
#else
  return asio::detail::thread_context::top_of_thread_call_stack();
#endif
}

// Whether a frame was destroyed that Asio keeps, and that begins as before.
template <int Variant>
bool keep() {
  using Info = asio::detail::thread_info_base;
  constexpr size_t size = 255 * 4;  // the largest block that is kept
  const auto reserve = [](size_t bytes) {
    void* const blocks[] = {Info::allocate(Info::awaitable_frame_tag(), this_thread(), size),
                            Info::allocate(Info::awaitable_frame_tag(), this_thread(), size)};
    void* const block = ::operator new(size + 1);
    static_cast<unsigned char*>(block)[bytes] = static_cast<unsigned char>(bytes / 4);
    Info::deallocate(Info::awaitable_frame_tag(), this_thread(), block, bytes);
    for (void* const one : blocks) ::operator delete(one);
    return static_cast<uint64_t*>(block);
  };
  asio::awaitable<void> (*volatile const create)() = kept<Variant>;  // not inlined
  uint64_t* const first = reserve(size);
  uint64_t resume = 0;
  {
    const auto destroyed = create();
    resume = first[0];
  }
  uint64_t* const block = reserve((resume & 0xff) * 4);
  {
    const auto destroyed = create();
    if (block[0] != resume) return false;
  }
  return block[0] == resume;
}

}  // namespace

int main() {
  asio::io_context io;
  asio::steady_timer timer(io, std::chrono::hours(1));
  asio::co_spawn(io, waits(timer), asio::detached);
  bool is_kept = false;
  asio::post(io, [&] {
    is_kept = keep<0>() || keep<1>() || keep<2>() || keep<3>() || keep<4>() || keep<5>() ||
              keep<6>() || keep<7>();
    std::puts(is_kept ? "kept" : "not kept");
    std::fflush(stdout);
  });
  io.run();
}
