#include "trace/read/foreign/chrome/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "trace/read/foreign/chrome/chrome.h"

namespace skein::chrome {

namespace {

constexpr size_t piece_size = size_t{256} << 10;
constexpr uint64_t smallest_limit = uint64_t{64} << 20;
constexpr uint64_t largest_limit = uint64_t{8} << 30;
constexpr uint64_t largest_ratio = 100;
constexpr int gzip_only = 15 + 16;  // the largest window, with gzip's header

class Inflater {
 public:
  explicit Inflater(std::span<const uint8_t> file) : file_(file) {
    ready_ = inflateInit2(&stream_, gzip_only) == Z_OK;
  }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends the next piece. Returns false at the end, or with `problem` set on failure.
  bool next(std::vector<uint8_t>& bytes, std::string& problem);

  uint64_t offset() const { return at_; }

 private:
  std::span<const uint8_t> file_;
  z_stream stream_{};
  bool ready_ = false;
  size_t at_ = 0;
};

bool Inflater::next(std::vector<uint8_t>& bytes, std::string& problem) {
  if (!ready_) {
    problem = "not enough memory to unpack";
    return false;
  }
  std::array<uint8_t, 64 << 10> piece;
  const size_t given = std::min(file_.size() - at_, piece_size);
  stream_.next_in = const_cast<uint8_t*>(file_.data() + at_);  // zlib's interface lacks the const
  stream_.avail_in = static_cast<uInt>(given);
  stream_.next_out = piece.data();
  stream_.avail_out = static_cast<uInt>(piece.size());
  const int result = inflate(&stream_, Z_NO_FLUSH);
  const size_t taken = given - stream_.avail_in;
  const size_t made = piece.size() - stream_.avail_out;
  at_ += taken;
  bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(made));
  if (result == Z_STREAM_END) {
    if (!looks_like_gzip(file_.subspan(at_))) return false;
    return inflateReset(&stream_) == Z_OK;
  }
  if (result == Z_OK && (taken > 0 || made > 0)) return true;
  problem = at_ == file_.size() ? "compressed file truncated" : "compressed data damaged";
  return false;
}

}  // namespace

bool looks_like_gzip(std::span<const uint8_t> bytes) {
  constexpr std::array<uint8_t, 3> magic = {0x1f, 0x8b, 8};  // 8: deflate
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

uint64_t unpack_limit(uint64_t file_size) {
  const uint64_t size = std::min(file_size, largest_limit / largest_ratio);
  return std::max(smallest_limit, size * largest_ratio);
}

Unpacked unpack(std::span<const uint8_t> file, uint64_t limit) {
  Unpacked unpacked;
  Inflater inflater(file);
  while (inflater.next(unpacked.bytes, unpacked.problem)) {
    if (unpacked.bytes.size() < limit) continue;
    unpacked.problem = "unpacks to more than " + std::to_string(limit) + " bytes";
    break;
  }
  if (unpacked.bytes.size() > limit) unpacked.bytes.resize(static_cast<size_t>(limit));
  unpacked.offset = inflater.offset();
  return unpacked;
}

Result<Trace> read_gzip(std::span<const uint8_t> file, const Progress& progress) {
  const Unpacked unpacked = unpack(file, unpack_limit(file.size()));
  if (!looks_like_chrome(unpacked.bytes))
    return Error{.what = unpacked.bytes.empty() && !unpacked.problem.empty()
                             ? unpacked.problem
                             : "compressed, and not a Chrome JSON file"};
  Trace trace = read(unpacked.bytes, progress);
  if (!unpacked.problem.empty())
    add_loss(trace.losses, {.what = unpacked.problem,
                            .offset = unpacked.offset,
                            .bytes = file.size() - unpacked.offset});
  return trace;
}

}  // namespace skein::chrome
