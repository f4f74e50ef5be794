#include "trace/read/ctf/directory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/cursor.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "trace/read/connection.h"
#include "trace/read/ctf/chunk.h"
#include "trace/read/ctf/present.h"
#include "trace/read/ctf/salvage.h"
#include "trace/read/ctf/sched_stream.h"
#include "trace/read/ctf/stream.h"
#include "trace/read/ctf/task_table.h"

namespace skein::ctf {

namespace {

constexpr size_t largest_metadata = size_t{1} << 20;

// The contents of a directory, in memory while it is read.
struct Source {
  struct File {
    std::string name;
    Contents contents;
  };
  std::vector<File> files;  // contain packets of this trace; must not grow once streams refer to it
  std::vector<StreamPacket> names;
  std::vector<StreamPacket> sched;
  uint64_t names_bytes = 0;
  uint64_t events_bytes = 0;
  std::map<uint64_t, Stream> streams;
};

// A directory whose files have been loaded, but whose packets have not been decoded.
struct Directory {
  Trace trace;
  Source source;
  Metadata metadata;
};

// The text of the file `metadata`, as much of it as can be read.
Result<std::string> load_metadata(Files& files, const std::string& path) {
  const std::string file = path + "/metadata";
  if (files.type(file) != FileType::File) return Error{.what = "no file `metadata`", .file = path};
  const auto text = files.head(file, largest_metadata);
  if (!text) return text.error();
  return std::string(text->begin(), text->end());
}

// If metadata is missing or damaged but the packets are skein's: reconstructs it, adds a loss and
// returns true.
bool salvage(const Source& source, const std::string& reason, Metadata& metadata,
             std::vector<Loss>& losses) {
  const bool clock_known = metadata.frequency != 0;
  Salvage salvage;
  for (const Source::File& file : source.files)
    for (PacketReader packets(file.contents.bytes()); packets.next();)
      salvage.add(packets.packet().header);
  if (!salvage.complete(metadata)) return false;
  const std::string clock =
      clock_known ? "the clock is known" : "the clock frequency is " + metadata.clock_source;
  add_loss(losses, {.what = reason + "; " + clock, .file = "metadata", .packets = 0, .events = 0});
  return true;
}

// Sets the start of the trace. Its UTC stays its own even if another trace's frequency is used.
void set_start(const Metadata& metadata, const Context& context, TraceInfo& info) {
  info.tick_clock.start = context.start;
  info.start = context.scale.ns(context.start);
  const uint64_t own = TickScale(metadata.frequency).ns(context.start);
  if (info.utc_offset)
    info.utc_offset =
        static_cast<int64_t>(static_cast<uint64_t>(*info.utc_offset) + own - info.start);
}

void describe(const Metadata& metadata, Trace& trace) {
  trace.info.tick_clock = {.boot_id = metadata.boot_id,
                           .source = metadata.clock_source,
                           .frequency = metadata.frequency,
                           .utc_of_tick_0 = metadata.utc_known ? metadata.utc_of_tick_0() : 0};
  trace.info.format = metadata.origin;
  if (metadata.origin.empty()) trace.info.format = "skein";
  trace.machines = metadata.machines;
  trace.processes = metadata.processes;
  trace.machines[0].name = metadata.host;
  if (!metadata.boot_id.empty()) trace.machines[0].boot_id = metadata.boot_id;
  trace.processes[0].pid = metadata.pid;
  trace.processes[0].name = metadata.program;
  // A tick is 16 counts, except if the trace has no counter (skein export).
  const std::string& clock = metadata.clock_source;
  const bool counts = clock == "tsc" || clock == "monotonic" || clock == "estimated";
  trace.info.clock = clock;
  if (clock != "unknown")
    trace.info.clock +=
        " " + std::to_string(metadata.frequency << (counts ? format::kTickShift : 0)) + " Hz";
  if (metadata.utc_known) trace.info.utc_offset = metadata.utc_of_tick_0();
  for (const format::NamedNumber& kind : format::kKinds) {
    if (trace.kinds.size() <= kind.number) trace.kinds.resize(kind.number + 1u);
    trace.kinds[kind.number] = trace.strings.intern(kind.name);
  }
}

// Maps a chunk of a log: it may be large and is never shortened or recycled. Copies all other
// chunks.
Result<Contents> load_chunk(Files& files, const std::string& path) {
  const auto head = files.head(path, packet_header_size);
  if (!head) return head.error();
  const auto header = read_packet_header(*head);
  if (header && header->flags & format::kFlagLog && !(header->flags & format::kFlagNames))
    return files.open(path, Access::Map);
  return copy_chunk(files, path);
}

// Loads every file except dotfiles and metadata.
void load_files(Files& files, const std::string& path, const std::vector<std::string>& entries,
                std::vector<Loss>& losses, Source& source) {
  for (const std::string& name : entries) {
    if (name.starts_with('.') || name == "metadata") continue;
    const std::string file = path + "/" + name;
    if (files.type(file) != FileType::File) continue;  // skip directories, pipes, devices
    auto contents = load_chunk(files, file);
    if (!contents)
      add_loss(losses, {.what = "unreadable file: " + contents.error().what, .file = name});
    else if (contents->size() > 0)
      source.files.push_back({.name = name, .contents = *std::move(contents)});
  }
}

// Finds the packets in the files and assigns them to their streams.
void assign_packets(const Metadata& metadata, bool names_only, std::vector<Loss>& losses,
                    Source& source) {
  for (const Source::File& file : source.files) {
    PacketReader packets(file.contents.bytes());
    while (packets.next()) {
      const Packet& packet = packets.packet();
      const auto lose = [&](std::string what) {
        add_loss(losses, {.what = std::move(what),
                          .file = file.name,
                          .offset = packet.offset,
                          .bytes = packet.content.size(),
                          .packets = 1});
      };
      if (metadata.uuid && packet.header.uuid != *metadata.uuid) {
        lose("packet of another trace");
      } else if (!format::is_readable(packet.header.version)) {
        lose("packet of format version " + std::to_string(packet.header.version));
      } else if (packet.header.flags & format::kFlagNames ||
                 packet.header.stream == format::kNamesStream) {
        source.names.push_back({packet, &file.name});
        source.names_bytes += packet.content.size();
      } else if (packet.header.stream == format::kSchedStream) {
        source.sched.push_back({packet, &file.name});
      } else if (!names_only) {
        const uint64_t number = packet.header.stream;
        source.streams.try_emplace(number, number).first->second.add({packet, &file.name});
        source.events_bytes += packet.content.size();
      }
    }
    if (packets.readable() < file.contents.size())
      add_loss(losses, {.what = "no packet begins here",
                        .file = file.name,
                        .offset = packets.readable(),
                        .bytes = file.contents.size() - packets.readable()});
  }
}

Names read_names(Source& source, Trace& trace, std::array<uint64_t, 256>& counts) {
  Names names(source.names_bytes);
  stable_sort_by(source.names, [](const auto& next) { return next.packet.header.sequence; });
  for (const StreamPacket& next : source.names) {
    names.read(next.packet, *next.file, trace, counts);
    if (next.packet.content.size() > 0) trace.info.packets++;
  }
  names.finish(trace);
  return names;
}

// The streams that have more events, as a heap with the earliest in front. To advance, only the
// front is moved down to its place: it was the earliest and is usually still among the earliest.
class StreamQueue {
 public:
  void add(Stream& stream) {
    entries_.push_back({stream.next_ticks(), &stream});
    std::push_heap(entries_.begin(), entries_.end(), std::greater<>());
  }
  bool empty() const { return entries_.empty(); }
  Stream& first() { return *entries_.front().stream; }

