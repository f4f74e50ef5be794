// skein-generate-mirage writes traces of any size in mirage-profile's format, for tests and
// benchmarks.
//
//   skein-generate-mirage --events 10000000 -o big.ctf
//   skein-generate-mirage --events 5000 --ring 4 --packet-size 65536 --cut 100000 -o damaged.ctf
//
// The mix of events, the lengths of names and the gaps in time are those of a real unikernel's TCP
// stack (mirage-trace-viewer's example): bursts of a few microseconds between sleeps. The same seed
// gives the same bytes on every machine. The events are consistent: only live tasks are read,
// resolved or merged. Therefore a reader's counts can be compared with --counts.
//
// Options damage the file after it is written, with the effects of a full disk, a torn page, or a
// crash in the middle of an event.
#include <CLI/CLI.hpp>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "trace/read/mirage/writer.h"

namespace {

using skein::mirage::Op;
using skein::mirage::Writer;

constexpr uint64_t nobody = UINT64_MAX;

struct Options {
  uint64_t events = 10'000;
  uint64_t seed = 1;
  size_t packet_size = 250'880;
  size_t ring = 0;
  uint16_t first_count = 0;
  uint64_t start = 6'777'606'442'952;
  std::string path = "-";
  bool twice = false;
  bool unknown_op = false;
  bool hostile = false;
  bool torn = false;
  bool counts = false;
  std::vector<uint64_t> cut;
  std::vector<std::string> zero;
  std::vector<std::string> flip;
};

// splitmix64: small, and portable, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t limit) { return next() % limit; }

 private:
  uint64_t state_;
};

constexpr std::array<std::string_view, 16> labels{"Gntshr.grant_access",
                                                  "Gntshr.end_access",
                                                  "ring.write",
                                                  "ring.poll ack_responses",
                                                  "ethif.writev",
                                                  "ethif.input",
                                                  "Pcb.input",
                                                  "Xs.read waiting",
                                                  "put rx_data",
                                                  "take rx_ack",
                                                  "port-1",
                                                  "Netif.rx_poll",
                                                  "Netif.tx_poll",
                                                  "take tx_ack",
                                                  "User_buffer.wait_for",
                                                  "sleep"};

constexpr std::array<std::string_view, 4> counters{"gntref", "tcp-to-ip", "main-to-tcp",
                                                   "tcp-ackd-segs"};

// Texts that can harm a program that prints them.
const std::array<std::string, 8> hostile_labels{"\x1b[2J\x1b[1;31mred\x1b[0m",
                                                "\x1b]0;a title\x07",
                                                "two\nlines\r\n",
                                                "right \u202eto left",
                                                "broken \xff\xc3\x28 utf-8 \xf0\x80\x80\x80",
                                                "<script>alert('x')</script> & \"quotes\" \\",
                                                "%s%n{}$(echo x)`x`",
                                                std::string(300, 'x')};

// Generates the events one by one.
class Generator {
 public:
  Generator(const Options& options, Writer& writer)
      : options_(options), writer_(writer), random_(options.seed), time_(options.start) {}

