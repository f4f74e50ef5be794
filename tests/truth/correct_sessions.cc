// Correct servers and clients as Asio coroutines.
#include <array>
#include <deque>
#include <future>
#include <map>
#include <numeric>
#include <set>

#include "net.h"

namespace {

using Error = boost::system::system_error;

awaitable<void> echo(tcp::socket socket) {
  try {
    std::array<char, 256> data;
    for (;;) {
      const auto size = co_await socket.async_read_some(asio::buffer(data), use_awaitable);
      co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
    }
  } catch (const Error&) {
  }
}

// Serves this many sessions, one after the other or at once.
template <class Session>
awaitable<void> accept(tcp::acceptor& acceptor, int count, Session session) {
  const auto executor = co_await asio::this_coro::executor;
  for (int i = 0; i < count; ++i)
    co_spawn(executor, session(co_await acceptor.async_accept(use_awaitable)), detached);
}

awaitable<tcp::socket> connect(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  co_return socket;
}

awaitable<void> chat(tcp::endpoint server, int rounds) {
  tcp::socket socket = co_await connect(server);
  std::array<char, 16> data = {'h', 'i'};
  for (int i = 0; i < rounds; ++i) {
    co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
    co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
  }
}

// An echo server and its clients.
TRUTH_CASE(echo_server) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 4, echo), detached);
  for (int i = 0; i < 4; ++i) co_spawn(io, chat(acceptor.local_endpoint(), 50), detached);
  serve(io);
}

// The same on three threads.
TRUTH_CASE(echo_server_threads) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 6, echo), detached);
  for (int i = 0; i < 6; ++i) co_spawn(io, chat(acceptor.local_endpoint(), 40), detached);
  serve(io, 3);
}

awaitable<void> stay(tcp::endpoint server, int ms) {
  tcp::socket socket = co_await connect(server);
  co_await pause(std::chrono::milliseconds(ms));
}

// Clients that connect and are silent for a while.
TRUTH_CASE(idle_clients) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 10, echo), detached);
  for (int i = 0; i < 10; ++i)
    co_spawn(io, stay(acceptor.local_endpoint(), 150 + 10 * i), detached);
  serve(io);
}

// Idle clients of a server that its operator stops.
TRUTH_CASE(idle_clients_until_stop) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 1000, echo), detached);
  for (int i = 0; i < 10; ++i) co_spawn(io, stay(acceptor.local_endpoint(), 10'000), detached);
  steady_timer stop(io, 200ms);
  stop.async_wait([&](error_code) { io.stop(); });
  serve(io);
}

// A server without clients, for longer than the lints' thresholds.
TRUTH_CASE(server_without_clients) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 1000, echo), detached);
  steady_timer stop(io, 1300ms);
  stop.async_wait([&](error_code) { acceptor.close(); });
  serve(io);
}

awaitable<void> answer_lines(tcp::socket socket) {
  std::string buffer;
  try {
    for (;;) {
      const auto size = co_await asio::async_read_until(socket, asio::dynamic_buffer(buffer), '\n',
                                                        use_awaitable);
      const std::string line = "200 " + buffer.substr(0, size);
      buffer.erase(0, size);
      co_await asio::async_write(socket, asio::buffer(line), use_awaitable);
      if (line == "200 quit\n") co_return;
    }
  } catch (const Error&) {
  }
}

awaitable<void> send_lines(tcp::endpoint server) {
  tcp::socket socket = co_await connect(server);
  std::string reply;
  for (const std::string line : {"helo\n", "mail\n", "data\n", "quit\n"}) {
    co_await asio::async_write(socket, asio::buffer(line), use_awaitable);
    const auto size =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(reply), '\n', use_awaitable);
    reply.erase(0, size);
  }
}

// A line protocol.
TRUTH_CASE(line_protocol) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 3, answer_lines), detached);
  for (int i = 0; i < 3; ++i) co_spawn(io, send_lines(acceptor.local_endpoint()), detached);
  serve(io);
}

