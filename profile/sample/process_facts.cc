#include "profile/sample/process_facts.h"

#include <sys/types.h>
#include <time.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <string_view>

#include "target/process.h"
#include "target/thread_ids.h"

namespace skein {

std::vector<uint32_t> threads_of(uint32_t pid) {
  std::vector<uint32_t> threads;
  for (const uint64_t id : thread_ids("/proc/" + std::to_string(pid) + "/task"))
    threads.push_back(static_cast<uint32_t>(id));
  return threads;
}

std::string thread_name(uint32_t pid, uint32_t tid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

uint32_t process_of(uint32_t tid) {
  constexpr std::string_view key = "Tgid:";
  std::ifstream file("/proc/" + std::to_string(tid) + "/status");
  for (std::string word; file >> word;)
    if (uint32_t pid = 0; word == key && file >> pid) return pid;
  return 0;
}

std::optional<uint64_t> process_cpu_ns(uint32_t pid) {
  clockid_t clock = 0;
  timespec used = {};
  if (clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0 || clock_gettime(clock, &used) != 0)
    return {};
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

namespace {

// "a1b2" -> the bytes.
std::vector<uint8_t> bytes_of(std::string_view digits) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 2 <= digits.size(); i += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes.push_back(byte);
  }
  return bytes;
}

}  // namespace

PerfRecord CodeMapping::record(uint32_t pid) const {
  PerfRecord record;
  record.type = PerfRecord::Type::Mapping;
  record.pid = pid;
  record.begin = begin;
  record.size = size;
  record.offset = offset;
  record.text = file;
  record.build_id = build_id;
  return record;
}

std::vector<CodeMapping> code_mappings_of(uint32_t pid) {
  const Result<std::unique_ptr<Target>> target = open_process(pid);
  if (!target) return {};
  std::vector<CodeMapping> found;
  for (const Mapping& mapping : (*target)->mappings()) {
    if (!mapping.executable) continue;
    CodeMapping& one = found.emplace_back();
    one.begin = mapping.begin;
    one.size = mapping.size();
    one.offset = mapping.offset;
    one.file = mapping.file.empty() ? "//anon" : mapping.file;
    if (mapping.has_file()) one.build_id = bytes_of(build_id_of_file(**target, mapping));
  }
  return found;
}

uint64_t kernel_text() {
  std::ifstream symbols("/proc/kallsyms");
  for (std::string line; std::getline(symbols, line);) {
    if (!line.ends_with(" T _text")) continue;
    uint64_t address = 0;
    std::from_chars(line.data(), line.data() + line.size(), address, 16);
    return address;
  }
  return 0;
}

}  // namespace skein
