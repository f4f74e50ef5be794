// Coroutines that wait for objects of Seastar, or of types like them. No reactor runs.
#ifdef IS_INSTALLED
#include <seastar/core/condition-variable.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/semaphore.hh>
#else
#include "imitated/seastar.h"
#endif

#include "detached.h"

namespace {

seastar::promise<> never;
seastar::semaphore units(0);
seastar::condition_variable condition;
seastar::gate closing;

seastar::future<> leaf(seastar::promise<>& end) { co_await end.get_future(); }
seastar::future<> middle() { co_await leaf(never); }
seastar::future<> outer() { co_await middle(); }
seastar::future<> on_units(seastar::semaphore& all) { co_await all.wait(); }
seastar::future<> on_condition(seastar::condition_variable& when) { co_await when.wait(); }
seastar::future<> on_gate(seastar::gate& all) {
  all.enter();
  co_await all.close();
}
// It waits for a promise that is a variable of the other, and not for the other.
seastar::promise<>* variable = nullptr;
seastar::promise<>* own_variable = nullptr;
seastar::future<> has_promise() {
  seastar::promise<> own;
  variable = &own;
  seastar::promise<> other;
  own_variable = &other;
  co_await other.get_future();
}
seastar::future<> on_variable() { co_await variable->get_future(); }

}  // namespace

int main() {
  seastar::future<> all[] = {outer(),         on_units(units),       on_condition(condition), on_condition(condition),
                             on_gate(closing), has_promise(), on_variable()};
  waits("leaf", &never, "seastar::promise");
  awaits("outer", "middle");
  awaits("middle", "leaf");
  waits("on_units", &units, "seastar::basic_semaphore");
  waits("on_condition", &condition, "seastar::condition_variable");
  waits("on_condition", &condition, "seastar::condition_variable");
  waits("on_gate", &closing, "seastar::gate");
  waits("on_variable", variable, "seastar::promise");
  waits("has_promise", own_variable, "seastar::promise");
  ready();
}
