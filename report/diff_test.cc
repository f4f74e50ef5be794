#include "report/diff.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

const char* const begin = R"(
     0 create 1 as coroutine query
     0 create 2 as coroutine network
     0 resource 1 of 20 as condition answered
     1 resume 1
)";
// In the good run the query waits when it is notified; in the bad run it waits too late.
const std::string good = std::string(begin) + R"(
     5 suspend 1 on 20
     6 resume 2
    10 notify 20 by 2 =1
    11 resolve 2 by 2
    12 resume 1 by 2
    15 resolve 1 by 1
    20 executor_end -
)";
const std::string bad = std::string(begin) + R"(
     6 resume 2
    10 notify 20 by 2 =0
    11 resolve 2 by 2
    12 resume 1
    16 suspend 1 on 20
    20 executor_end -
)";

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("two equal runs") {
  const AnalyzedExample one(good), other(good);
  const Comparison runs = compare_runs({"good", one.subject()}, {"bad", other.subject()});
  CHECK(diff_text(runs, 10) ==
        "good  20 ns  2 tasks  0 unmatched\n"
        "bad   20 ns  2 tasks  0 unmatched\n"
        "\n"
        "No causal difference: tasks found in both runs ended the same way.\n");
}

TEST_CASE("the first divergence, its evidence, and what follows from it") {
  const AnalyzedExample one(good), other(bad);
  const Comparison runs = compare_runs({"good", one.subject()}, {"bad", other.subject()});
  REQUIRE(!runs.divergences.empty());
  const std::string text = diff_text(runs, 10);
  CHECK_MESSAGE(has(text, "First divergence: In good query (#1) began to wait"), text);
  CHECK_MESSAGE(has(text, "  in good  0.000000005 s  query (#1) began to wait for condition"),
                text);
  CHECK_MESSAGE(has(text, "  As a result, query (#1) does not end in bad: lost wake-up."), text);
  CHECK(consequence(runs, runs.divergences[0]) ==
        "As a result, query (#1) does not end in bad: lost wake-up.");

  const std::string json = diff_json(runs).text();
  CHECK(json.starts_with("{\n  \"schema\": \"skein.diff/1\",\n  \"good_tasks\": 2,\n"));
  for (const char* part : {"\"verdict\": \"lost wake-up\"", "\"event\": \"wait\"",
                           "\"bad_earlier\": {", "\"time_ns\": 16"})
    CHECK_MESSAGE(has(json, part), part, json);
}

TEST_CASE("a wait for an unrecorded target that ends in one run only") {
  const std::string waits = R"(
     0 create 1 as coroutine worker
     1 resume 1
     5 suspend 1
  )";
  const std::string resumes = "9 resume 1\n 15 resolve 1 by 1\n 20 executor_end -\n";
  const AnalyzedExample one(waits + resumes), other(waits + "20 executor_end -\n");
  const std::string text =
      diff_text(compare_runs({"good", one.subject()}, {"bad", other.subject()}), 10);
  CHECK_MESSAGE(has(text,
                    "First divergence: In good worker (#1) was resumed from outside any task; in "
                    "bad that did"),
                text);
}

TEST_CASE("text and JSON count the same tasks, and a run matches itself") {
  const AnalyzedExample one(std::string(good) + "    30 resume 97\n    31 resume 98\n");
  const Comparison runs = compare_runs({"good", one.subject()}, {"bad", one.subject()});
  const std::string text = diff_text(runs, 10);
  CHECK_MESSAGE(has(text, "4 tasks  0 unmatched"), text);
  const std::string json = diff_json(runs).text();
  for (const char* part : {"\"good_tasks\": 4", "\"bad_tasks\": 4", "\"matched\": 4"})
    CHECK_MESSAGE(has(json, part), part, json);
}

TEST_CASE("arguments in the wrong order are detected") {
  const AnalyzedExample one(bad), other(good);
  const Comparison runs = compare_runs({"good", one.subject()}, {"bad", other.subject()});
  CHECK(runs.good_is_worse);
  CHECK(has(diff_text(runs, 10), "The divergences point to good as the failing run."));
}
