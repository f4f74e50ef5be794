#include "target/access.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

using namespace skein;

namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a user is sent to the owner or root") {
  const std::string advice = advice_of({.user = 4711, .owner = 0});
  CHECK(advice == "it belongs to another user; run skein as root");
  const std::string other = advice_of({.user = 4711, .owner = 4712});
  CHECK(other == "it belongs to another user; run skein as 4712 or root");
}

TEST_CASE("the own process of a user") {
  CHECK(has(advice_of({.user = 4711, .owner = 4711, .ptrace_scope = 1}), "ptrace_scope is 1"));
  CHECK(has(advice_of({.user = 4711, .owner = 4711}), "PR_SET_DUMPABLE"));
}

TEST_CASE("root is not sent to root") {
  const AccessFacts root{.may_trace_all = true};
  for (const AccessFacts& facts :
       {root, AccessFacts{.ptrace_scope = 1}, AccessFacts{.may_trace_all = true, .is_nested = true},
        AccessFacts{.may_trace_all = true, .has_filter = true},
        AccessFacts{.may_trace_all = true, .ptrace_scope = 3}}) {
    const std::string advice = advice_of(facts);
    CAPTURE(advice);
    CHECK_FALSE(has(advice, "run skein as"));
    CHECK_FALSE(advice.empty());
  }
  CHECK(has(advice_of({}), "CAP_SYS_PTRACE"));
  CHECK(has(advice_of({.may_trace_all = true, .has_filter = true}), "seccomp"));
  CHECK(has(advice_of({.may_trace_all = true, .is_nested = true}), "user namespace"));
  CHECK(has(advice_of({.may_trace_all = true, .profile = "docker-default (enforce)"}),
            "'docker-default (enforce)'"));
  CHECK(advice_of({.may_trace_all = true, .ptrace_scope = 3}) ==
        "kernel.yama.ptrace_scope is 3, which forbids it until the next boot");
}

TEST_CASE("facts of this process") {
  const AccessFacts facts = access_facts(static_cast<uint64_t>(getpid()));
  CHECK(facts.user == geteuid());
  CHECK(facts.owner == facts.user);
}
