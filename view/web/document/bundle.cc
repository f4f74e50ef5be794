#include "view/web/document/bundle.h"

#include <string_view>

#include "base/escape.h"
#include "trace/read/ctf/chunk.h"
#include "view/web/document/pack.h"

namespace skein::web {

namespace {

struct Entry {
  std::string name;  // in the bundle
  Contents contents;
  std::vector<uint8_t> packed = {};  // instead of the contents; empty: as they are

  std::span<const uint8_t> bytes() const {
    return packed.empty() ? contents.bytes() : std::span<const uint8_t>(packed);
  }
};

// The files of a trace: itself, or those in it; a recorder's directory has no others.
Result<std::vector<Entry>> collect(Files& files, const std::string& path, const std::string& name) {
  std::vector<Entry> entries;
  if (files.type(path) != FileType::Directory) {
    auto contents = files.open(path);
    if (!contents) return contents.error();
    entries.push_back({name, *std::move(contents)});
    entries.back().packed = pack(entries.back().contents.bytes());
    return entries;
  }
  const auto inside = files.list(path);
  if (!inside) return inside.error();
  for (const std::string& file : *inside) {
    const std::string from = path + "/" + file;
    if (file.starts_with(".") || files.type(from) != FileType::File) continue;
    auto contents = ctf::copy_chunk(files, from);  // also of one that is being written
    if (!contents) return contents.error();
    entries.push_back({name + "/" + file, *std::move(contents)});
  }
  return entries;
}

}  // namespace

Result<std::vector<uint8_t>> make_bundle(Files& files, std::span<const TraceInput> traces,
                                         uint64_t limit) {
  std::string header = "{\"traces\":[";
  std::vector<Entry> all;
  uint64_t size = 0;
  for (size_t i = 0; i < traces.size(); i++) {
    const std::string name = std::to_string(i);
    auto entries = collect(files, traces[i].path, name);
    if (!entries) return entries.error();
    header += i == 0 ? "{\"title\":" : ",{\"title\":";
    append_json(header, traces[i].title);
    header += ",\"path\":\"" + name + "\",\"files\":[";
    for (size_t k = 0; k < entries->size(); k++) {
      Entry& entry = (*entries)[k];
      header += k == 0 ? "[" : ",[";
      append_json(header, entry.name);
      header += ',' + std::to_string(entry.contents.size());
      if (!entry.packed.empty()) header += ',' + std::to_string(entry.packed.size());
      header += ']';
      size += entry.contents.size();
      all.push_back(std::move(entry));
    }
    header += "]}";
  }
  header += "]}";
  if (size > limit)
    return Error{.what = "the traces have " + std::to_string(size >> 20) +
                         " MiB, and a page can hold " + std::to_string(limit >> 20),
                 .advice = "use `skein view`, or take a part of it with `skein snapshot`"};
  std::vector<uint8_t> bundle;
  bundle.reserve(4 + header.size() + static_cast<size_t>(size));
  for (unsigned shift = 0; shift < 32; shift += 8)
    bundle.push_back(static_cast<uint8_t>(header.size() >> shift));
  bundle.insert(bundle.end(), header.begin(), header.end());
  for (const Entry& entry : all) {
    const auto bytes = entry.bytes();
    bundle.insert(bundle.end(), bytes.begin(), bytes.end());
  }
  return bundle;
}

}  // namespace skein::web