  void run() {
    for (uint64_t i = 0; i < options_.events; i++) {
      time_ +=
          random_.below(100) == 0 ? 20'000 + random_.below(2'000'000) : 500 + random_.below(14'000);
      if (i == options_.events / 2 && options_.twice && !live_.empty())
        create(live_.back());
      else if (i == options_.events / 2 && options_.unknown_op)
        writer_.event(time_, Op{200}, {1, 2, 3});
      else
        one();
    }
  }

  // The number of distinct tasks; all ids are below it.
  uint64_t tasks() const { return next_id_; }
  uint64_t ended() const { return ended_; }
  const std::array<uint64_t, skein::mirage::ops>& counts() const { return counts_; }

 private:
  void one() {
    const uint64_t choice = random_.below(10'000);
    if (live_.size() < 4 || choice < 1802) {
      create(next_id_++);
    } else if (choice < 4378) {
      count(Op::Read);
      current_ = pick();
      writer_.read(time_, current_, pick());
    } else if (choice < 5878) {
      end(Op::Fulfills);
    } else if (choice < 5880) {
      end(Op::Fails);
    } else if (choice < 6093) {
      end(Op::Becomes);
    } else if (choice < 8261) {
      count(Op::Label);
      const uint64_t which = random_.below(2) ? random_.below(2) : random_.below(labels.size());
      if (options_.hostile)
        writer_.label(time_, current_or_any(), hostile_labels[which % hostile_labels.size()]);
      else
        writer_.label(time_, current_or_any(), labels[which]);
    } else if (choice < 9640) {
      count(Op::Increase);
      const uint64_t which = random_.below(10) < 8 ? 0 : random_.below(counters.size());
      writer_.increase(time_, current_or_any(), static_cast<int64_t>(random_.below(2000)) - 900,
                       counters[which]);
    } else if (choice < 9998) {
      count(Op::Switch);
      current_ = current_ == nobody ? pick() : nobody;
      if (current_ == nobody) time_ += random_.below(10'000'000);
      writer_.switches(time_, current_);
    } else {
      count(Op::Gc);
      writer_.gc(time_, 100'000 + random_.below(900'000));
    }
  }

  void create(uint64_t id) {
    count(Op::Creates);
    writer_.creates(time_, current_, id, static_cast<uint8_t>(random_.below(9)));
    if (live_.empty() || live_.back() != id) live_.push_back(id);
    if (live_.size() > most_live) live_.erase(live_.begin(), live_.begin() + most_live / 2);
  }

  void end(Op op) {
    count(op);
    const size_t at = random_.below(live_.size());
    const uint64_t task = live_[at];
    live_[at] = live_.back();
    live_.pop_back();
    ended_++;
    if (current_ == task) current_ = nobody;
    if (op == Op::Fails)
      writer_.fails(time_, current_, task, "Xs_protocol.Enoent(\"read\")");
    else if (op == Op::Becomes)
      writer_.becomes(time_, task, pick());
    else
      writer_.fulfills(time_, current_, task);
  }

  uint64_t pick() { return live_[random_.below(live_.size())]; }
  uint64_t current_or_any() { return current_ == nobody ? pick() : current_; }
  void count(Op op) { counts_[static_cast<size_t>(op)]++; }

  static constexpr size_t most_live = 4096;

  const Options& options_;
  Writer& writer_;
  Random random_;
  uint64_t time_;
  uint64_t next_id_ = 0;
  uint64_t current_ = nobody;
  uint64_t ended_ = 0;
  std::vector<uint64_t> live_;
  std::array<uint64_t, skein::mirage::ops> counts_{};
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "skein-generate-mirage: %s\n", what.c_str());
  throw CLI::RuntimeError(1);
}

// Parses "OFFSET[:NUMBER]"; `second` is the default for NUMBER.
std::pair<uint64_t, uint64_t> parse_pair(const std::string& text, uint64_t second) {
  uint64_t first = 0;
  if (std::sscanf(text.c_str(), "%" SCNu64 ":%" SCNu64, &first, &second) < 1)
    fail("expected OFFSET or OFFSET:NUMBER, not " + text);
  return {first, second};
}

