// The rules of docs/model.md, each with a drawn example. In the drawings time goes to the right, a
// bar is === where the task is current and --- where it is not, ] is an end, > goes on.
//
// Events are written one a line: time, event, task; then in any order
//   by, on, of, under, into N   the second party      as KIND    of task or resource
//   =N                          the value             @N         the executor
//   a word                      the text
// Nobody is "-". A read makes its reader current and a signal its receiver, as in mirage-profile.
#include "trace/model/model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <sstream>

using namespace skein;

namespace {

uint64_t number(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

EventRow event(Trace& trace, const std::string& line) {
  EventRow row;
  std::istringstream words(line);
  std::string verb, word;
  words >> row.time >> verb >> word;
  row.task = word == "-" ? no_task : number(word);
  if (verb == "read" || verb == "signal") row.flags = flag::makes_current;
  if (verb == "read") verb = "ready";
  if (verb == "signal") verb = "notify";
  for (size_t kind = 0; kind < event_kinds; kind++)
    if (name(EventKind(kind)) == verb) row.kind = EventKind(kind);
  REQUIRE(name(row.kind) == verb);
  while (words >> word) {
    if (word == "as") {
      words >> word;
      const StringId kind = trace.strings.intern(word);
      const auto at = std::find(trace.kinds.begin(), trace.kinds.end(), kind);
      row.value = static_cast<uint64_t>(at - trace.kinds.begin());
      if (at == trace.kinds.end()) trace.kinds.push_back(kind);
    } else if (word == "by" || word == "on" || word == "of" || word == "under" || word == "into") {
      words >> word;
      row.other = word == "-" ? no_task : number(word);
    } else if (word[0] == '=') {
      row.value = word[1] == '-' ? 0 - number(word.substr(2)) : number(word.substr(1));
    } else if (word[0] == '@') {
      row.executor = static_cast<uint32_t>(number(word.substr(1)));
    } else {
      row.text = trace.strings.intern(word);
    }
  }
  return row;
}

struct Example {
  Example(const char* format, const std::string& text, ModelOptions options = {}) {
    trace.facts.format = format;
    trace.kinds = {trace.strings.intern("thing")};
    trace.executors.resize(3);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find_first_not_of(' ') != std::string::npos) trace.events.append(event(trace, line));
    model = build_model(trace, options);
  }

  std::string id(TaskIndex task) const {
    return task == no_index ? "-" : std::to_string(model.tasks[task].id);
  }

  // "2: 10-30 resolved under 1", one task a line.
  std::string bars() const {
    constexpr const char* ends[] = {"open", "resolved", "failed", "cancelled", "became"};
    std::ostringstream out;
    for (const Model::Task& task : model.tasks) {
      out << task.id << ": " << task.start << "-" << task.end << " "
          << (task.is_stuck() ? "stuck" : ends[static_cast<size_t>(task.how)]);
      if (task.becomes != no_index) out << " " << id(task.becomes);
      if (task.parent != no_index) out << " under " << id(task.parent);
      if (task.pre_existing) out << " from-before";
      if (task.starts_late) out << " late";
      if (task.is_resource) out << " resource";
      if (task.is_scope) out << " scope";
      out << "\n";
    }
    return out.str();
  }
  // "read 1@20 2@25"
  std::string arrows() const {
    constexpr const char* links[] = {"read",   "read-failure", "resolve",
                                     "notify", "await",        "message"};
    std::ostringstream out;
    for (const Model::Interaction& arrow : model.interactions)
      out << links[static_cast<size_t>(arrow.link)] << " " << id(arrow.from) << "@"
          << arrow.from_time << " " << id(arrow.to) << "@" << arrow.to_time << "\n";
    return out.str();
  }
  // "1: 0-10", on another executor than 0 "1@2: 0-10"
  std::string running() const {
    std::ostringstream out;
    for (const Model::Activation& activation : model.activations) {
      out << id(activation.task);
      if (activation.executor) out << "@" << activation.executor;
      out << ": " << activation.start << "-" << activation.end << "\n";
    }
    return out.str();
  }
  std::string stretches(const std::vector<Model::Stretch>& list) const {
    std::ostringstream out;
    for (const Model::Stretch& stretch : list) {
      out << stretch.start << "-" << stretch.end;
      if (stretch.reason) out << " " << trace.strings[stretch.reason];
      if (stretch.executor) out << " @" << stretch.executor;
      out << "\n";
    }
    return out.str();
  }
  std::string sleeps() const { return stretches(model.sleeps); }

  Trace trace;
  Model model;
};

Example mirage(const std::string& text, ModelOptions options = {}) {
  return Example("mirage-profile", text, options);
}
Example ours(const std::string& text) { return Example("skein", text); }

}  // namespace