  // The ticks up to which the first stream's events precede those of all others.
  uint64_t limit() const {
    if (entries_.size() == 1) return UINT64_MAX;
    const Entry& next = entries_[next_child(0)];
    // At equal times, the stream with the lower number precedes.
    return next.stream->number() < entries_[0].stream->number() ? next.ticks - 1 : next.ticks;
  }

  void first_has_run() {
    Entry moved{entries_[0].stream->next_ticks(), entries_[0].stream};
    size_t at = 0;
    for (size_t next; (next = next_child(at)) < entries_.size() && moved > entries_[next];
         at = next)
      entries_[at] = entries_[next];
    entries_[at] = moved;
  }

  void first_has_ended() {
    std::pop_heap(entries_.begin(), entries_.end(), std::greater<>());
    entries_.pop_back();
  }

 private:
  struct Entry {
    uint64_t ticks;
    Stream* stream;
    bool operator>(const Entry& other) const {
      return ticks != other.ticks ? ticks > other.ticks : stream->number() > other.stream->number();
    }
  };

  // Returns the earlier of the two children; beyond the end if there is none.
  size_t next_child(size_t at) const {
    const size_t child = 2 * at + 1;
    return child + (child + 1 < entries_.size() && entries_[child] > entries_[child + 1]);
  }

