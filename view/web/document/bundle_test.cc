#include "view/web/document/bundle.h"

#include <doctest/doctest.h>
#include <skein/format.h>

#include <algorithm>
#include <cstring>

#include "trace/read/ctf/task_table.h"

using namespace skein;

namespace {

struct PacketOf {
  uint64_t sequence = 0;
  uint64_t lock = 0;
};

// A chunk file with these events, followed by leftovers of earlier ones.
std::vector<uint8_t> packet(PacketOf of, std::string_view events) {
  format::PacketHeader header{};
  header.magic = format::kPacketMagic;
  header.packet_seq_num = of.sequence;
  header.lock = of.lock;
  header.content_size = 8 * (sizeof header + events.size());
  const size_t size = std::max<size_t>(512, sizeof header + events.size());
  header.packet_size = 8 * size;
  std::vector<uint8_t> file(size, 0xaa);
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, events.data(), events.size());
  return file;
}

std::string text(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

// Splits a bundle into its header and its files' bytes.
std::pair<std::string, std::string> parts(const std::vector<uint8_t>& bundle) {
  REQUIRE(bundle.size() >= 4);
  const size_t size = bundle[0] | size_t{bundle[1]} << 8;
  const std::string all = text(bundle);
  return {all.substr(4, size), all.substr(4 + size)};
}

constexpr uint64_t limit = 1 << 20;

web::Update update(Files& files, const web::Manifest& had) {
  auto made = web::make_update(files, {"t", "title"}, had, limit);
  REQUIRE(made);
  return *std::move(made);
}

}  // namespace

TEST_CASE("an update contains only new data") {
  MemoryFiles files;
  const std::string events(100, 'e');
  files.add("t/metadata", "/* CTF 1.8");
  files.add("t/s0-0", packet({}, events));
  files.add("t/s0-1", packet({.sequence = 1}, ""));
  files.add("t/.tasks", "not for readers");

  const web::Update all = update(files, {});
  const auto [header, bytes] = parts(all.bundle);
  CHECK(
      header ==
      R"({"traces":[{"title":"title","path":"0","files":[["0/metadata",10],["0/s0-0",228],["0/s0-1",128]]}]})");
  CHECK(bytes.starts_with("/* CTF 1.8"));
  CHECK(bytes.size() == 10 + 228 + 128);
  CHECK(all.now.files.size() == 3);

  const web::Update none = update(files, all.now);
  CHECK(none.bundle.empty());

  // Appended to: its new header, and the appended bytes.
  files.add("t/s0-1", packet({.sequence = 1}, "one"));
  const web::Update one = update(files, all.now);
  files.add("t/s0-1", packet({.sequence = 1}, "one, two"));
  const web::Update two = update(files, one.now);
  const auto [header_of_two, bytes_of_two] = parts(two.bundle);
  CHECK(header_of_two ==
        R"({"traces":[{"title":"title","path":"0","files":[["0/s0-1",136,[[0,128],[131,5]]]]}]})");
  CHECK(bytes_of_two == text(packet({.sequence = 1}, "one, two")).substr(0, 128) + ", two");
  // A page with an older version gets more.
  const auto [header_of_both, bytes_of_both] = parts(update(files, all.now).bundle);
  CHECK(bytes_of_both.substr(128) == "one, two");

  // Recycled: all of it, although it is longer than before.
  files.add("t/s0-1", packet({.sequence = 2, .lock = 2}, "quite another"));
  const auto [header_of_other, bytes_of_other] = parts(update(files, two.now).bundle);
  CHECK(header_of_other == R"({"traces":[{"title":"title","path":"0","files":[["0/s0-1",141]]}]})");
  CHECK(bytes_of_other.substr(128) == "quite another");

  // A changed text; a removed file.
  files.add("t/metadata", "/* CTF 1.8b");
  files.remove("t/s0-0");
  files.remove("t/s0-1");
  const auto [header_of_last, bytes_of_last] = parts(update(files, two.now).bundle);
  CHECK(
      header_of_last ==
      R"({"traces":[{"title":"title","path":"0","gone":["0/s0-0","0/s0-1"],"files":[["0/metadata",11]]}]})");
  CHECK(bytes_of_last == "/* CTF 1.8b");
}

TEST_CASE("other files of a directory are not packed") {
  MemoryFiles files;
  files.add("t/metadata", "/* CTF 1.8");
  files.add("t/s0-0", packet({}, "events"));
  files.add("t/s0-1", "not a packet");
  files.add("t/s0-2", "");
  files.add("t/passwords", "secret");
  files.add("t/sub/metadata", "/* CTF 1.8");
  const std::vector<web::TraceInput> inputs = {{"t", "title"}};
  const auto bundle = web::make_bundle(files, inputs, limit);
  REQUIRE(bundle);
  constexpr auto both = R"("files":[["0/metadata",10],["0/s0-0",134]])";
  CHECK(parts(*bundle).first.find(both) != std::string::npos);
  CHECK(parts(*bundle).second.size() == 144);
  const web::Update all = update(files, {});
  CHECK(parts(all.bundle).first.find(both) != std::string::npos);
  CHECK(parts(all.bundle).second.size() == 144);

  files.add("t/metadata", "a secret that is named metadata");
  CHECK(text(*web::make_bundle(files, inputs, limit)).find("secret") == std::string::npos);
}

