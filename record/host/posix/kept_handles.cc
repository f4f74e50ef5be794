// The table of kept handles (skein_handle_keep): created at its first use, or at start with
// all-files-at-start, because a sandbox may not permit mmap. Never removed.
//
// A forked child inherits the entries but not the flag in skein_page. If it records, the handles of
// the parent's objects join its trace at their next event, like those of tasks that were created
// while the recorder was off.
#include <skein/skein.h>
#include <sys/mman.h>

#include "record/core/handles.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

void* handle_memory = nullptr;

// Returns null without memory.
[[gnu::noinline, gnu::cold]] void* map_handles() {
  ErrnoGuard errno_guard;
  void* memory = mmap(nullptr, HandleTable::bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  void* current = nullptr;
  if (__atomic_compare_exchange_n(&handle_memory, &current, memory, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return memory;
  munmap(memory, HandleTable::bytes());
  return current;
}

// The type of the objects that operations use (skein_object).
constexpr char kUsedObject = 0;

// The object of a stale entry was completed and freed by code that is not traced.
[[gnu::noinline, gnu::cold]] void end_stale(skein_task task) {
  if (task.generation == skein_generation()) skein_resolve(&task, 0);
}

}  // namespace

void make_handles() {
  if (now_of(handle_memory) == nullptr) map_handles();
}

skein_task* find_object(uintptr_t key) {
  void* memory = now_of(handle_memory);
  if (memory == nullptr) return nullptr;
  return HandleTable(memory).handle_of(reinterpret_cast<const void*>(key), &kUsedObject);
}

skein_task* handle_of_object(uintptr_t key, uint32_t kind, const char* name) {
  if (!is_on()) return nullptr;
  skein_task* handle = find_object(key);
  if (handle == nullptr)
    handle = skein_handle_keep(reinterpret_cast<const void*>(key), &kUsedObject);
  if (handle != nullptr && handle->generation != generation_now())
    skein_resource(handle, kind, name, 0, nullptr);
  return handle;
}

}  // namespace skein::record

using namespace skein::record;

extern "C" {

skein_task* skein_handle_keep(const void* object, const void* type) {
  if (!is_on()) return nullptr;
  void* memory = now_of(handle_memory);
  if (memory == nullptr) [[unlikely]]
    memory = map_handles();
  if (memory == nullptr) {
    lose(skein::format::kLoss_no_memory);
    return nullptr;
  }
  if (skein_handles_kept() == 0) set_flag(1, true);
  const HandleTable::Kept kept = HandleTable(memory).keep(object, type);
  if (kept.handle == nullptr) lose(skein::format::kLoss_untracked);
  if (kept.stale.id != 0) [[unlikely]]
    end_stale(kept.stale);
  return kept.handle;
}

skein_task skein_handle_take(const void* object, const void* type) {
  void* memory = now_of(handle_memory);
  skein_task stale = {};
  skein_task task = {};
  if (memory != nullptr) task = HandleTable(memory).take(object, type, &stale);
  if (stale.id != 0) [[unlikely]]
    end_stale(stale);
  return task;
}

uint64_t skein_object(uintptr_t key, uint32_t kind, const char* name) {
  const skein_task* handle = handle_of_object(key, kind, name);
  return handle != nullptr ? handle->id : 0;
}

void skein_object_end(uintptr_t key) {
  if (find_object(key) == nullptr) return;
  skein_task task = skein_handle_take(reinterpret_cast<const void*>(key), &kUsedObject);
  if (task.generation != skein_generation()) return;
  forget_connection(task);
  skein_resource_destroy(&task);
}

}  // extern "C"