awaitable<void> read_frames(tcp::socket socket) {
  try {
    for (;;) {
      std::array<unsigned char, 4> head;
      co_await asio::async_read(socket, asio::buffer(head), use_awaitable);
      std::vector<char> body(head[0] * 256u + head[1]);
      co_await asio::async_read(socket, asio::buffer(body), use_awaitable);
    }
  } catch (const Error&) {
  }
}

awaitable<void> write_frames(tcp::endpoint server) {
  tcp::socket socket = co_await connect(server);
  for (int i = 1; i < 8; ++i) {
    const std::array<unsigned char, 4> head = {static_cast<unsigned char>(i)};
    co_await asio::async_write(socket, asio::buffer(head), use_awaitable);
    const std::string body(static_cast<std::size_t>(i) * 256, 'b');
    for (std::size_t at = 0; at < body.size(); at += 128) {  // in pieces
      co_await asio::async_write(socket, asio::buffer(&body[at], 128), use_awaitable);
      co_await pause(1ms);
    }
  }
}

// Frames with a length, which arrive in pieces.
TRUTH_CASE(frames_in_pieces) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 1, read_frames), detached);
  co_spawn(io, write_frames(acceptor.local_endpoint()), detached);
  serve(io);
}

awaitable<void> swallow(tcp::socket socket) {
  std::vector<char> data(65'536);
  try {
    for (;;) co_await socket.async_read_some(asio::buffer(data), use_awaitable);
  } catch (const Error&) {
  }
}

awaitable<void> push(tcp::endpoint server, std::size_t size) {
  tcp::socket socket = co_await connect(server);
  const std::string data(size, 'x');
  co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
}

// A large transfer.
TRUTH_CASE(large_transfer) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 1, swallow), detached);
  co_spawn(io, push(acceptor.local_endpoint(), 8'000'000), detached);
  serve(io);
}

awaitable<void> swallow_slowly(tcp::socket socket) {
  std::vector<char> data(400'000);
  try {
    for (;;) {
      co_await socket.async_read_some(asio::buffer(data), use_awaitable);
      co_await pause(2ms);
    }
  } catch (const Error&) {
  }
}

// A slow reader delays its writer.
TRUTH_CASE(slow_reader) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 1, swallow_slowly), detached);
  co_spawn(io, push(acceptor.local_endpoint(), 5'000'000), detached);
  serve(io);
}

awaitable<void> half(tcp::endpoint server) {
  tcp::socket socket = co_await connect(server);
  co_await asio::async_write(socket, asio::buffer("question", 8), use_awaitable);
  socket.shutdown(tcp::socket::shutdown_send);
  std::array<char, 64> data;
  try {
    for (;;) co_await socket.async_read_some(asio::buffer(data), use_awaitable);
  } catch (const Error&) {
  }
}

// A client that closes its half of the connection, and reads on.
TRUTH_CASE(half_close) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 2, echo), detached);
  for (int i = 0; i < 2; ++i) co_spawn(io, half(acceptor.local_endpoint()), detached);
  serve(io);
}

awaitable<void> copy(std::shared_ptr<tcp::socket> from, std::shared_ptr<tcp::socket> to) {
  std::array<char, 512> data;
  try {
    for (;;) {
      const auto size = co_await from->async_read_some(asio::buffer(data), use_awaitable);
      co_await asio::async_write(*to, asio::buffer(data, size), use_awaitable);
    }
  } catch (const Error&) {
  }
  error_code ignored;
  to->shutdown(tcp::socket::shutdown_send, ignored);
}

awaitable<void> forward(tcp::socket socket, tcp::endpoint to) {
  auto client = std::make_shared<tcp::socket>(std::move(socket));
  auto server = std::make_shared<tcp::socket>(co_await connect(to));
  co_spawn(client->get_executor(), copy(server, client), detached);
  co_await copy(client, server);
}

