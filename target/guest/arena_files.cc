#include "target/guest/arena_files.h"

#include <algorithm>

namespace skein {

namespace {

std::string_view name_of(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

}  // namespace

ArenaFiles::ArenaFiles(const GuestMemory& memory, FoundArena found, std::string guest)
    : memory_(memory),
      found_(std::move(found)),
      guest_(std::move(guest)),
      metadata_(arena_metadata(found_.arena, guest_)) {}

const ArenaFile* ArenaFiles::find(const std::string& path) const {
  const std::vector<ArenaFile>& files = found_.arena.files;
  const auto found = std::find_if(files.begin(), files.end(), [&](const ArenaFile& file) {
    return file.name == name_of(path);
  });
  return found != files.end() ? &*found : nullptr;
}

FileType ArenaFiles::type(const std::string& path) {
  if (name_of(path).empty()) return FileType::Directory;
  return name_of(path) == "metadata" || find(path) != nullptr ? FileType::File : FileType::Missing;
}

Result<Contents> ArenaFiles::open(const std::string& path, Access) {
  auto bytes = head(path, SIZE_MAX);
  if (!bytes) return bytes.error();
  return Contents(*std::move(bytes));
}

Result<std::vector<uint8_t>> ArenaFiles::head(const std::string& path, size_t count) {
  if (name_of(path) == "metadata") {
    const size_t size = std::min(count, metadata_.size());
    return std::vector<uint8_t>(metadata_.begin(),
                                metadata_.begin() + static_cast<ptrdiff_t>(size));
  }
  const ArenaFile* file = find(path);
  if (file == nullptr) return Error{.what = "no such file in the arena", .file = path};
  std::vector<uint8_t> bytes(static_cast<size_t>(std::min<uint64_t>(count, file->size)));
  if (!memory_.read(found_.position + file->offset, bytes))
    return Error{.what = "the guest's memory cannot be read any more", .file = path};
  return bytes;
}

Result<std::vector<std::string>> ArenaFiles::list(const std::string&) {
  std::vector<uint8_t> page(format::kArenaPage);
  if (memory_.read(found_.position, page)) {
    Result<Arena> now = read_arena(page);
    if (now && now->uuid == found_.arena.uuid && now->size == found_.arena.size)
      found_.arena = *std::move(now);
  }
  std::vector<std::string> names = {"metadata"};
  for (const ArenaFile& file : found_.arena.files) names.push_back(file.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace skein
