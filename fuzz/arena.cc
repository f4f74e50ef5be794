// Finds an arena in memory that begins with the input, and reads its files. (What is in them:
// ctf.cc.)
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "target/guest/arena_files.h"

using namespace skein;

namespace {

class InputMemory : public GuestMemory {
 public:
  explicit InputMemory(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool read(uint64_t position, std::span<uint8_t> to) const override {
    if (position > bytes_.size() || to.size() > bytes_.size() - position) return false;
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(position), to.size(), to.begin());
    return true;
  }
  std::vector<MemoryRange> data() const override { return {{0, bytes_.size()}}; }
  bool may_be_at(uint64_t position, uint64_t address, uint64_t size) const override {
    return position == address && size <= bytes_.size() - position;
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The header is a page, of which few bytes are used: the input has those, and the fuzzer need not
  // find the magic. Some pages follow it.
  constexpr size_t pages = 12;
  std::vector<uint8_t> bytes(pages * format::kArenaPage);
  std::copy_n(data, std::min(size, bytes.size()), bytes.begin());
  const uint64_t magic[2] = {format::kArenaMagicFirst, format::kArenaMagicSecond};
  std::memcpy(bytes.data(), magic, sizeof magic);
  const InputMemory memory(bytes);
  auto found = find_arena(memory);
  if (!found) {
    if (found.error().message().empty()) std::abort();
    return 0;
  }
  for (const ArenaFile& file : found->arena.files)
    if (file.offset < format::kArenaPage || file.size > found->arena.size - file.offset ||
        file.name.find('/') != file.name.npos)
      std::abort();
  ArenaFiles files(memory, *std::move(found), "guest");
  const auto names = files.list("");
  if (!names) std::abort();
  for (const std::string& name : *names)
    if (!files.open(name)) std::abort();
  return 0;
}
