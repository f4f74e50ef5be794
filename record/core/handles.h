// The handles of objects that have no room for one: a hash table from addresses to handles.
//
//    bucket = 4 cache lines:  | 7 objects, used | 7 handles, 16 bytes each | 7 types |
//
// Places are taken from the first on, and only the `used` ones, which once held an object, are
// searched: mostly one or none.
//
// An object is in the bucket of its address or in that bucket's neighbour. Only the thread that
// owns an object keeps, reads and takes its entry (Asio's locks pass the ownership on), so threads
// compete only for free places. There is no lock: a thread that forks, is cancelled or is killed in
// the middle leaves at most one place in use.
//
// Rejected: the handle inside the object. It changes the layout of Asio's operations, so a program
// with one library that is not traced crashes.
#pragma once
#include <skein/skein.h>
#include <stddef.h>
#include <stdint.h>

namespace skein::record {

class HandleTable {
 public:
  struct Kept {
    skein_task* handle;  // null: no room
    skein_task stale;    // the handle of an older object at this address, or id 0
  };

  // `memory` is zeroed, has bytes() bytes, is aligned to 64 bytes and outlives the table.
  static constexpr size_t bytes() { return sizeof(Bucket) << kBits; }
  explicit HandleTable(void* memory) : buckets_(static_cast<Bucket*>(memory)) {}

  // Enters the object with an empty handle. The pointer is valid until the object is taken.
  Kept keep(const void* object, const void* type) {
    const auto key = reinterpret_cast<uintptr_t>(object);
    const Place known = find(key);
    if (known.bucket != nullptr) {
      const skein_task stale = known.bucket->handles[known.way];
      return {known.enter(type), stale};
    }
    for (size_t turn = 0; turn < 2; ++turn) {
      Bucket& bucket = buckets_[index_of(key) ^ turn];
      for (unsigned way = 0; way < kWays; ++way) {
        uint64_t free = 0;
        if (__atomic_load_n(&bucket.objects[way], __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&bucket.objects[way], &free, key, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
          search_through(bucket, way);
          return {Place{&bucket, way}.enter(type), {}};
        }
      }
    }
    return {};
  }

  // The handle of an object that is in the table with this type; null if there is none.
  skein_task* handle_of(const void* object, const void* type) const {
    const Place known = find(reinterpret_cast<uintptr_t>(object));
    if (known.bucket == nullptr || known.bucket->types[known.way] != type) return nullptr;
    return &known.bucket->handles[known.way];
  }

  // Removes the object's entry. Returns its handle, or id 0 if there is none or it belongs to an
  // object of another type.
  skein_task take(const void* object, const void* type, skein_task* stale) {
    const Place known = find(reinterpret_cast<uintptr_t>(object));
    if (known.bucket == nullptr) return {};
    const skein_task handle = known.bucket->handles[known.way];
    const bool same = known.bucket->types[known.way] == type;
    __atomic_store_n(&known.bucket->objects[known.way], uint64_t{0}, __ATOMIC_RELEASE);
    if (same) return handle;
    *stale = handle;
    return {};
  }

 private:
  static constexpr unsigned kWays = 7;
  static constexpr unsigned kBits = 15;  // 2^15 buckets: 229,376 objects, 8 MiB if all are touched
  struct alignas(64) Bucket {
    uint64_t objects[kWays];  // addresses; 0: free
    uint64_t used;            // the others have never held an object
    skein_task handles[kWays];
    const void* types[kWays];
  };
  struct Place {
    Bucket* bucket = nullptr;
    unsigned way = 0;

    skein_task* enter(const void* type) const {
      bucket->handles[way] = {};
      bucket->types[way] = type;
      return &bucket->handles[way];
    }
  };

  static size_t index_of(uint64_t key) {
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> (64 - kBits));
  }

  static void search_through(Bucket& bucket, uint64_t way) {
    uint64_t used = __atomic_load_n(&bucket.used, __ATOMIC_RELAXED);
    while (used <= way && !__atomic_compare_exchange_n(&bucket.used, &used, way + 1, false,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }

  Place find(uint64_t key) const {
    for (size_t turn = 0; turn < 2; ++turn) {
      Bucket& bucket = buckets_[index_of(key) ^ turn];
      const uint64_t used = __atomic_load_n(&bucket.used, __ATOMIC_RELAXED);
      for (unsigned way = 0; way < used; ++way)
        if (__atomic_load_n(&bucket.objects[way], __ATOMIC_RELAXED) == key) return {&bucket, way};
    }
    return {};
  }

  Bucket* buckets_;
};

}  // namespace skein::record
