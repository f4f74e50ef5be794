#include "target/unpacker.h"

#include <algorithm>
#include <array>

#ifdef SKEIN_HAS_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef SKEIN_HAS_LZMA
#include <lzma.h>
#endif

namespace skein {

namespace {

bool begins_with(std::span<const uint8_t> file, std::span<const uint8_t> magic) {
  return file.size() >= magic.size() && std::equal(magic.begin(), magic.end(), file.begin());
}

[[maybe_unused]] constexpr const char* cut_short = "cut short";
[[maybe_unused]] constexpr const char* damaged = "damaged";
[[maybe_unused]] constexpr const char* too_much_memory =
    "packed with a window of more than 128 MiB";

#ifdef SKEIN_HAS_ZSTD

class ZstdUnpacker : public Unpacker {
 public:
  explicit ZstdUnpacker(std::span<const uint8_t> file)
      : stream_(ZSTD_createDStream()), in_{.src = file.data(), .size = file.size(), .pos = 0} {}
  ~ZstdUnpacker() override { ZSTD_freeDStream(stream_); }
  ZstdUnpacker(const ZstdUnpacker&) = delete;
  ZstdUnpacker& operator=(const ZstdUnpacker&) = delete;

  size_t read(std::span<uint8_t> to) override {
    ZSTD_outBuffer out{.dst = to.data(), .size = to.size(), .pos = 0};
    while (stream_ != nullptr && problem_.empty() && out.pos < out.size) {
      const size_t before = in_.pos + out.pos;
      const size_t result = ZSTD_decompressStream(stream_, &out, &in_);  // its window: 128 MiB
      if (ZSTD_isError(result) != 0) {
        const bool is_window =
            ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge;
        problem_ = is_window ? too_much_memory : damaged;
      } else if (in_.pos + out.pos == before) {  // neither input nor output
        if (!is_frame_complete_) problem_ = cut_short;
        break;
      } else {
        is_frame_complete_ = result == 0;
      }
    }
    return out.pos;
  }
  size_t used() const override { return in_.pos; }
  const std::string& problem() const override { return problem_; }

 private:
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_;
  bool is_frame_complete_ = false;
  std::string problem_ = {};
};

#endif

#ifdef SKEIN_HAS_LZMA

class XzUnpacker : public Unpacker {
 public:
  explicit XzUnpacker(std::span<const uint8_t> file) : size_(file.size()) {
    constexpr uint64_t most_memory = uint64_t{128} << 20;
    if (lzma_stream_decoder(&stream_, most_memory, LZMA_CONCATENATED) != LZMA_OK)
      problem_ = too_much_memory;
    stream_.next_in = file.data();
    stream_.avail_in = file.size();
  }
  ~XzUnpacker() override { lzma_end(&stream_); }
  XzUnpacker(const XzUnpacker&) = delete;
  XzUnpacker& operator=(const XzUnpacker&) = delete;

  size_t read(std::span<uint8_t> to) override {
    stream_.next_out = to.data();
    stream_.avail_out = to.size();
    while (problem_.empty() && !is_over_ && stream_.avail_out != 0) {
      const lzma_ret result = lzma_code(&stream_, LZMA_FINISH);
      if (result == LZMA_STREAM_END)
        is_over_ = true;
      else if (result == LZMA_MEMLIMIT_ERROR || result == LZMA_MEM_ERROR)
        problem_ = too_much_memory;
      else if (result == LZMA_BUF_ERROR)
        problem_ = cut_short;
      else if (result != LZMA_OK)
        problem_ = damaged;
    }
    return to.size() - stream_.avail_out;
  }
  size_t used() const override { return size_ - stream_.avail_in; }
  const std::string& problem() const override { return problem_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  size_t size_;
  bool is_over_ = false;
  std::string problem_ = {};
};

#endif

}  // namespace

Packing packing_of(std::span<const uint8_t> file) {
  constexpr std::array<uint8_t, 4> zstd = {0x28, 0xb5, 0x2f, 0xfd};
  constexpr std::array<uint8_t, 6> xz = {0xfd, '7', 'z', 'X', 'Z', 0};
  constexpr std::array<uint8_t, 4> lz4 = {0x04, 0x22, 0x4d, 0x18};
  if (begins_with(file, zstd)) return Packing::Zstd;
  if (begins_with(file, xz)) return Packing::Xz;
  return begins_with(file, lz4) ? Packing::Lz4 : Packing::None;
}

std::unique_ptr<Unpacker> make_unpacker([[maybe_unused]] std::span<const uint8_t> file) {
#ifdef SKEIN_HAS_ZSTD
  if (packing_of(file) == Packing::Zstd) return std::make_unique<ZstdUnpacker>(file);
#endif
#ifdef SKEIN_HAS_LZMA
  if (packing_of(file) == Packing::Xz) return std::make_unique<XzUnpacker>(file);
#endif
  return nullptr;
}

std::vector<uint8_t> packed(std::vector<uint8_t> bytes) {
#ifdef SKEIN_HAS_ZSTD
  constexpr int level = 6;
  std::vector<uint8_t> to(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(to.data(), to.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) return bytes;
  to.resize(size);
  return to;
#else
  return bytes;
#endif
}

}  // namespace skein
