#include "record/host/posix/frame_tables.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr size_t kBudget = size_t{64} << 20;  // bytes of all rows
constexpr uint32_t kMostModules = 4096;

FrameTables* all_tables = nullptr;  // atomic
size_t used_bytes = 0;              // of the budget

// What is needed of a module, copied while the linker's lock is held.
struct ListedModule {
  uint64_t begin, end;
  uint64_t header, header_size;  // .eh_frame_hdr
  uint64_t header_end;           // of the segment that contains it
  uint64_t identity;
};
struct ModuleList {
  ListedModule* modules;
  uint32_t count;
  uint64_t added, removed;  // counters of the linker
};
uint64_t last_added = 0, last_removed = 0;

void* map_memory(size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

constexpr uint64_t kPageBytes = 4096;
size_t whole_pages(size_t size) { return (size + kPageBytes - 1) / kPageBytes * kPageBytes; }

uint64_t hash_of(uint64_t before, const void* bytes, size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < size; ++i) before = (before ^ at[i]) * 0x100000001B3;
  return before;
}

// The program headers and the notes, which have the build id: all in memory while the lock is held.
uint64_t identity_of(const dl_phdr_info& info) {
  uint64_t found = hash_of(0xCBF29CE484222325, &info.dlpi_addr, sizeof info.dlpi_addr);
  found = hash_of(found, info.dlpi_phdr, info.dlpi_phnum * sizeof *info.dlpi_phdr);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    constexpr size_t most = 256;
    if (segment.p_type != PT_NOTE) continue;
    const auto* const notes = reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr);
    found = hash_of(found, notes, segment.p_memsz < most ? segment.p_memsz : most);
  }
  return found;
}

int add_module(dl_phdr_info* info, size_t size, void* data) {
  ModuleList& list = *static_cast<ModuleList*>(data);
  if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
    list.added = info->dlpi_adds;
    list.removed = info->dlpi_subs;
    if (list.count == 0 && list.added == last_added && list.removed == last_removed) return 1;
  }
  if (list.count == kMostModules) return 1;
  ListedModule found = {
      .begin = UINT64_MAX, .end = 0, .header = 0, .header_size = 0, .header_end = 0, .identity = 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uint64_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_GNU_EH_FRAME) found.header = begin, found.header_size = end - begin;
    if (segment.p_type != PT_LOAD) continue;
    if (begin < found.begin) found.begin = begin;
    if (end > found.end) found.end = end;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uint64_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD && found.header >= begin && found.header < end)
      found.header_end = end;
  }
  if (found.header == 0 || found.header_end - found.header < found.header_size) return 0;
  found.identity = identity_of(*info);
  list.modules[list.count++] = found;
  return 0;
}

// A copy of this process's memory, which another thread may unmap.
class Copy {
 public:
  Copy(uint64_t address, uint64_t size) {
    if (size == 0 || size > kBudget) return;
    memory_ = static_cast<uint8_t*>(map_memory(size));
    if (memory_ == nullptr) return;
    mapped_ = size;
    const iovec to = {memory_, size};
    const iovec from = {reinterpret_cast<void*>(static_cast<uintptr_t>(address)), size};
    const long read = syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0);
    if (read > 0) size_ = static_cast<size_t>(read);
  }
  Copy(const Copy&) = delete;
  ~Copy() {
    if (memory_ != nullptr) munmap(memory_, mapped_);
  }
  const uint8_t* bytes() const { return memory_; }
  size_t size() const { return size_; }

 private:
  uint8_t* memory_ = nullptr;
  size_t mapped_ = 0, size_ = 0;
};

FrameTables::Module make_table(const ListedModule& of) {
  FrameTables::Module made = {of.begin, of.end, of.identity, nullptr, 0};
  const Copy header(of.header, of.header_size);
  const uint64_t frames = frames_address(header.bytes(), header.size(), of.header);
  // They are in the same segment, before or behind the header.
  if (frames < of.begin || frames >= of.header_end) return made;
  const Copy copy(frames, (frames < of.header ? of.header : of.header_end) - frames);
  constexpr size_t most_rows = 6;  // bytes of rows for each byte
  size_t size = copy.size() * most_rows;
  if (size > kBudget - used_bytes) size = kBudget - used_bytes;
  size = whole_pages(size);
  if (size == 0 || size > kBudget - used_bytes) return made;
  auto* const rows = static_cast<CallFrame*>(map_memory(size));
  if (rows == nullptr) return made;
  const FrameSections info = {.header = header.bytes(),
                              .header_size = header.size(),
                              .header_address = of.header,
                              .frames = copy.bytes(),
                              .frames_size = copy.size(),
                              .frames_address = frames};
  made.count = convert(info, of.begin, rows, static_cast<uint32_t>(size / sizeof *rows));
  made.rows = rows;
  const size_t taken = whole_pages(made.count * sizeof *rows);
  if (taken != size) munmap(reinterpret_cast<char*>(rows) + taken, size - taken);
  if (taken == 0) made.rows = nullptr;
  used_bytes += taken;
  return made;
}

const FrameTables::Module* module_at(const FrameTables& of, uint64_t pc) {
  uint32_t low = 0, high = of.count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (of.modules[middle].begin <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low != 0 && pc < of.modules[low - 1].end ? &of.modules[low - 1] : nullptr;
}

void insert(FrameTables& into, const FrameTables::Module& module) {
  uint32_t place = into.count++;
  for (; place != 0 && into.modules[place - 1].begin > module.begin; --place)
    into.modules[place] = into.modules[place - 1];
  into.modules[place] = module;
}

void publish_tables(const ModuleList& list) {
  const FrameTables* const before = now_of(all_tables);
  const size_t size = sizeof(FrameTables) + list.count * sizeof(FrameTables::Module);
  auto* const made = static_cast<FrameTables*>(map_memory(size));
  if (made == nullptr) return;
  for (uint32_t i = 0; i < list.count; ++i) {
    const ListedModule& found = list.modules[i];
    const FrameTables::Module* known =
        before == nullptr ? nullptr : module_at(*before, found.begin);
    const bool is_known = known != nullptr && known->identity == found.identity;
    insert(*made, is_known ? *known : make_table(found));
  }
  publish(all_tables, made);
}

}  // namespace

bool update_frame_tables() {
#if defined(__x86_64__)
  constexpr size_t size = kMostModules * sizeof(ListedModule);
  ModuleList list = {.modules = static_cast<ListedModule*>(map_memory(size)),
                     .count = 0,
                     .added = 0,
                     .removed = 0};
  if (list.modules == nullptr) return false;
  list_modules(add_module, &list);
  if (list.count != 0) publish_tables(list);
  if (list.added != 0) last_added = list.added, last_removed = list.removed;
  munmap(list.modules, size);
  return list.count != 0;
#else
  return false;
#endif
}

const FrameTables* frame_tables() { return now_of(all_tables); }

CallFrame call_frame(const FrameTables* of, uint64_t pc) {
  const FrameTables::Module* const module = of == nullptr ? nullptr : module_at(*of, pc);
  if (module == nullptr || module->rows == nullptr)
    return {0, 0, CallFrame::kLost, CallFrame::Base::Unknown};
  return find_frame(module->rows, module->count, static_cast<uint32_t>(pc - module->begin));
}

}  // namespace skein::record
