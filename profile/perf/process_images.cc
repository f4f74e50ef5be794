#include "profile/perf/process_images.h"

#include <iterator>
#include <utility>

namespace skein {

namespace {

// Makes room for [begin, end): mappings that reach into it are cut or removed.
void clear(std::map<uint64_t, ProcessImage::Mapped>& mappings, uint64_t begin, uint64_t end) {
  auto at = mappings.upper_bound(begin);
  if (at != mappings.begin() && std::prev(at)->second.end > begin) --at;
  while (at != mappings.end() && at->first < end) {
    const uint64_t old_begin = at->first;
    const ProcessImage::Mapped old = at->second;
    if (old_begin < begin) {
      at->second.end = begin;
      ++at;
    } else {
      at = mappings.erase(at);
    }
    if (old.end > end)
      mappings[end] = {.end = old.end, .offset = old.offset + (end - old_begin), .file = old.file};
  }
}

}  // namespace

std::map<uint64_t, ProcessImage::Mapped>::const_iterator ProcessImage::find(
    uint64_t address) const {
  auto at = mappings.upper_bound(address);
  if (at == mappings.begin() || (--at)->second.end <= address) return mappings.end();
  return at;
}

void ProcessImages::use(const PerfRecord& record) {
  if (record.type == PerfRecord::Type::Mapping) {
    map(record);
  } else if (record.type == PerfRecord::Type::Name && record.is_exec) {
    processes_.erase(record.pid);
  } else if (record.type == PerfRecord::Type::Fork && record.pid != record.parent) {
    const auto parent = processes_.find(record.parent);
    if (parent != processes_.end()) processes_[record.pid] = parent->second;
  }
}

std::shared_ptr<const ProcessImage> ProcessImages::of(uint32_t pid) const {
  const auto process = processes_.find(pid);
  return process == processes_.end() ? nullptr : process->second;
}

void ProcessImages::map(const PerfRecord& record) {
  constexpr uint32_t of_kernel = UINT32_MAX;
  constexpr size_t most_copied = 4'000'000;  // a fork of a process may copy all of its mappings
  if (record.size == 0 || record.begin + record.size < record.begin) return;
  if (record.pid == of_kernel) {
    const size_t end = record.text.find("]_");
    if (record.text.starts_with("[kernel.kallsyms]") && end != record.text.npos) {
      kernel_symbol_ = record.text.substr(end + 1);
      kernel_address_ = record.offset;
    }
    return;
  }
  auto& image = processes_[record.pid];
  if (!image) image = std::make_shared<ProcessImage>();
  if (image.use_count() > 1) {
    copied_ += image->mappings.size();
    if (copied_ > most_copied) return;
    image = std::make_shared<ProcessImage>(*image);
  }
  const uint64_t end = record.begin + record.size;
  clear(image->mappings, record.begin, end);
  image->mappings[record.begin] = {.end = end, .offset = record.offset, .file = number_of(record)};
  image->changes++;
}

uint32_t ProcessImages::number_of(const PerfRecord& record) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id;
  for (const uint8_t byte : record.build_id) {
    id += digits[byte >> 4];
    id += digits[byte & 15];
  }
  const auto [at, is_new] = numbers_.try_emplace(std::string(record.text) + '\0' + id,
                                                 static_cast<uint32_t>(files_.size()));
  if (is_new)
    files_.push_back({.name = std::string(record.text),
                      .build_id = std::move(id),
                      .pid = record.pid,
                      .begin = record.begin,
                      .end = record.begin + record.size});
  return at->second;
}

}  // namespace skein
