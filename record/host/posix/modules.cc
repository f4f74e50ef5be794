// Records the module map: which file is loaded at which address, for symbolisation.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/core/spin.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

// In a page that is cleared on fork.
uint32_t& is_listing() { return *reinterpret_cast<uint32_t*>(skein_page + 320); }
uint32_t& forks() { return *reinterpret_cast<uint32_t*>(skein_page + 324); }  // being made now
uint32_t& modules_lock() { return *reinterpret_cast<uint32_t*>(skein_page + 328); }

// Returns the build id in hexadecimal; empty if the module has none.
void read_build_id(const dl_phdr_info& info, char (&digits)[65]) {
  digits[0] = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      memcpy(&note, at, sizeof note);
      const size_t name_size = (note.n_namesz + 3u) & ~3u;
      const size_t text_size = (note.n_descsz + 3u) & ~3u;
      const size_t rest = static_cast<size_t>(end - at) - sizeof note;
      if (name_size > rest || text_size > rest - name_size) break;
      const char* text = at + sizeof note + name_size;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 32) {
        for (unsigned byte = 0; byte < note.n_descsz; ++byte) {
          const auto value = static_cast<unsigned char>(text[byte]);
          digits[2 * byte] = "0123456789abcdef"[value >> 4];
          digits[2 * byte + 1] = "0123456789abcdef"[value & 15];
        }
        digits[2 * note.n_descsz] = 0;
        return;
      }
      at = text + text_size;
    }
  }
}

// The modules of the last definition, for forked children: base, size, build id and path of each.
// Changes under the lock.
constexpr size_t kRemembered = size_t{512} << 10;
char* remembered = nullptr;
size_t remembered_size = 0;

void remember(uint64_t base, uint64_t size, const char* build_id, const char* path) {
  const size_t build_id_size = strlen(build_id) + 1, path_size = strlen(path) + 1;
  const size_t total = 2 * sizeof base + build_id_size + path_size;
  if (remembered == nullptr || total > kRemembered - remembered_size) return;
  char* to = remembered + remembered_size;
  memcpy(to, &base, sizeof base);
  memcpy(to + sizeof base, &size, sizeof size);
  memcpy(to + 2 * sizeof base, build_id, build_id_size);
  memcpy(to + 2 * sizeof base + build_id_size, path, path_size);
  remembered_size += total;
}

void define_remembered() {
  for (size_t at = 0; at < remembered_size;) {
    const char* from = remembered + at;
    uint64_t base, size;
    memcpy(&base, from, sizeof base);
    memcpy(&size, from + sizeof base, sizeof size);
    const char* build_id = from + 2 * sizeof base;
    const char* path = build_id + strlen(build_id) + 1;
    define_module(*state.names, base, size, build_id, path);
    at = static_cast<size_t>(path + strlen(path) + 1 - remembered);
  }
}

// Those of the trace that are defined: a hash of each. Changes under the lock.
constexpr uint32_t kMostDefined = 4096;
uint64_t defined[kMostDefined];
uint32_t defined_count = 0;

// False: it is defined, or there is no room.
bool add_defined(uint64_t base, uint64_t size, const char* build_id) {
  uint64_t hash = (base ^ size << 1) * 0x9E3779B97F4A7C15;
  for (const char* at = build_id; *at != 0; ++at)
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001B3;
  for (uint32_t i = 0; i < defined_count; ++i)
    if (defined[i] == hash) return false;
  if (defined_count == kMostDefined) return false;
  defined[defined_count++] = hash;
  return true;
}

int define_one(dl_phdr_info* info, size_t, void*) {
  uint64_t size = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t end = segment.p_vaddr + segment.p_memsz;
    if (end > size) size = end;
  }
  char build_id[65];
  read_build_id(*info, build_id);
  // The program itself has no name here. Strings must not be empty: babeltrace2 2.0 shows an older
  // one instead.
  char program[1024] = "-";
  const char* path = info->dlpi_name;
  if (path == nullptr || path[0] == 0) {
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) program[length] = 0;
    path = program;
  }
  if (build_id[0] == 0) build_id[0] = '-', build_id[1] = 0;
  {
    const SpinLock lock(modules_lock());
    if (!lock || !add_defined(info->dlpi_addr, size, build_id)) return 0;
    remember(info->dlpi_addr, size, build_id, path);
  }
  define_module(*state.names, info->dlpi_addr, size, build_id, path);
  return 0;
}

}  // namespace

void pin_module() {
  Dl_info info;
  if (dladdr(&state, &info) == 0 || info.dli_fname == nullptr) return;
  // By name, because ld warns of any reference to dlopen in a static program, also of a weak one.
  // There it is not found, and nothing can be unloaded.
  const auto open = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_DEFAULT, "dlopen"));
  if (open == nullptr) return;
  // Loads nothing. It fails for the program itself, which cannot be unloaded.
  open(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void define_modules(bool again) {
  if (again) return define_remembered();
  {
    const SpinLock lock(modules_lock());
    if (state.files->options.follow_forks && remembered == nullptr) {
      void* memory = mmap(nullptr, kRemembered, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory != MAP_FAILED) remembered = static_cast<char*>(memory);
    }
    remembered_size = 0;
    defined_count = 0;
  }
  dl_iterate_phdr(define_one, nullptr);
}

void define_new_modules() { list_modules(define_one, nullptr); }

bool list_modules(int (*visit)(dl_phdr_info*, size_t, void*), void* data) {
  __atomic_store_n(&is_listing(), 1, __ATOMIC_SEQ_CST);
  const bool is_safe = __atomic_load_n(&forks(), __ATOMIC_SEQ_CST) == 0;
  if (is_safe) dl_iterate_phdr(visit, data);
  __atomic_store_n(&is_listing(), 0, __ATOMIC_SEQ_CST);
  return is_safe;
}

// If this thread has the lock of the linker, as in a constructor of a library, the other one waits
// for it, and is not waited for.
void before_fork_of_modules() {
  __atomic_fetch_add(&forks(), 1, __ATOMIC_SEQ_CST);
  constexpr uint32_t most = 100;
  for (uint32_t turn = 0;
       turn < most && __atomic_load_n(&is_listing(), __ATOMIC_SEQ_CST) != 0 && relax != nullptr;
       ++turn)
    relax(turn);
}

void after_fork_of_modules() { __atomic_fetch_sub(&forks(), 1, __ATOMIC_SEQ_CST); }

bool is_definition(const void* function) {
  Dl_info module;
  void* found = nullptr;
  if (dladdr1(function, &module, &found, RTLD_DL_SYMENT) == 0 || found == nullptr) return true;
  return static_cast<const ElfW(Sym)*>(found)->st_shndx != SHN_UNDEF;
}

}  // namespace skein::record
