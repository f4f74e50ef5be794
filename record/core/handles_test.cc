#include "record/core/handles.h"

#include <doctest/doctest.h>
#include <pthread.h>  // not <thread>: clang 14 rejects it with -ffreestanding

#include <memory>
#include <vector>

namespace skein::record {
namespace {

struct Memory {
  void* memory = ::operator new (HandleTable::bytes(), std::align_val_t{64});
  Memory() { __builtin_memset(memory, 0, HandleTable::bytes()); }
  ~Memory() { ::operator delete (memory, std::align_val_t{64}); }
};

const void* address(uint64_t number) { return reinterpret_cast<const void*>(number * 16); }
const int kType = 0, kOtherType = 0;

TEST_CASE("a kept handle is taken once") {
  Memory memory;
  HandleTable table(memory.memory);
  skein_task* handle = table.keep(address(1), &kType).handle;
  REQUIRE(handle != nullptr);
  CHECK(handle->id == 0);
  handle->id = 7;
  skein_task stale = {};
  CHECK(table.take(address(2), &kType, &stale).id == 0);
  CHECK(table.take(address(1), &kType, &stale).id == 7);
  CHECK(table.take(address(1), &kType, &stale).id == 0);
  CHECK(stale.id == 0);
}

TEST_CASE("the entry of an object whose end was not seen is reported as stale") {
  Memory memory;
  HandleTable table(memory.memory);
  table.keep(address(1), &kType).handle->id = 7;

  const HandleTable::Kept kept = table.keep(address(1), &kOtherType);
  CHECK(kept.stale.id == 7);
  REQUIRE(kept.handle != nullptr);
  CHECK(kept.handle->id == 0);
  kept.handle->id = 8;

  skein_task stale = {};
  CHECK(table.take(address(1), &kType, &stale).id == 0);  // an object of another type
  CHECK(stale.id == 8);
  CHECK(table.keep(address(1), &kType).stale.id == 0);  // its place is free
}

TEST_CASE("a full table has no room, and has room again") {
  Memory memory;
  HandleTable table(memory.memory);
  std::vector<uint64_t> kept;
  uint64_t next = 1;
  for (;; ++next) {
    skein_task* handle = table.keep(address(next), &kType).handle;
    if (handle == nullptr) break;
    handle->id = next;
    kept.push_back(next);
  }
  MESSAGE(kept.size() << " handles kept");
  CHECK(kept.size() > 114'688);  // half of the places, before two neighbours are full
  skein_task stale = {};
  for (const uint64_t number : kept)
    CHECK(table.take(address(number), &kType, &stale).id == number);
  CHECK(table.keep(address(next), &kType).handle != nullptr);
}

struct Worker {
  HandleTable* table;
  unsigned number;
  unsigned wrong;
};
void* keep_and_take(void* argument) {
  Worker& worker = *static_cast<Worker*>(argument);
  for (unsigned round = 0; round < 200; ++round) {
    for (uint64_t i = 1; i <= 64; ++i) {
      skein_task* handle = worker.table->keep(address(i * 4 + worker.number), &kType).handle;
      if (handle == nullptr || handle->id != 0)
        ++worker.wrong;
      else
        handle->id = i * 4 + worker.number;
    }
    skein_task stale = {};
    for (uint64_t i = 1; i <= 64; ++i) {
      const uint64_t id = i * 4 + worker.number;
      worker.wrong += worker.table->take(address(id), &kType, &stale).id != id;
    }
    worker.wrong += stale.id != 0;
  }
  return nullptr;
}

TEST_CASE("threads keep and take their own objects") {
  Memory memory;
  HandleTable table(memory.memory);
  Worker workers[4] = {};
  pthread_t threads[4];
  for (unsigned i = 0; i < 4; ++i) {
    workers[i] = {&table, i, 0};
    REQUIRE(pthread_create(&threads[i], nullptr, keep_and_take, &workers[i]) == 0);
  }
  for (unsigned i = 0; i < 4; ++i) {
    pthread_join(threads[i], nullptr);
    CHECK(workers[i].wrong == 0);
  }
}

}  // namespace
}  // namespace skein::record
