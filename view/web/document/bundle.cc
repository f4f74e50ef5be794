#include "view/web/document/bundle.h"

#include <algorithm>
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
  size_t kept = 0;                   // bytes that the page has; 0: it has not this packet

  void append_to(std::vector<uint8_t>& bundle) const {
    std::span<const uint8_t> bytes = contents.bytes();
    if (!packed.empty()) bytes = packed;
    if (kept > 0) {
      const auto header = bytes.first(ctf::packet_header_size);
      bundle.insert(bundle.end(), header.begin(), header.end());
      bytes = bytes.subspan(kept);
    }
    bundle.insert(bundle.end(), bytes.begin(), bytes.end());
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

// [["0", 281024, 97611], ...]
void append_files(std::string& header, const std::vector<Entry>& entries) {
  header += ",\"files\":[";
  for (const Entry& entry : entries) {
    header += &entry == entries.data() ? "[" : ",[";
    append_json(header, entry.name);
    header += ',' + std::to_string(entry.contents.size());
    if (!entry.packed.empty() || entry.kept > 0)
      header += ',' + std::to_string(entry.packed.size());
    if (entry.kept > 0) header += ',' + std::to_string(entry.kept);
    header += ']';
  }
  header += ']';
}

void begin_trace(std::string& header, const TraceInput& trace, const std::string& name) {
  header += header.ends_with('}') ? ",{\"title\":" : "{\"title\":";
  append_json(header, trace.title);
  header += ",\"path\":\"" + name + '"';
}

Error too_big(uint64_t size, uint64_t limit) {
  return Error{.what = "the traces have " + std::to_string(size >> 20) +
                       " MiB, and a page can hold " + std::to_string(limit >> 20),
               .advice = "use `skein view`, or take a part of it with `skein snapshot`"};
}

std::vector<uint8_t> joined(const std::string& header, std::span<const Entry> entries) {
  std::vector<uint8_t> bundle;
  for (unsigned shift = 0; shift < 32; shift += 8)
    bundle.push_back(static_cast<uint8_t>(header.size() >> shift));
  bundle.insert(bundle.end(), header.begin(), header.end());
  for (const Entry& entry : entries) entry.append_to(bundle);
  return bundle;
}

std::vector<uint8_t> hash_of(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  std::vector<uint8_t> out;
  for (unsigned shift = 0; shift < 64; shift += 8)
    out.push_back(static_cast<uint8_t>(hash >> shift));
  return out;
}

// How many bytes of the packet that begins with `head` are still those of one that began with
// `before`: its events stay as they are until it is recycled, under a new lock.
size_t same_bytes(const Manifest::File& before, std::span<const uint8_t> head) {
  const auto was = ctf::read_packet_header(before.head);
  const auto is = ctf::read_packet_header(head);
  if (!was || !is || was->uuid != is->uuid || was->stream != is->stream ||
      was->sequence != is->sequence || was->begin != is->begin || was->lock != is->lock ||
      is->lock % 2 != 0 || is->content_bits < was->content_bits)
    return 0;
  return static_cast<size_t>(before.size);
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
    begin_trace(header, traces[i], name);
    append_files(header, *entries);
    header += '}';
    for (Entry& entry : *entries) {
      size += entry.contents.size();
      all.push_back(std::move(entry));
    }
  }
  if (size > limit) return too_big(size, limit);
  return joined(header + "]}", all);
}

Result<Update> make_update(Files& files, const TraceInput& trace, const Manifest& had,
                           uint64_t limit) {
  const auto inside = files.list(trace.path);
  if (!inside) return inside.error();
  Update update;
  std::vector<Entry> entries;
  uint64_t size = 0;
  for (const std::string& name : *inside) {
    const std::string path = trace.path + "/" + name;
    if (name.starts_with(".") || files.type(path) != FileType::File) continue;
    const auto before = had.files.find(name);
    const auto head = files.head(path, ctf::packet_header_size);
    if (!head) return head.error();
    const bool is_packet = ctf::read_packet_header(*head).has_value();
    if (is_packet && before != had.files.end() && before->second.head == *head) {
      update.now.files.insert(*before);
      size += before->second.size;
      continue;
    }
    auto contents = ctf::copy_chunk(files, path);
    if (!contents) return contents.error();
    const auto bytes = contents->bytes();
    Manifest::File now{.size = bytes.size(), .head = {}};
    size_t kept = 0;
    if (ctf::read_packet_header(bytes)) {
      now.head.assign(bytes.begin(), bytes.begin() + ctf::packet_header_size);
      if (before != had.files.end()) kept = same_bytes(before->second, now.head);
      if (kept > bytes.size()) kept = 0;  // the file has been cut off
    } else {
      now.head = hash_of(bytes);
    }
    size += now.size;
    const bool same = before != had.files.end() && before->second.head == now.head &&
                      before->second.size == now.size;
    update.now.files.emplace(name, std::move(now));
    if (!same) entries.push_back({"0/" + name, *std::move(contents), {}, kept});
  }
  if (size > limit) return too_big(size, limit);

  std::string gone;
  for (const auto& [name, file] : had.files) {
    if (update.now.files.contains(name)) continue;
    if (!gone.empty()) gone += ',';
    append_json(gone, "0/" + name);
  }
  if (entries.empty() && gone.empty() && !had.files.empty()) return update;
  std::string header = "{\"traces\":[";
  begin_trace(header, trace, "0");
  if (!gone.empty()) header += ",\"gone\":[" + gone + ']';
  append_files(header, entries);
  update.bundle = joined(header + "}]}", entries);
  return update;
}

}  // namespace skein::web