// A proxy between clients and a server.
TRUTH_CASE(proxy) {
  asio::io_context io;
  tcp::acceptor back(io, loopback()), front(io, loopback());
  co_spawn(io, accept(back, 3, echo), detached);
  co_spawn(io,
           accept(front, 3,
                  [to = back.local_endpoint()](tcp::socket socket) {
                    return forward(std::move(socket), to);
                  }),
           detached);
  for (int i = 0; i < 3; ++i) co_spawn(io, chat(front.local_endpoint(), 20), detached);
  serve(io);
}

// A chat room: a reader and a writer for each member.
class Room;
class Member : public std::enable_shared_from_this<Member> {
 public:
  Member(tcp::socket socket, Room& room)
      : socket_(std::move(socket)),
        queued_(socket_.get_executor(), steady_timer::time_point::max()),
        room_(room) {}
  void start();
  void deliver(const std::string& line) {
    lines_.push_back(line);
    queued_.cancel_one();
  }

 private:
  awaitable<void> read();
  awaitable<void> write() {
    while (socket_.is_open()) {
      if (lines_.empty()) {
        error_code error;
        co_await queued_.async_wait(asio::redirect_error(use_awaitable, error));
        continue;
      }
      co_await asio::async_write(socket_, asio::buffer(lines_.front()), use_awaitable);
      lines_.pop_front();
    }
  }
  tcp::socket socket_;
  steady_timer queued_;
  Room& room_;
  std::deque<std::string> lines_;
};
class Room {
 public:
  std::set<std::shared_ptr<Member>> members;
};
void Member::start() {
  room_.members.insert(shared_from_this());
  co_spawn(
      socket_.get_executor(), [self = shared_from_this()] { return self->read(); }, detached);
  co_spawn(
      socket_.get_executor(), [self = shared_from_this()] { return self->write(); }, detached);
}
awaitable<void> Member::read() {
  try {
    for (std::string line;;) {
      const auto size =
          co_await asio::async_read_until(socket_, asio::dynamic_buffer(line), '\n', use_awaitable);
      for (const auto& member : room_.members) member->deliver(line.substr(0, size));
      line.erase(0, size);
    }
  } catch (const Error&) {
  }
  room_.members.erase(shared_from_this());
  socket_.close();
  queued_.cancel();
}

awaitable<void> join(tcp::socket socket, Room& room) {
  std::make_shared<Member>(std::move(socket), room)->start();
  co_return;
}

awaitable<void> talk(tcp::endpoint server, int number) {
  tcp::socket socket = co_await connect(server);
  std::string heard;
  for (int i = 0; i < 5; ++i) {
    const std::string line = std::to_string(number) + ": " + std::to_string(i) + "\n";
    co_await asio::async_write(socket, asio::buffer(line), use_awaitable);
    co_await pause(std::chrono::milliseconds(2 + number));
    const auto size =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(heard), '\n', use_awaitable);
    heard.erase(0, size);
  }
}

// A chat room, whose writers wait for lines with a timer.
TRUTH_CASE(chat_room) {
  asio::io_context io;
  Room room;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io,
           accept(acceptor, 4,
                  [&room](tcp::socket socket) { return join(std::move(socket), room); }),
           detached);
  for (int i = 0; i < 4; ++i) co_spawn(io, talk(acceptor.local_endpoint(), i), detached);
  serve(io);
}

awaitable<void> echo_until_idle(tcp::socket socket) {
  steady_timer deadline(socket.get_executor());
  std::array<char, 64> data;
  try {
    for (;;) {
      deadline.expires_after(40ms);
      deadline.async_wait([&socket](error_code error) {
        if (!error) socket.cancel();
      });
      const auto size = co_await socket.async_read_some(asio::buffer(data), use_awaitable);
      deadline.cancel();
      co_await asio::async_write(socket, asio::buffer(data, size), use_awaitable);
    }
  } catch (const Error&) {
  }
}

