// Copies a ring repeatedly while its writer runs at full speed: no copy may contain a torn event.
// The copies follow the lock protocol of skein/format.h, in an implementation independent of the
// product's.
//
//     recorder_snapshot SNAPSHOTS
//
// A snapshot is all chunks of the ring. A copy that the writer overtook is repeated. Every packet
// must decode and contain an unbroken run of numbered calls.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;
using skein::format::PacketHeader;

struct Chunk {
  const char* bytes = nullptr;
  size_t size = 0;
};

// Copies the packet; false if it was recycled during the copy.
bool copy_packet(const Chunk& chunk, std::vector<char>& copy) {
  const auto* header = reinterpret_cast<const PacketHeader*>(chunk.bytes);
  const uint64_t lock = __atomic_load_n(&header->lock, __ATOMIC_ACQUIRE);
  if ((lock & 1) != 0) return false;
  const uint64_t bits = __atomic_load_n(&header->content_size, __ATOMIC_ACQUIRE);
  copy.assign(chunk.bytes, chunk.bytes + bits / 8);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (__atomic_load_n(&header->lock, __ATOMIC_RELAXED) != lock) return false;
  memcpy(copy.data() + offsetof(PacketHeader, content_size), &bits, sizeof bits);
  copy.resize(chunk.size);
  return true;
}

Chunk map_chunk(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat facts;
  fstat(fd, &facts);
  const auto size = static_cast<size_t>(facts.st_size);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return {};
  return {static_cast<const char*>(memory), size};
}

}  // namespace

int main(int count, char** values) {
  const unsigned long wanted = count > 1 ? strtoul(values[1], nullptr, 10) : 1000;
  Scratch scratch("snapshot");
  const std::string directory = scratch / "trace";
  if (start_trace_at(directory, {.size = 64 << 10}) != 0) return 1;

  std::atomic<bool> stop = false;
  std::atomic<uint64_t> calls = 0;
  std::thread writer([&] {
    NumberedCalls numbered(1);
    for (uint64_t n = 1; !stop; ++n) {
      numbered.make(n);
      calls.store(n, std::memory_order_relaxed);
    }
  });
  while (calls < 20'000) std::this_thread::yield();  // the ring is full
  std::vector<Chunk> ring;                           // of the only stream with four chunks
  for (unsigned stream = 0; ring.size() < 4 && stream < 8; ++stream) {
    ring.clear();
    for (unsigned i = 0; i < 4; ++i) {
      const Chunk chunk =
          map_chunk(directory + "/s0000" + std::to_string(stream) + "-" + std::to_string(i));
      if (chunk.bytes != nullptr) ring.push_back(chunk);
    }
  }
  SKEIN_CHECK(ring.size() == 4, "%zu chunks", ring.size());

  std::vector<char> copy;
  Packet packet;
  uint64_t copies = 0, overtaken = 0, newest = 0;
  for (unsigned long i = 0; i < wanted && failures < 5; ++i) {
    for (const Chunk& chunk : ring) {
      // Repeat without a limit: the scheduler may stop the writer in the middle of a recycling.
      while (!copy_packet(chunk, copy)) {
        ++overtaken;
        std::this_thread::yield();
      }
      ++copies;
      packet.events.clear();
      const std::string wrong = decode_packet(copy.data(), chunk.size, packet);
      SKEIN_CHECK(wrong.empty(), "snapshot %lu: %s", i, wrong.c_str());
      const Run run = find_run(packet.events, 1);
      SKEIN_CHECK(run.problem.empty(), "snapshot %lu: %s", i, run.problem.c_str());
      if (run.last > newest) newest = run.last;
    }
  }
  stop = true;
  writer.join();
  printf("%lu snapshots, %llu packets copied, %llu copies overtaken, %llu calls\n", wanted,
         static_cast<unsigned long long>(copies), static_cast<unsigned long long>(overtaken),
         static_cast<unsigned long long>(calls.load()));
  SKEIN_CHECK(newest <= calls && newest > 0, "%llu", static_cast<unsigned long long>(newest));
  return verdict();
}
