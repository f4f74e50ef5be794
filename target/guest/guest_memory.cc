#include "target/guest/guest_memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/whole_text.h"
#include "target/access.h"
#include "target/living_process.h"
#include "target/page_map.h"
#include "target/process_maps.h"
#include "target/thread_ids.h"

namespace skein {

namespace {

constexpr uint64_t kPage = format::kArenaPage;
constexpr uint64_t kMegabyte = uint64_t{1} << 20;
constexpr uint64_t kGigabyte = uint64_t{1} << 30;

// The RAM of x86 begins at 0 and leaves out a hole that ends at 4 GiB; that of arm64's machine
// `virt` begins at 1 GiB.
bool is_address_of_offset(uint64_t offset, uint64_t address) {
  if (address == offset || address == offset + kGigabyte) return true;
  const uint64_t hole = address - offset;
  return address > offset && address >= 4 * kGigabyte && hole <= 2 * kGigabyte &&
         hole % (64 * kMegabyte) == 0;
}

class RamFile : public GuestMemory {
 public:
  RamFile(int descriptor, uint64_t size) : descriptor_(descriptor), size_(size) {}
  RamFile(const RamFile&) = delete;
  RamFile& operator=(const RamFile&) = delete;
  ~RamFile() override { close(descriptor_); }

