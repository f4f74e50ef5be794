// Programs that use concurrencpp, each with one fault, and similar correct ones.
#include <concurrencpp/concurrencpp.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "operator.h"

namespace {

using concurrencpp::async_condition_variable;
using concurrencpp::async_lock;
using concurrencpp::executor_tag;
using concurrencpp::lazy_result;
using concurrencpp::null_result;
using concurrencpp::result;
using Executor = std::shared_ptr<concurrencpp::executor>;
using Pool = std::shared_ptr<concurrencpp::thread_pool_executor>;
using Timers = std::shared_ptr<concurrencpp::timer_queue>;

// Other traffic of the pool.
result<void> chatter(Executor pool) {
  for (int i = 0; i < truth::noise(); ++i) co_await concurrencpp::resume_on(pool);
}

// ---- A lock ----

struct Store {
  async_lock lock;
  std::map<int, std::string> rows;
};

lazy_result<void> evict(Executor pool, Store& store) {
  auto guard = co_await store.lock.lock(pool);  // @evict_lock
  store.rows.clear();
}

result<void> insert(executor_tag, Executor pool, Store& store, int row) {
  auto guard = co_await store.lock.lock(pool);
  if (store.rows.size() >= 2) co_await evict(pool, store);  // @insert_evict
  store.rows[row] = "row";
}

// insert() holds the lock and calls evict(), which takes it again.
// truth: deadlock|never released|never notified|unknown; in evict insert; at evict_lock
// insert_evict; of lock
TRUTH_CASE(locks_twice) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  const Pool pool = runtime.thread_pool_executor();
  Store store;
  for (int row = 0; row < 3; ++row) insert({}, pool, store, row).get();
}

result<void> replace(executor_tag, Executor pool, Store& store, int row) {
  bool full = false;
  {
    auto guard = co_await store.lock.lock(pool);
    full = store.rows.size() >= 2;
    work();
  }
  if (full) co_await evict(pool, store);
  auto guard = co_await store.lock.lock(pool);
  store.rows[row] = "row";
}

TRUTH_CASE(locks_again_after_release) {
  concurrencpp::runtime runtime;
  const Pool pool = runtime.thread_pool_executor();
  Store store;
  std::vector<result<void>> results;
  for (int row = 0; row < 8; ++row) results.push_back(replace({}, pool, store, row));
  for (auto& one : results) one.get();
  chatter(pool).get();
}

result<void> move_row(executor_tag, Executor pool, Store& from, Store& to) {
  auto first = co_await from.lock.lock(pool);
  co_await concurrencpp::resume_on(pool);
  work(20ms);
  auto second = co_await to.lock.lock(pool);  // @move_row_lock
  to.rows[1] = from.rows[1];
}

// Two tasks take two locks in opposite order.
// truth: deadlock|never notified|unknown; in move_row; at move_row_lock; of lock
TRUTH_CASE(stores_in_opposite_order) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  const auto pool = runtime.make_executor<concurrencpp::thread_pool_executor>("movers", 2, 10s);
  Store a, b;
  auto there = move_row({}, pool, a, b);
  auto back = move_row({}, pool, b, a);
  there.get();
  back.get();
}

TRUTH_CASE(stores_in_the_same_order) {
  concurrencpp::runtime runtime;
  const auto pool = runtime.make_executor<concurrencpp::thread_pool_executor>("movers", 2, 10s);
  Store a, b;
  auto there = move_row({}, pool, a, b);
  auto again = move_row({}, pool, a, b);
  there.get();
  again.get();
  chatter(pool).get();
}

// ---- A condition variable ----

struct Inbox {
  async_lock lock;
  async_condition_variable filled;
  std::vector<std::string> mails;
  bool closed = false;
};

result<void> read_mail(executor_tag, Executor pool, Inbox& inbox) {
  for (;;) {
    auto guard = co_await inbox.lock.lock(pool);
    const auto ready = [&] { return !inbox.mails.empty() || inbox.closed; };
    co_await inbox.filled.await(pool, guard, ready);  // @inbox_await
    if (inbox.mails.empty()) break;
    inbox.mails.pop_back();
  }
}

result<void> deliver(executor_tag, Executor pool, Inbox& inbox, bool notify) {
  auto guard = co_await inbox.lock.lock(pool);
  inbox.mails.push_back("hello");
  guard.unlock();
  if (notify) inbox.filled.notify_one();
}

result<void> close_inbox(executor_tag, Executor pool, Inbox& inbox) {
  auto guard = co_await inbox.lock.lock(pool);
  inbox.closed = true;
  guard.unlock();
  inbox.filled.notify_all();
}

// A mail is delivered without notify_one(); its reader waits on.
// truth: never notified|unknown; in read_mail; at inbox_await; of cv_awaiter
TRUTH_CASE(mail_without_notify) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  const Pool pool = runtime.thread_pool_executor();
  Inbox inbox;
  auto reader = read_mail({}, pool, inbox);
  work(20ms);
  deliver({}, pool, inbox, false).get();
  reader.get();
}

