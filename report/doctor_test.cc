#include "report/doctor.h"

#include <doctest/doctest.h>

#include "trace/ask/example.h"

using namespace skein;

namespace {

struct Examined : AnalyzedExample {
  using AnalyzedExample::AnalyzedExample;
  std::vector<Finding> findings() const {
    return examine(e.trace, e.model, waits, {.suspended = 100, .running = 100, .held = 50});
  }
  DoctorReport report(const std::string& path) const { return DoctorReport(subject(), path); }
};

const char* const lost = R"(
     0 create 1 as coroutine query
     0 create 2 as coroutine network
     0 resource 1 of 20 as condition answered
     1 resume 1
    10 notify 20 by 2 =0
    16 suspend 1 on 20
    50 executor_end -
)";

}  // namespace

TEST_CASE("no findings") {
  const Examined of("0 executor_end -");
  CHECK(of.report("t").text(of.findings()) == "No findings.\n");
}

TEST_CASE("a finding: a sentence, its evidence, a command that draws it") {
  const Examined of(lost);
  CHECK(of.report("a trace").text(of.findings()) ==
        "error, notify-before-wait: query (#1) waits for condition answered (#20), which was "
        "notified 6 ns\nearlier, when no task was waiting\n"
        "  0.000000010 s  condition answered (#20)  was notified by network (#2), waking no task\n"
        "  0.000000016 s  query (#1)                waits for condition answered (#20)            "
        "34 ns\n"
        "  skein show 'a trace' --from 0.000000000s --to 0.000001016s --select 1\n");
}

TEST_CASE("a trace from standard input has no command") {
  const Examined of(lost);
  CHECK(of.report("-").text(of.findings()).find("skein show") == std::string::npos);
}

TEST_CASE("a wait for an object has the words of why") {
  Examined of("0 create 1 as coroutine touch\n0 should_resolve 1\n1 resume 1\n2 suspend 1");
  of.e.trace.awaited_objects = {
      {.event = 3, .address = 0xa0, .type = of.e.trace.strings.intern("Lock::lock()::Awaiter")}};
  const std::string text = of.report("t").text(of.findings());
  CAPTURE(text);
  CHECK(text.find("touch (#1) waits for Lock 0xa0 at the end") != std::string::npos);
  CHECK(text.find("touch (#1)  waits for Lock 0xa0") != std::string::npos);
}

TEST_CASE("JSON has the evidence with kinds, and null where nothing applies") {
  const Examined of(lost);
  const std::string text = of.report("t").json(of.findings()).text();
  CHECK(text.starts_with("{\n  \"schema\": \"skein.doctor/1\",\n  \"findings\": [\n"));
  for (const char* part : {"\"lint\": \"notify-before-wait\"", "\"severity\": \"error\"",
                           "\"kind\": \"notified\"", "\"kind\": \"waits\"", "\"end_ns\": null",
                           "\"counter\": null", "\"running_ns\": null", "\"value\": 0"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("each lint is listed with what it finds") {
  const std::string list = lint_list_text(80);
  long names = 0;
  for (size_t begin = 0, end; (end = list.find('\n', begin)) != list.npos; begin = end + 1) {
    CHECK(end - begin <= 80);
    names += list[begin] != ' ';
  }
  for (size_t i = 0; i < lint_count; i++)
    CHECK(list.find(name(static_cast<Lint>(i))) != std::string::npos);
  CHECK(list.starts_with("notify-before-wait     a notification woke no task, and a task began"));
  CHECK(names == lint_count);
}
