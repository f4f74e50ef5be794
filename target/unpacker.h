// Streams of zstd and xz, unpacked piece by piece, and bytes packed by zstd.
//
//   std::unique_ptr<Unpacker> unpacker = make_unpacker(packed);
//   while (const size_t count = unpacker->read(buffer)) use(buffer.first(count));
//   if (!unpacker->problem().empty()) warn(unpacker->problem());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skein {

enum class Packing : uint8_t { None, Zstd, Xz, Lz4 };

// By the first bytes of the file.
Packing packing_of(std::span<const uint8_t> file);

class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // Fills as much of `to` as there is. 0: the end, or a problem. All that precedes one is returned.
  virtual size_t read(std::span<uint8_t> to) = 0;
  // The bytes of the packed file that were used.
  virtual size_t used() const = 0;
  // Why the data ends too early: "cut short"; empty: it does not.
  virtual const std::string& problem() const = 0;
};

// Of a whole file, which must outlive it. Null if skein cannot unpack it. Needs 128 MiB at most:
// data that needs more is a problem.
std::unique_ptr<Unpacker> make_unpacker(std::span<const uint8_t> file);

// The bytes as a file of zstd; as they are if skein was built without it. 4 ms for each MiB.
std::vector<uint8_t> packed(std::vector<uint8_t> bytes);

}  // namespace skein
