#include "frames/saved_frames.h"

#include <concepts>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include "frames/joined_coroutines.h"
#include "target/unpacker.h"

namespace skein {

namespace {

constexpr std::string_view version = "skein.frames/9\n";

// Both archives visit the same members in the same order: see visit().
class Saving {
 public:
  static constexpr bool reads = false;
  std::vector<uint8_t> out = {};

  // LEB128, as in DWARF.
  void number(uint64_t value) {
    for (; value >= 128; value >>= 7) out.push_back(static_cast<uint8_t>(value | 128));
    out.push_back(static_cast<uint8_t>(value));
  }
  void text(const std::string& value) {
    number(value.size());
    out.insert(out.end(), value.begin(), value.end());
  }
};

class Loading {
 public:
  static constexpr bool reads = true;
  explicit Loading(std::span<const uint8_t> bytes) : left_(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const uint8_t byte = left_.front();
      left_ = left_.subspan(1);
      value |= uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    fail();
    return 0;
  }
  std::string text() {
    const uint64_t size = number();
    if (size > left_.size()) {
      fail();
      return {};
    }
    const auto bytes = left_.first(size);
    left_ = left_.subspan(size);
    return {bytes.begin(), bytes.end()};
  }
  // Of a list: each element has a byte at least.
  uint64_t count() {
    const uint64_t value = number();
    if (value <= left_.size()) return value;
    fail();
    return 0;
  }
  void fail() {
    has_failed_ = true;
    left_ = {};
  }
  bool is_complete() const { return !has_failed_ && left_.empty(); }
  bool has_failed() const { return has_failed_; }

