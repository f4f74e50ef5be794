#include "profile/sched/sched_writer.h"

#include <fcntl.h>
#include <skein/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/disk_files.h"
#include "trace/read/ctf/task_table.h"

namespace skein {

namespace {

using Header = format::PacketHeader;

void append(std::vector<uint8_t>& to, uint64_t number, unsigned width) {
  for (unsigned i = 0; i < width; i++) to.push_back(static_cast<uint8_t>(number >> 8 * i));
}

std::string chunk_name(uint64_t number) { return "sched-" + std::to_string(number); }

}  // namespace

Result<SchedWriter> SchedWriter::open(const std::string& directory) {
  DiskFiles files;
  constexpr size_t largest_metadata = size_t{1} << 20;
  const std::string path = directory + "/metadata";
  const auto text = files.head(path, largest_metadata);
  if (!text) return text.error();
  const auto metadata = ctf::parse_metadata(std::string(text->begin(), text->end()), path);
  if (!metadata) return metadata.error();
  const bool counts_tsc = metadata->clock_source == "tsc";
  if (!metadata->uuid || (!counts_tsc && metadata->clock_source != "monotonic"))
    return Error{.what = "its clock is unknown", .file = directory};
  const auto names = files.list(directory);
  if (!names) return names.error();
  for (const std::string& name : *names)
    if (name.starts_with("sched-"))
      return Error{.what = already_recorded, .file = directory, .advice = "record again to add it"};
  SchedWriter writer;
  writer.directory_ = directory;
  writer.uuid_ = *metadata->uuid;
  writer.counts_tsc_ = counts_tsc;
  const auto table = files.head(directory + "/.tasks", format::kTableHeaderSize);
  if (table) {
    const auto header = ctf::read_task_table_header(*table, ".tasks");
    writer.is_ring_ = !header || header->ring_bytes != 0;
  }
  return writer;
}

SchedWriter& SchedWriter::operator=(SchedWriter&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(uuid_, other.uuid_);
  std::swap(counts_tsc_, other.counts_tsc_);
  std::swap(is_ring_, other.is_ring_);
  std::swap(file_, other.file_);
  std::swap(chunks_, other.chunks_);
  std::swap(committed_, other.committed_);
  std::swap(events_, other.events_);
  std::swap(last_ticks_, other.last_ticks_);
  std::swap(chunk_begin_, other.chunk_begin_);
  std::swap(lost_, other.lost_);
  std::swap(error_, other.error_);
  return *this;
}

SchedWriter::~SchedWriter() {
  if (file_ >= 0) close(file_);
}

void SchedWriter::write(const void* bytes, size_t size, uint64_t offset) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0 && error_ == 0) {
    const ssize_t written = pwrite(file_, at, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_ = written < 0 ? errno : EIO;
      return;
    }
    at += written;
    offset += static_cast<uint64_t>(written);
    size -= static_cast<size_t>(written);
  }
}

void SchedWriter::put(uint64_t ticks, const SchedChange& change) {
  if (error_ != 0) return;
  ticks = std::max(ticks, last_ticks_);
  const std::string text = change.text.empty() ? "-" : change.text.substr(0, 64);
  constexpr size_t numbers = 16;
  const size_t most = format::kExtendedHeaderSize + numbers + text.size() + 1;
  if (file_ < 0 || committed_ + events_.size() + most > chunk_size) begin_chunk(ticks);
  if (ticks - last_ticks_ >= uint64_t{1} << format::kTimeBits) {
    append(events_, format::k_extended, 1);
    append(events_, format::k_thread_state, 1);
    append(events_, ticks, 8);
  } else {
    append(events_, format::k_thread_state, 1);
    append(events_, ticks, 3);
  }
  append(events_, change.tid, 4);
  append(events_, static_cast<uint64_t>(change.state), 4);
  append(events_, change.other, 4);
  append(events_, change.cpu, 4);
  for (const char c : text) events_.push_back(static_cast<uint8_t>(c == '\0' ? '?' : c));
  events_.push_back(0);
  last_ticks_ = ticks;
}

// The file has another name until its header is complete.
void SchedWriter::begin_chunk(uint64_t ticks) {
  commit(lost_);
  if (file_ >= 0) close(file_);
  if (chunks_ != 0 && ticks <= chunk_begin_) ticks = chunk_begin_ + 1;  // no two begin together
  const std::string name = directory_ + "/" + chunk_name(chunks_);
  const std::string hidden = directory_ + "/." + chunk_name(chunks_);
  file_ = ::open(hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0 || ftruncate(file_, chunk_size) != 0) {
    if (error_ == 0) error_ = errno;
    return;
  }
  Header header = {};
  header.magic = format::kPacketMagic;
  std::copy(uuid_.begin(), uuid_.end(), header.uuid);
  header.stream_instance = format::kSchedStream;
  header.content_size = sizeof header * 8;
  header.packet_size = chunk_size * 8;
  header.timestamp_begin = ticks;
  header.packet_seq_num = chunks_;
  header.events_discarded = lost_;
  header.flags = is_ring_ ? 0 : uint32_t{format::kFlagLog};
  header.format_version = format::kVersion;
  write(&header, sizeof header, 0);
  if (std::rename(hidden.c_str(), name.c_str()) != 0 && error_ == 0) error_ = errno;
  constexpr uint64_t most = ring_bytes / chunk_size;
  if (is_ring_ && chunks_ >= most) unlink((directory_ + "/" + chunk_name(chunks_ - most)).c_str());
  chunks_++;
  committed_ = sizeof header;
  chunk_begin_ = last_ticks_ = ticks;
}

void SchedWriter::commit(uint64_t lost) {
  if (file_ >= 0 && lost != lost_) write(&lost, sizeof lost, offsetof(Header, events_discarded));
  lost_ = lost;
  if (file_ < 0 || events_.empty()) return;
  write(events_.data(), events_.size(), committed_);
  committed_ += events_.size();
  events_.clear();
  const uint64_t bits = committed_ * 8;
  write(&bits, sizeof bits, offsetof(Header, content_size));
}

Result<void> SchedWriter::finish() {
  commit(lost_);
  if (error_ != 0)
    return Error{.what = std::string("cannot write the context switches: ") + std::strerror(error_),
                 .file = directory_};
  return {};
}

}  // namespace skein