TEST_CASE("the update of a ring includes the live task table") {
  MemoryFiles files;
  files.add("t/metadata", "/* CTF 1.8");
  ctf::TaskTableSnapshot table;
  table.tasks.push_back({.id = 5, .state = format::TaskState::kSuspended});
  files.add("t/.tasks", ctf::encode(table));
  CHECK(parts(update(files, {}).bundle).second == "/* CTF 1.8");  // a log
  table.ring_bytes = 4096;
  files.add("t/.tasks", ctf::encode(table));
  const web::Update all = update(files, {});
  CHECK(parts(all.bundle).first.find("\"0/.tasks\"") != std::string::npos);
  CHECK(update(files, all.now).bundle.empty());
  table.tasks[0].on = 7;
  files.add("t/.tasks", ctf::encode(table));
  CHECK(!update(files, all.now).bundle.empty());
  const std::vector<web::TraceInput> inputs = {{"t", "title"}};
  const auto bundle = web::make_bundle(files, inputs, limit);
  REQUIRE(bundle);
  CHECK(parts(*bundle).second == "/* CTF 1.8" + text(ctf::encode(table)));
}

TEST_CASE("the update of a file contains the changed blocks") {
  MemoryFiles files;
  constexpr size_t block = 64 << 10;
  std::string file;
  for (size_t i = 0; i < 5 * block / 2; i++) file += static_cast<char>(i * i >> 7);
  const auto now = [&](const web::Manifest& had) {
    files.add("t", file);
    return update(files, had);
  };
  const web::Update all = now({});
  CHECK(parts(all.bundle).first ==
        R"({"traces":[{"title":"title","path":"0","files":[["0",163840]]}]})");
  CHECK(parts(all.bundle).second == file);
  CHECK(now(all.now).bundle.empty());

  file[block + 5] ^= 1;
  const web::Update second = now(all.now);
  CHECK(parts(second.bundle).first ==
        R"({"traces":[{"title":"title","path":"0","files":[["0",163840,[[65536,65536]]]]}]})");
  CHECK(parts(second.bundle).second == file.substr(block, block));
  // The highest bits of two words: a weaker hash would not detect them.
  file[7] ^= '\x80';
  file[15] ^= '\x80';
  file += "more";
  const web::Update third = now(second.now);
  CHECK(
      parts(third.bundle).first ==
      R"({"traces":[{"title":"title","path":"0","files":[["0",163844,[[0,65536],[131072,32772]]]]}]})");
  CHECK(parts(third.bundle).second == file.substr(0, block) + file.substr(2 * block));
  // Truncated: at the end of a block, and elsewhere.
  file.resize(2 * block);
  const web::Update fourth = now(third.now);
  CHECK(parts(fourth.bundle).first ==
        R"({"traces":[{"title":"title","path":"0","files":[["0",131072,[[0,65536]]]]}]})");
  file.resize(block + 1);
  CHECK(parts(now(fourth.now).bundle).first ==
        R"({"traces":[{"title":"title","path":"0","files":[["0",65537,[[65536,1]]]]}]})");
  file = "quite another";
  CHECK(parts(now(fourth.now).bundle).second == file);
  file.clear();
  CHECK(parts(now(fourth.now).bundle).first ==
        R"({"traces":[{"title":"title","path":"0","files":[["0",0]]}]})");
}

TEST_CASE("a packet that is being recycled or was truncated is sent as a whole") {
  MemoryFiles files;
  files.add("t/s0-0", packet({}, "one"));
  const web::Manifest had = update(files, {}).now;
  files.add("t/s0-0", packet({.lock = 1}, "one, two"));
  CHECK(parts(update(files, had).bundle).second.substr(128) == "one, two");
  auto cut = packet({}, "one, two");
  cut.resize(130);
  files.add("t/s0-0", cut);
  CHECK(parts(update(files, had).bundle).second == text(cut));
  cut.resize(20);
  files.add("t/s0-0", cut);
  CHECK(parts(update(files, had).bundle).second == text(cut));
}

TEST_CASE("more than a page can hold is rejected") {
  MemoryFiles files;
  const auto large = packet({}, std::string(limit / 3 - sizeof(format::PacketHeader), 'e'));
  for (int i = 0; i < 3; i++) files.add("t/s0-" + std::to_string(i), large);
  const web::Manifest had = update(files, {}).now;
  files.add("t/s0-3", large);
  for (const web::Manifest& manifest : {web::Manifest(), had}) {
    const auto made = web::make_update(files, {"t", "title"}, manifest, limit);
    REQUIRE(!made);
    CHECK(made.error().message().find("MiB") != std::string::npos);
  }
}
