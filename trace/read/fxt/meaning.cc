#include "trace/read/fxt/meaning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "trace/read/fxt/eio.h"
#include "trace/read/rows.h"
#include "trace/read/slices.h"

namespace skein::fxt {

namespace {

// What skein exported: facts, executors and rows, all in a category of their own.
class Own {
 public:
  Own(const Records& records, Trace& trace) : records_(records), trace_(trace), builder_(trace) {}

  void read() {
    trace_.facts.wire_kinds.clear();  // its events are the model's
    trace_.facts.definitions.clear();
    trace_.executors.clear();
    for (const Record& record : records_.records)
      if (is_own(record)) follow(record);
    if (trace_.executors.empty()) trace_.executors.push_back({});
  }

  static bool is_own(const Record& record, StringId category) {
    return record.what == Record::What::Event && record.category == category;
  }

 private:
  bool is_own(const Record& record) const { return is_own(record, category_); }

  void follow(const Record& record) {
    const Argument* event = records_.find(record, event_);
    if (!event || event->type != ArgumentType::String) return;
    builder_.begin(trace_.strings[static_cast<StringId>(event->value)]);
    for (const Argument& argument : records_.arguments_of(record)) {
      // A text may move when another is made.
      const std::string field(trace_.strings[argument.name]);
      if (argument.type == ArgumentType::String)
        builder_.text(field, std::string(trace_.strings[static_cast<StringId>(argument.value)]));
      else
        builder_.number(field, argument.value);
    }
    std::optional<EventRow> row = builder_.finish();
    if (!row) return;
    if (record.type == EventType::Counter) read_counter(record, *row);
    row->time = record.time - trace_.facts.start;
    if (record.time_guessed) row->flags |= flag::time_guessed;
    const uint64_t number = records_.threads[record.thread].id;
    row->executor = static_cast<uint32_t>(std::clamp<uint64_t>(number, 1, most_executors) - 1);
    if (row->executor >= trace_.executors.size())
      trace_.executors.resize(row->executor + size_t{1});
    trace_.events.append(*row);
  }

  // Its name is the counter's, its value the counter's after it.
  void read_counter(const Record& record, EventRow& row) {
    row.text = record.name;
    uint64_t& last = counters_[row.text];
    const uint64_t value = row.value;
    if (row.kind == EventKind::CounterAdd) row.value -= last;
    last = value;
  }

  const Records& records_;
  Trace& trace_;
  RowBuilder builder_;
  const StringId category_ = trace_.strings.intern(own_category);
  const StringId event_ = trace_.strings.intern("event");
  std::unordered_map<StringId, uint64_t> counters_;
};

// Records of any writer, as threads and slices.
class Any {
 public:
  Any(const Records& records, Trace& trace)
      : records_(records), trace_(trace), slices_(trace, has_switches(records)) {
    slices_.begin_at(trace.facts.start);
  }

  void read() {
    name_threads();
    list();
    for (const Step& step : steps_) follow(step);
    slices_.finish();
    if (fractions_ > 0)
      add_loss(trace_.losses, {.what = "values of counters have fractions, which were left off: " +
                                       std::to_string(fractions_),
                               .bytes = 0,
                               .packets = 0,
                               .events = 0});
  }

 private:
  enum class Order : uint8_t { End, Event, Begin };
  struct Step {
    uint64_t time;
    uint64_t shorter;  // of slices that begin together the longest is outside
    uint32_t record;
    Order order;
  };

  static bool has_switches(const Records& records) {
    return std::any_of(records.records.begin(), records.records.end(), [](const Record& record) {
      return record.what == Record::What::ContextSwitch;
    });
  }

  // A slice with both ends is two steps.
  void list() {
    const std::vector<Record>& all = records_.records;
    for (uint32_t i = 0; i < all.size(); i++) {
      const Record& record = all[i];
      const bool is_complete =
          record.what == Record::What::Event && record.type == EventType::DurationComplete;
      steps_.push_back({.time = record.time,
                        .shorter = is_complete ? UINT64_MAX - (record.id - record.time) : 0,
                        .record = i,
                        .order = is_complete ? Order::Begin : Order::Event});
      if (is_complete && record.id > record.time)
        steps_.push_back({.time = record.id, .shorter = 0, .record = i, .order = Order::End});
    }
    stable_sort(steps_, [](const Step& a, const Step& b) {
      if (a.time != b.time) return a.time < b.time;
      if (a.order != b.order) return a.order < b.order;
      return a.shorter < b.shorter;
    });
  }

  void name_threads() {
    for (const Record& record : records_.records) {
      if (record.what != Record::What::KernelObject || record.name == 0) continue;
      if (record.cpu == process_object)
        processes_[record.id] = record.name;
      else
        names_[{records_.threads[record.thread].process, record.id}] = record.name;
    }
  }