// A server that drops idle clients.
TRUTH_CASE(drops_idle_clients) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 4, echo_until_idle), detached);
  co_spawn(io, chat(acceptor.local_endpoint(), 10), detached);
  for (int i = 0; i < 3; ++i) co_spawn(io, stay(acceptor.local_endpoint(), 120), detached);
  serve(io);
}

awaitable<void> try_to_connect(tcp::endpoint server) {
  for (int i = 0; i < 4; ++i) {
    tcp::socket socket(co_await asio::this_coro::executor);
    error_code error;
    co_await socket.async_connect(server, asio::redirect_error(use_awaitable, error));
    if (!error) co_return;
    co_await pause(std::chrono::milliseconds(5 << i));
  }
}

// Connects with retries to a server that is down.
TRUTH_CASE(server_is_down) {
  asio::io_context io;
  tcp::endpoint gone;
  {
    tcp::acceptor acceptor(io, loopback());
    gone = acceptor.local_endpoint();
  }
  co_spawn(io, try_to_connect(gone), detached);
  serve(io);
}

// Connects with retries to a server that starts late.
TRUTH_CASE(server_starts_late) {
  asio::io_context io;
  tcp::acceptor acceptor(io);
  const auto somewhere = [&] {
    tcp::acceptor probe(io, loopback());
    return probe.local_endpoint();
  }();
  steady_timer later(io, 25ms);
  later.async_wait([&](error_code) {
    acceptor.open(tcp::v4());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(somewhere);
    acceptor.listen();
    co_spawn(io, accept(acceptor, 1, echo), detached);
  });
  co_spawn(io, try_to_connect(somewhere), detached);
  serve(io);
}

// A storm of short connections.
TRUTH_CASE(short_connections) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 60, echo), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 60; ++i) co_await chat(acceptor.local_endpoint(), 2);
      },
      detached);
  serve(io);
}

using asio::ip::udp;

awaitable<void> serve_time(udp::socket& socket, int count) {
  std::array<char, 64> data;
  for (int i = 0; i < count; ++i) {
    udp::endpoint sender;
    const auto size = co_await socket.async_receive_from(asio::buffer(data), sender, use_awaitable);
    co_await socket.async_send_to(asio::buffer(data, size), sender, use_awaitable);
  }
}