// ---- rule 1

TEST_CASE("1: a task that nobody created has been there since the beginning") {
  //      10        20
  //  7 ---+---------+---]     its create was overwritten
  //       +- 8 -----]
  const Example e = mirage(R"(
    10 create 8 under 7
    20 resolve 8 by 7
    30 resolve 7
  )");
  CHECK(e.bars() ==
        "7: 0-30 resolved from-before\n"
        "8: 10-20 resolved under 7\n");
}

TEST_CASE("1: a create that comes after the first use, from another stream, is that task's") {
  const Example e = ours(R"(
    10 resume 5 @1
    11 create 5 under 4 as coroutine
    20 resolve 5 @1
  )");
  CHECK(e.bars() ==
        "5: 0-20 resolved under 4\n"
        "4: 0-1011 open from-before\n");
}

// ---- rule 2

TEST_CASE("2: what becomes another goes on as it, and the activation goes with it") {
  //      10   20    30   40
  //  1 ---=====]
  //  2 --------=====]            in the same row
  const Example e = mirage(R"(
     0 create 1
     0 create 2
    10 switch_to 1
    20 become 1 into 2
    25 label 1 hello
    30 resolve 1
    40 idle -
  )");
  CHECK(e.bars() ==
        "1: 0-20 became 2\n"
        "2: 0-30 resolved\n");
  CHECK(e.running() == "1: 10-20\n2: 20-30\n");
  REQUIRE(e.model.labels.size() == 1);
  CHECK(e.id(e.model.labels[0].task) == "2");
  CHECK(e.model.last_self(e.model.find(1)) == e.model.find(2));
}

TEST_CASE("2: a task of ours that becomes another has gone; the other runs when it says so") {
  const Example e = ours(R"(
     0 create 1
     0 create 2
    10 resume 1
    20 become 1 into 2
    25 resume 2
    30 resolve 2 by 2
  )");
  CHECK(e.running() == "1: 10-20\n2: 25-30\n");
}

TEST_CASE("2: nobody becomes himself, not even by way of others") {
  const Example e = mirage(R"(
     0 create 1
     0 create 2
     0 create 3
    10 become 1 into 1
    20 become 1 into 2
    30 become 2 into 3
    40 become 3 into 1
    50 resolve 1
  )");
  CHECK(e.bars() ==
        "1: 0-20 became 2\n"
        "2: 0-30 became 3\n"
        "3: 0-50 resolved\n");
}

// ---- rule 3

TEST_CASE("3: a read makes the reader current") {
  //      10   20   30
  //  1 --]
  //      ↓
  //  2 ---------=====
  const Example e = mirage(R"(
     0 create 1
     0 create 2
    10 resolve 1
    20 read 2 of 1
    30 idle -
  )");
  CHECK(e.running() == "2: 20-30\n");
  CHECK(e.arrows() == "read 1@10 2@20\n");
}

TEST_CASE("3: a wait and the read that ended it are one arrow") {
  const std::string wait = R"(
     0 create 1
     0 create 2
     5 try_read 2 of 1
  )";
  CHECK(mirage(wait).arrows() == "await 2@5 1@5\n");
  CHECK(mirage(wait + "10 resolve 1\n 20 read 2 of 1\n").arrows() == "read 1@10 2@20\n");
  // Not when something else came between.
  CHECK(mirage(wait + "10 resolve 1\n 15 notify 3 by 2\n 20 read 2 of 1\n").arrows() ==
        "await 2@5 1@5\n"
        "notify 2@15 3@15\n"
        "read 1@10 2@20\n");
  // The two went on as others in the meantime.
  CHECK(
      mirage(wait + "8 create 3\n 10 become 1 into 3\n 12 resolve 1\n 20 read 2 of 1\n").arrows() ==
      "read 3@12 2@20\n");
}