  bool read(uint64_t position, std::span<uint8_t> to) const override {
    size_t done = 0;
    while (done < to.size()) {
      const ssize_t count = pread(descriptor_, to.data() + done, to.size() - done,
                                  static_cast<off_t>(position + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      done += static_cast<size_t>(count);
    }
    return true;
  }

  std::vector<MemoryRange> data() const override {
    std::vector<MemoryRange> ranges;
    for (uint64_t at = 0; at < size_;) {
      const off_t begin = lseek(descriptor_, static_cast<off_t>(at), SEEK_DATA);
      if (begin < 0) break;
      const off_t end = lseek(descriptor_, begin, SEEK_HOLE);
      if (end <= begin) break;
      ranges.push_back({static_cast<uint64_t>(begin) / kPage * kPage, static_cast<uint64_t>(end)});
      at = static_cast<uint64_t>(end);
    }
    return ranges;
  }

  bool may_be_at(uint64_t position, uint64_t address, uint64_t size) const override {
    return is_address_of_offset(position, address) && position <= size_ && size <= size_ - position;
  }

 private:
  int descriptor_;
  uint64_t size_;
};

class ProcessRam : public GuestMemory {
 public:
  ProcessRam(uint64_t pid, LivingProcess process, std::vector<Mapping> mappings)
      : pid_(pid), process_(process), mappings_(std::move(mappings)) {}

  bool read(uint64_t position, std::span<uint8_t> to) const override {
    size_t done = 0;
    while (done < to.size()) {
      const iovec local = {to.data() + done, to.size() - done};
      const iovec remote = {reinterpret_cast<void*>(position + done), to.size() - done};
      const ssize_t count =
          process_vm_readv(static_cast<pid_t>(process_.thread), &local, 1, &remote, 1, 0);
      if (count <= 0) return false;
      done += static_cast<size_t>(count);
    }
    return true;
  }

  std::vector<MemoryRange> data() const override {
    std::vector<MemoryRange> ranges;
    const PageMap pages("/proc/" + std::to_string(process_.thread));
    for (const Mapping& mapping : mappings_)
      for (const PageRun& run : pages.runs(mapping.begin, mapping.end))
        ranges.push_back({run.begin, run.end});
    return ranges;
  }

  // The kernel may show RAM without a file as one mapping with other memory, so where it begins is
  // not known. QEMU aligns it.
  bool may_be_at(uint64_t position, uint64_t address, uint64_t size) const override {
    constexpr uint64_t alignment = 2 * kMegabyte;
    const Mapping* mapping = find_mapping(mappings_, position);
    if (mapping == nullptr || size > mapping->end - position) return false;
    return mapping->has_file()
               ? is_address_of_offset(mapping->offset + (position - mapping->begin), address)
               : (position - address) % alignment == 0;
  }

  bool is_running() const override { return living_process(pid_) == process_; }

 private:
  uint64_t pid_;
  LivingProcess process_;
  std::vector<Mapping> mappings_;
};

// Adds the arenas that begin in a range.
void search(const GuestMemory& memory, MemoryRange range, std::vector<FoundArena>& found,
            std::optional<Error>& damage) {
  std::vector<uint8_t> bytes;
  for (uint64_t at = range.begin; at < range.end;) {
    const uint64_t size = std::min(range.end - at, kMegabyte);
    bytes.resize(static_cast<size_t>(size));
    if (!memory.read(at, bytes)) {  // the guest has returned some of it in between
      for (uint64_t page = at; size > kPage && page + kPage <= at + size; page += kPage)
        search(memory, {page, page + kPage}, found, damage);
      at += size;
      continue;
    }
    for (uint64_t page = 0; page + kPage <= size; page += kPage) {
      const auto header = std::span(bytes).subspan(static_cast<size_t>(page), kPage);
      if (!has_arena_magic(header)) continue;
      Result<Arena> arena = read_arena(header);
      if (!arena)
        damage = arena.error();
      else if (memory.may_be_at(at + page, arena->address, arena->size))
        found.push_back({at + page, *std::move(arena)});
    }
    at += size;
  }
}

std::vector<std::string> command_line_of(uint64_t pid) {
  std::vector<std::string> words;
  const std::string text = whole_text("/proc/" + std::to_string(pid) + "/cmdline");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool is_qemu(std::span<const std::string> words) {
  if (words.empty()) return false;
  const std::string name = words.front().substr(words.front().rfind('/') + 1);
  return name.starts_with("qemu-system-") || name == "qemu-kvm" || name == "kvm";
}

}  // namespace

Result<FoundArena> find_arena(const GuestMemory& memory) {
  std::vector<FoundArena> found;
  std::optional<Error> damage;
  for (const MemoryRange& range : memory.data()) search(memory, range, found, damage);
  // The RAM may be mapped twice.
  const auto is_same = [&](const FoundArena& other) {
    return other.arena.uuid == found.front().arena.uuid &&
           other.arena.address == found.front().arena.address;
  };
  if (!found.empty()) {
    if (!std::all_of(found.begin(), found.end(), is_same))
      return Error{.what = std::to_string(found.size()) + " arenas in its memory",
                   .advice = "only one can be read"};
    return std::move(found.front());
  }
  if (damage) return *damage;
  return Error{.what = "no arena in its memory",
               .advice = "the guest must be built with skein's recorder (skein/unikernel.h)"};
}

Result<std::unique_ptr<GuestMemory>> open_guest_process(uint64_t pid) {
  const std::string file = "process " + std::to_string(pid);
  const std::optional<LivingProcess> process = living_process(pid);
  if (!process) return Error{.what = "no such process", .file = file};
  std::vector<Mapping> mappings =
      read_maps(whole_text("/proc/" + std::to_string(process->thread) + "/maps"));
  if (mappings.empty())
    return Error{
        .what = "its memory may not be read", .file = file, .advice = advice_of(access_facts(pid))};
  std::erase_if(mappings, [](const Mapping& mapping) {
    return !is_data(mapping) || mapping.size() < kMegabyte || mapping.file.starts_with('[');
  });
  auto memory = std::make_unique<ProcessRam>(pid, *process, std::move(mappings));
  for (const MemoryRange& range :
       memory->data()) {  // a process with the same user may be forbidden
    std::array<uint8_t, 8> word{};
    if (memory->read(range.begin, word)) break;
    if (errno == EPERM)
      return Error{.what = "its memory may not be read",
                   .file = file,
                   .advice = advice_of(access_facts(pid))};
  }
  return std::unique_ptr<GuestMemory>(std::move(memory));
}

Result<std::unique_ptr<GuestMemory>> open_ram_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (descriptor < 0) return Error{.what = std::strerror(errno), .file = path};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return Error{.what = "not a file", .file = path};
  }
  return std::unique_ptr<GuestMemory>(
      std::make_unique<RamFile>(descriptor, static_cast<uint64_t>(status.st_size)));
}

std::string guest_name(std::span<const std::string> words) {
  for (size_t i = 0; i + 1 < words.size(); i++) {
    if (words[i] != "-name" && words[i] != "--name") continue;
    // Options are separated by commas; the first may be the name alone. A comma in it is doubled.
    std::string_view rest = words[i + 1];
    for (bool is_first = true; !rest.empty(); is_first = false) {
      std::string option;
      size_t at = 0;
      for (; at < rest.size(); at++) {
        if (rest[at] == ',' && !rest.substr(at + 1).starts_with(',')) break;
        if (rest[at] == ',') at++;
        option += rest[at];
      }
      rest.remove_prefix(std::min(at + 1, rest.size()));
      if (option.starts_with("guest=")) return option.substr(6);
      if (is_first && option.find('=') == option.npos) return option;
    }
  }
  return {};
}

std::vector<Guest> find_guests() {
  std::vector<Guest> guests;
  for (const uint64_t pid : thread_ids("/proc")) {
    const std::vector<std::string> words = command_line_of(pid);
    if (is_qemu(words)) guests.push_back({pid, guest_name(words)});
  }
  return guests;
}

}  // namespace skein
