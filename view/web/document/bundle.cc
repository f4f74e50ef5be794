#include "view/web/document/bundle.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/escape.h"
#include "trace/read/ctf/chunk.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/task_table.h"
#include "view/web/document/pack.h"

namespace skein::web {

namespace {

struct ByteRange {
  size_t at = 0;
  size_t size = 0;
};
struct Entry {
  std::string name;  // in the bundle
  Contents contents;
  std::vector<uint8_t> packed = {};    // replaces the contents; empty: not packed
  std::vector<ByteRange> ranges = {};  // parts that the page lacks; empty: everything

  void append_to(std::vector<uint8_t>& bundle) const {
    const auto append = [&](std::span<const uint8_t> bytes) {
      bundle.insert(bundle.end(), bytes.begin(), bytes.end());
    };
    for (const ByteRange& range : ranges) append(contents.bytes().subspan(range.at, range.size));
    if (ranges.empty()) append(packed.empty() ? contents.bytes() : packed);
  }
};

// The live task table of a ring: the tasks that have outlived their packets. nullopt for a log.
std::optional<Contents> ring_tasks(Files& files, const std::string& path,
                                   const std::optional<ctf::TaskTableSnapshot>& before) {
  auto tasks = before ? ctf::read_ring_tasks(files, path) : std::nullopt;
  if (!tasks) return std::nullopt;
  ctf::intersect_tasks(*tasks, *before);
  return Contents(ctf::encode(*tasks));
}

// Whether an entry of a trace directory belongs in the page: only files of the trace do, because
// the directory may also contain files that the user does not want to share.
bool is_packed(Files& files, const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name;
  if (name.starts_with(".") || files.type(path) != FileType::File) return false;
  const auto head = files.head(path, ctf::packet_header_size);
  return head && ctf::is_trace_file(name, *head);
}

// The files of a trace: the file itself, or those in its directory; a recorder's directory has no
// subdirectories.
Result<std::vector<Entry>> collect(Files& files, const std::string& path, const std::string& name) {
  std::vector<Entry> entries;
  if (files.type(path) != FileType::Directory) {
    auto contents = files.open(path);
    if (!contents) return contents.error();
    entries.push_back({name, *std::move(contents)});
    entries.back().packed = pack(entries.back().contents.bytes());
    return entries;
  }
  const auto tasks_before = ctf::read_ring_tasks(files, path);
  const auto inside = files.list(path);
  if (!inside) return inside.error();
  for (const std::string& file : *inside) {
    const std::string from = path + "/" + file;
    if (!is_packed(files, path, file)) continue;
    auto contents = ctf::copy_chunk(files, from);  // even one that is being written
    if (!contents) return contents.error();
    if (!ctf::is_trace_file(file, contents->bytes())) continue;  // replaced in between
    entries.push_back({name + "/" + file, *std::move(contents)});
  }
  if (auto tasks = ring_tasks(files, path, tasks_before))
    entries.push_back({name + "/.tasks", *std::move(tasks)});
  return entries;
}

// [["0", 281024, 97611], ...]
void append_files(std::string& header, const std::vector<Entry>& entries) {
  header += ",\"files\":[";
  for (const Entry& entry : entries) {
    header += &entry == entries.data() ? "[" : ",[";
    append_json(header, entry.name);
    header += ',' + std::to_string(entry.contents.size());
    if (!entry.packed.empty()) header += ',' + std::to_string(entry.packed.size());
    for (const ByteRange& range : entry.ranges) {
      header += &range == entry.ranges.data() ? ",[[" : ",[";
      header += std::to_string(range.at) + ',' + std::to_string(range.size) + ']';
    }
    header += entry.ranges.empty() ? "]" : "]]";
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

// The name of a file of the first trace in the bundle.
std::string in_bundle(const std::string& name) { return name.empty() ? "0" : "0/" + name; }

constexpr size_t block_size = 64 << 10;
constexpr size_t hash_size = 8;

// Processes eight bytes at a time, as a file of half a gigabyte may be hashed every second.
uint64_t hash_of(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    add(word);
  }
  for (const uint8_t byte : bytes) add(byte);
  return hash;
}

std::vector<uint8_t> hashes_of_blocks(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> out;
  for (size_t at = 0; at < bytes.size(); at += block_size) {
    const uint64_t hash = hash_of(bytes.subspan(at, std::min(block_size, bytes.size() - at)));
    for (unsigned shift = 0; shift < 64; shift += 8)
      out.push_back(static_cast<uint8_t>(hash >> shift));
  }
  return out;
}

// The new parts of the packet that begins with `head` since its state `before`. The events of a
// packet stay unchanged until it is recycled, with a new lock. Empty: the whole packet.
std::vector<ByteRange> new_in_packet(const Manifest::File& before, const Manifest::File& now) {
  const auto was = ctf::read_packet_header(before.head);
  const auto is = ctf::read_packet_header(now.head);
  if (!was || !is || was->uuid != is->uuid || was->stream != is->stream ||
      was->sequence != is->sequence || was->begin != is->begin || was->lock != is->lock ||
      is->lock % 2 != 0 || is->content_bits < was->content_bits ||
      now.size < before.size)  // the file was truncated
    return {};
  const auto kept = static_cast<size_t>(before.size);
  return {{0, ctf::packet_header_size}, {kept, static_cast<size_t>(now.size) - kept}};
}

// The changed blocks. Empty: all of them.
std::vector<ByteRange> new_blocks(const Manifest::File& before, const Manifest::File& now) {
  std::vector<ByteRange> ranges;
  const auto size = static_cast<size_t>(now.size);
  for (size_t at = 0, hash = 0; at < size; at += block_size, hash += hash_size) {
    const bool same =
        hash + hash_size <= before.head.size() &&
        std::equal(now.head.begin() + static_cast<ptrdiff_t>(hash),
                   now.head.begin() + static_cast<ptrdiff_t>(hash + hash_size),
                   before.head.begin() + static_cast<ptrdiff_t>(hash)) &&
        std::min(before.size - at, uint64_t{block_size}) == std::min(size - at, block_size);
    if (same) continue;
    const size_t length = std::min(block_size, size - at);
    if (!ranges.empty() && ranges.back().at + ranges.back().size == at)
      ranges.back().size += length;
    else
      ranges.push_back({at, length});
  }
  // If the file only became shorter, sends its first block so that the update is not empty.
  if (ranges.empty() && size > 0) ranges.push_back({0, std::min(block_size, size)});
  if (ranges.size() == 1 && ranges[0].size == size) return {};
  return ranges;
}

}  // namespace

Result<std::vector<uint8_t>> make_bundle(Files& files, std::span<const TraceInput> traces,
                                         uint64_t limit, std::string_view annotations) {
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
  header += ']';
  if (!annotations.empty()) header += ",\"links\":" + std::to_string(annotations.size());
  std::vector<uint8_t> bundle = joined(header + '}', all);
  bundle.insert(bundle.end(), annotations.begin(), annotations.end());
  return bundle;
}

Result<Update> make_update(Files& files, const TraceInput& trace, const Manifest& had,
                           uint64_t limit) {
  Update update;
  std::vector<Entry> entries;
  uint64_t size = 0;
  // Adds a file if it differs from the page's; must be called for each file.
  const auto add = [&](const std::string& name, Contents contents, bool is_packet) {
    const auto before = had.files.find(name);
    const bool had_it = before != had.files.end();
    const auto bytes = contents.bytes();
    Manifest::File now{.size = bytes.size(), .head = {}};
    if (is_packet)
      now.head.assign(bytes.begin(), bytes.begin() + ctf::packet_header_size);
    else
      now.head = hashes_of_blocks(bytes);
    size += now.size;
    if (!had_it || before->second.head != now.head || before->second.size != now.size) {
      Entry entry{in_bundle(name), std::move(contents)};
      if (had_it)
        entry.ranges =
            is_packet ? new_in_packet(before->second, now) : new_blocks(before->second, now);
      if (!is_packet && entry.ranges.empty()) entry.packed = pack(entry.contents.bytes());
      entries.push_back(std::move(entry));
    }
    update.now.files.emplace(name, std::move(now));
  };

  if (files.type(trace.path) != FileType::Directory) {
    const auto mapped = files.open(trace.path);
    if (!mapped) return mapped.error();
    if (mapped->size() > limit) return too_big(mapped->size(), limit);
    auto contents = files.open(trace.path, Access::Copy);  // it may be written to and truncated
    if (!contents) return contents.error();
    add("", *std::move(contents), false);
  } else {
    const auto tasks_before = ctf::read_ring_tasks(files, trace.path);
    const auto inside = files.list(trace.path);
    if (!inside) return inside.error();
    for (const std::string& name : *inside) {
      const std::string path = trace.path + "/" + name;
      if (!is_packed(files, trace.path, name)) continue;
      const auto before = had.files.find(name);
      const auto head = files.head(path, ctf::packet_header_size);
      if (!head) return head.error();
      if (ctf::read_packet_header(*head) && before != had.files.end() &&
          before->second.head == *head) {
        update.now.files.insert(*before);
        size += before->second.size;
        continue;
      }
      auto contents = ctf::copy_chunk(files, path);
      if (!contents) return contents.error();
      if (!ctf::is_trace_file(name, contents->bytes())) continue;  // replaced in between
      const bool is_packet = ctf::read_packet_header(contents->bytes()).has_value();
      add(name, *std::move(contents), is_packet);
    }
    if (auto tasks = ring_tasks(files, trace.path, tasks_before))
      add(".tasks", *std::move(tasks), false);
  }
  if (size > limit) return too_big(size, limit);

  std::string gone;
  for (const auto& [name, file] : had.files) {
    if (update.now.files.contains(name)) continue;
    if (!gone.empty()) gone += ',';
    append_json(gone, in_bundle(name));
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
