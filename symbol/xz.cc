#include "symbol/xz.h"

#ifdef SKEIN_HAS_LZMA
#include <lzma.h>

#include <algorithm>
#include <memory>
#endif

namespace skein {

#ifdef SKEIN_HAS_LZMA

namespace {

constexpr size_t most_unpacked = size_t{256} << 20;
constexpr uint64_t most_memory = uint64_t{128} << 20;

struct LzmaEnd {
  void operator()(lzma_stream* stream) const { lzma_end(stream); }
};

}  // namespace

// The output grows as it is filled: the size that the data claims is not believed.
Result<std::vector<uint8_t>> unpack_xz(std::span<const uint8_t> packed, const std::string& name) {
  lzma_stream stream = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, LzmaEnd> end(&stream);
  if (lzma_stream_decoder(&stream, most_memory, 0) != LZMA_OK)
    return Error{.what = "no memory to unpack it", .file = name};
  std::vector<uint8_t> out(std::clamp<size_t>(packed.size() * 4, 4096, most_unpacked));
  stream.next_in = packed.data();
  stream.avail_in = packed.size();
  size_t size = 0;
  for (;;) {
    stream.next_out = out.data() + size;
    stream.avail_out = out.size() - size;
    const lzma_ret result = lzma_code(&stream, LZMA_FINISH);
    size = out.size() - stream.avail_out;
    if (result == LZMA_STREAM_END) break;
    if (result == LZMA_MEMLIMIT_ERROR)
      return Error{.what = "needs more than 128 MiB to be unpacked", .file = name};
    if (result != LZMA_OK || stream.avail_out != 0)
      return Error{.what = "damaged xz data", .file = name, .offset = stream.total_in};
    if (out.size() == most_unpacked)
      return Error{.what = "unpacks to more than 256 MiB", .file = name};
    out.resize(std::min(out.size() * 2, most_unpacked));
  }
  out.resize(size);
  return out;
}

#else

Result<std::vector<uint8_t>> unpack_xz(std::span<const uint8_t>, const std::string& name) {
  return Error{.what = "skein was built without liblzma, which unpacks it", .file = name};
}

#endif

}  // namespace skein