TEST_CASE("3: the root reads and is read without arrows") {
  const Example e = mirage(R"(
     0 create 1
     5 read 1 of -
    10 switch_to 1
    20 read - of 1
    30 switch_to 1
    40 resolve 1 by -
  )");
  CHECK(e.arrows() == "");
  CHECK(e.running() == "1: 10-20\n1: 30-40\n");
  CHECK(e.sleeps() == "20-30\n");
}

// ---- rule 4

TEST_CASE("4: a bind that only waited begins when it reads, under what it read") {
  //      5      10   20   30                      10   20  30
  //  1 --+-------]                            1 ---]
  //      +- 2 bind ---====]     is drawn           ↓
  //                                           2     ...====]
  const std::string text = R"(
     0 create 1
     5 create 2 under 3 as bind
    10 resolve 1
    20 read 2 of 1
    30 resolve 2
  )";
  CHECK(mirage(text).bars() ==
        "1: 0-10 resolved\n"
        "3: 0-1005 open from-before\n"
        "2: 20-30 resolved under 1 late\n");
  CHECK(mirage(text, {.simplify = false}).bars() ==
        "1: 0-10 resolved\n"
        "3: 0-1005 open from-before\n"
        "2: 5-30 resolved under 3\n");
}

TEST_CASE("4: not for other kinds, nor for who did something before, nor who was waited for") {
  const auto bar_of_2 = [](const std::string& kind, const std::string& before) {
    const Example e = mirage("0 create 1\n 5 create 2 under 3 as " + kind + "\n" + before +
                             "20 read 2 of 1\n 30 resolve 2\n");
    return e.bars().substr(e.bars().find("2: "));
  };
  const std::string late = "2: 20-30 resolved under 1 late\n";
  for (const char* kind : {"bind", "try", "map", "ignore_result", "on_failure", "on_termination"})
    CHECK(bar_of_2(kind, "") == late);
  const std::string as_created = "2: 5-30 resolved under 3\n";
  CHECK(bar_of_2("task", "") == as_created);
  CHECK(bar_of_2("bind", "6 label 2 hello\n") == as_created);
  CHECK(bar_of_2("bind", "6 counter_add 2 =1 jobs\n") == as_created);
  CHECK(bar_of_2("bind", "6 switch_to 2\n 7 idle -\n") == as_created);
  CHECK(bar_of_2("bind", "6 notify 1 by 2\n") == as_created);
  CHECK(bar_of_2("bind", "6 try_read 2 of 1\n") == late);
  CHECK(bar_of_2("bind", "6 try_read 1 of 2\n") == as_created);
  CHECK(bar_of_2("bind", "6 try_read - of 2\n") == as_created);
  CHECK(bar_of_2("bind", "7 become 3 into 2\n") == as_created);
}

// ---- rule 5

TEST_CASE("5: without an end a bar stops just after its last event") {
  const Example e = mirage(R"(
      0 create 1
      5 create 2
     10 label 1 hello
     20 create 3 under 2
     30 read 3 of 1
     50 switch_to 4
   9000 label 4 last
  )");
  CHECK(e.bars() ==
        "1: 0-1030 open\n"
        "2: 5-1020 open\n"
        "3: 20-1050 open under 2\n"
        "4: 0-10000 open from-before\n");
}

TEST_CASE("5: who should resolve and does not is stuck, to the end of the trace") {
  //  1 ---]
  //  2 --------------------!     it went on as 2, which did not end
  const Example e = mirage(R"(
      0 create 1
      0 create 2
      0 create 3
      1 should_resolve 1
      1 should_resolve 3
     10 become 1 into 2
     20 resolve 3
   5000 pause - =100 gc
  )");
  CHECK(e.bars() ==
        "1: 0-10 became 2\n"
        "2: 0-5000 stuck\n"
        "3: 0-20 resolved\n");
  REQUIRE(e.model.pauses.size() == 1);
  CHECK(e.stretches(e.model.pauses) == "4900-5000 gc\n");
}

