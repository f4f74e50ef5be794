// Coroutines that wait for objects of concurrencpp.
#include <concurrencpp/concurrencpp.h>

#include <memory>
#include <thread>
#include <vector>

#include "detached.h"

using namespace concurrencpp;

namespace {

async_lock kept;
async_lock first;
async_lock second;
async_lock cv_lock;
async_condition_variable condition;
result_promise<int> promise;
result_promise<int> never_promise;

Detached keeper(std::shared_ptr<executor> on, shared_result<int> never) {
  auto guard = co_await kept.lock(on);
  co_await never;
}
Detached wanter(std::shared_ptr<executor> on) {
  auto guard = co_await kept.lock(on);
  co_await guard.lock(on);
}
Detached forward(std::shared_ptr<executor> on, shared_result<int> gate) {
  auto one = co_await first.lock(on);
  co_await gate;
  auto other = co_await second.lock(on);
  co_await other.lock(on);
}
Detached backward(std::shared_ptr<executor> on, shared_result<int> gate) {
  auto other = co_await second.lock(on);
  co_await gate;
  auto one = co_await first.lock(on);
  co_await one.lock(on);
}
Detached on_condition(std::shared_ptr<executor> on) {
  auto guard = co_await cv_lock.lock(on);
  co_await condition.await(on, guard);
}
result<int> work(shared_result<int> never) { co_return co_await never; }
Detached on_result(result<int> of) { co_await of; }

}  // namespace

int main() {
  auto on = std::make_shared<inline_executor>();
  result_promise<int> gate_promise;
  shared_result<int> never(never_promise.get_result());
  shared_result<int> gate(gate_promise.get_result());
  keeper(on, never);
  wanter(on);
  wanter(on);
  forward(on, gate);
  backward(on, gate);
  gate_promise.set_result(1);
  on_condition(on);
  on_result(work(never));
  on_result(promise.get_result());

  waits("lock_impl", &kept, "concurrencpp::async_lock");
  waits("lock_impl", &kept, "concurrencpp::async_lock");
  held(&kept, "keeper");
  waits("lock_impl", &second, "concurrencpp::async_lock");
  waits("lock_impl", &first, "concurrencpp::async_lock");
  held(&first, "forward");
  held(&second, "backward");
  deadlock("forward");
  deadlock("backward");
  waits("await_impl", &condition, "concurrencpp::async_condition_variable");
  ready();
}