awaitable<void> ask_time(udp::endpoint server, int count) {
  udp::socket socket(co_await asio::this_coro::executor,
                     udp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::array<char, 64> data = {'t'};
  for (int i = 0; i < count; ++i) {
    co_await socket.async_send_to(asio::buffer(data, 8), server, use_awaitable);
    co_await socket.async_receive(asio::buffer(data), use_awaitable);
  }
}

// Datagrams.
TRUTH_CASE(datagrams) {
  asio::io_context io;
  udp::socket server(io, udp::endpoint(asio::ip::address_v4::loopback(), 0));
  co_spawn(io, serve_time(server, 60), detached);
  for (int i = 0; i < 3; ++i) co_spawn(io, ask_time(server.local_endpoint(), 20), detached);
  serve(io);
}

using Local = asio::local::stream_protocol;

awaitable<void> local_peer(Local::socket socket, int rounds, bool first) {
  std::array<char, 8> data = {};
  for (int i = 0; i < rounds; ++i) {
    if (first) co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
    co_await asio::async_read(socket, asio::buffer(data), use_awaitable);
    if (!first) co_await asio::async_write(socket, asio::buffer(data), use_awaitable);
  }
}

// Two tasks with a pair of local sockets.
TRUTH_CASE(socket_pair) {
  asio::io_context io;
  Local::socket a(io), b(io);
  asio::local::connect_pair(a, b);
  co_spawn(io, local_peer(std::move(a), 50, true), detached);
  co_spawn(io, local_peer(std::move(b), 50, false), detached);
  serve(io);
}

awaitable<void> read_pipe(asio::posix::stream_descriptor pipe, std::size_t& total) {
  std::array<char, 128> data;
  try {
    for (;;) total += co_await pipe.async_read_some(asio::buffer(data), use_awaitable);
  } catch (const Error&) {
  }
}

awaitable<void> write_pipe(asio::posix::stream_descriptor pipe) {
  for (int i = 0; i < 20; ++i) {
    co_await asio::async_write(pipe, asio::buffer("0123456789", 10), use_awaitable);
    co_await pause(1ms);
  }
}

// A pipe.
TRUTH_CASE(pipe_of_process) {
  asio::io_context io;
  int ends[2];
  if (::pipe(ends) != 0) return;
  std::size_t total = 0;
  co_spawn(io, read_pipe(asio::posix::stream_descriptor(io, ends[0]), total), detached);
  co_spawn(io, write_pipe(asio::posix::stream_descriptor(io, ends[1])), detached);
  serve(io);
}

awaitable<void> resolve_names() {
  tcp::resolver resolver(co_await asio::this_coro::executor);
  for (int i = 0; i < 3; ++i) {
    error_code error;
    co_await resolver.async_resolve("127.0.0.1", "80", asio::redirect_error(use_awaitable, error));
  }
}

// Names are resolved.
TRUTH_CASE(resolver) {
  asio::io_context io;
  co_spawn(io, resolve_names(), detached);
  serve(io);
}

// A connection that both ends use in two directions at once.
awaitable<void> send_numbers(std::shared_ptr<tcp::socket> socket) {
  for (int i = 0; i < 30; ++i)
    co_await asio::async_write(*socket, asio::buffer("12345678", 8), use_awaitable);
}
awaitable<void> receive_numbers(std::shared_ptr<tcp::socket> socket) {
  std::array<char, 8> data;
  for (int i = 0; i < 30; ++i)
    co_await asio::async_read(*socket, asio::buffer(data), use_awaitable);
}
awaitable<void> duplex(tcp::socket socket) {
  auto shared = std::make_shared<tcp::socket>(std::move(socket));
  co_spawn(shared->get_executor(), send_numbers(shared), detached);
  co_await receive_numbers(shared);
}

// Full duplex.
TRUTH_CASE(full_duplex) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 1, duplex), detached);
  co_spawn(
      io,
      [&]() -> awaitable<void> { co_await duplex(co_await connect(acceptor.local_endpoint())); },
      detached);
  serve(io);
}

// Long polling: the answer comes when there is something new.
class News {
 public:
  explicit News(asio::io_context& io) : changed_(io, steady_timer::time_point::max()) {}
  awaitable<int> after(int seen) {
    while (version_ <= seen) {
      error_code error;
      co_await changed_.async_wait(asio::redirect_error(use_awaitable, error));
    }
    co_return version_;
  }
  void publish() {
    ++version_;
    changed_.cancel();
  }

 private:
  steady_timer changed_;
  int version_ = 0;
};

awaitable<void> answer_polls(tcp::socket socket, News& news) {
  try {
    for (unsigned char seen = 0;;) {
      co_await asio::async_read(socket, asio::buffer(&seen, 1), use_awaitable);
      seen = static_cast<unsigned char>(co_await news.after(seen));
      co_await asio::async_write(socket, asio::buffer(&seen, 1), use_awaitable);
    }
  } catch (const Error&) {
  }
}

awaitable<void> poll_news(tcp::endpoint server) {
  tcp::socket socket = co_await connect(server);
  for (unsigned char seen = 0; seen < 6;) {
    co_await asio::async_write(socket, asio::buffer(&seen, 1), use_awaitable);
    co_await asio::async_read(socket, asio::buffer(&seen, 1), use_awaitable);
  }
}

awaitable<void> make_news(News& news) {
  for (int i = 0; i < 6; ++i) {
    co_await pause(8ms);
    news.publish();
  }
}

// Long polling with a timer as a condition.
TRUTH_CASE(long_polling) {
  asio::io_context io;
  News news(io);
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io,
           accept(acceptor, 3,
                  [&](tcp::socket socket) { return answer_polls(std::move(socket), news); }),
           detached);
  for (int i = 0; i < 3; ++i) co_spawn(io, poll_news(acceptor.local_endpoint()), detached);
  co_spawn(io, make_news(news), detached);
  serve(io);
}

