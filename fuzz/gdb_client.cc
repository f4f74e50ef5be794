// Everything that the client of the gdb protocol does, with a server that sends the input: as
// bytes, or as packets with the right checksums. Each call must end, and must stay in its buffers.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "target/guest/gdb_arena.h"

using namespace skein;

namespace {

class InputStream : public GdbStream {
 public:
  explicit InputStream(std::string input) : input_(std::move(input)) {}
  Result<void> write(std::string_view bytes) override {
    // An input of any length leads to a bounded number of requests.
    written_ += bytes.size();
    if (written_ > size_t{1} << 24) std::abort();
    return {};
  }
  Result<size_t> read(std::span<char> to) override {
    const size_t size = std::min({to.size(), input_.size() - at_, size_t{61}});
    if (size == 0) return Error{.what = "the input ends"};
    input_.copy(to.data(), size, at_);
    at_ += size;
    return size;
  }

 private:
  std::string input_;
  size_t at_ = 0;
  size_t written_ = 0;
};

// Lines as packets.
std::string packets_of(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    unsigned sum = 0;
    for (const char c : lines.substr(0, end)) sum += static_cast<unsigned char>(c);
    constexpr char digits[] = "0123456789abcdef";
    text += '$';
    text += lines.substr(0, end);
    text += '#';
    text += digits[sum >> 4 & 15];
    text += digits[sum & 15];
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

void check(bool condition) {
  if (!condition) std::abort();
}

void read_all(GdbClient& client) {
  std::vector<uint8_t> bytes(5000);
  if (const auto count = client.read(0x1000, bytes)) check(*count <= bytes.size());
  std::vector<Piece> pieces;
  for (size_t i = 0; i < 100; i++)
    pieces.push_back({.address = i * 4096, .to = std::span(bytes).subspan(i * 16, 16)});
  if (client.read(pieces))
    for (const Piece& piece : pieces) check(piece.count <= piece.to.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const unsigned kind = data[0];
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  InputStream stream((kind & 1) != 0 ? packets_of(rest) : std::string(rest));
  GdbClient client(stream);
  const Result<void> started = client.start();
  if (!started) check(!started.error().message().empty());
  switch (kind >> 1 & 7) {
    case 0:
      read_all(client);
      break;
    case 1:
      if (const auto threads = client.threads())
        for (const std::string& thread : *threads) (void)client.select(thread);
      break;
    case 2:
      (void)client.registers(Architecture::X86_64);
      (void)client.registers(Architecture::Aarch64);
      (void)client.register_value(17);
      (void)client.architecture();
      break;
    case 3:
      if (client.resume()) (void)client.interrupt();
      (void)client.stop_reason();
      break;
    case 4:
      (void)gdb_guest_state(client);
      break;
    default: {
      const auto arena =
          copy_gdb_arena(client, (kind & 16) != 0 ? std::optional<uint64_t>(0x1000) : std::nullopt);
      if (!arena) {
        check(!arena.error().message().empty());
        break;
      }
      for (const ArenaFile& file : arena->found.arena.files) {
        std::vector<uint8_t> bytes(std::min<uint64_t>(file.size, 4096));
        check(arena->memory->read(arena->found.position + file.offset, bytes));
      }
    }
  }
  const std::vector<MemoryRange> ram = qemu_ram(rest);
  for (size_t i = 0; i < ram.size(); i++)
    check(ram[i].begin < ram[i].end && (i == 0 || ram[i - 1].end < ram[i].begin));
  (void)parse_gdb_address(rest);
  return 0;
}
