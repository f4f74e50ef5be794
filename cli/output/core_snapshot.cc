#include "cli/output/core_snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "frames/saved_frames.h"

namespace skein::cli {

namespace {

// What a debugger or skein may want to read of the stacks: from the stack pointer on.
void add_stacks(const Target& target, CoreWriter& to) {
  constexpr uint64_t most = 1 << 20;
  constexpr uint64_t red_zone = 128;
  for (const TargetThread& thread : target.threads()) {
    const auto sp = thread.registers.get(Registers::sp_of(target.architecture()));
    const Mapping* stack = sp ? find_mapping(target.mappings(), *sp) : nullptr;
    if (stack == nullptr) continue;
    const uint64_t begin = std::max(stack->begin, *sp - std::min(*sp, red_zone));
    to.add(begin, std::min(most, stack->end - begin));
  }
}

// The first page of each file has its build id.
void add_build_ids(const Target& target, CoreWriter& to) {
  for (const Mapping& mapping : target.mappings())
    if (mapping.has_file() && mapping.offset == 0) to.add(mapping.begin, 1);
}

// Frames, for a debugger: of many similar coroutines the first ones, so many of each.
void add_frames(const SuspendedCoroutines& found, CoreWriter& to) {
  constexpr uint64_t most_bytes = 1 << 20;
  constexpr uint32_t most_similar = most_bytes / 4096;
  using Kind = std::tuple<uint32_t, uint32_t, SuspendedCoroutine::State>;
  std::map<Kind, uint32_t> counts;
  std::vector<std::pair<uint32_t, const SuspendedCoroutine*>> chosen;  // after so many similar ones
  for (const SuspendedCoroutine& one : found.coroutines) {
    uint32_t& count = counts[{one.function, one.point, one.state}];
    if (count < most_similar) chosen.emplace_back(count++, &one);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const uint64_t begin = to.copied();
  for (const auto& [before, one] : chosen)
    if (to.copied() - begin < most_bytes) to.add(one->frame, one->size);
}

}  // namespace

OnMemory CoreSnapshot::copier() {
  return [this](const Target& target, const SuspendedCoroutines& found) {
    writer_.emplace(target);
    add_build_ids(target, *writer_);
    add_stacks(target, *writer_);
    add_frames(found, *writer_);
  };
}

uint64_t CoreSnapshot::write(const Unprepared& read,
                             const std::function<bool(std::string_view)>& write) {
  writer_->note = save_frames({.found = read.found, .around = read.around, .paused = read.paused});
  return writer_->write(write);
}

bool CoreSnapshot::write_file(const Unprepared& read, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return false;
  bool is_written = true;
  write(read, [&](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return is_written = false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  });
  if (close(file) != 0) is_written = false;
  if (!is_written) unlink(path.c_str());
  return is_written;
}

}  // namespace skein::cli
