#include "target/target.h"

#include <algorithm>

namespace skein {

const Mapping* find_mapping(std::span<const Mapping> mappings, uint64_t address) {
  const auto after =
      std::upper_bound(mappings.begin(), mappings.end(), address,
                       [](uint64_t at, const Mapping& mapping) { return at < mapping.begin; });
  if (after == mappings.begin()) return nullptr;
  const Mapping& found = *(after - 1);
  return address < found.end ? &found : nullptr;
}

void Target::read(std::span<Piece> pieces) const {
  for (Piece& piece : pieces) piece.count = read(piece.address, piece.to);
}

uint64_t Target::first_data(uint64_t begin, uint64_t) const { return begin; }

size_t Target::read_written(uint64_t address, std::span<uint8_t> to) const {
  return read(address, to);
}

}  // namespace skein
