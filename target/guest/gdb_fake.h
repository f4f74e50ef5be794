// A gdb server in memory, for tests.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "target/guest/gdb_packets.h"

namespace skein {

inline std::string gdb_packet(std::string_view content) {
  unsigned sum = 0;
  for (const char c : content) sum += static_cast<unsigned char>(c);
  constexpr char digits[] = "0123456789abcdef";
  return "$" + std::string(content) + "#" + digits[sum >> 4 & 15] + digits[sum & 15];
}

inline std::string gdb_hex_text(std::string_view bytes) {
  std::string text;
  constexpr char digits[] = "0123456789abcdef";
  for (const char c : bytes) {
    text += digits[static_cast<uint8_t>(c) >> 4];
    text += digits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

// Sends bytes that were written before, in steps. It is silent at their end.
class ScriptedStream : public GdbStream {
 public:
  explicit ScriptedStream(std::string bytes, size_t step = SIZE_MAX)
      : input(std::move(bytes)), step_(step) {}
  Result<void> write(std::string_view bytes) override {
    output += bytes;
    return {};
  }
  Result<size_t> read(std::span<char> to) override {
    const size_t size = std::min({to.size(), input.size(), step_});
    if (size == 0) return Error{.what = "silent"};
    input.copy(to.data(), size);
    input.erase(0, size);
    return size;
  }
  std::string input;   // not yet sent
  std::string output;  // what the client wrote

 private:
  size_t step_;
};

// Behaves as QEMU 7.2, with memory; `replies` are for requests that are to be answered otherwise.
class FakeServer : public GdbStream {
 public:
  explicit FakeServer(size_t memory_size = 0) : memory(memory_size) {}

  Result<void> write(std::string_view bytes) override {
    for (const char c : bytes) receive(c);
    return {};
  }
  Result<size_t> read(std::span<char> to) override {
    const size_t size = std::min(to.size(), out_.size());
    if (size == 0) return Error{.what = "silent"};
    out_.copy(to.data(), size);
    out_.erase(0, size);
    return size;
  }
  void send(std::string_view content) { out_ += gdb_packet(content); }

  std::vector<uint8_t> memory;                 // physical
  uint64_t virtual_base = 0xffffffff80000000;  // of the same memory
  bool has_physical = true;
  std::map<std::string, std::string> replies;
  std::map<std::string, std::string> monitor;
  std::vector<std::string> requests;
  unsigned acknowledged = 0;
  bool is_physical = false;

 private:
  void receive(char c) {
    if (in_.empty()) {
      acknowledged += c == '+';
      if (c == 3) send("T02thread:01;");
      if (c == '$') in_ = c;
      return;
    }
    in_ += c;
    const size_t end = in_.find('#');
    if (end == in_.npos || in_.size() < end + 3) return;
    const std::string content = in_.substr(1, end - 1);
    if (in_ != gdb_packet(content)) {
      out_ += '-';
    } else {
      requests.push_back(content);
      out_ += '+';
      answer(content);
    }
    in_.clear();
  }

  void answer(const std::string& request) {
    if (const auto found = replies.find(request); found != replies.end())
      return send(found->second);
    if (request.starts_with("qSupported"))
      return send("PacketSize=1000;qXfer:features:read+;vContSupported+;multiprocess+");
    if (request == "?") return send("T05thread:01;");
    if (request == "qqemu.PhyMemMode") return send(!has_physical ? "" : is_physical ? "1" : "0");
    if (request.starts_with("Qqemu.PhyMemMode:") && has_physical) {
      is_physical = request.ends_with('1');
      return send("OK");
    }
    if (request.starts_with("qRcmd,")) return answer_monitor(request.substr(6));
    if (request.starts_with('m')) return answer_memory(request);
    if (request == "vCont?") return send("vCont;c;C;s;S");
    if (request == "c" || request == "vCont;c") return;
    send("");
  }

  void answer_monitor(const std::string& command) {
    const auto found = monitor.find(gdb_hex_bytes(command).value_or(""));
    if (found == monitor.end()) return send("");
    const size_t half = found->second.size() / 2;
    send("O" + gdb_hex_text(found->second.substr(0, half)));
    send("O" + gdb_hex_text(found->second.substr(half)));
    send("OK");
  }

  void answer_memory(const std::string& request) {
    const size_t comma = request.find(',');
    uint64_t address = *gdb_hex_number(request.substr(1, comma - 1));
    const uint64_t size = *gdb_hex_number(request.substr(comma + 1));
    if (!is_physical) address -= virtual_base;
    constexpr uint64_t most = 2048;
    if (size > most) return send("E22");
    if (address > memory.size() || size > memory.size() - address) return send("E14");
    const auto begin = memory.begin() + static_cast<ptrdiff_t>(address);
    send(gdb_hex_text(std::string(begin, begin + static_cast<ptrdiff_t>(size))));
  }

  std::string in_;
  std::string out_;
};

}  // namespace skein