TEST_CASE("5: a task ends once, and says why") {
  const Example e = ours(R"(
     0 create 1
     0 create 2
     0 create 3
    10 fail 1 by 2 because
    20 resolve 1 by 2
    30 cancel 2 by 3
    40 resolve 3 by 3
    50 label 3 late
  )");
  CHECK(e.bars() ==
        "1: 0-10 failed\n"
        "2: 0-30 cancelled\n"
        "3: 0-40 resolved\n");
  CHECK(e.arrows() == "resolve 2@10 1@10\nresolve 3@30 2@30\n");
  CHECK(e.trace.strings[e.model.tasks[0].reason] == "because");
}

// ---- rule 6

TEST_CASE("6: the root is current: the executor sleeps") {
  //       10   20   30    40
  //  1 ---=====.....======
  //            zzzzz
  const Example e = mirage(R"(
     0 create 1
    10 switch_to 1
    20 idle -
    25 idle -
    30 switch_to 1
    40 idle -
    60 label 1 x
  )");
  CHECK(e.running() == "1: 10-20\n1: 30-40\n");
  CHECK(e.sleeps() == "20-30\n40-60\n");
}

TEST_CASE("6: counters are sums and settings; names with the same stem share a scale") {
  const Example e = mirage(R"(
     0 counter_add 1 =5 queue#b
    10 counter_add 1 =-7 queue#b
    20 counter_set 1 =3 queue#a
    30 counter_set 1 =100 alone
    40 counter_add 1 =1 queue
  )");
  const Model& m = e.model;
  std::string text;
  for (const Model::Counter& counter : m.counters) {
    text += std::string(e.trace.strings[counter.name]) + " " +
            std::to_string(m.scales[counter.scale].low) + ".." +
            std::to_string(m.scales[counter.scale].high) + ":";
    for (const auto& point : counter.points)
      text += " " + std::to_string(point.time) + "=" + std::to_string(point.value);
    text += "\n";
  }
  CHECK(text ==
        "alone 0..100: 30=100\n"
        "queue 0..1: 40=1\n"
        "queue#a -2..5: 20=3\n"
        "queue#b -2..5: 0=5 10=-2\n");
  CHECK(m.scales.size() == 3);
  CHECK(m.labels.empty());
}

// ---- rule 7

TEST_CASE("7: a result leaves where the bar of its source ended") {
  //        10        30
  //  1 ----]
  //         `---.
  //  2 ----------`--==>      blue; red when 1 failed
  const std::string example =
      "0 create 1\n 0 create 2\n 10 resolve 1 by 3\n 30 read_later 2 of 1\n";
  const auto with = [&](std::string text, const char* word, const char* other) {
    return mirage(text.replace(text.find(word), std::string(word).size(), other)).arrows();
  };
  CHECK(with(example, "read_later", "ready") == "resolve 3@10 1@10\nread 1@10 2@30\n");
  CHECK(mirage("0 create 1\n 0 create 2\n 10 fail 1 by 3 oh\n 30 ready 2 of 1\n").arrows() ==
        "resolve 3@10 1@10\nread-failure 1@10 2@30\n");
  // Of one that has not ended (the trace is damaged): at that time.
  CHECK(mirage("0 create 1\n 0 create 2\n 30 ready 2 of 1\n").arrows() == "read 1@30 2@30\n");
}

TEST_CASE("7: a signal goes from the sender; one of two kinds makes the receiver current") {
  const Example e = mirage(R"(
     0 create 1
     0 create 2
    10 switch_to 1
    20 signal 2 by 1
    30 notify 1 by 2
    40 idle -
  )");
  CHECK(e.arrows() == "notify 1@20 2@20\nnotify 2@30 1@30\n");
  CHECK(e.running() == "1: 10-20\n2: 20-40\n");
}

// ---- rule 8

TEST_CASE("8: of one executor activations do not overlap, whatever the trace says") {
  //  1 ---===]            it resolved at 20, is current until 30 all the same
  //  2 ----------====
  const Example e = mirage(R"(
     0 create 1
    10 switch_to 1
    20 resolve 1
    25 switch_to 1
    30 switch_to 2
    30 switch_to 3
    40 idle -
  )");
  CHECK(e.running() == "1: 10-20\n3: 30-40\n");
}

// ---- our own traces