 private:
  std::span<const uint8_t> left_;
  bool has_failed_ = false;
};

template <typename Archive, typename Value>
requires std::integral<Value> || std::is_enum_v<Value>
void visit(Archive& archive, Value& value) {
  if constexpr (Archive::reads) {
    const uint64_t number = archive.number();
    value = static_cast<Value>(number);
    if constexpr (std::same_as<Value, bool>) {
      if (number > 1) archive.fail();
    } else if (static_cast<uint64_t>(value) != number) {
      archive.fail();
    }
  } else {
    archive.number(static_cast<uint64_t>(value));
  }
}

template <typename Archive>
void visit(Archive& archive, std::string& value) {
  if constexpr (Archive::reads)
    value = archive.text();
  else
    archive.text(value);
}

template <typename Archive, typename Value>
void visit(Archive& archive, std::optional<Value>& value) {
  bool has_value = value.has_value();
  visit(archive, has_value);
  if (Archive::reads && has_value) value.emplace();
  if (has_value) visit(archive, *value);
}

template <typename Archive, typename Value>
void visit(Archive& archive, std::vector<Value>& values) {
  if constexpr (Archive::reads) {
    const uint64_t count = archive.count();
    values.clear();
    for (uint64_t i = 0; i < count && !archive.has_failed(); i++)
      visit(archive, values.emplace_back());
  } else {
    archive.number(values.size());
    for (Value& value : values) visit(archive, value);
  }
}

template <typename Archive, typename... Members>
void visit_all(Archive& archive, Members&... members) {
  (visit(archive, members), ...);
}

template <typename Archive>
void visit(Archive& archive, SuspendedCoroutines::Function& one) {
  visit_all(archive, one.name, one.full_name, one.module, one.is_internal, one.operation);
}

template <typename Archive>
void visit(Archive& archive, SuspendedCoroutines::Caller& one) {
  visit_all(archive, one.function, one.thread);
}

template <typename Archive>
void visit(Archive& archive, SuspendedCoroutines::Place& one) {
  visit_all(archive, one.file, one.line, one.awaiter, one.is_running, one.is_yield);
}

template <typename Archive>
void visit(Archive& archive, SuspendedCoroutine& one) {
  visit_all(archive, one.frame, one.function, one.awaits, one.place, one.object, one.point,
            one.size, one.state, one.thread, one.is_certain, one.is_elided, one.awaited,
            one.joined_by, one.is_unreferenced, one.caller, one.may_go_on, one.may_run);
}

template <typename Archive>
void visit(Archive& archive, AsioObject& one) {
  visit_all(archive, one.kind, one.clock, one.expires, one.descriptor, one.address);
}

template <typename Archive>
void visit(Archive& archive, WaitObject::Holder& one) {
  visit_all(archive, one.coroutine, one.certainty);
}

template <typename Archive>
void visit(Archive& archive, WaitObject& one) {
  visit_all(archive, one.address, one.kind, one.type, one.is_linked, one.waiters, one.holders);
}

template <typename Archive>
void visit(Archive& archive, FrameVariable& one) {
  visit_all(archive, one.name, one.type, one.value);
}

template <typename Archive>
void visit(Archive& archive, SocketState& one) {
  visit_all(archive, one.descriptor, one.tcp, one.local_port, one.peer_port, one.peer, one.local,
            one.is_local_port_listening, one.is_peer_port_listening, one.is_silent, one.unread,
            one.unacked, one.sent, one.received, one.sent_ago, one.received_ago, one.has_counts);
}

template <typename Archive>
void visit(Archive& archive, TargetThread& one) {
  visit_all(archive, one.id, one.name, one.state, one.wait_channel);
}

template <typename Archive>
void visit(Archive& archive, MutexWait& one) {
  visit_all(archive, one.thread, one.holder, one.mutex, one.has_limit);
}

template <typename Archive>
void visit(Archive& archive, MutexWaits& all) {
  std::vector<MutexWait> waits(all.all().begin(), all.all().end());
  visit(archive, waits);
  if constexpr (Archive::reads) all = MutexWaits(std::move(waits));
}

template <typename Archive>
void visit(Archive& archive, SavedFrames& all) {
  visit_all(archive, all.found.functions, all.found.callers, all.found.places, all.found.coroutines,
            all.found.objects, all.found.awaited, all.found.variables, all.found.read,
            all.found.freed, all.found.lacks_files, all.found.warnings, all.around.steady_now,
            all.around.system_now, all.around.reading_ns, all.around.sockets, all.around.threads,
            all.around.mutex_waits, all.paused);
}

bool is_index(uint32_t value, size_t size) {
  return value < size || value == SuspendedCoroutine::none;
}

bool is_consistent(const SuspendedCoroutines& found) {
  for (const SuspendedCoroutine& one : found.coroutines)
    if (one.function >= found.functions.size() || one.place >= found.places.size() ||
        !is_index(one.awaits, found.coroutines.size()) ||
        !is_index(one.object, found.objects.size()) ||
        !is_index(one.awaited, found.awaited.size()) ||
        !is_index(one.joined_by, found.coroutines.size()) ||
        !is_index(one.caller, found.callers.size()) ||
        one.state > SuspendedCoroutine::State::Unknown)
      return false;
  for (const WaitObject& one : found.awaited) {
    if (one.kind > WaitObject::Kind::Executor) return false;
    for (const uint32_t waiter : one.waiters)
      if (waiter >= found.coroutines.size()) return false;
    for (const WaitObject::Holder& holder : one.holders)
      if (holder.coroutine >= found.coroutines.size() ||
          holder.certainty > WaitObject::Certainty::Certain)
        return false;
  }
  if (found.variables.size() > found.coroutines.size()) return false;
  for (const AsioObject& one : found.objects)
    if (one.kind > AsioObject::Kind::Channel || one.clock > AsioObject::Clock::Other) return false;
  return true;
}

}  // namespace

std::vector<uint8_t> save_frames(const SavedFrames& frames) {
  Saving archive;
  archive.out.assign(version.begin(), version.end());
  visit(archive, const_cast<SavedFrames&>(frames));  // NOLINT: one visit() for both directions
  return packed(std::move(archive.out));
}

namespace {

Error damaged(const std::string& path) {
  return {.what = "the coroutines in it are damaged",
          .file = path,
          .advice = "write it again, or copy it again"};
}

// All of it, or why not.
Result<std::vector<uint8_t>> unpacked(std::span<const uint8_t> bytes, const std::string& path) {
  constexpr size_t most = size_t{1} << 30;
  constexpr size_t step = size_t{1} << 20;
  const std::unique_ptr<Unpacker> unpacker = make_unpacker(bytes);
  if (unpacker == nullptr)
    return Error{.what = "the coroutines in it are packed by zstd, which this skein cannot read",
                 .file = path,
                 .advice = "build skein with libzstd"};
  std::vector<uint8_t> all;
  while (all.size() < most) {
    const size_t size = all.size();
    all.resize(size + step);
    all.resize(size + unpacker->read(std::span(all).subspan(size)));
    if (all.size() < size + step) break;
  }
  if (!unpacker->problem().empty()) return damaged(path);
  return all;
}

}  // namespace

Result<SavedFrames> read_frames(std::span<const uint8_t> bytes, const std::string& path) {
  if (packing_of(bytes) == Packing::Zstd) {
    const Result<std::vector<uint8_t>> all = unpacked(bytes, path);
    if (!all) return all.error();
    return packing_of(*all) == Packing::None ? read_frames(*all, path) : damaged(path);
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(version))
    return Error{.what = "the coroutines in it are of another version of skein",
                 .file = path,
                 .advice = "read it with the version of skein that wrote it"};
  Loading archive(bytes.subspan(version.size()));
  SavedFrames frames;
  visit(archive, frames);
  if (!archive.is_complete() || !is_consistent(frames.found)) return damaged(path);
  set_joined(frames.found);
  return frames;
}

}  // namespace skein
