// Programs that use cppcoro, each with one fault, and similar correct ones.
#include <cppcoro/async_auto_reset_event.hpp>
#include <cppcoro/async_generator.hpp>
#include <cppcoro/async_latch.hpp>
#include <cppcoro/async_manual_reset_event.hpp>
#include <cppcoro/async_mutex.hpp>
#include <cppcoro/async_scope.hpp>
#include <cppcoro/cancellation_registration.hpp>
#include <cppcoro/cancellation_source.hpp>
#include <cppcoro/cancellation_token.hpp>
#include <cppcoro/generator.hpp>
#include <cppcoro/operation_cancelled.hpp>
#include <cppcoro/sequence_barrier.hpp>
#include <cppcoro/shared_task.hpp>
#include <cppcoro/single_consumer_event.hpp>
#include <cppcoro/static_thread_pool.hpp>
#include <cppcoro/sync_wait.hpp>
#include <cppcoro/task.hpp>
#include <cppcoro/when_all.hpp>
#include <cppcoro/when_all_ready.hpp>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "operator.h"

namespace {

using cppcoro::task;
using Pool = cppcoro::static_thread_pool;

// Other traffic of the pool.
task<> chatter(Pool& pool) {
  for (int i = 0; i < truth::noise(); ++i) co_await pool.schedule();
}

// ---- A mutex ----

struct Log {
  cppcoro::async_mutex mutex;
  std::vector<std::string> lines;
};

task<> append_line(Pool& pool, Log& log, std::string line) {
  co_await pool.schedule();
  co_await log.mutex.lock_async();  // @log_lock
  if (line.empty()) co_return;
  log.lines.push_back(std::move(line));
  log.mutex.unlock();
}

// An empty line returns without unlock(); the next line waits for the mutex.
// truth: never released|never notified|unknown; in append_line; at log_lock; of async_mutex
TRUTH_CASE(empty_line_keeps_mutex) {
  let_operator_stop();
  Pool pool(2);
  Log log;
  for (const char* line : {"start", "", "stop"}) cppcoro::sync_wait(append_line(pool, log, line));
}

task<> write_line(Pool& pool, Log& log, std::string line) {
  co_await pool.schedule();
  auto lock = co_await log.mutex.scoped_lock_async();
  work();
  if (line.empty()) co_return;
  log.lines.push_back(std::move(line));
}

TRUTH_CASE(empty_line_frees_mutex) {
  Pool pool(2);
  Log log;
  std::vector<task<>> writers;
  for (int i = 0; i < 10; ++i) writers.push_back(write_line(pool, log, i % 3 == 0 ? "" : "line"));
  writers.push_back(chatter(pool));
  cppcoro::sync_wait(cppcoro::when_all(std::move(writers)));
}

struct Directory {
  cppcoro::async_mutex mutex;
  int entries = 3;
};

task<> rename_entry(Pool& pool, Directory& from, Directory& to) {
  co_await pool.schedule();
  auto first = co_await from.mutex.scoped_lock_async();
  co_await pool.schedule();
  work(20ms);
  auto second = co_await to.mutex.scoped_lock_async();  // @directory_lock
  --from.entries;
  ++to.entries;
}

// Two renames lock two directories in opposite order.
// truth: deadlock|never notified|unknown; in rename_entry; at directory_lock; of async_mutex
TRUTH_CASE(renames_in_opposite_order) {
  let_operator_stop();
  Pool pool(2);
  Directory a, b;
  cppcoro::sync_wait(cppcoro::when_all_ready(rename_entry(pool, a, b), rename_entry(pool, b, a)));
}

// One after the other: the order is no matter.
TRUTH_CASE(renames_one_by_one) {
  Pool pool(2);
  Directory a, b;
  cppcoro::sync_wait(rename_entry(pool, a, b));
  cppcoro::sync_wait(rename_entry(pool, b, a));
  cppcoro::sync_wait(chatter(pool));
}

// ---- Events ----

struct Session {
  cppcoro::single_consumer_event authenticated;
  bool is_known = false;
};

task<> authenticate(Pool& pool, Session& session, std::string user) {
  co_await pool.schedule();
  work(5ms);
  session.is_known = user == "ann";
  if (!session.is_known) co_return;
  session.authenticated.set();
}

task<> greet_user(Session& session) {
  co_await session.authenticated;  // @authenticated
  std::puts("hello");
}

// The event is not set for an unknown user.
// truth: never notified|unknown; in greet_user; at authenticated; of single_consumer_event
TRUTH_CASE(unknown_user_sets_no_event) {
  let_operator_stop();
  Pool pool(1);
  Session session;
  cppcoro::sync_wait(
      cppcoro::when_all_ready(greet_user(session), authenticate(pool, session, "eve")));
}

TRUTH_CASE(known_user_sets_event) {
  Pool pool(1);
  for (int i = 0; i < 5; ++i) {
    Session session;
    cppcoro::sync_wait(cppcoro::when_all_ready(greet_user(session),
                                               authenticate(pool, session, "ann"), chatter(pool)));
  }
}

struct Jobs {
  cppcoro::async_auto_reset_event added;
  cppcoro::async_mutex mutex;
  std::vector<int> jobs;
  bool closed = false;
};

task<> take_job(Pool& pool, Jobs& jobs) {
  co_await pool.schedule();
  co_await jobs.added;  // @job_added
  const auto lock = co_await jobs.mutex.scoped_lock_async();
  std::printf("job %d\n", jobs.jobs.back());
  jobs.jobs.pop_back();
}

task<> add_jobs(Pool& pool, Jobs& jobs) {
  co_await pool.schedule();
  work(20ms);
  {
    const auto lock = co_await jobs.mutex.scoped_lock_async();
    jobs.jobs.assign({1, 2});
  }
  jobs.added.set();
}

// Two jobs are added, but the event is set once: it wakes one of two workers.
// truth: never notified|unknown; in take_job; at job_added; of async_auto_reset_event
TRUTH_CASE(event_set_once_for_two) {
  let_operator_stop();
  Pool pool(2);
  Jobs jobs;
  cppcoro::sync_wait(
      cppcoro::when_all_ready(take_job(pool, jobs), take_job(pool, jobs), add_jobs(pool, jobs)));
}

// A worker that waits for jobs until it is closed; idle longer than the thresholds of the lints.
task<> worker(Pool& pool, Jobs& jobs) {
  co_await pool.schedule();
  for (;;) {
    co_await jobs.added;
    const auto lock = co_await jobs.mutex.scoped_lock_async();
    if (jobs.closed) break;
    jobs.jobs.clear();
  }
}

TRUTH_CASE(idle_worker) {
  Pool pool(2);
  Jobs jobs;
  cppcoro::async_scope scope;
  scope.spawn(worker(pool, jobs));
  cppcoro::sync_wait(add_jobs(pool, jobs));
  cppcoro::sync_wait(chatter(pool));
  std::this_thread::sleep_for(1300ms);
  cppcoro::sync_wait([](Jobs& all) -> task<> {
    const auto lock = co_await all.mutex.scoped_lock_async();
    all.closed = true;
  }(jobs));
  jobs.added.set();
  cppcoro::sync_wait(scope.join());
}

// ---- A latch ----

task<> warm_up(Pool& pool, cppcoro::async_latch& warm, int part) {
  co_await pool.schedule();
  try {
    if (part == 2) throw std::runtime_error("no such table");
    work();
    warm.count_down();
  } catch (const std::exception& e) {
    std::puts(e.what());
  }
}

task<> open_cache(cppcoro::async_latch& warm) {
  co_await warm;  // @warm_latch
  std::puts("warm");
}

// One of three parts fails, and does not count down.
// truth: never notified|unknown; in open_cache; at warm_latch; of async_latch
TRUTH_CASE(failed_part_never_counts) {
  let_operator_stop();
  Pool pool(2);
  cppcoro::async_latch warm(3);
  cppcoro::sync_wait(cppcoro::when_all_ready(open_cache(warm), warm_up(pool, warm, 1),
                                             warm_up(pool, warm, 2), warm_up(pool, warm, 3)));
}

TRUTH_CASE(all_parts_count) {
  Pool pool(2);
  cppcoro::async_latch warm(3);
  cppcoro::sync_wait(cppcoro::when_all_ready(open_cache(warm), open_cache(warm),
                                             warm_up(pool, warm, 1), warm_up(pool, warm, 4),
                                             warm_up(pool, warm, 3), chatter(pool)));
}

// ---- sync_wait ----

task<int> count_rows(Pool& pool) {
  co_await pool.schedule();  // @count_schedule
  work();
  co_return 7;
}

task<int> summarize(Pool& pool) {  // @summarize
  co_await pool.schedule();
  co_return cppcoro::sync_wait(count_rows(pool));  // @summarize_sync_wait
}

// A task waits with sync_wait() on the only thread of its pool for another task of that pool.
// truth: running|starved|ran-too-long|handed over; in summarize count_rows; at summarize
// summarize_sync_wait count_schedule
TRUTH_CASE(rows_on_only_thread) {
  let_operator_stop();
  Pool pool(1);
  std::printf("%d\n", cppcoro::sync_wait(summarize(pool)));
}

TRUTH_CASE(rows_with_second_thread) {
  Pool pool(2);
  for (int i = 0; i < 5; ++i) std::printf("%d\n", cppcoro::sync_wait(summarize(pool)));
  cppcoro::sync_wait(chatter(pool));
}

// ---- Tasks ----

task<> send_receipt(Pool& pool) {  // @send_receipt
  co_await pool.schedule();
  work();
}

task<> check_out(Pool& pool, bool forget) {
  co_await pool.schedule();
  auto receipt = send_receipt(pool);  // @receipt_task
  co_await pool.schedule();
  if (!forget) co_await receipt;
}

// A task is created and never awaited.
// truth: never-started; in send_receipt; at receipt_task send_receipt; of send_receipt
TRUTH_CASE(receipt_never_sent) {
  Pool pool(1);
  cppcoro::sync_wait(check_out(pool, true));
}

TRUTH_CASE(receipt_sent_late) {
  Pool pool(1);
  cppcoro::sync_wait(cppcoro::when_all_ready(check_out(pool, false), chatter(pool)));
}

task<> poll_sensor(Pool& pool, cppcoro::async_manual_reset_event& stop) {
  co_await pool.schedule();
  co_await stop;  // @stop_event
}

task<> read_sensors(Pool& pool) {
  co_await pool.schedule();
  work(5ms);
}

// A scope is joined at shutdown, but nothing stops one of its tasks. (The join waits as well.)
// truth: never notified|unknown; in poll_sensor make_sync_wait_task; at stop_event; of
// async_manual_reset_event
TRUTH_CASE(scope_never_stopped) {
  let_operator_stop();
  Pool pool(2);
  cppcoro::async_manual_reset_event stop;
  cppcoro::async_scope scope;
  scope.spawn(poll_sensor(pool, stop));
  scope.spawn(read_sensors(pool));
  cppcoro::sync_wait(scope.join());
}

TRUTH_CASE(scope_stopped_in_order) {
  Pool pool(2);
  cppcoro::async_manual_reset_event stop;
  cppcoro::async_scope scope;
  for (int i = 0; i < 3; ++i) scope.spawn(poll_sensor(pool, stop));
  scope.spawn(read_sensors(pool));
  cppcoro::sync_wait(chatter(pool));
  stop.set();
  cppcoro::sync_wait(scope.join());
}

// ---- A sequence ----

struct Prices {
  cppcoro::sequence_barrier<std::size_t> published;
  int values[16] = {};
};

task<> publish_prices(Pool& pool, Prices& prices, std::size_t count) {
  co_await pool.schedule();
  for (std::size_t i = 0; i < count; ++i) {
    prices.values[i] = static_cast<int>(i);
    prices.published.publish(i);
    co_await pool.schedule();
  }
}

task<> sum_prices(Pool& pool, Prices& prices) {
  int sum = 0;
  for (std::size_t next = 0; next < 10;) {
    const auto last = co_await prices.published.wait_until_published(next, pool);  // @price_wait
    while (next <= last) sum += prices.values[next++];
  }
  std::printf("%d\n", sum);
}

// A consumer expects ten values, its producer publishes nine.
// truth: never notified|unknown; in sum_prices; at price_wait; of sequence_barrier
TRUTH_CASE(one_price_short) {
  let_operator_stop();
  Pool pool(2);
  Prices prices;
  cppcoro::sync_wait(
      cppcoro::when_all_ready(sum_prices(pool, prices), publish_prices(pool, prices, 9)));
}

TRUTH_CASE(all_prices) {
  Pool pool(2);
  Prices prices;
  cppcoro::sync_wait(cppcoro::when_all_ready(sum_prices(pool, prices),
                                             publish_prices(pool, prices, 10), chatter(pool)));
}

// ---- Failures ----

task<int> load_page(Pool& pool, int page) {  // @load_page
  co_await pool.schedule();
  if (page == 2) throw std::out_of_range("page 2 of 1");
  co_return page;
}

// when_all_ready() returns, and its caller never looks at the tasks that failed.
// truth: failed; in load_page; at load_page; of page 2 of 1
TRUTH_CASE(failed_page_unread) {
  let_operator_stop();
  Pool pool(1);
  cppcoro::sync_wait([](Pool& threads) -> task<> {
    co_await cppcoro::when_all_ready(load_page(threads, 1), load_page(threads, 2));
  }(pool));
  wait_for_operator();
}

TRUTH_CASE(failed_page_caught) {
  Pool pool(1);
  cppcoro::sync_wait([](Pool& threads) -> task<> {
    auto results = co_await cppcoro::when_all_ready(load_page(threads, 1), load_page(threads, 2),
                                                    load_page(threads, 3));
    try {
      (void)std::get<0>(results).result();
      (void)std::get<1>(results).result();
    } catch (const std::out_of_range& e) {
      std::puts(e.what());
    }
    co_await chatter(threads);
  }(pool));
}

task<> wait_for_alarm(Pool& pool, cppcoro::cancellation_token token) {
  cppcoro::single_consumer_event alarm;
  const cppcoro::cancellation_registration on_cancel(token, [&] { alarm.set(); });
  co_await alarm;
  co_await pool.schedule();
  token.throw_if_cancellation_requested();
}

// Tasks that are cancelled, and whose caller catches operation_cancelled.
TRUTH_CASE(cancelled_alarms) {
  Pool pool(2);
  cppcoro::cancellation_source source;
  const auto alarm = [](Pool& threads, cppcoro::cancellation_token token) -> task<> {
    try {
      co_await wait_for_alarm(threads, token);
    } catch (const cppcoro::operation_cancelled&) {
      std::puts("cancelled");
    }
  };
  const auto cancel = [](Pool& threads, cppcoro::cancellation_source its_source) -> task<> {
    co_await threads.schedule();
    work(5ms);
    its_source.request_cancellation();
  };
  cppcoro::sync_wait(cppcoro::when_all_ready(alarm(pool, source.token()),
                                             alarm(pool, source.token()), cancel(pool, source),
                                             chatter(pool)));
}

cppcoro::shared_task<int> open_database(Pool& pool) {
  co_await pool.schedule();
  work(5ms);
  co_return 3;
}

// Several tasks await the same result, one of them after its end.
TRUTH_CASE(shared_database) {
  Pool pool(2);
  auto database = open_database(pool);
  const auto use = [](cppcoro::shared_task<int> shared) -> task<> {
    std::printf("%d\n", co_await shared);
  };
  cppcoro::sync_wait(cppcoro::when_all_ready(use(database), use(database), chatter(pool)));
  cppcoro::sync_wait(use(database));
}

cppcoro::generator<int> squares() {
  for (int i = 0;; ++i) co_yield i* i;
}

cppcoro::async_generator<int> measurements(Pool& pool) {
  for (int i = 0; i < 1000; ++i) {
    co_await pool.schedule();
    co_yield i;
  }
}

// Generators that are left before their end.
TRUTH_CASE(generators_left_early) {
  Pool pool(2);
  for (const int square : squares())
    if (square > 100) break;
  cppcoro::sync_wait(cppcoro::when_all_ready(
      [](Pool& threads) -> task<> {
        auto values = measurements(threads);
        for (auto at = co_await values.begin(); at != values.end() && *at < 5;) co_await ++at;
      }(pool),
      chatter(pool)));
}

}  // namespace
