#include "target/packed_core.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <vector>

#ifdef SKEIN_HAS_ZSTD
#include <zstd.h>
#endif
#ifdef SKEIN_HAS_LZMA
#include <lzma.h>
#endif

using namespace skein;

namespace {

using Bytes = std::vector<uint8_t>;

// The head of a core, a hole of zeros, and what cannot be compressed.
Bytes core_bytes() {
  Bytes bytes(1 << 20);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_CORE;
  std::memcpy(bytes.data(), &header, sizeof header);
  uint32_t random = 1;
  for (size_t i = 0; i < 700'001; i++) {
    random = random * 1664525 + 1013904223;
    bytes.push_back(static_cast<uint8_t>(random >> 24));
  }
  return bytes;
}

[[maybe_unused]] void check_unpacking(const Bytes& packed) {
  const Bytes core = core_bytes();
  CHECK(is_packed_core(packed));
  uint64_t last = 0;
  const auto unpacked = unpack_core(
      packed, "core.x",
      {.folder = temporary_folder(), .progress = [&](uint64_t done, uint64_t) { last = done; }});
  REQUIRE(unpacked);
  CHECK(unpacked->warning.empty());
  CHECK(last == packed.size());
  const auto bytes = unpacked->contents.bytes();
  CHECK(Bytes(bytes.begin(), bytes.end()) == core);

  const auto part = unpack_core(std::span(packed).first(packed.size() - 300'000), "core.x",
                                {.folder = temporary_folder()});
  REQUIRE(part);
  CHECK(part->warning.find("cut short") != std::string::npos);
  const auto first = part->contents.bytes();
  CHECK(first.size() > 1 << 20);
  CHECK(std::equal(first.begin(), first.end(), core.begin()));

  Bytes damaged = packed;
  for (size_t i = packed.size() / 2; i < packed.size(); i++) damaged[i] ^= 0x55;
  const auto rest = unpack_core(damaged, "core.x", {.folder = temporary_folder()});
  if (rest) CHECK_FALSE(rest->warning.empty());

  const auto nowhere = unpack_core(packed, "core.x", {.folder = "/proc/none"});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().message().find("TMPDIR") != std::string::npos);
  // Every prefix of the head.
  for (size_t size = 0; size < 100; size++) (void)is_packed_core(std::span(packed).first(size));
}

}  // namespace

#ifdef SKEIN_HAS_ZSTD
TEST_CASE("a core packed by zstd") {
  const Bytes core = core_bytes();
  Bytes packed(ZSTD_compressBound(core.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), core.data(), core.size(), 3));
  check_unpacking(packed);
  Bytes other(ZSTD_compressBound(4));
  other.resize(ZSTD_compress(other.data(), other.size(), "text", 4, 3));
  CHECK_FALSE(is_packed_core(other));
}
#endif

#ifdef SKEIN_HAS_LZMA
TEST_CASE("a core packed by xz") {
  const Bytes core = core_bytes();
  Bytes packed(lzma_stream_buffer_bound(core.size()));
  size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, core.data(), core.size(),
                                  packed.data(), &size, packed.size()) == LZMA_OK);
  packed.resize(size);
  check_unpacking(packed);
}
#endif

TEST_CASE("cores packed by other programs") {
  const Bytes lz4 = {0x04, 0x22, 0x4d, 0x18, 0x64};
  CHECK(is_packed_core(lz4));
  const auto unpacked = unpack_core(lz4, "core.lz4", {.folder = temporary_folder()});
  REQUIRE_FALSE(unpacked);
  CHECK(unpacked.error().message().find("lz4 -dc 'core.lz4'") != std::string::npos);
  CHECK_FALSE(is_packed_core({}));
  CHECK_FALSE(is_packed_core(Bytes{0x7f, 'E', 'L', 'F'}));
}
