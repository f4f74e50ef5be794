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

TEST_CASE("a larger copy of a stack has a size") {
  CHECK(larger_copies_text(512) == "use --stack-size 2048");
  CHECK(larger_copies_text(16384) == "use --stack-size 65528");
  CHECK(larger_copies_text(65528) == "no larger --stack-size is possible");
}
