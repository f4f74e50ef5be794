#include "trace/read/foreign/slices/meaning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "trace/read/foreign/slices/eio.h"
#include "trace/read/foreign/slices/rows.h"
#include "trace/read/foreign/slices/slices.h"

namespace skein::fxt {

namespace {

// The display names of processes, threads and counters. Equal names in several processes are
// distinguished by the process.
class DisplayNames {
 public:
  DisplayNames(const Records& records, Trace& trace) : trace_(trace) {
    for (const Record& record : records.records) {
      if (record.kind == Record::Kind::KernelObject && record.name != 0) {
        if (record.cpu == process_object)
          processes_[record.id] = record.name;
        else if (record.cpu == thread_object)
          names_[{records.threads[record.thread].process, record.id}] = record.name;
      }
      if (record.kind == Record::Kind::Event && record.type == EventType::Counter)
        counters_[{record.name, record.id}].insert(records.threads[record.thread].process);
    }
    std::map<StringId, uint64_t> same;
    for (const auto& [process, name] : processes_) same[name]++;
    for (const Thread& known : records.threads)
      if (known.process_text != 0) texts_[known.process] = known.process_text;
    for (const auto& [process, name] : processes_)
      if (same[name] > 1) ambiguous_.insert(process);
    for (size_t i = 1; i < records.threads.size(); i++) {
      const Thread& known = records.threads[i];
      same_threads_[base_name(known)].insert(known.process);
    }
  }

  StringId thread(const Thread& thread) {
    const std::string name = base_name(thread);
    const auto found = same_threads_.find(name);
    const bool is_shared = found != same_threads_.end() && found->second.size() > 1;
    const bool is_of_named = is_named(thread) && processes_.contains(thread.process);
    const bool has_process = thread.process != 0 && (is_shared || is_of_named);
    return trace_.strings.intern(has_process ? process(thread.process) + ": " + name : name);
  }

  // The suffix of a counter's name.
  std::string of_process(const Record& record, uint64_t process_id) const {
    return counters_.at({record.name, record.id}).size() > 1 ? " (" + process(process_id) + ")"
                                                             : "";
  }

 private:
  std::string process(uint64_t id) const {
    const auto text = texts_.find(id);
    const std::string number =
        "pid " +
        (text == texts_.end() ? std::to_string(id) : std::string(trace_.strings[text->second]));
    const auto found = processes_.find(id);
    if (found == processes_.end()) return number;
    const std::string name(trace_.strings[found->second]);
    return ambiguous_.contains(id) ? name + " " + number : name;
  }

  std::map<std::pair<uint64_t, uint64_t>, StringId>::const_iterator named(
      const Thread& thread) const {
    const auto found = names_.find({thread.process, thread.id});
    // The process of a thread may be unknown.
    return found == names_.end() ? names_.find({0, thread.id}) : found;
  }
  bool is_named(const Thread& thread) const { return named(thread) != names_.end(); }

  std::string base_name(const Thread& thread) const {
    if (const auto found = named(thread); found != names_.end())
      return std::string(trace_.strings[found->second]);
    if (thread.text != 0) return std::string(trace_.strings[thread.text]);
    return "thread " + std::to_string(thread.id);
  }

  Trace& trace_;
  std::map<uint64_t, StringId> processes_;
  std::map<uint64_t, StringId> texts_;  // strings that identify processes instead of a number
  std::set<uint64_t> ambiguous_;        // processes whose name is not unique
  std::map<std::pair<uint64_t, uint64_t>, StringId> names_;  // names of threads, by process and id
  std::map<std::string, std::set<uint64_t>> same_threads_;   // the processes with each name
  std::map<std::pair<StringId, uint64_t>, std::set<uint64_t>>
      counters_;  // the processes with each name and id
};

// Indices into Trace::processes, by the format's number. Processes are numbered in the order in
// which the threads refer to them.
using ProcessIndices = std::map<uint64_t, uint32_t>;

ProcessIndices add_processes(const Records& records, Trace& trace) {
  std::map<uint64_t, StringId> names;
  for (const Record& record : records.records)
    if (record.kind == Record::Kind::KernelObject && record.cpu == process_object)
      names[record.id] = record.name;
  ProcessIndices indices;
  for (size_t i = 1; i < records.threads.size() && indices.size() < most_executors; i++) {
    const Thread& thread = records.threads[i];
    const auto [found, added] =
        indices.try_emplace(thread.process, static_cast<uint32_t>(indices.size()));
    if (!added) continue;
    trace.processes.resize(indices.size());
    Process& process = trace.processes.back();
    // A process may be identified by a string instead of a number, and also have a name.
    if (thread.process_text == 0) process.pid = thread.process;
    const auto name = names.find(thread.process);
    process.name = trace.strings[name != names.end() ? name->second : thread.process_text];
  }
  return indices;
}

// Interprets records of any writer as threads and slices.
class GenericReader {
 public:
  GenericReader(const Records& records, const ProcessIndices& processes, Trace& trace)
      : records_(records),
        processes_(processes),
        trace_(trace),
        slices_(trace, has_switches(records)),
        names_(records, trace) {
    slices_.begin_at(trace.info.start);
  }