void overwrite(std::FILE* file, uint64_t offset, const std::vector<uint8_t>& bytes) {
  if (std::fseek(file, static_cast<long>(offset), SEEK_SET) != 0 ||
      std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
    fail("cannot write");
}

void damage(const Options& options, std::FILE* file, uint64_t size, uint64_t torn_at,
            size_t torn_size) {
  if (options.torn) overwrite(file, torn_at, std::vector<uint8_t>(torn_size));
  for (const std::string& text : options.zero) {
    const auto [offset, length] = parse_pair(text, 4096);
    if (offset < size)
      overwrite(file, offset, std::vector<uint8_t>(std::min(length, size - offset)));
  }
  for (const std::string& text : options.flip) {
    const auto [offset, mask] = parse_pair(text, 0xff);
    if (offset >= size) continue;
    std::fseek(file, static_cast<long>(offset), SEEK_SET);
    overwrite(file, offset, {static_cast<uint8_t>(std::fgetc(file) ^ static_cast<int>(mask))});
  }
  std::fflush(file);
  for (const uint64_t length : options.cut)
    if (ftruncate(fileno(file), static_cast<off_t>(length)) != 0) fail("cannot cut");
}

void generate(const Options& options) {
  const bool to_stdout = options.path == "-";
  const bool in_place = options.ring || options.torn || !options.cut.empty() ||
                        !options.zero.empty() || !options.flip.empty();
  if (to_stdout && in_place) fail("a ring or damage needs a file: -o FILE");
  std::FILE* file = to_stdout ? stdout : std::fopen(options.path.c_str(), "w+b");
  if (!file) fail("cannot open " + options.path);
  const size_t packet_size = std::max<size_t>(options.packet_size, 256);

  uint64_t packets = 0;
  uint64_t packet_at = 0;
  const auto begin_of = [&](uint64_t packet) {
    return (options.ring ? packet % options.ring : packet) * packet_size;
  };
  Writer writer(
      packet_size,
      [&](std::span<const uint8_t> packet) {
        packet_at = begin_of(packets);
        if (options.ring && std::fseek(file, static_cast<long>(packet_at), SEEK_SET) != 0)
          fail("cannot seek");
        if (std::fwrite(packet.data(), 1, packet.size(), file) != packet.size())
          fail("cannot write");
        packets++;
      },
      options.first_count);
  Generator generator(options, writer);
  generator.run();
  // The last event. --torn clears its second half, as if only its size had been written.
  const size_t torn_size = 8;
  const uint64_t torn_at = begin_of(writer.packets()) + writer.position() - torn_size;
  writer.finish(options.ring ? std::min<size_t>(options.ring, 4) : 4);
  const uint64_t size =
      (options.ring ? std::min<uint64_t>(packets, options.ring) : packets) * packet_size;
  damage(options, file, size, torn_at, torn_size);
  if (std::fflush(file) != 0) fail("cannot write");
  if (!to_stdout) std::fclose(file);
  if (!options.counts) return;
  std::fprintf(stderr, "{\"tasks\": %" PRIu64 ", \"ended\": %" PRIu64 ", \"kinds\": {",
               generator.tasks(), generator.ended());
  const char* separator = "";
  for (size_t op = 0; op < skein::mirage::ops; op++) {
    if (!generator.counts()[op]) continue;
    std::fprintf(stderr, "%s\"%s\": %" PRIu64, separator,
                 std::string(skein::mirage::op_names[op]).c_str(), generator.counts()[op]);
    separator = ", ";
  }
  std::fprintf(stderr, "}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Generate traces in mirage-profile's format, optionally damaged.");
  app.add_option("--events", options.events, "how many")->capture_default_str();
  app.add_option("--seed", options.seed, "another seed, another trace")->capture_default_str();
  app.add_option("--packet-size", options.packet_size, "bytes")->capture_default_str();
  app.add_option("--ring", options.ring, "keep the last N packets, as the recorder's ring does");
  app.add_option("--first-count", options.first_count, "the first packet's count (16 bits)");
  app.add_option("--start", options.start, "time of the beginning, nanoseconds");
  app.add_option("-o,--output", options.path, "FILE, or - for standard output");
  app.add_flag("--counts", options.counts, "what a reader must count, as JSON on standard error");
  app.add_flag("--twice", options.twice, "create one task twice");
  app.add_flag("--unknown-op", options.unknown_op, "one event of an op that does not exist");
  app.add_flag("--hostile-labels", options.hostile, "labels that attack who prints them");
  app.add_flag("--torn", options.torn, "the last event's end was never written");
  app.add_option("--zero", options.zero, "OFFSET:BYTES: a hole of zeros");
  app.add_option("--flip", options.flip, "OFFSET[:MASK]: change bits of a byte");
  app.add_option("--cut", options.cut, "BYTES: cut the file short");
  try {
    app.parse(argc, argv);
    generate(options);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return 0;
}