// A server that stops gracefully: it closes its acceptor, and lets the sessions end.
TRUTH_CASE(graceful_shutdown) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 1000, echo), detached);
  for (int i = 0; i < 4; ++i) co_spawn(io, chat(acceptor.local_endpoint(), 200), detached);
  asio::signal_set signals(io, SIGTERM);
  signals.async_wait([&](error_code, int) { acceptor.close(); });
  steady_timer stop(io, 20ms);
  stop.async_wait([](error_code) { std::raise(SIGTERM); });
  serve(io);
}

// SIGHUP reads the configuration again; the server goes on.
TRUTH_CASE(reload_on_signal) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, accept(acceptor, 2, echo), detached);
  asio::signal_set signals(io, SIGHUP);
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 2; ++i) co_await signals.async_wait(use_awaitable);
        for (int i = 0; i < 2; ++i) co_await chat(acceptor.local_endpoint(), 5);
      },
      detached);
  co_spawn(
      io,
      []() -> awaitable<void> {
        for (int i = 0; i < 2; ++i) {
          co_await pause(20ms);
          std::raise(SIGHUP);
        }
      },
      detached);
  serve(io);
}

// A client that connects to several servers at once and uses the first.
TRUTH_CASE(happy_eyeballs) {
  asio::io_context io;
  tcp::acceptor a(io, loopback()), b(io, loopback());
  co_spawn(io, accept(a, 1, echo), detached);
  co_spawn(io, accept(b, 1, echo), detached);
  bool connected = false;
  for (tcp::acceptor* to : {&a, &b})
    co_spawn(
        io,
        [&connected, server = to->local_endpoint()]() -> awaitable<void> {
          tcp::socket socket = co_await connect(server);
          if (std::exchange(connected, true)) co_return;
          co_await asio::async_write(socket, asio::buffer("first", 5), use_awaitable);
        },
        detached);
  serve(io);
}

awaitable<void> odd_job(int number) {
  co_await pause(5ms);
  if (number % 2 != 0) throw std::runtime_error("odd job");
}

// Jobs fail, and completion handlers, a future and an outer job read their errors.
TRUTH_CASE(failures_are_read) {
  asio::io_context io;
  int failed = 0;
  co_spawn(
      io,
      [&]() -> awaitable<void> {
        for (int i = 0; i < 4; ++i)
          co_spawn(io, odd_job(i), [&](std::exception_ptr error) { failed += error != nullptr; });
        try {
          co_await odd_job(5);
        } catch (const std::runtime_error&) {
          ++failed;
        }
      },
      detached);
  co_spawn(io, odd_job(7), [&](std::exception_ptr error) { failed += error != nullptr; });
  std::future<void> last = co_spawn(io, odd_job(9), asio::use_future);
  serve(io);
  try {
    last.get();
  } catch (const std::runtime_error&) {
    ++failed;
  }
  if (failed != 5) throw std::logic_error("errors were lost");
}

struct Station {
  explicit Station(asio::io_context& io) : acceptor(io, loopback()), report(io) {}
  tcp::acceptor acceptor;
  steady_timer report;
  bool closed = false;
};

awaitable<void> let_in(Station& station) {
  try {
    for (;;) co_await station.acceptor.async_accept(use_awaitable);
  } catch (const boost::system::system_error&) {
  }
}

awaitable<void> report_station(Station& station, std::chrono::milliseconds every, int after) {
  for (;;) {
    station.report.expires_after(every);
    try {
      co_await station.report.async_wait(use_awaitable);
    } catch (const boost::system::system_error&) {
    }
    if (station.closed && --after < 0) co_return;
  }
}

// A station closes its acceptor, but goes on to report until its operator stops it.
TRUTH_CASE(reports_after_close) {
  asio::io_context io;
  Station station(io);
  co_spawn(io, let_in(station), detached);
  co_spawn(io, report_station(station, 10ms, 1'000'000), detached);
  steady_timer close(io, 20ms);
  close.async_wait([&](error_code) { station.acceptor.close(); });
  serve(io);
}

