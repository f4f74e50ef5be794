// Replacements for parts of the C and C++ libraries of the module.
#include <cstdlib>
#include <cstring>

// Aborts without a message. The library's version pulls in printf and stdio, 14 kB of 300. The page
// reports the trap.
_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { std::abort(); }

// The next prime, for the buckets of a hash table. The library's version has a table and 200
// unrolled steps, 2 kB.
size_t __next_prime(size_t from) {
  for (size_t n = from | 1;; n += 2) {
    size_t divisor = 3;
    while (divisor <= n / divisor && n % divisor != 0) divisor += 2;
    if (divisor > n / divisor) return n;
  }
}
_LIBCPP_END_NAMESPACE_STD

extern "C" [[noreturn]] void abort_message(const char*, ...) { std::abort(); }

// One instruction each (-mbulk-memory); the library's versions are loops of 3 kB.
extern "C" void* memcpy(void* __restrict to, const void* __restrict from, size_t size) {
  return __builtin_memcpy(to, from, size);
}
extern "C" void* memmove(void* to, const void* from, size_t size) {
  return __builtin_memmove(to, from, size);
}
extern "C" void* memset(void* to, int byte, size_t size) {
  return __builtin_memset(to, byte, size);
}

// Only used to find the next packet of a damaged trace; the library's version is 1.6 kB.
extern "C" void* memmem(const void* in, size_t size, const void* part, size_t part_size) {
  const auto* at = static_cast<const char*>(in);
  if (part_size == 0) return const_cast<void*>(in);
  while (size >= part_size) {
    const auto* const found = static_cast<const char*>(
        std::memchr(at, *static_cast<const char*>(part), size - part_size + 1));
    if (found == nullptr) return nullptr;
    if (std::memcmp(found, part, part_size) == 0) return const_cast<char*>(found);
    size -= static_cast<size_t>(found - at) + 1;
    at = found + 1;
  }
  return nullptr;
}
