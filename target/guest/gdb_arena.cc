#include "target/guest/gdb_arena.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace skein {

namespace {

constexpr uint64_t kGuestPage = format::kArenaPage;
constexpr size_t kMagic = sizeof(format::ArenaHeader::magic);

class CopiedArena : public GuestMemory {
 public:
  CopiedArena(uint64_t position, std::vector<uint8_t> bytes)
      : position_(position), bytes_(std::move(bytes)) {}

  bool read(uint64_t position, std::span<uint8_t> to) const override {
    const uint64_t offset = position - position_;
    if (position < position_ || offset > bytes_.size() || to.size() > bytes_.size() - offset)
      return false;
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), to.size(), to.begin());
    return true;
  }
  std::vector<MemoryRange> data() const override {
    return {{position_, position_ + bytes_.size()}};
  }
  bool may_be_at(uint64_t, uint64_t, uint64_t) const override { return true; }

 private:
  uint64_t position_;
  std::vector<uint8_t> bytes_;
};

Result<Arena> read_header(GdbClient& client, uint64_t position) {
  std::vector<uint8_t> page(kGuestPage);
  const Result<size_t> count = client.read(position, page);
  if (!count) return count.error();
  page.resize(*count);
  return read_arena(page);
}

Error no_arena(uint64_t address) {
  return Error{.what = "no arena at " + address_text(address),
               .advice = "the guest prints the address, or see docs/arena.md"};
}

// Virtual addresses are those of the processor that is selected: the arena may be mapped anywhere.
Result<FoundArena> find_gdb_arena_at(GdbClient& client, uint64_t address, bool is_physical) {
  if (address % kGuestPage != 0)
    return Error{.what = address_text(address) + " is no page's address"};
  Result<Arena> arena = read_header(client, address);
  if (arena && (!is_physical || arena->address == address))
    return FoundArena{.position = address, .arena = *std::move(arena)};
  if (!is_physical) return arena ? no_arena(address) : arena.error();
  // The address of a symbol.
  Result<bool> done = client.set_physical(false);
  if (!done) return done.error();
  const Result<Arena> mapped = read_header(client, address);
  done = client.set_physical(true);
  if (!done) return done.error();
  if (!mapped) return no_arena(address);
  arena = read_header(client, mapped->address);
  if (!arena || arena->uuid != mapped->uuid || arena->address != mapped->address)
    return no_arena(address);
  return FoundArena{.position = mapped->address, .arena = *std::move(arena)};
}

Result<FoundArena> search_ram(GdbClient& client, const std::vector<MemoryRange>& ram) {
  std::optional<Error> damage;
  constexpr size_t batch = 1024;
  std::vector<std::array<uint8_t, kMagic>> heads(batch);
  std::vector<Piece> pieces;
  for (const MemoryRange& range : ram) {
    for (uint64_t at = range.begin; at < range.end;) {
      pieces.clear();
      for (; pieces.size() < batch && at < range.end; at += kGuestPage)
        pieces.push_back({.address = at, .to = heads[pieces.size()]});
      if (const Result<void> done = client.read(pieces); !done) return done.error();
      for (const Piece& piece : pieces) {
        if (piece.count < kMagic || !has_arena_magic(piece.to)) continue;
        Result<Arena> arena = read_header(client, piece.address);
        if (!arena)
          damage = arena.error();
        else if (arena->address == piece.address && arena->size <= range.end - piece.address)
          return FoundArena{.position = piece.address, .arena = *std::move(arena)};
      }
    }
  }
  if (damage) return *damage;
  return Error{.what = "no arena in its memory",
               .advice = "the guest must be built with skein's recorder (skein/unikernel.h)"};
}

Result<FoundArena> find_gdb_arena(GdbClient& client, std::optional<uint64_t> address) {
  const Result<bool> is_physical = client.set_physical(true);
  if (!is_physical) return is_physical.error();
  if (address) return find_gdb_arena_at(client, *address, *is_physical);
  const Error unknown = {.what = "the gdb server does not report where the guest's memory is",
                         .advice = "name the arena's address (--arena)"};
  if (!*is_physical) return unknown;
  const Result<std::optional<std::string>> tree = client.monitor("info mtree -f");
  if (!tree) return tree.error();
  const std::vector<MemoryRange> ram = qemu_ram(tree->value_or(""));
  if (ram.empty()) return unknown;
  return search_ram(client, ram);
}

