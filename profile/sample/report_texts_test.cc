#include "profile/sample/report_texts.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("no samples: whether the process used CPU time") {
  CHECK(no_samples_text({.cpu_ns = 0, .frequency = 999}) == "no samples; it used no CPU time");
  const std::string some = "no samples, but it used 20.0 ms of CPU time";
  CHECK(no_samples_text({.cpu_ns = 20'000'000, .frequency = 1}) == some + "; use a higher -F");
  CHECK(no_samples_text({.cpu_ns = 20'000'000, .frequency = 1, .has_end = true}) ==
        some + "; use a higher -F or a longer -T");
  CHECK(no_samples_text({.cpu_ns = 20'000'000, .frequency = 99, .has_kernel = false}) ==
        some + "; use a higher -F");
  CHECK(no_samples_text({.cpu_ns = 20'000'000, .frequency = 999, .has_kernel = false}) ==
        some + ", in the kernel: its functions need kernel.perf_event_paranoid at 1 or less, or "
               "CAP_PERFMON");
}

TEST_CASE("a profiler that uses more than half of the program's CPU time") {
  constexpr uint64_t second = 1'000'000'000;
  SamplingCost cost = {.own_ns = 3 * second, .program_ns = second, .samples = 20'000};
  CHECK(cost_text(cost) ==
        "skein used 3.00 s of CPU time for 1.00 s of the program: use a lower -F");
  cost.program_ns = 6 * second;
  CHECK(cost_text(cost).empty());
  cost.program_ns = second;
  cost.samples = 999;  // it read files
  CHECK(cost_text(cost).empty());
  cost.stops = true;  // and looked at all threads at each period
  CHECK(cost_text(cost).ends_with(": use a lower -F"));
  cost = {.own_ns = second, .program_ns = second, .samples = 10, .waits = 50'000, .logical = true};
  CHECK(cost_text(cost).ends_with(" of the program: use --stacks physical"));
  cost.logical = false;
  CHECK(cost_text(cost).ends_with(" of the program: it waits often"));
  CHECK(cost_text({.own_ns = 1'000'000, .program_ns = 1000, .samples = 10}).empty());
}

TEST_CASE("a larger copy of a stack has a size") {
  CHECK(larger_copies_text(512) == "use --stack-size 2048");
  CHECK(larger_copies_text(16384) == "use --stack-size 65528");
  CHECK(larger_copies_text(65528) == "no larger --stack-size is possible");
}
