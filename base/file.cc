#include "base/file.h"

#include <algorithm>
#include <set>
#include <utility>

namespace skein {

namespace {

Error missing(const std::string& path) {
  return Error{.what = "No such file or directory", .file = path, .advice = "check the path"};
}

}  // namespace

Contents::Contents(Contents&& other) noexcept { *this = std::move(other); }

Contents& Contents::operator=(Contents&& other) noexcept {
  if (this == &other) return *this;
  if (release_) release_(const_cast<uint8_t*>(view_.data()), view_.size());
  owned_ = std::move(other.owned_);
  view_ = std::exchange(other.view_, {});
  release_ = std::exchange(other.release_, nullptr);
  other.owned_.clear();
  return *this;
}

Contents::~Contents() {
  if (release_) release_(const_cast<uint8_t*>(view_.data()), view_.size());
}

Contents Contents::borrowed(std::span<const uint8_t> bytes) {
  Contents contents;
  contents.view_ = bytes;
  return contents;
}

Contents Contents::released(void* address, size_t size, Release release) {
  Contents contents = borrowed({static_cast<const uint8_t*>(address), size});
  contents.release_ = release;
  return contents;
}

void MemoryFiles::add(std::string path, std::vector<uint8_t> bytes) {
  files_[std::move(path)] = std::move(bytes);
}

void MemoryFiles::add(std::string path, std::string_view bytes) {
  add(std::move(path), std::vector<uint8_t>(bytes.begin(), bytes.end()));
}

FileType MemoryFiles::type(const std::string& path) {
  if (files_.contains(path)) return FileType::File;
  const auto after = files_.lower_bound(path + "/");
  return after != files_.end() && after->first.starts_with(path + "/") ? FileType::Directory
                                                                       : FileType::Missing;
}

Result<std::vector<uint8_t>> MemoryFiles::head(const std::string& path, size_t count) {
  auto contents = open(path);
  if (!contents) return contents.error();
  const auto bytes = contents->bytes().first(std::min(count, contents->size()));
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

Result<Contents> MemoryFiles::open(const std::string& path, Access) {
  const auto found = files_.find(path);
  if (found != files_.end()) return Contents::borrowed(found->second);
  if (type(path) == FileType::Directory) return Error{.what = "is a directory", .file = path};
  return missing(path);
}

Result<std::vector<std::string>> MemoryFiles::list(const std::string& path) {
  std::set<std::string> names;
  const std::string prefix = path + "/";
  for (auto file = files_.lower_bound(prefix);
       file != files_.end() && file->first.starts_with(prefix); ++file) {
    const std::string rest = file->first.substr(prefix.size());
    names.insert(rest.substr(0, rest.find('/')));
  }
  if (names.empty()) return missing(path);
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace skein