  std::vector<Entry> entries_;
};

// Appends the events up to `until` (ticks) in the order of their times.
void run_streams(Source& source, Context& context, uint64_t until, const Progress& progress) {
  StreamQueue queue;
  for (auto& [number, stream] : source.streams)
    if (stream.begin(context)) queue.add(stream);
  if (queue.empty()) {  // no events: starts at the first packet
    if (!source.names.empty()) context.start = source.names.front().packet.header.begin;
    return;
  }
  context.start = queue.first().next_ticks();
  constexpr size_t report_every = size_t{1} << 20;
  size_t reported = 0;
  while (!queue.empty() && queue.first().next_ticks() <= until) {
    if (queue.first().run(context, std::min(queue.limit(), until)))
      queue.first_has_run();
    else
      queue.first_has_ended();
    const size_t size = context.trace.events.size();
    if (progress && size - reported >= report_every) {
      reported = size;
      if (!progress(std::min<uint64_t>(size * 7, source.events_bytes), source.events_bytes)) return;
    }
  }
}

void count_definitions(const std::array<uint64_t, 256>& counts, TraceInfo& info) {
  for (const format::FixedEvent& event : format::kFixedEvents)
    if (event.id >= format::k_string && counts[event.id] > 0)
      info.definitions.emplace_back(event.name, counts[event.id]);
}

// The oldest packet of a ring stream whose beginning was overwritten; null for all other streams.
const PacketHeader* oldest_kept(const Stream& stream) {
  if (stream.packets().empty()) return nullptr;
  const PacketHeader& first = stream.packets().front().packet.header;
  return first.sequence == 0 || first.flags & format::kFlagLog ? nullptr : &first;
}

// Computes the time from which every stream has all its events.
void find_horizon(const Source& source, const Context& context, TraceInfo& info) {
  uint64_t horizon = 0;
  for (const auto& [number, stream] : source.streams) {
    const PacketHeader* first = oldest_kept(stream);
    if (first == nullptr) continue;
    info.overwritten_packets += first->sequence;
    horizon = std::max(horizon, first->begin);
    TraceInfo::Ring ring;
    ring.stream = static_cast<uint32_t>(number);
    for (const StreamPacket& next : stream.packets()) ring.bytes += next.packet.content.size();
    if (first->begin > context.start) ring.from = context.scale.ns(first->begin - context.start);
    info.rings.push_back(ring);
  }
  info.bytes = source.events_bytes;
  if (horizon > context.start) info.complete_from = context.scale.ns(horizon - context.start);
}

// Adds the resources in the table: the events alone may not show that the target of a wait is one.
void add_resources(const TaskTableSnapshot& table, Context& context) {
  for (const TaskTableRow& row : table.tasks)
    if (row.state == format::TaskState::kResource &&
        !format::is_object_kind(context.names.place(row.place).kind))
      context.resources.insert(row.id);
  if (!context.resources.empty()) context.usual = Special::No;
}

// Adds the rows of sockets to their entries. `time` converts ticks.
template <class Time>
void describe_sockets(const TaskTableSnapshot& table, const Context& context, Time time) {
  auto& entries = context.trace.live_tasks;
  for (const TaskTableRow& row : table.tasks) {
    if (row.state != format::TaskState::kConnection && row.state != format::TaskState::kTraffic)
      continue;
    const auto entry = std::lower_bound(entries.begin(), entries.end(), row.id,
                                        [](const auto& e, TaskId id) { return e.id < id; });
    if (entry == entries.end() || entry->id != row.id) continue;
    if (row.state == format::TaskState::kTraffic) {
      const auto last = [&](uint64_t ticks) { return ticks == 0 ? INT64_MIN : time(ticks); };
      entry->traffic = {.sent = row.parent,
                        .received = row.on,
                        .sent_at = last(row.waker),
                        .received_at = last(row.since)};
      if (as_written(row).flags == format::kKernelCounts)
        entry->traffic->unseen = UnseenBytes{.sent_before = row.place,
                                             .received_before = row.at,
                                             .sent = row.label,
                                             .received = static_cast<uint32_t>(row.tid)};
      continue;
    }
    const format::Connection c = format::connection_in(as_written(row));
    Strings& strings = context.trace.strings;
    entry->connection = strings.intern(connection_text(c, strings[context.names.text(c.path)]));
    entry->descriptor = c.descriptor;
  }
}

// The stream of a thread's signal handlers that interrupt the recorder has the thread's id and no
// name. Executors of a trace in another format may have several names and one id.
void share_thread_names(std::vector<Executor>& executors) {
  std::map<std::pair<uint32_t, uint64_t>, StringId> names;  // by process and thread
  for (const Executor& one : executors)
    if (one.name != 0 && one.tid != 0)
      if (const auto [at, is_new] = names.try_emplace({one.process, one.tid}, one.name);
          !is_new && at->second != one.name)
        at->second = 0;
  for (Executor& one : executors)
    if (const auto known = names.find({one.process, one.tid});
        one.name == 0 && known != names.end())
      one.name = known->second;
}

// Adds the rows of the live task table to the trace.
void describe_live_tasks(const TaskTableSnapshot& table, const Context& context) {
  Trace& trace = context.trace;
  uint32_t last = 0;  // consecutive tasks usually have the same thread
  const auto executor = [&](uint64_t tid) {
    auto& all = trace.executors;
    if (last < all.size() && all[last].tid == tid) return last;
    for (last = static_cast<uint32_t>(all.size()); last > 0;)  // the newest of several
      if (all[--last].tid == tid) return last;
    last = static_cast<uint32_t>(all.size());
    all.push_back({.name = context.names.thread(tid), .tid = tid});
    return last;
  };
  const auto time = [&](uint64_t ticks) {
    const bool before = ticks < context.start;
    const uint64_t ns = context.scale.ns(before ? context.start - ticks : ticks - context.start);
    const auto bounded = static_cast<int64_t>(std::min<uint64_t>(ns, INT64_MAX));
    return before ? -bounded : bounded;
  };
  const auto id = [](uint64_t number) { return number == 0 ? no_task : number; };
  trace.live_tasks.reserve(table.tasks.size());
  for (const TaskTableRow& row : table.tasks) {
    if (row.id == no_task || row.state > format::TaskState::kResource) continue;  // damaged
    if (!trace.live_tasks.empty() && trace.live_tasks.back().id == row.id) continue;
    const Place& place = context.names.place(row.place);
    using State = LiveTaskEntry::State;
    constexpr std::array<State, 5> states = {State::Created, State::Created, State::Running,
                                             State::Suspended, State::Resource};
    const State state = states[static_cast<size_t>(row.state)];
    const Place& at = context.names.place(row.at);
    const bool on_object = state == State::Suspended && format::is_address_id(row.on);
    std::optional<int64_t> expires;
    if (state == State::Created && row.waker != 0)
      expires = row.waker == UINT64_MAX ? INT64_MAX : time(row.waker);
    trace.live_tasks.push_back({.id = row.id,
                                .parent = id(row.parent),
                                .on = format::is_address_id(row.on) ? no_task : id(row.on),
                                .cancelled_by = id(state == State::Resource ? row.waker : 0),
                                .since = time(row.since),
                                .expires = expires,
                                .awaited_object = on_object ? format::address_in(row.on) : 0,
                                .awaited_type = on_object ? at.name : 0,
                                .label = context.names.text(row.label),
                                .name = place.name,
                                .kind = place.kind ? place.kind : UINT32_MAX,
                                .location = place.location,
                                .at = at.location,
                                .executor = executor(row.tid),
                                .state = state,
                                .should_resolve = row.should_resolve});
  }
  describe_sockets(table, context, time);
}

// As EventRow::time. 0 if it is unknown, or implausible: before the trace or a year later.
uint64_t time_of(const TraceInfo& info, uint64_t utc) {
  if (utc == 0 || !info.utc_offset) return 0;
  const uint64_t time = utc - static_cast<uint64_t>(*info.utc_offset) - info.start;
  constexpr uint64_t year = uint64_t{365} * 24 * 3600 * 1'000'000'000;
  return time < year ? time : 0;
}

// Losses before they reached a stream, when the recording began, and what `skein record` has noted.
void read_table_head(Files& files, const std::string& path, const Context& context) {
  Trace& trace = context.trace;
  const std::string file = path + "/.tasks";
  if (files.type(file) != FileType::File) return;
  const auto head = files.head(file, format::kTableHeaderSize);
  const auto table = head ? read_task_table_header(*head, ".tasks") : head.error();
  if (!table) {
    add_loss(trace.losses, {.what = table.error().what, .file = ".tasks", .events = 0});
    return;
  }
  trace.info.ended = time_of(trace.info, table->ended_utc);
  trace.info.alone = time_of(trace.info, table->alone_utc);
  trace.info.asleep = time_of(trace.info, table->asleep_utc);
  trace.info.late = table->late_ns;
  trace.info.sample_rate = table->sample_rate;
  trace.info.missed_samples = table->missed_samples;
  if (!trace.info.rings.empty() && table->start < context.start)
    trace.info.before = context.scale.ns(context.start - table->start);
  for (size_t reason = 0; reason < table->lost.size(); reason++) {
    const uint64_t count = table->lost[reason];
    if (count == 0) continue;
    std::string what = "not recorded: unknown";
    for (const format::NamedNumber& loss : format::kLosses)
      if (loss.number == reason) what = std::string("not recorded: ") + loss.name;
    std::replace(what.begin(), what.end(), '_', ' ');
    const bool untracked = reason == format::kLoss_untracked;  // their events are not lost
    // The events that a ring of the configured size would still have are lost; their number is
    // unknown.
    const bool shortened = reason == format::kLoss_ring_shortened;
    if (shortened)
      what = counted(count, "ring") + " shorter than configured: no more files could be created";
    if (untracked) what = counted(count, "task") + " not listed: live task table full";
    Loss loss{.what = std::move(what), .file = ".tasks", .bytes = 0, .packets = 0, .events = count};
    if (untracked) loss.events = 0;
    if (shortened) loss.events = std::nullopt;
    add_loss(trace.losses, std::move(loss));
  }
}

Result<Directory> open_directory(Files& files, const std::string& path, bool names_only) {
  const auto text = load_metadata(files, path);
  Result<Metadata> metadata = text ? parse_metadata(*text, path + "/metadata") : text.error();
  if (metadata && !metadata->tracer.empty() && !metadata->is_ours())
    return Error{.what = "a CTF trace of " + metadata->tracer,
                 .file = path,
                 .advice = "read it with babeltrace2"};
  if (metadata && metadata->version > format::kVersion)
    return Error{.what = "trace format version " + std::to_string(metadata->version) +
                         " is newer than this skein, which reads versions " +
                         std::to_string(format::kOldestVersion) + " to " +
                         std::to_string(format::kVersion),
                 .file = path,
                 .advice = "use the skein that recorded it"};
  const auto entries = files.list(path);
  if (!entries) return entries.error();
  Directory directory;
  Trace& trace = directory.trace;
  Source& source = directory.source;
  std::vector<std::string> wanted = *entries;
  if (names_only)
    std::erase_if(wanted, [](const std::string& name) { return !name.starts_with("names-"); });
  load_files(files, path, wanted, trace.losses, source);
  if (!metadata) {
    Metadata lost;
    if (!salvage(source, metadata.error().what, lost, trace.losses)) return metadata.error();
    metadata = lost;
  } else if (!metadata->is_complete() &&
             !salvage(source, "metadata is truncated or damaged", *metadata, trace.losses)) {
    if (metadata->is_ours())
      return Error{.what = "the clock frequency is missing", .file = path + "/metadata"};
    return Error{.what = "a CTF trace of an unknown tracer",
                 .file = path,
                 .advice = "read it with babeltrace2"};
  }
  if (!metadata->utc_known && !metadata->salvaged && metadata->origin.empty())
    add_loss(trace.losses,
             {.what = "the time of day is missing", .file = "metadata", .packets = 0, .events = 0});
  describe(*metadata, trace);
  assign_packets(*metadata, names_only, trace.losses, source);
  directory.metadata = *std::move(metadata);
  return directory;
}

// A directory whose definitions have been read, so that its streams can be decoded. Must not move:
// the context refers to the other members.
struct Decoding {
  explicit Decoding(Directory&& directory)
      : trace(std::move(directory.trace)),
        source(std::move(directory.source)),
        metadata(std::move(directory.metadata)),
        names(read_names(source, trace, definitions)),
        context{.trace = trace,
                .names = names,
                .texts = names.texts(),
                .places = names.places(),
                .scale = TickScale(trace.info.tick_clock.frequency),
                .definitions = definitions} {}
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