  Slices::Thread thread(uint64_t process, uint64_t id) {
    const auto [found, added] = threads_.try_emplace({process, id});
    if (!added) return found->second;
    auto named = names_.find({process, id});
    if (named == names_.end()) named = names_.find({0, id});  // it does not say of which process
    StringId name = named == names_.end() ? 0 : named->second;
    const auto of = processes_.find(process);
    if (name != 0 && of != processes_.end())
      name = trace_.strings.intern(std::string(trace_.strings[of->second]) + ": " +
                                   std::string(trace_.strings[name]));
    return found->second = slices_.add_thread(id, name);
  }
  // The scheduler does not say of which process a thread is.
  Slices::Thread scheduled(uint64_t id) {
    if (id == 0) return Slices::no_thread;
    for (const Thread& known : records_.threads)
      if (known.id == id) return thread(known.process, id);
    return thread(0, id);
  }

  void follow(const Step& step) {
    const Record& record = records_.records[step.record];
    const uint64_t time = step.time;
    switch (record.what) {
      case Record::What::UserObject:
      case Record::What::KernelObject:
        return;
      case Record::What::ContextSwitch: {
        const auto how = record.state >= 4   ? Slices::Leaves::Ended
                         : record.state >= 2 ? Slices::Leaves::Blocked
                                             : Slices::Leaves::Ready;
        return slices_.switch_to(time, record.cpu, scheduled(record.id), how,
                                 scheduled(record.other));
      }
      case Record::What::Wakeup: {
        const Argument* waker = records_.find(record, waker_);
        const Slices::Thread woken = scheduled(record.id);
        if (woken != Slices::no_thread)
          slices_.wake(time, woken, waker ? scheduled(waker->value) : Slices::no_thread);
        return;
      }
      case Record::What::Log:
      case Record::What::Event:
        break;
    }
    const Thread& of = records_.threads[record.thread];
    const Slices::Thread on = thread(of.process, of.id);
    if (record.what == Record::What::Log) return slices_.label(time, on, record.name);
    const Slices::AsyncKey key{of.process, record.id, record.category};
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
        if (step.order == Order::Begin) slices_.begin(time, on, record.name, step.record);
        if (step.order == Order::End || record.id == record.time)
          slices_.end(time, on, step.record);
        return;
      case EventType::AsyncBegin:
        return slices_.async_begin(time, on, key, record.name);
      case EventType::AsyncInstant:
        return slices_.async_label(time, on, key, record.name);
      case EventType::AsyncEnd:
        return slices_.async_end(time, on, key);
      case EventType::FlowBegin:
        return slices_.flow_out(time, on, record.id);
      case EventType::FlowStep:
        slices_.flow_in(time, on, record.id);
        return slices_.flow_out(time, on, record.id);
      case EventType::FlowEnd:
        return slices_.flow_in(time, on, record.id);
    }
  }

  // Each number among its arguments is a series.
  void counter(const Record& record, uint64_t time, Slices::Thread on) {
    for (const Argument& argument : records_.arguments_of(record)) {
      uint64_t value = argument.value;
      switch (argument.type) {
        case ArgumentType::Double: {
          const auto exact = std::bit_cast<double>(value);
          const bool fits = exact > -9.2e18 && exact < 9.2e18;
          const double rounded = fits ? std::nearbyint(exact) : 0;
          if (!(rounded == exact)) fractions_++;
          value = static_cast<uint64_t>(static_cast<int64_t>(rounded));
          break;
        }
        case ArgumentType::Int32:
        case ArgumentType::Uint32:
        case ArgumentType::Int64:
        case ArgumentType::Uint64:
          break;
        default:
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
    return trace_.strings.intern(name);
  }

  const Records& records_;
  Trace& trace_;
  Slices slices_;
  const StringId waker_ = trace_.strings.intern("waker");
  std::vector<Step> steps_;
  std::unordered_map<uint64_t, StringId> processes_;
  std::map<std::pair<uint64_t, uint64_t>, StringId> names_;  // of threads, by process and number
  std::map<std::pair<uint64_t, uint64_t>, Slices::Thread> threads_;
  uint64_t fractions_ = 0;
};

}  // namespace

void understand(const Records& records, Trace& trace) {
  const StringId own = trace.strings.intern(own_category);
  if (std::any_of(records.records.begin(), records.records.end(),
                  [&](const Record& record) { return Own::is_own(record, own); })) {
    Own(records, trace).read();
  } else {
    if (records.threads.size() > 1) trace.facts.pid = records.threads[1].process;
    if (is_eio(records, trace)) {
      trace.facts.format += " of eio-trace";
      read_eio(records, trace);
    } else {
      Any(records, trace).read();
    }
  }
  if (trace.executors.empty()) trace.executors.push_back({});
  trace.facts.streams = trace.executors.size();
}

}  // namespace skein::fxt
