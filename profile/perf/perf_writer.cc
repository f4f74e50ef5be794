#include "profile/perf/perf_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace skein {

namespace {

constexpr uint64_t header_size = 104;
// An event's attribute, and where its ids are: offset, size.
constexpr uint64_t event_size = sizeof(perf_event_attr) + 16;

// The only one of the event: those of the kernel, of each thread and processor, are replaced.
constexpr uint64_t id_of(size_t event) { return event + 1; }

template <class Number>
void append(std::vector<uint8_t>& bytes, Number number) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof number);
}

// With a NUL, up to a multiple of 8 bytes. Longer names would not fit into a record.
void append_text(std::vector<uint8_t>& bytes, std::string_view text) {
  constexpr size_t longest = 4096;
  text = text.substr(0, longest);
  bytes.insert(bytes.end(), text.begin(), text.end());
  do bytes.push_back(0);
  while (bytes.size() % 8 != 0);
}

}  // namespace

Result<PerfWriter> PerfWriter::create(const std::string& path,
                                      std::span<const perf_event_attr> attributes) {
  std::FILE* const file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr)
    return Error{.what = std::string("cannot be written: ") + std::strerror(errno), .file = path};
  PerfWriter writer(path, file);
  writer.attributes_.assign(attributes.begin(), attributes.end());
  for (perf_event_attr& attribute : writer.attributes_) {
    attribute.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                            PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
    if (attributes.size() > 1) attribute.sample_type |= PERF_SAMPLE_IDENTIFIER;
    attribute.sample_regs_user = 0;
    attribute.sample_stack_user = 0;
    attribute.exclude_callchain_user = 0;
  }
  if (const Result<void> written = writer.write_header(0, false); !written) return written.error();
  return writer;
}

uint64_t PerfWriter::data_begin() const {
  const uint64_t ids = has_ids() ? attributes_.size() * sizeof(uint64_t) : 0;
  return header_size + attributes_.size() * event_size + ids;
}