// "7.2.22": 7002; 0: it is no version.
unsigned version_of(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  unsigned major = 0, minor = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return 0;
  constexpr unsigned most = 999;
  return std::min(major, most) * 1000 + std::min(minor, most);
}

}  // namespace

Result<GdbGuestState> gdb_guest_state(GdbClient& client) {
  if (client.was_stopped_by_connecting()) return GdbGuestState{};
  const Result<std::optional<std::string>> status = client.monitor("info status");
  if (!status) return status.error();
  constexpr std::string_view paused = "VM status: paused";
  const std::string text = status->value_or("");
  if (!text.starts_with(paused)) return GdbGuestState{};
  // A reason follows, unless the client or QEMU's monitor has paused it.
  std::string_view rest = std::string_view(text).substr(paused.size());
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  if (rest.starts_with(" (") && rest.ends_with(')'))
    return GdbGuestState{.was_running = false,
                         .state = std::string(rest.substr(2, rest.size() - 3))};
  const Result<std::optional<std::string>> version = client.monitor("info version");
  if (!version) return version.error();
  const unsigned number = version_of(version->value_or(""));
  constexpr unsigned first_without_report = 8001;
  if (number == 0 || number >= first_without_report) return GdbGuestState{};
  return GdbGuestState{.was_running = false, .state = "paused"};
}

std::vector<MemoryRange> qemu_ram(std::string_view tree) {
  std::vector<MemoryRange> ranges;
  bool is_memory = false;
  while (!tree.empty()) {
    const size_t length = std::min(tree.find('\n'), tree.size());
    std::string_view line = tree.substr(0, length);
    tree.remove_prefix(std::min(length + 1, tree.size()));
    if (line.starts_with("FlatView")) is_memory = false;
    if (line.starts_with(" AS \"memory\"")) is_memory = true;
    // "  0000000000100000-0000000007ffffff (prio 0, ram): pc.ram @0000000000100000"
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const size_t dash = line.find('-'), space = line.find(' ');
    if (!is_memory || dash == line.npos || space == line.npos || dash > space) continue;
    if (const size_t colon = line.find("): "); !line.substr(0, colon).ends_with(", ram")) continue;
    const auto first = gdb_hex_number(line.substr(0, dash));
    const auto last = gdb_hex_number(line.substr(dash + 1, space - dash - 1));
    constexpr uint64_t most = uint64_t{1} << 52;
    if (!first || !last || *last < *first || *last >= most || *first % kGuestPage != 0) continue;
    const uint64_t end = (*last + 1) / kGuestPage * kGuestPage;
    if (*first < end) ranges.push_back({*first, end});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const MemoryRange& a, const MemoryRange& b) { return a.begin < b.begin; });
  std::vector<MemoryRange> merged;
  for (const MemoryRange& range : ranges) {
    if (merged.empty() || range.begin > merged.back().end)
      merged.push_back(range);
    else
      merged.back().end = std::max(merged.back().end, range.end);
  }
  return merged;
}

Result<GdbArena> copy_gdb_arena(GdbClient& client, std::optional<uint64_t> address) {
  Result<FoundArena> found = find_gdb_arena(client, address);
  if (!found) return found.error();
  // Its regions, not the room behind them: the size is what the guest claims.
  uint64_t end = kGuestPage;
  for (const ArenaFile& file : found->arena.files) end = std::max(end, file.offset + file.size);
  constexpr uint64_t most = uint64_t{1} << 30;
  if (end > most)
    return Error{.what = "the arena has " + std::to_string(end) + " bytes",
                 .advice = "more than 1 GiB is not copied through a gdb server"};
  std::vector<uint8_t> bytes;
  constexpr uint64_t step = uint64_t{1} << 20;  // memory is used for what the server sends
  while (bytes.size() < end) {
    const uint64_t at = bytes.size(), size = std::min(end - at, step);
    bytes.resize(static_cast<size_t>(at + size));
    const Result<size_t> count =
        client.read(found->position + at, std::span(bytes).subspan(static_cast<size_t>(at)));
    if (!count) return count.error();
    if (*count < size) return Error{.what = "the guest's memory cannot be read"};
  }
  Result<Arena> arena = read_arena(bytes);
  if (!arena) return arena.error();
  found->arena = *std::move(arena);
  const Result<bool> done = client.set_physical(false);
  if (!done) return done.error();
  auto memory = std::make_unique<CopiedArena>(found->position, std::move(bytes));
  return GdbArena{.memory = std::move(memory), .found = *std::move(found)};
}

}  // namespace skein