  Trace trace;
  Source source;
  Metadata metadata;
  std::array<uint64_t, 256> definitions = {};  // number per id, before the streams are decoded
  Names names;
  Context context;
};

}  // namespace

bool has_metadata(Files& files, const std::string& path) {
  return files.type(path + "/metadata") == FileType::File;
}

bool has_our_packets(Files& files, const std::string& path) {
  const auto names = files.list(path);
  if (!names || std::find(names->begin(), names->end(), "metadata") != names->end()) return false;
  return std::any_of(names->begin(), names->end(), [&](const std::string& name) {
    const std::string file = path + "/" + name;
    if (!name.starts_with("names-") && !name.starts_with("s")) return false;
    if (files.type(file) != FileType::File) return false;
    const auto head = files.head(file, packet_header_size);
    const auto header = head ? read_packet_header(*head) : head.error();
    return header && is_our_packet(*header);
  });
}

bool is_trace_file(std::string_view name, std::span<const uint8_t> head) {
  if (name != "metadata") return Cursor(head).u32() == format::kPacketMagic;
  return std::string_view(reinterpret_cast<const char*>(head.data()), head.size())
      .starts_with(metadata_begin);
}

Result<Trace> read(Files& files, const std::string& path, const Progress& progress,
                   std::span<const TickClock> clocks) {
  // The events up to `present` follow the first table, and take precedence over its states.
  auto tasks = read_ring_tasks(files, path);
  const Present present;
  auto directory = open_directory(files, path, false);
  if (!directory) return directory.error();
  const auto tasks_after = tasks ? read_ring_tasks(files, path) : std::nullopt;
  if (!tasks_after) tasks.reset();
  if (tasks) intersect_tasks(*tasks, *tasks_after);
  TickClock& clock = directory->trace.info.tick_clock;
  if (const TickClock* shared = find_shared(clocks, clock)) clock.frequency = shared->frequency;

  Decoding decoding(*std::move(directory));
  Trace& trace = decoding.trace;
  Source& source = decoding.source;
  const Metadata& metadata = decoding.metadata;
  Context& context = decoding.context;
  for (auto& [number, stream] : source.streams) {
    stream.prepare(trace.losses);
    trace.info.packets += stream.packets().size();
    if (!stream.packets().empty()) trace.info.streams++;
  }
  const bool is_cut = std::any_of(source.streams.begin(), source.streams.end(),
                                  [](const auto& one) { return oldest_kept(one.second); });
  if (!is_cut) tasks.reset();
  if (tasks) add_resources(*tasks, context);
  const uint64_t until = present.ticks(metadata.boot_id, metadata.clock_source);
  run_streams(source, context, until, progress);
  read_sched(source.sched, until, context);
  set_start(metadata, context, trace.info);
  for (Executor& executor : trace.executors)
    if (executor.stream < metadata.process_of_stream.size())
      executor.process = metadata.process_of_stream[executor.stream];
  share_thread_names(trace.executors);
  count_definitions(context.definitions, trace.info);
  find_horizon(source, context, trace.info);
  if (tasks) describe_live_tasks(*tasks, context);
  read_table_head(files, path, context);
  return std::move(trace);
}

Result<Trace> read_live_tasks(Files& files, const std::string& path, TaskTableSnapshot& table) {
  // Reads the table first: the definitions that a row refers to are written before the row.
  auto tasks = read_task_table(files, path + "/.tasks");
  if (!tasks) return tasks.error();
  table = *std::move(tasks);
  auto directory = open_directory(files, path, true);
  if (!directory) return directory.error();
  Decoding decoding(*std::move(directory));
  Context& context = decoding.context;
  context.start = table.start;
  for (const TaskTableRow& row : table.tasks)
    if (row.state != format::TaskState::kConnection)  // that has no time
      context.start = std::max(context.start, row.since);
  context.start++;
  set_start(decoding.metadata, context, decoding.trace.info);
  describe_live_tasks(table, context);
  return std::move(decoding.trace);
}

}  // namespace skein::ctf
