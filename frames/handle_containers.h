// The words in containers that an object has: std::vector, std::deque and std::list, as libstdc++ lays
// them out (the first one as libc++ does, too). Objects keep the handles there of coroutines that wait
// for them.
//
//   for (const ContainerWord& one : container_words(memory, object, content)) print(one.value);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frames/memory_cache.h"

namespace skein {

struct ContainerWord {
  uint64_t container = 0;  // bytes from the object's beginning
  uint64_t value = 0;
};

// `content` are the words of the object at this address. Anything may look like a container. Larger
// ones than 1 MiB are left out. Bytes that are read are taken from `budget`; at 0, nothing is read.
std::vector<ContainerWord> container_words(MemoryCache& memory, uint64_t object,
                                           std::span<const uint64_t> content, uint64_t& budget);

}  // namespace skein