  void read() {
    sort();
    for (const uint32_t index : order_) {
      end_slices(records_.records[index].time);
      follow(index);
    }
    end_slices(UINT64_MAX);
    slices_.finish();
    add_count_loss("counter values with a fraction, which was dropped: ", fractions_);
    add_count_loss("counter values omitted, larger than 2^63: ", too_large_);
    add_count_loss("counter values omitted, not numbers: ", no_numbers_);
    add_count_loss("object names, which skein ignores: ", objects_);
    add_count_loss("events with arguments, which skein ignores: ", arguments_);
  }

 private:
  static bool is_complete(const Record& record) {
    return record.kind == Record::Kind::Event && record.type == EventType::DurationComplete;
  }

  static bool has_switches(const Records& records) {
    return std::any_of(records.records.begin(), records.records.end(), [](const Record& record) {
      return record.kind == Record::Kind::ContextSwitch;
    });
  }

  void add_count_loss(const char* what, uint64_t count) {
    if (count > 0)
      add_loss(trace_.losses,
               {.what = what + std::to_string(count), .bytes = 0, .packets = 0, .events = 0});
  }

  // Sorts by time; of slices that begin together, the longest comes first, as the outermost.
  void sort() {
    const std::vector<Record>& all = records_.records;
    order_.resize(all.size());
    for (uint32_t i = 0; i < all.size(); i++) order_[i] = i;
    const auto length = [](const Record& record) {
      return is_complete(record) ? record.id - record.time : UINT64_MAX;
    };
    stable_sort(order_, [&](uint32_t left, uint32_t right) {
      const Record& a = all[left];
      const Record& b = all[right];
      if (a.time != b.time) return a.time < b.time;
      return length(a) > length(b);
    });
  }

  // Ends the slices with known ends up to this time.
  void end_slices(uint64_t time) {
    while (!ends_.empty() && ends_.top().first <= time) {
      const auto [end, index] = ends_.top();
      ends_.pop();
      slices_.end(end, thread(records_.threads[records_.records[index].thread]), index);
    }
  }

  Slices::Thread thread(const Thread& thread) {
    const auto [found, added] = threads_.try_emplace({thread.process, thread.id});
    if (added) {
      const auto process = processes_.find(thread.process);
      found->second =
          slices_.add_thread(thread.text == 0 ? thread.id : 0, names_.thread(thread),
                             process == processes_.end() ? no_process : process->second);
    }
    return found->second;
  }
  // Scheduling records do not contain the process of a thread.
  Slices::Thread scheduled(uint64_t id) {
    if (id == 0) return Slices::no_thread;
    for (const Thread& known : records_.threads)
      if (known.id == id) return thread(known);
    return thread({.id = id});
  }

