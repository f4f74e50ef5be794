#include "frames/saved_frames.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

SavedFrames example() {
  SavedFrames saved;
  saved.found.functions = {{.name = "run",
                            .full_name = "run(int)",
                            .module = "/usr/bin/server",
                            .operation = "async_wait"}};
  saved.found.places.push_back({.file = "server.cc", .line = 93, .awaiter = "event"});
  saved.found.coroutines = {{.frame = 0x1000, .awaits = 1, .place = 1, .point = 4, .size = 96},
                            {.frame = 0xFFFFFFFFFFFFFFF0,
                             .thread = 7,
                             .object = 0,
                             .awaited = 0,
                             .joined_by = 0,
                             .is_certain = false,
                             .is_elided = true}};
  saved.found.objects = {{.kind = AsioObject::Kind::Socket,
                          .clock = AsioObject::Clock::Steady,
                          .expires = AsioObject::never,
                          .descriptor = -1,
                          .address = 0x2000}};
  saved.found.awaited = {
      {.address = 0x3000,
       .kind = WaitObject::Kind::Lock,
       .type = "app::Mutex",
       .is_linked = true,
       .waiters = {1},
       .holders = {{.coroutine = 0, .certainty = WaitObject::Certainty::Certain}}}};
  saved.found.freed = 12;
  saved.found.warnings = {"a sentence"};
  saved.around.steady_now = -5;
  saved.around.sockets = {{.descriptor = 9,
                           .peer = "[::1]:80",
                           .local = "[::1]:40000",
                           .is_peer_port_listening = true,
                           .is_silent = true,
                           .unread = 3,
                           .has_counts = true}};
  saved.around.threads = {{.id = 4711, .name = "main", .wait_channel = "ep_poll"}};
  saved.paused = 1234;
  return saved;
}

}  // namespace

TEST_CASE("coroutines are saved and read") {
  const std::vector<uint8_t> bytes = save_frames(example());
  const Result<SavedFrames> read = read_frames(bytes, "x");
  REQUIRE(read);
  const SuspendedCoroutines& found = read->found;
  CHECK(found.functions[0].full_name == "run(int)");
  CHECK(found.functions[0].operation == "async_wait");
  CHECK(found.places[1].line == 93);
  REQUIRE(found.coroutines.size() == 2);
  CHECK(found.coroutines[0].awaits == 1);
  CHECK(found.coroutines[0].point == 4);
  CHECK(found.coroutines[0].size == 96);
  CHECK(found.coroutines[1].frame == 0xFFFFFFFFFFFFFFF0);
  CHECK(found.coroutines[1].awaits == SuspendedCoroutine::none);
  CHECK_FALSE(found.coroutines[1].is_certain);
  CHECK(found.coroutines[1].is_elided);
  CHECK(found.objects[0].descriptor == -1);
  CHECK(found.objects[0].expires == AsioObject::never);
  CHECK(found.coroutines[1].awaited == 0);
  CHECK(found.coroutines[1].joined_by == 0);
  CHECK(found.awaited[0].type == "app::Mutex");
  CHECK(found.awaited[0].waiters == std::vector<uint32_t>{1});
  CHECK(found.awaited[0].holders[0].is_certain());
  CHECK(found.freed == 12);
  CHECK(found.warnings == std::vector<std::string>{"a sentence"});
  CHECK(read->around.steady_now == -5);
  CHECK_FALSE(read->around.system_now);
  CHECK(read->around.sockets[0].peer == "[::1]:80");
  CHECK(read->around.threads[0].wait_channel == "ep_poll");
  CHECK(read->paused == 1234);
  CHECK(save_frames(*read) == bytes);
}

TEST_CASE("similar ones are packed") {
  SavedFrames saved = example();
  for (uint64_t i = 0; i < 10'000; i++)
    saved.found.coroutines.push_back({.frame = 0x5000 + 128 * i, .size = 128});
  const std::vector<uint8_t> bytes = save_frames(saved);
  const Result<SavedFrames> read = read_frames(bytes, "x");
  REQUIRE(read);
  CHECK(read->found.coroutines.size() == 10'002);
#ifdef SKEIN_HAS_ZSTD
  CHECK(bytes.size() < 100'000);
#endif
}

TEST_CASE("damaged ones are rejected") {
  const std::vector<uint8_t> bytes = save_frames(example());
  for (size_t size = 0; size < bytes.size(); size++)
    CHECK_FALSE(read_frames(std::span(bytes).first(size), "x"));
  std::vector<uint8_t> longer = bytes;
  longer.push_back(0);
  CHECK_FALSE(read_frames(longer, "x"));
  SavedFrames wrong = example();
  wrong.found.coroutines[0].awaits = 2;  // there are two
  CHECK_FALSE(read_frames(save_frames(wrong), "x"));
  wrong = example();
  wrong.found.coroutines[0].function = 1;
  CHECK_FALSE(read_frames(save_frames(wrong), "x"));
  // Any other byte: no crash, and what is read is consistent.
  for (size_t at = 0; at < bytes.size(); at++) {
    std::vector<uint8_t> changed = bytes;
    changed[at] ^= 0x81;
    if (const Result<SavedFrames> read = read_frames(changed, "x"))
      for (const SuspendedCoroutine& one : read->found.coroutines)
        CHECK(one.function < read->found.functions.size());
  }
}