Result<void> PerfWriter::write_header(uint64_t data_size, bool has_logical) {
  std::vector<uint8_t> bytes;
  for (const char c : {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'})
    bytes.push_back(static_cast<uint8_t>(c));
  append(bytes, header_size);
  append(bytes, event_size);
  append(bytes, header_size);  // where the events are
  append(bytes, attributes_.size() * event_size);
  append(bytes, data_begin());
  append(bytes, data_size);
  bytes.resize(header_size);  // no types of events
  constexpr size_t features = 72;
  static_assert(features + LogicalStacks::feature / 8 < header_size);
  if (has_logical)
    bytes[features + LogicalStacks::feature / 8] = 1 << LogicalStacks::feature % 8;
  for (size_t i = 0; i < attributes_.size(); i++) {
    append(bytes, attributes_[i]);
    const uint64_t ids = header_size + attributes_.size() * event_size;
    append(bytes, has_ids() ? ids + i * sizeof(uint64_t) : 0);
    append(bytes, has_ids() ? uint64_t{sizeof(uint64_t)} : 0);
  }
  for (size_t i = 0; has_ids() && i < attributes_.size(); i++) append(bytes, id_of(i));
  std::rewind(file_.get());
  if (std::fwrite(bytes.data(), bytes.size(), 1, file_.get()) != 1 || std::fflush(file_.get()) != 0)
    return Error{.what = std::string("cannot be written: ") + std::strerror(errno), .file = path_};
  return {};
}

void PerfWriter::write(std::span<const uint8_t> bytes) {
  if (error_ != 0) return;
  if (std::fwrite(bytes.data(), bytes.size(), 1, file_.get()) != 1) error_ = errno;
  data_size_ += bytes.size();
}

void PerfWriter::add(std::span<const uint8_t> record) {
  constexpr uint64_t id = id_of(0);
  if (!has_ids() || record.size() < perf_header_size + sizeof id) return write(record);
  write(record.first(record.size() - sizeof id));
  write({reinterpret_cast<const uint8_t*>(&id), sizeof id});
}

void PerfWriter::add_sample(const PerfRecord& sample, std::span<const uint64_t> chain,
                            const LogicalSample& logical) {
  constexpr size_t most_words = 8000;  // a record is smaller than 64 KiB
  const size_t longest_chain = most_words - std::min(most_words, logical.frames.size());
  chain = chain.first(std::min(chain.size(), longest_chain));
  body_.clear();
  append(body_, uint32_t{perf_record_sample});
  append(body_, uint16_t{sample.mode});
  append(body_, uint16_t{0});
  if (has_ids()) append(body_, id_of(sample.event));
  append(body_, sample.address);
  append(body_, sample.pid);
  append(body_, sample.tid);
  append(body_, sample.time);
  append(body_, sample.cpu);
  append(body_, uint32_t{0});
  append(body_, sample.period);
  append(body_, uint64_t{chain.size()});
  for (const uint64_t address : chain) append(body_, address);
  append(body_, static_cast<uint32_t>(logical.size()));
  logical.append_to(body_);
  const auto size = static_cast<uint16_t>(body_.size());
  std::memcpy(body_.data() + 6, &size, sizeof size);
  write(body_);
}

// Completes the record whose body follows room for a header in body_.
void PerfWriter::end_record(uint32_t type, uint16_t misc, uint32_t pid, uint32_t tid,
                            uint64_t time) {
  append(body_, pid);
  append(body_, tid);
  append(body_, time);
  append(body_, uint64_t{0});  // the processor
  if (has_ids()) append(body_, id_of(0));
  const auto size = static_cast<uint16_t>(body_.size());
  std::memcpy(body_.data(), &type, sizeof type);
  std::memcpy(body_.data() + 4, &misc, sizeof misc);
  std::memcpy(body_.data() + 6, &size, sizeof size);
  write(body_);
}

void PerfWriter::add_mapping(uint32_t pid, uint64_t begin, uint64_t end, uint64_t offset,
                             std::string_view file, std::span<const uint8_t> build_id) {
  constexpr uint32_t read_and_execute = 5, is_private = 2;
  body_.assign(perf_header_size, 0);
  append(body_, pid);
  append(body_, pid);
  append(body_, begin);
  append(body_, end - begin);
  append(body_, offset);
  std::array<uint8_t, 24> identity = {};
  if (build_id.size() <= 20) {
    identity[0] = static_cast<uint8_t>(build_id.size());
    std::copy(build_id.begin(), build_id.end(), identity.begin() + 4);
  }
  body_.insert(body_.end(), identity.begin(), identity.end());
  append(body_, read_and_execute);
  append(body_, is_private);
  append_text(body_, file);
  const bool has_id = identity[0] != 0;
  end_record(
      perf_record_mmap2,
      static_cast<uint16_t>(PERF_RECORD_MISC_USER | (has_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0)),
      pid, pid, 0);
}

void PerfWriter::add_name(uint32_t pid, uint32_t tid, std::string_view name, uint64_t time) {
  body_.assign(perf_header_size, 0);
  append(body_, pid);
  append(body_, tid);
  append_text(body_, name);
  end_record(perf_record_comm, 0, pid, tid, time);
}

void PerfWriter::add_switch_out(uint32_t pid, uint32_t tid, uint64_t time) {
  body_.assign(perf_header_size, 0);
  end_record(perf_record_switch, PERF_RECORD_MISC_SWITCH_OUT, pid, tid, time);
}

void PerfWriter::add_kernel(uint64_t address, std::string_view name) {
  constexpr uint32_t of_kernel = UINT32_MAX;
  body_.assign(perf_header_size, 0);
  append(body_, of_kernel);
  append(body_, uint32_t{0});
  append(body_, address);
  append(body_, ~address);  // up to the end of all addresses
  append(body_, address);
  append_text(body_, "[kernel.kallsyms]" + std::string(name));
  end_record(perf_record_mmap, PERF_RECORD_MISC_KERNEL, of_kernel, 0, 0);
}

// A table of sections, here of one, follows the records.
void PerfWriter::write_logical(const LogicalStacks& logical) {
  const std::vector<uint8_t> section = logical.bytes();
  const uint64_t records = data_size_;
  body_.clear();
  append(body_, data_begin() + records + 16);
  append(body_, uint64_t{section.size()});
  body_.insert(body_.end(), section.begin(), section.end());
  write(body_);
  data_size_ = records;
}

Result<void> PerfWriter::finish(const LogicalStacks* logical) {
  if (logical != nullptr) write_logical(*logical);
  if (error_ == 0 && std::fflush(file_.get()) != 0) error_ = errno;
  if (error_ != 0)
    return Error{.what = std::string("cannot be written: ") + std::strerror(error_), .file = path_};
  return write_header(data_size_, logical != nullptr);
}

}  // namespace skein