// Readers that are idle longer than the thresholds of the lints, until the inbox is closed.
TRUTH_CASE(idle_inbox) {
  concurrencpp::runtime runtime;
  const Pool pool = runtime.thread_pool_executor();
  Inbox inbox;
  auto reader = read_mail({}, pool, inbox);
  auto other = read_mail({}, pool, inbox);
  for (int i = 0; i < 5; ++i) deliver({}, pool, inbox, true).get();
  chatter(pool).get();
  std::this_thread::sleep_for(1300ms);
  close_inbox({}, pool, inbox).get();
  reader.get();
  other.get();
}

// ---- Promises ----

struct Client {
  std::map<int, concurrencpp::result_promise<std::string>> pending;
  void on_reply(int id, std::string text) {
    const auto found = pending.find(id);
    if (found == pending.end()) return;
    found->second.set_result(std::move(text));
    pending.erase(found);
  }
};

result<void> ask_server(Client& client, int id) {
  auto reply = client.pending[id].get_result();
  std::puts((co_await reply).c_str());  // @reply_await
}

// The reply has another id: it is dropped, and the request waits for ever.
// truth: never notified|unknown; in ask_server; at reply_await; of result
TRUTH_CASE(reply_with_other_id) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  Client client;
  auto first = ask_server(client, 1);
  auto second = ask_server(client, 2);
  std::thread network([&] {
    client.on_reply(1, "one");
    client.on_reply(3, "two");
  });
  network.join();
  first.get();
  second.get();
}

TRUTH_CASE(all_replies) {
  concurrencpp::runtime runtime;
  Client client;
  std::vector<result<void>> requests;
  for (int id = 0; id < 6; ++id) requests.push_back(ask_server(client, id));
  std::thread network([&] {
    for (int id = 6; id >= 0; --id) client.on_reply(id, "reply");
  });
  network.join();
  for (auto& one : requests) one.get();
  chatter(runtime.thread_pool_executor()).get();
}

// ---- Waiting on a worker ----

result<int> read_row(executor_tag, Executor) {  // @read_row
  work();
  co_return 5;
}

result<int> report_rows(executor_tag, Executor worker) {  // @report_rows
  co_return read_row({}, worker).get();                   // @report_get
}

// A task waits with get() on the thread that should run what it waits for.
// truth: running|starved|ran-too-long|handed over|never-started; in report_rows read_row; at
// report_rows report_get read_row
TRUTH_CASE(get_on_own_worker) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  const auto worker = runtime.make_worker_thread_executor();
  std::printf("%d\n", report_rows({}, worker).get());
}

result<int> collect_rows(executor_tag, Executor worker) { co_return co_await read_row({}, worker); }

TRUTH_CASE(await_on_own_worker) {
  concurrencpp::runtime runtime;
  const auto worker = runtime.make_worker_thread_executor();
  for (int i = 0; i < 5; ++i) std::printf("%d\n", collect_rows({}, worker).get());
  chatter(worker).get();
}

// ---- Executors ----

null_result repaint(executor_tag, Executor) {  // @repaint
  work();
  co_return;
}

// The window's loop has ended, but a job is posted to it; nothing runs it.
// truth: never-started|handed over|never notified|unknown; in repaint; at repaint; of repaint
TRUTH_CASE(job_after_last_loop) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  const auto window = runtime.make_manual_executor();
  for (int i = 0; i < 3; ++i) {
    repaint({}, window);
    window->loop_once();
  }
  repaint({}, window);
  wait_for_operator();
}

TRUTH_CASE(loop_until_empty) {
  concurrencpp::runtime runtime;
  const auto window = runtime.make_manual_executor();
  for (int i = 0; i < 5; ++i) repaint({}, window);
  auto traffic = chatter(window);
  while (!window->empty()) window->loop(100);
  traffic.get();
}

result<void> compact(executor_tag, Executor) {
  work();
  co_return;
}

null_result print_totals(executor_tag, Executor) {
  std::puts("total");
  co_return;
}

// A job behind many others.
TRUTH_CASE(last_in_long_queue) {
  concurrencpp::runtime runtime;
  const auto worker = runtime.make_worker_thread_executor();
  std::vector<result<void>> jobs;
  for (int i = 0; i < 200; ++i) jobs.push_back(compact({}, worker));
  print_totals({}, worker);
  auto traffic = chatter(worker);
  for (auto& job : jobs) job.get();
  traffic.get();
}

// At shutdown, jobs in the queue fail with broken_task, and their owner catches it.
TRUTH_CASE(shutdown_with_queued_jobs) {
  concurrencpp::runtime runtime;
  const auto worker = runtime.make_worker_thread_executor();
  chatter(worker).get();
  std::vector<result<void>> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(compact({}, worker));
  worker->shutdown();
  for (auto& job : jobs) {
    try {
      job.get();
    } catch (const concurrencpp::errors::broken_task&) {
      std::puts("cancelled");
    }
  }
}