// The same, but it reports at once when it closes, twice more, and ends.
TRUTH_CASE(last_reports) {
  asio::io_context io;
  Station station(io);
  co_spawn(io, let_in(station), detached);
  co_spawn(io, report_station(station, 10ms, 2), detached);
  steady_timer close(io, 20ms);
  close.async_wait([&](error_code) {
    station.closed = true;
    station.acceptor.close();
    station.report.cancel();
  });
  serve(io);
}

// The head is 4 bytes, which state the length of the body. The last body comes late.
awaitable<void> receive_records(tcp::acceptor& acceptor) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  error_code error;
  for (;;) {
    char head[4];
    co_await asio::async_read(socket, asio::buffer(head),
                              asio::redirect_error(use_awaitable, error));
    if (error) co_return;
    std::string body(std::stoul(std::string(head, 4)), ' ');
    co_await asio::async_read(socket, asio::buffer(body), use_awaitable);
    if (body == "last") co_return;
  }
}

awaitable<void> send_records(tcp::endpoint to) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(to, use_awaitable);
  co_await asio::async_write(socket, asio::buffer("0005hello0004", 13), use_awaitable);
  co_await pause(50ms);
  co_await asio::async_write(socket, asio::buffer("last", 4), use_awaitable);
}

// Records with a head of fixed size.
TRUTH_CASE(records_with_heads) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, receive_records(acceptor), detached);
  co_spawn(io, send_records(acceptor.local_endpoint()), detached);
  serve(io);
}

// One half of a relay.
awaitable<void> pass_on(std::shared_ptr<tcp::socket> from, std::shared_ptr<tcp::socket> to) {
  char data[512];
  for (;;) {
    error_code error;
    const size_t size = co_await from->async_read_some(asio::buffer(data),
                                                       asio::redirect_error(use_awaitable, error));
    if (error) break;
    co_await asio::async_write(*to, asio::buffer(data, size), use_awaitable);
  }
  error_code ignored;
  to->shutdown(tcp::socket::shutdown_send, ignored);
}

awaitable<void> pass_both_ways(tcp::acceptor& acceptor, tcp::endpoint target) {
  auto client = std::make_shared<tcp::socket>(co_await acceptor.async_accept(use_awaitable));
  auto upstream = std::make_shared<tcp::socket>(client->get_executor());
  co_await upstream->async_connect(target, use_awaitable);
  co_spawn(client->get_executor(), pass_on(client, upstream), detached);
  co_spawn(client->get_executor(), pass_on(upstream, client), detached);
}

awaitable<void> stop_sending(tcp::acceptor& acceptor) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  co_await asio::async_write(socket, asio::buffer("welcome", 7), use_awaitable);
  error_code error;
  socket.shutdown(tcp::socket::shutdown_send, error);
  char data[64];
  while (!error)
    co_await socket.async_read_some(asio::buffer(data), asio::redirect_error(use_awaitable, error));
}

awaitable<void> send_until_stopped(tcp::endpoint to, bool& stop) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(to, use_awaitable);
  while (!stop) {
    co_await asio::async_write(socket, asio::buffer("upload", 6), use_awaitable);
    co_await pause(5ms);
  }
}

// A relay passes on that the server sends no more, while the client goes on to send.
TRUTH_CASE(half_closed_relay) {
  asio::io_context io;
  tcp::acceptor servers(io, loopback()), relays(io, loopback());
  bool stop = false;
  co_spawn(io, stop_sending(servers), detached);
  co_spawn(io, pass_both_ways(relays, servers.local_endpoint()), detached);
  co_spawn(io, send_until_stopped(relays.local_endpoint(), stop), detached);
  steady_timer operator_stops(io, truth::patience() / 2);
  operator_stops.async_wait([&](error_code) { stop = true; });
  serve(io);
}

}  // namespace