TEST_CASE("ours: a coroutine awaits another: the wait, the run, the result are one arrow") {
  //       10     20     30    40
  //  1 ---=======-------------=====]
  //          +-- ======]     ↑
  //  2              ...`-----'
  const Example e = ours(R"(
     0 create 1 as coroutine
    10 resume 1
    15 create 2 under 1 as coroutine
    20 suspend 1 on 2
    21 resume 2 by 1
    30 resolve 2 by 2
    40 resume 1 by 2
    50 resolve 1 by 1
  )");
  CHECK(e.arrows() == "read 2@30 1@40\n");
  CHECK(e.running() == "1: 10-20\n2: 21-30\n1: 40-50\n");
  CHECK(e.bars() ==
        "1: 0-50 resolved\n"
        "2: 15-30 resolved under 1\n");
}

TEST_CASE("ours: who is not said to have been woken got what it waited for") {
  const Example e = ours(R"(
     0 create 1
     1 create 2
     2 create 3
    10 resume 1
    20 suspend 1
    21 await 1 on 2
    30 fail 2 by 3 because
    40 resume 1
    50 suspend 1 on 3
    60 resume 1 by 3
    70 suspend 1 on 3
  )");
  CHECK(e.arrows() ==
        "resolve 3@30 2@30\n"
        "read-failure 2@30 1@40\n"
        "read 3@60 1@60\n"
        "await 1@70 3@70\n");
}

TEST_CASE("ours: woken by one that has not ended, or that said so before") {
  const Example e = ours(R"(
     0 create 1
     0 create 2
    10 resume 1 by 2
    20 suspend 1
    30 notify 1 by 2 =1
    40 resume 1 by 2
    50 create 3 under 1
    50 resume 3 by 1
    60 switch_to 1
  )");
  CHECK(e.arrows() ==
        "notify 2@10 1@10\n"
        "notify 2@30 1@40\n");
  CHECK(e.running() == "1: 10-20\n1: 40-50\n3: 50-60\n");
}

TEST_CASE("ours: sleep is said, or is when nobody is current between two who are") {
  const Example e = ours(R"(
        0 create 1
       10 resume 1
       20 suspend 1
     5020 resume 1
     5030 suspend 1
     5040 resume 1
     5050 executor_end -
     9000 resume 2 @1
     9010 idle - @1 epoll
     9020 wake - @1 epoll
     9030 suspend 2 @1
    19000 resume 2 @1
    19010 suspend 2 @1
    90000 label 1 end
  )");
  CHECK(e.sleeps() == "20-5020\n9010-9020 epoll @1\n");
  CHECK(e.running() ==
        "1: 10-20\n1: 5020-5030\n1: 5040-5050\n"
        "2@1: 9000-9010\n2@1: 9020-9030\n2@1: 19000-19010\n");
}

TEST_CASE("ours: several executors") {
  //  0:  1 ===--------===
  //  1:  2   ======]
  const Example e = ours(R"(
     0 create 1
     5 create 2 under 1
    10 resume 1
    12 resume 2 by 1 @1
    20 suspend 1 on 2
    30 resolve 2 by 2 @1
    40 resume 1 by 2
    50 resolve 1 by 1
  )");
  CHECK(e.running() == "1: 10-20\n2@1: 12-30\n1: 40-50\n");
  CHECK(e.arrows() == "notify 1@12 2@12\nread 2@30 1@40\n");
}

TEST_CASE("ours: a resource has a bar when it has a name, or somebody waits for it") {
  //  8 mutex +---o------------     orange: released, and woken
  //  1           |===...===
  const Example e = ours(R"(
     0 resource 1 of 7 as mutex
     0 resource 1 of 8 as mutex
     0 resource 1 of 9 as condition answer
     5 acquire 1 of 7
     6 notify 7 by 1 =0
     7 ready 1 of 7
     8 notify 9 by 1 =0
    10 suspend 1 on 8 =1
    20 notify 8 by 2 =1
    21 resume 1 by 8
    30 notify 8 by 1 =0
    40 resolve 8 by 1
    50 resolve 7 by 1
  )");
  CHECK(e.bars() ==
        "1: 0-1050 open from-before\n"
        "9: 0-1008 open under 1 resource\n"
        "8: 0-40 resolved under 1 resource\n"
        "2: 0-1020 open from-before\n");
  CHECK(e.arrows() ==
        "notify 1@8 9@8\n"
        "await 1@10 8@10\n"
        "notify 2@20 8@20\n"
        "notify 8@21 1@21\n");
  CHECK(e.model.find(7) == no_index);
}

