#include "target/packed_core.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "target/core_file.h"
#include "target/unpacker.h"

namespace skein {

namespace {

constexpr size_t page = 4096;

// A file without a name, which the kernel removes when it is closed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& folder)
      : descriptor_(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
    if (descriptor_ < 0) {  // not every file system can
      std::string name = folder + "/skein-core-XXXXXX";
      descriptor_ = mkostemp(name.data(), O_CLOEXEC);
      if (descriptor_ >= 0) unlink(name.c_str());
    }
    struct statvfs room = {};
    if (descriptor_ < 0 || fstatvfs(descriptor_, &room) != 0) return;
    constexpr uint64_t most_left = uint64_t{1} << 30;
    const uint64_t free = uint64_t{room.f_bavail} * room.f_frsize;
    room_ = free - std::min(free / 8, most_left);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // How much may be written.
  uint64_t room() const { return room_; }
  uint64_t size() const { return size_; }

  // Appends; pages of zeros become holes. False: there is no room.
  bool append(std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
      const size_t zeros = count_pages(bytes, true);
      size_ += zeros;
      bytes = bytes.subspan(zeros);
      const size_t data = count_pages(bytes, false);
      if (!write(bytes.first(data))) return false;
      bytes = bytes.subspan(data);
    }
    return true;
  }

  // Empty if it cannot be mapped.
  Contents map() const {
    if (size_ == 0 || ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) return {};
    void* address = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
    if (address == MAP_FAILED) return {};
    return Contents::released(address, size_, [](void* at, size_t size) { munmap(at, size); });
  }

 private:
  // The bytes of the first pages that are zeros, or are not.
  static size_t count_pages(std::span<const uint8_t> bytes, bool zeros) {
    size_t count = 0;
    while (count < bytes.size()) {
      const auto one = bytes.subspan(count, std::min(page, bytes.size() - count));
      const bool is_zero = std::all_of(one.begin(), one.end(), [](uint8_t b) { return b == 0; });
      if (is_zero != zeros) break;
      count += one.size();
    }
    return count;
  }

  bool write(std::span<const uint8_t> bytes) {
    if (bytes.size() > room_) return false;
    room_ -= bytes.size();
    while (!bytes.empty()) {
      const ssize_t count =
          pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      size_ += static_cast<uint64_t>(count);
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
    return true;
  }

  int descriptor_;
  uint64_t room_ = 0;
  uint64_t size_ = 0;
};

std::string advice_to_unpack(Packing packing, const std::string& path) {
  const std::string program = packing == Packing::Lz4  ? "lz4"
                              : packing == Packing::Xz ? "xz"
                                                       : "zstd";
  return "unpack it: " + program + " -dc '" + path + "' > core";
}

}  // namespace

bool is_packed_core(std::span<const uint8_t> file) {
  const Packing packing = packing_of(file);
  if (packing == Packing::None || packing == Packing::Lz4) return packing == Packing::Lz4;
  const std::unique_ptr<Unpacker> unpacker = make_unpacker(file);
  if (unpacker == nullptr) return true;
  std::array<uint8_t, 64> head;
  return is_core(std::span(head).first(unpacker->read(head)));
}

Result<UnpackedCore> unpack_core(std::span<const uint8_t> file, const std::string& path,
                                 const UnpackOptions& options) {
  constexpr size_t step = size_t{1} << 20;
  const Packing packing = packing_of(file);
  const std::unique_ptr<Unpacker> unpacker = make_unpacker(file);
  if (unpacker == nullptr)
    return Error{.what = "compressed in a way that this skein cannot read",
                 .file = path,
                 .advice = advice_to_unpack(packing, path)};
  TemporaryFile to(options.folder);
  if (!to.is_open())
    return Error{.what = std::string("no temporary file: ") + std::strerror(errno),
                 .file = options.folder,
                 .advice = "set TMPDIR to another folder"};
  const uint64_t room = to.room();
  std::vector<uint8_t> buffer(step);
  while (const size_t count = unpacker->read(buffer)) {
    if (!to.append(std::span(buffer).first(count)))
      return Error{.what = "unpacked it needs more than the " + size_text(room) +
                           " that can be used in " + options.folder,
                   .file = path,
                   .advice = "set TMPDIR to a folder with more space"};
    if (options.progress) options.progress(unpacker->used(), file.size());
  }
  if (to.size() == 0)
    return Error{.what = unpacker->problem().empty() ? "empty" : unpacker->problem(),
                 .file = path,
                 .advice = advice_to_unpack(packing, path)};
  UnpackedCore core{.contents = to.map()};
  if (core.contents.size() == 0)
    return Error{.what = std::string("the unpacked file cannot be used: ") + std::strerror(errno),
                 .file = path};
  if (!unpacker->problem().empty())
    core.warning = "the packed file is " + unpacker->problem() + " at byte " +
                   std::to_string(unpacker->used()) + ": only what precedes is read";
  return core;
}

std::string temporary_folder() {
  if (const char* const chosen = std::getenv("TMPDIR"); chosen != nullptr && *chosen != '\0')
    return chosen;
  return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

}  // namespace skein