  void follow(uint32_t index) {
    const Record& record = records_.records[index];
    const uint64_t time = record.time;
    switch (record.kind) {
      case Record::Kind::UserObject:
        objects_++;
        return;
      case Record::Kind::KernelObject:
        if (record.cpu != process_object && record.cpu != thread_object) objects_++;
        return;
      case Record::Kind::ContextSwitch: {
        const auto how = record.state >= 4   ? Slices::Leaves::Ended
                         : record.state >= 2 ? Slices::Leaves::Blocked
                                             : Slices::Leaves::Ready;
        return slices_.switch_to(time, record.cpu, scheduled(record.id), how,
                                 scheduled(record.other));
      }
      case Record::Kind::Wakeup: {
        const Argument* waker = records_.find(record, waker_);
        const Slices::Thread woken = scheduled(record.id);
        if (woken != Slices::no_thread)
          slices_.wake(time, woken, waker ? scheduled(waker->value) : Slices::no_thread);
        return;
      }
      case Record::Kind::Log:
      case Record::Kind::Event:
        break;
    }
    const Thread& of = records_.threads[record.thread];
    const Slices::Thread on = thread(of);
    if (record.kind == Record::Kind::Log) return slices_.label(time, on, record.name);
    if (record.argument_count > 0 && record.type != EventType::Counter) arguments_++;
    const Slices::Key key{.process = record.in_all_processes ? 0 : of.process,
                          .id = record.id,
                          .category = record.category};
    const Slices::Key flow{.id = record.id, .category = record.category, .name = record.name};
    switch (record.type) {
      case EventType::Instant:
        return slices_.label(time, on, record.name);
      case EventType::Counter:
        return counter(record, time, on);
      case EventType::DurationBegin:
        return slices_.begin(time, on, record.name);
      case EventType::DurationEnd:
        return slices_.end(time, on);
      case EventType::DurationComplete:
        slices_.begin(time, on, record.name, index);
        if (record.id > time)
          ends_.push({record.id, index});
        else
          slices_.end(time, on, index);
        return;
      case EventType::AsyncBegin:
        return slices_.async_begin(time, on, key, record.name);
      case EventType::AsyncInstant:
        return slices_.async_label(time, on, key, record.name);
      case EventType::AsyncEnd:
        return slices_.async_end(time, on, key);
      case EventType::FlowBegin:
        return slices_.flow_out(time, on, flow);
      case EventType::FlowStep:
        slices_.flow_in(time, on, flow);
        return slices_.flow_out(time, on, flow);
      case EventType::FlowEnd:
        return slices_.flow_in(time, on, flow);
    }
  }

  // Each numeric argument is a separate series.
  void counter(const Record& record, uint64_t time, Slices::Thread on) {
    for (const Argument& argument : records_.arguments_of(record)) {
      uint64_t value = argument.value;
      switch (argument.type) {
        case ArgumentType::Double: {
          const auto exact = std::bit_cast<double>(value);
          if (!(exact > -9.2e18 && exact < 9.2e18)) {
            too_large_++;
            continue;
          }
          const double rounded = std::nearbyint(exact);
          if (rounded != exact) fractions_++;
          value = static_cast<uint64_t>(static_cast<int64_t>(rounded));
          break;
        }
        case ArgumentType::Uint64:
          if (value > INT64_MAX) {
            too_large_++;
            continue;
          }
          break;
        case ArgumentType::Int32:
        case ArgumentType::Uint32:
        case ArgumentType::Int64:
        case ArgumentType::Bool:
          break;
        default:
          no_numbers_++;
          continue;
      }
      slices_.counter(time, on, counter_name(record, argument.name), value);
    }
  }

  StringId counter_name(const Record& record, StringId argument) {
    std::string name(trace_.strings[record.name]);
    const std::string_view series = trace_.strings[argument];
    if (!series.empty() && series != "value" && series != name) name += " " + std::string(series);
    if (record.id != 0) name += "#" + std::to_string(record.id);
    name += names_.of_process(record, records_.threads[record.thread].process);
    return trace_.strings.intern(name);
  }

  const Records& records_;
  const ProcessIndices& processes_;
  Trace& trace_;
  Slices slices_;
  DisplayNames names_;
  const StringId waker_ = trace_.strings.intern("waker");
  std::vector<uint32_t> order_;               // of the records
  using End = std::pair<uint64_t, uint32_t>;  // its time, and the index of the slice's record
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::map<std::pair<uint64_t, uint64_t>, Slices::Thread> threads_;
  uint64_t fractions_ = 0, too_large_ = 0, no_numbers_ = 0;
  uint64_t objects_ = 0, arguments_ = 0;
};

}  // namespace

void interpret_records(const Records& records, ExportReader& export_reader, Trace& trace) {
  if (export_reader.any()) {
    export_reader.finish();
  } else {
    const ProcessIndices processes = add_processes(records, trace);
    if (is_eio(records, trace)) {
      trace.info.format += " of eio-trace";
      read_eio(records, trace);
    } else {
      GenericReader(records, processes, trace).read();
    }
  }
  if (trace.executors.empty()) trace.executors.push_back({});
  trace.info.streams = trace.executors.size();
}

}  // namespace skein::fxt
