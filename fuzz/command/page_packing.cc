// Packs a trace directory for the page, then its changes:
//
//   files: u8 name, u16 size, bytes; name 0xff ends a version of the directory, of at most four
//
// Only files of the trace are packed, and the header of a bundle describes its contents.
#include <skein/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/cursor.h"
#include "view/web/document/bundle.h"

using namespace skein;

namespace {

constexpr uint64_t limit = 1 << 20;
constexpr std::string_view secret = "the password is swordfish";

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const std::vector<uint8_t>& bundle) {
  if (bundle.empty()) return;
  const std::string_view text(reinterpret_cast<const char*>(bundle.data()), bundle.size());
  require(text.size() >= 4 && text.find(secret) == std::string_view::npos);
  uint32_t header = 0;
  std::memcpy(&header, bundle.data(), 4);
  require(header <= text.size() - 4);
  const std::string_view json = text.substr(4, header);
  require(json.starts_with("{\"traces\":[") && json.ends_with('}'));
}

std::string name_of(uint8_t number) {
  if (number % 16 == 0) return "t/metadata";
  if (number % 16 == 1) return "t/.tasks";
  return (number % 4 == 2 ? "t/names-" : "t/s0000" + std::to_string(number % 3) + "-") +
         std::to_string(number / 16);
}

std::vector<uint8_t> contents(uint8_t name, std::span<const uint8_t> bytes) {
  std::vector<uint8_t> file(bytes.begin(), bytes.end());
  const bool is_table = name % 16 == 1;
  const uint64_t magic = is_table ? format::kTableMagic : format::kPacketMagic;
  const size_t magic_size = is_table ? 8 : 4;
  constexpr std::string_view metadata =
      "/* CTF 1.8 */env{tracer_name=skein;tracer_major=2;};clock{freq=156250000;};";
  if (name % 16 == 0) file.insert(file.begin(), metadata.begin(), metadata.end());
  if (name % 16 != 0 && file.size() >= magic_size && name & 0x80)
    std::memcpy(file.data(), &magic, magic_size);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input_text(reinterpret_cast<const char*>(data), size);
  if (input_text.find(secret) != std::string_view::npos) return 0;  // a file may contain it
  Cursor in({data, size});
  MemoryFiles files;
  files.add("t/passwords", secret);
  web::Manifest had;
  const web::TraceInput input{"t", "title\x1b\u202e"};
  for (unsigned versions = 0; versions < 4 && in.remaining() > 0 && !in.failed();) {
    const uint8_t name = in.u8();
    if (name != 0xff) {
      const size_t wanted = in.u16();
      files.add(name_of(name), contents(name, in.bytes(std::min(wanted, in.remaining()))));
      if (in.remaining() > 0) continue;
    }
    versions++;
    if (const auto bundle = web::make_bundle(files, {&input, 1}, limit)) check(*bundle);
    auto update = web::make_update(files, input, had, limit);
    if (!update) continue;
    check(update->bundle);
    had = std::move(update->now);
    const auto none = web::make_update(files, input, had, limit);
    require(none && none->bundle.empty() == !had.files.empty());
  }
  return 0;
}
