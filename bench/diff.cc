// Compares two runs: a trace, and a run of the same program with different durations and a
// thousandth of its events in another order, truncated before its end.
//
//   bench_diff TRACE [rounds]
//
// Prints the number of events of both; CPU ms to decode both, to build models and find waits, to
// align, to find divergences, to compare times; the number of matched tasks and of divergences.
// Medians.
#include <random>

#include "bench/stages.h"
#include "trace/ask/divergence.h"
#include "trace/ask/timing.h"

namespace {

using namespace skein;

Trace another_run(const Trace& trace) {
  Trace other;
  other.info = trace.info;
  other.strings = trace.strings;
  other.locations = trace.locations;
  other.executors = trace.executors;
  other.kinds = trace.kinds;
  std::mt19937 random(1);
  uint64_t now = 0, before = 0;
  const size_t end = trace.events.size() - trace.events.size() / 50;
  EventRow late;
  bool is_late = false;
  size_t at = 0;
  trace.events.for_each([&](const EventRow& event) {
    if (at++ >= end) return;
    now += (event.time - before) * (96 + random() % 16) / 100;
    before = event.time;
    EventRow row = event;
    row.time = now;
    if (!is_late && random() % 1000 == 0) {
      late = row;
      is_late = true;
      return;
    }
    other.events.append(row);
    if (!is_late) return;
    late.time = now;
    other.events.append(late);
    is_late = false;
  });
  return other;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_diff TRACE [rounds]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  bench::warm_memory(size_t{600} << 20);
  Trace good;
  const double decode = 2 * bench::median_ms(rounds, [&] { good = bench::trace_or_exit(argv[1]); });
  const Trace bad = another_run(good);
  Model good_model, bad_model;
  Waits good_waits, bad_waits;
  const double build = bench::median_ms(rounds, [&] {
    good_model = build_model(good, {.simplify = false});
    bad_model = build_model(bad, {.simplify = false});
    good_waits = find_waits(good, good_model);
    bad_waits = find_waits(bad, bad_model);
  });
  const Subject a{good, good_model, good_waits}, b{bad, bad_model, bad_waits};
  Alignment aligned;
  const double aligning = bench::median_ms(rounds, [&] { aligned = align(a, b); });
  size_t divergences = 0, groups = 0;
  const double finding =
      bench::median_ms(rounds, [&] { divergences = find_divergences(a, b, aligned).size(); });
  const double timing =
      bench::median_ms(rounds, [&] { groups = timing_differences(a, b, aligned).size(); });
  printf("%zu\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%zu\t%zu\t%zu\n",
         good.events.size() + bad.events.size(), decode, build, aligning, finding, timing,
         aligned.matched, divergences, groups);
}