TEST_CASE("ours: a scope is entered, has members, is cancelled and left") {
  const Example e = ours(R"(
     0 create 1
    10 scope_enter 1 of 5 nursery
    11 create 2 under 1
    12 scope_member 2 of 5
    20 scope_cancel 1 of 5
    30 cancel 2 by 1
    40 scope_exit 1 of 5
    50 scope_enter 1 of 6
    60 scope_exit 1 of 6
  )");
  CHECK(e.bars() ==
        "1: 0-1060 open\n"
        "5: 10-40 cancelled under 1 scope\n"
        "2: 11-30 cancelled under 5\n"
        "6: 50-60 resolved under 1 scope\n");
  CHECK(e.arrows() == "notify 1@20 5@20\nresolve 1@30 2@30\n");
}

TEST_CASE("ours: messages by their correlation, whichever is first in the merged order") {
  const Example e = ours(R"(
     0 create 1
     0 create 2 @1
    10 send 1 =77
    20 receive 2 =77 @1
    30 receive 2 =78 @1
    35 send 1 =78
    40 send 1 =79
    50 receive 2 =80 @1
  )");
  CHECK(e.arrows() ==
        "message 1@10 2@20\n"
        "message 1@30 2@35\n"
        "message 1@40 -@40\n"
        "message -@50 2@50\n");
}

TEST_CASE("ours: spans may cross, begin before the trace and last beyond it") {
  const Example e = ours(R"(
     0 create 1
    10 span_begin 1 =100 outer
    20 span_begin 1 =101 inner
    30 span_end 1 =100 outer
    40 span_end 1 =99 before
    50 resolve 1 by 1
    60 label 2 x
  )");
  std::string text;
  for (const Model::Span& span : e.model.spans)
    text += std::string(e.trace.strings[span.name]) + " " + e.id(span.task) + ": " +
            std::to_string(span.start) + "-" + std::to_string(span.end) + "\n";
  CHECK(text == "before 1: 0-40\nouter 1: 10-30\ninner 1: 20-50\n");
}

// ---- damage

TEST_CASE("an id used twice is two tasks, and is the later one from then on") {
  const Example e = mirage(R"(
     0 create 1
    10 label 1 first
    20 create 1
    30 label 1 second
    40 resolve 1
  )");
  CHECK(e.bars() == "1: 0-1010 open\n1: 20-40 resolved\n");
  CHECK(e.model.find(1) == 1);
  CHECK(e.trace.strings[e.model.tasks[0].label] == "first");
  CHECK(e.trace.strings[e.model.tasks[1].label] == "second");
}

TEST_CASE("who is its own ancestor is a child of the root") {
  const Example e = mirage(R"(
     0 label 1 x
     0 label 2 x
     0 label 3 x
    10 create 1 under 2
    10 create 2 under 3
    10 create 3 under 1
    10 create 4 under 4
    20 resolve 1
  )");
  size_t roots = 0;
  for (const Model::Task& task : e.model.tasks) roots += task.parent == no_index;
  CHECK(roots == 2);
}

TEST_CASE("a long chain of becomes is followed in no time") {
  Trace trace;
  trace.facts.format = "mirage-profile";
  constexpr uint64_t count = 200'000;
  uint64_t time = 0;
  for (uint64_t id = 0; id + 1 < count; id++)
    trace.events.append({.time = time++, .task = id, .other = id + 1, .kind = EventKind::Become});
  for (uint64_t id = 0; id < count; id++)
    trace.events.append({.time = time++, .task = id, .kind = EventKind::Label});
  const Model model = build_model(trace);
  REQUIRE(model.tasks.size() == count);
  for (const Model::Label& label : model.labels) REQUIRE(model.tasks[label.task].id == count - 1);
}