// ---- Lazy results ----

lazy_result<void> sync_disk(Executor pool) {  // @sync_disk
  co_await concurrencpp::resume_on(pool);
  work();
}

result<void> save_file(executor_tag, Executor pool, bool forget) {
  auto synced = sync_disk(pool);  // @disk_task
  co_await concurrencpp::resume_on(pool);
  if (!forget) co_await synced;
}

// A lazy_result is created and never awaited.
// truth: never-started; in sync_disk; at disk_task sync_disk; of sync_disk
TRUTH_CASE(disk_never_synced) {
  concurrencpp::runtime runtime;
  save_file({}, runtime.thread_pool_executor(), true).get();
}

TRUTH_CASE(disk_synced_late) {
  concurrencpp::runtime runtime;
  save_file({}, runtime.thread_pool_executor(), false).get();
  chatter(runtime.thread_pool_executor()).get();
}

// ---- when_all, timers, failures ----

result<int> fetch_quote(executor_tag, Executor, int shop) {
  work();
  co_return shop;
}

result<int> fetch_closed_shop(concurrencpp::result_promise<int>& opens) {
  auto quote = opens.get_result();
  co_return co_await quote;  // @shop_await
}

result<void> compare_quotes(Executor pool, concurrencpp::result_promise<int>& opens) {
  co_await concurrencpp::when_all(pool, fetch_quote({}, pool, 1), fetch_closed_shop(opens));
}

// when_all() of a request and one that never ends.
// truth: never notified|unknown; in fetch_closed_shop; at shop_await; of result
TRUTH_CASE(when_all_with_closed_shop) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  concurrencpp::result_promise<int> opens;
  compare_quotes(runtime.thread_pool_executor(), opens).get();
}

TRUTH_CASE(when_all_with_late_shop) {
  concurrencpp::runtime runtime;
  concurrencpp::result_promise<int> opens;
  auto compared = compare_quotes(runtime.thread_pool_executor(), opens);
  chatter(runtime.thread_pool_executor()).get();
  work(20ms);
  opens.set_result(3);
  compared.get();
}

result<void> retry(Timers timers, Executor pool, std::chrono::milliseconds pause) {
  for (int i = 0; i < 3; ++i) co_await timers->make_delay_object(pause, pool);  // @retry_delay
}

// A pause of 10 hours between two attempts, where 10 ms were meant.
// truth: never expires|never notified|unknown|external wait; in retry; at retry_delay; of delay
TRUTH_CASE(retry_in_hours) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  retry(runtime.timer_queue(), runtime.thread_pool_executor(), 10h).get();
}

// Pauses and a timer that ticks; both end.
TRUTH_CASE(retry_in_milliseconds) {
  concurrencpp::runtime runtime;
  const Pool pool = runtime.thread_pool_executor();
  auto tick = runtime.timer_queue()->make_timer(2ms, 2ms, pool, [] { work(); });
  retry(runtime.timer_queue(), pool, 10ms).get();
  chatter(pool).get();
  tick.cancel();
}

result<int> parse_quote(executor_tag, Executor, std::string text) {  // @parse_quote
  co_return std::stoi(text);
}

// A result is dropped, and with it the exception.
// truth: failed; in parse_quote; at parse_quote; of stoi
TRUTH_CASE(failed_quote_dropped) {
  let_operator_stop();
  concurrencpp::runtime runtime;
  for (const char* text : {"12", "n/a", "7"}) parse_quote({}, runtime.thread_pool_executor(), text);
  wait_for_operator();
}

TRUTH_CASE(failed_quote_caught) {
  concurrencpp::runtime runtime;
  for (const char* text : {"12", "n/a", "7"}) {
    try {
      parse_quote({}, runtime.thread_pool_executor(), text).get();
    } catch (const std::invalid_argument& e) {
      std::puts(e.what());
    }
  }
  chatter(runtime.thread_pool_executor()).get();
}

result<int> query_replica(executor_tag, Executor pool, int replica) {
  for (int i = 0; i < 10 * replica; ++i) co_await concurrencpp::resume_on(pool);
  co_return replica;
}

result<void> query_fastest(Executor pool) {
  std::vector<result<int>> replicas;
  for (int replica = 1; replica <= 3; ++replica)
    replicas.push_back(query_replica({}, pool, replica));
  auto any = co_await concurrencpp::when_any(pool, replicas.begin(), replicas.end());
  std::printf("%d\n", co_await any.results[any.index]);
}

concurrencpp::generator<int> even_numbers() {
  for (int i = 0;; i += 2) co_yield i;
}

// The losers of when_any() are dropped; a generator is left before its end.
TRUTH_CASE(fastest_of_three_replicas) {
  concurrencpp::runtime runtime;
  const Pool pool = runtime.thread_pool_executor();
  for (int round = 0; round < 3; ++round) query_fastest(pool).get();
  for (const int number : even_numbers())
    if (number > 10) break;
  chatter(pool).get();
}

}  // namespace
