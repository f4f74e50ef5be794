#include "symbol/debug_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "base/text.h"
#include "symbol/elf_sections.h"
#include "symbol/xz.h"

namespace skein {

namespace {

constexpr std::string_view debug_folder = "/usr/lib/debug";
constexpr size_t shortest_build_id = 4;  // digits: two name a folder

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

struct DebugLink {
  std::string name = {};
  uint32_t checksum = 0;
};

// A name, zeros up to a multiple of 4 bytes, and the checksum of the other file.
std::optional<DebugLink> debug_link(Elf* elf, std::span<const uint8_t> bytes) {
  const auto section = section_of(elf, bytes, ".gnu_debuglink");
  if (!section || section->size() < 8) return {};
  const auto end = std::find(section->begin(), section->end(), 0);
  const auto length = static_cast<size_t>(end - section->begin());
  const size_t at = (length + 4) / 4 * 4;
  if (length == 0 || at > section->size() - 4) return {};
  DebugLink link{.name = std::string(section->begin(), end)};
  std::memcpy(&link.checksum, section->data() + at, sizeof link.checksum);
  // It is a name in a folder, not a path to anywhere.
  if (link.name.find('/') != std::string::npos) return {};
  return link;
}

struct CommonLink {
  std::string name = {};
  std::string build_id = {};
};

std::optional<CommonLink> common_link(Elf* elf, std::span<const uint8_t> bytes) {
  const auto section = section_of(elf, bytes, ".gnu_debugaltlink");
  if (!section) return {};
  const auto end = std::find(section->begin(), section->end(), 0);
  if (end == section->begin() || section->end() - end < 3) return {};
  return CommonLink{.name = std::string(section->begin(), end),
                    .build_id = hexadecimal_text({end + 1, section->end()})};
}

uint32_t checksum_of(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

bool has_part(Elf* elf, DebugPart part) {
  return part == DebugPart::Symbols ? has_all_symbols(elf) : debug_information_size(elf) != 0;
}

std::string in_build_id_folder(const std::string& build_id) {
  return std::string(debug_folder) + "/.build-id/" + build_id.substr(0, 2) + '/' +
         build_id.substr(2) + ".debug";
}

// Tries one file after the other until one has the part and belongs to the stripped file.
class Attempts {
 public:
  Attempts(DebugFileSearch& search, DebugPart part, Files& files)
      : search_(search), part_(part), files_(files) {}

  void attempt(const std::string& path, std::optional<uint32_t> checksum) {
    if (search_.found || std::count(search_.searched.begin(), search_.searched.end(), path) != 0)
      return;
    search_.searched.push_back(path);
    // Opening anything else could block.
    if (files_.type(path) != FileType::File) return;
    Result<Contents> contents = files_.open(path);
    if (!contents) return search_.rejected.push_back(contents.error().message());
    if (contents->size() == 0) return;  // debuginfod: the server did not have it
    const ElfHandle elf = open_elf(contents->bytes());
    if (elf == nullptr) return search_.rejected.push_back(path + ": no ELF file");
    const std::string id = build_id_of(elf.get());
    if (!id.empty() && !search_.build_id.empty()) {
      if (id != search_.build_id)
        return search_.rejected.push_back(path + ": of another build (build id " + id + ", not " +
                                          search_.build_id + ")");
    } else if (!checksum || checksum_of(contents->bytes()) != *checksum) {
      return search_.rejected.push_back(path + ": of another build (its checksum differs)");
    }
    if (!has_part(elf.get(), part_)) return;
    search_.found = DebugFile{.path = path, .contents = std::move(*contents)};
  }

 private:
  DebugFileSearch& search_;
  DebugPart part_;
  Files& files_;
};

void attempt_embedded(Elf* elf, std::span<const uint8_t> bytes, const std::string& path,
                      DebugFileSearch& search) {
  const auto section = section_of(elf, bytes, ".gnu_debugdata");
  if (!section) return;
  const std::string shown = path + " (.gnu_debugdata)";
  search.searched.push_back(shown);
  Result<std::vector<uint8_t>> unpacked = unpack_xz(*section, shown);
  if (!unpacked) return search.rejected.push_back(unpacked.error().message());
  const ElfHandle inner = open_elf(*unpacked);
  if (!has_all_symbols(inner.get())) return search.rejected.push_back(shown + ": no symbols in it");
  search.found = DebugFile{.path = shown, .contents = Contents(std::move(*unpacked))};
}

std::string folder_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string path_beside(const std::string& path, std::string_view name) {
  if (name.starts_with('/')) return std::string(name);
  return folder_of(path) + '/' + std::string(name);
}

// As debuginfod_find_debuginfo(3) has it.
DebugFilePlaces DebugFilePlaces::of_this_user(const std::string& root) {
  DebugFilePlaces places;
  if (!root.empty()) places.roots.insert(places.roots.begin(), root);
  if (const std::string own = folder_in_environment("DEBUGINFOD_CACHE_PATH"); !own.empty()) {
    places.debuginfod_caches.push_back(own);
    return places;
  }
  const std::string home = folder_in_environment("HOME");
  if (!home.empty()) places.debuginfod_caches.push_back(home + "/.debuginfod_client_cache");
  if (const std::string cache = folder_in_environment("XDG_CACHE_HOME"); !cache.empty())
    places.debuginfod_caches.push_back(cache + "/debuginfod_client");
  else if (!home.empty())
    places.debuginfod_caches.push_back(home + "/.cache/debuginfod_client");
  return places;
}

DebugFileSearch find_debug_file(std::span<const uint8_t> bytes, const std::string& path,
                                DebugPart part, const DebugFilePlaces& places, Files& files) {
  DebugFileSearch search;
  const ElfHandle elf = open_elf(bytes);
  if (elf == nullptr) return search;
  search.build_id = build_id_of(elf.get());
  Attempts attempts(search, part, files);
  const bool has_id = search.build_id.size() >= shortest_build_id;
  if (has_id)
    for (const std::string& root : places.roots)
      attempts.attempt(root + in_build_id_folder(search.build_id), {});
  if (const auto link = debug_link(elf.get(), bytes)) {
    const std::string folder = folder_of(path);
    for (const std::string& root : places.roots) {
      const std::string beside = root + folder + '/' + link->name;
      if (beside != root + path) attempts.attempt(beside, link->checksum);
      attempts.attempt(root + folder + "/.debug/" + link->name, link->checksum);
      if (folder.starts_with('/'))
        attempts.attempt(root + std::string(debug_folder) + folder + '/' + link->name,
                         link->checksum);
    }
  }
  if (has_id)
    for (const std::string& cache : places.debuginfod_caches)
      attempts.attempt(cache + '/' + search.build_id + "/debuginfo", {});
  if (part == DebugPart::Symbols && !search.found) attempt_embedded(elf.get(), bytes, path, search);
  return search;
}

DebugFileSearch find_common_debug_file(std::span<const uint8_t> debug, const std::string& path,
                                       const DebugFilePlaces& places, Files& files) {
  DebugFileSearch search;
  const ElfHandle elf = open_elf(debug);
  if (elf == nullptr) return search;
  const auto link = common_link(elf.get(), debug);
  if (!link) return search;
  search.build_id = link->build_id;
  Attempts attempts(search, DebugPart::Information, files);
  // `path` already has the root of a debug file that was found there.
  if (!link->name.starts_with('/')) attempts.attempt(path_beside(path, link->name), {});
  for (const std::string& root : places.roots) {
    if (link->name.starts_with('/')) attempts.attempt(root + link->name, {});
    if (link->build_id.size() >= shortest_build_id)
      attempts.attempt(root + in_build_id_folder(link->build_id), {});
  }
  for (const std::string& cache : places.debuginfod_caches)
    attempts.attempt(cache + '/' + link->build_id + "/debuginfo", {});
  return search;
}

std::string DebugFileSearch::what_is_missing(const std::string& path, DebugPart part) const {
  const bool is_symbols = part == DebugPart::Symbols;
  std::string text = path + " has no " + (is_symbols ? "symbols" : "debug information");
  text += build_id.empty() ? " and no build id" : " (build id " + build_id + ")";
  if (!searched.empty()) text += ", nor has " + searched.front();
  if (searched.size() > 1) text += " or " + counted(searched.size() - 1, "other file");
  for (const std::string& one : rejected) text += "; not used: " + one;
  if (is_symbols) text += "; coroutines have no names and no lines, and some may be missing";
  text += "; install the package's -dbgsym";
  if (!build_id.empty())
    text += ", run `debuginfod-find debuginfo " + build_id + "` with DEBUGINFOD_URLS set";
  text += is_symbols ? ", or build it without -s" : ", or compile with -g";
  return text;
}

}  // namespace skein