namespace {

// What everything downstream relies on.
void check_sane(const Trace& trace, const Model& model) {
  const auto is_task = [&](TaskIndex task) { return task < model.tasks.size(); };
  const auto is_task_or_none = [&](TaskIndex task) { return task == no_index || is_task(task); };
  std::vector<uint8_t> rooted(model.tasks.size());
  for (TaskIndex index = 0; index < model.tasks.size(); index++) {
    const Model::Task& task = model.tasks[index];
    REQUIRE(task.start <= task.end);
    REQUIRE(task.end <= model.end + 1000);
    REQUIRE(is_task_or_none(task.parent));
    REQUIRE(is_task_or_none(task.becomes));
    REQUIRE((task.how == Model::End::Became) == (task.becomes != no_index));
    // A way to the root is not longer than there are tasks.
    std::vector<TaskIndex> way;
    for (TaskIndex at = index; at != no_index && !rooted[at]; at = model.tasks[at].parent) {
      way.push_back(at);
      REQUIRE(way.size() <= model.tasks.size());
    }
    for (const TaskIndex at : way) rooted[at] = 1;
  }
  std::vector<uint64_t> free_from(trace.executors.size());
  uint64_t last = 0;
  for (const Model::Activation& activation : model.activations) {
    REQUIRE(is_task(activation.task));
    REQUIRE(activation.start >= last);
    REQUIRE(activation.start < activation.end);
    REQUIRE(activation.start >= free_from[activation.executor]);
    free_from[activation.executor] = activation.end;
    last = activation.start;
  }
  last = 0;
  for (const Model::Interaction& arrow : model.interactions) {
    REQUIRE(is_task_or_none(arrow.from));
    REQUIRE(is_task_or_none(arrow.to));
    if (arrow.link != Model::Link::Message) {
      REQUIRE(is_task(arrow.from));
      REQUIRE(is_task(arrow.to));
      REQUIRE(arrow.from != arrow.to);
    }
    REQUIRE(arrow.from_time <= arrow.to_time);
    REQUIRE(arrow.to_time >= last);
    last = arrow.to_time;
  }
  const auto check_ordered = [&](const auto& items) {
    last = 0;
    for (const auto& item : items) {
      REQUIRE(item.start >= last);
      REQUIRE(item.start <= item.end);
      REQUIRE(item.end <= model.end + 1000);
      last = item.start;
    }
  };
  check_ordered(model.sleeps);
  check_ordered(model.pauses);
  check_ordered(model.spans);
  for (const Model::Label& label : model.labels) REQUIRE(is_task(label.task));
  for (const Model::Span& span : model.spans) REQUIRE(is_task_or_none(span.task));
  for (const Model::Counter& counter : model.counters) REQUIRE(counter.scale < model.scales.size());
}

}  // namespace

TEST_CASE("any events at all make a sane model") {
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 3000; round++) {
    Trace trace;
    trace.facts.format = round % 2 ? "mirage-profile" : "skein";
    for (const char* kind : {"bind", "map", "condition", "mutex", "task"})
      trace.kinds.push_back(trace.strings.intern(kind));
    for (const char* text : {"a", "b#1", "b#2"}) trace.strings.intern(text);
    trace.executors.resize(1 + below(3));
    const uint64_t ids = 1 + below(below(2) ? 6 : 60);
    const auto id = [&]() -> TaskId {
      if (below(12) == 0) return no_task;
      if (below(50) == 0) return random();
      return below(ids);
    };
    uint64_t time = below(2) ? 0 : uint64_t{1} << 60;
    for (uint64_t i = below(300); i > 0; i--) {
      time += below(2) ? 0 : below(3000);
      trace.events.append({.time = time,
                           .task = id(),
                           .other = id(),
                           .value = below(8) ? below(6) : random(),
                           .text = static_cast<StringId>(below(trace.strings.size())),
                           .executor = static_cast<uint32_t>(below(trace.executors.size())),
                           .kind = EventKind(below(event_kinds)),
                           .flags = below(3) == 0 ? flag::makes_current : uint8_t{0}});
    }
    INFO("round ", round);
    check_sane(trace, build_model(trace));
    check_sane(trace, build_model(trace, {.simplify = false}));
  }
}

TEST_CASE("an empty trace has an empty model") {
  const Model model = build_model(Trace{});
  CHECK(model.tasks.empty());
  CHECK(model.find(1) == no_index);
  CHECK(model.find(no_task) == no_index);
}
