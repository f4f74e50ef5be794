// Programs that use libcoro, each with one fault, and similar correct ones.
#include <semaphore.h>
#include <unistd.h>

#include <coro/coro.hpp>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "operator.h"

namespace {

using Pool = std::unique_ptr<coro::thread_pool>;

Pool make_pool(unsigned threads) {
  return coro::thread_pool::make_unique(coro::thread_pool::options{.thread_count = threads});
}

// Other traffic of the pool.
coro::task<void> chatter(Pool& pool) {
  for (int i = 0; i < truth::noise(); ++i) co_await pool->yield();
}

// ---- A mutex ----

struct Accounts {
  std::map<std::string, int> balances{{"ann", 100}, {"bob", 50}};
  coro::mutex mutex;
};

coro::task<bool> withdraw(Pool& pool, Accounts& accounts, std::string name, int amount) {
  co_await pool->schedule();
  co_await accounts.mutex.lock();  // @withdraw_lock
  int& balance = accounts.balances.at(name);
  if (balance < amount) co_return false;
  balance -= amount;
  accounts.mutex.unlock();
  co_return true;
}

// A withdrawal that is refused returns without unlock(); the next one waits for the mutex.
// truth: never released|never notified|unknown; in withdraw; at withdraw_lock; of lock_operation
TRUTH_CASE(refusal_keeps_mutex) {
  let_operator_stop();
  Pool pool = make_pool(2);
  Accounts accounts;
  coro::sync_wait(withdraw(pool, accounts, "ann", 30));
  coro::sync_wait(withdraw(pool, accounts, "bob", 80));
  coro::sync_wait(withdraw(pool, accounts, "ann", 30));
}

coro::task<bool> pay(Pool& pool, Accounts& accounts, std::string name, int amount) {
  co_await pool->schedule();
  auto lock = co_await accounts.mutex.scoped_lock();
  int& balance = accounts.balances.at(name);
  work();
  if (balance < amount) co_return false;
  balance -= amount;
  co_return true;
}

TRUTH_CASE(refused_payments) {
  Pool pool = make_pool(2);
  Accounts accounts;
  std::vector<coro::task<bool>> payments;
  for (int i = 0; i < 20; ++i)
    payments.push_back(pay(pool, accounts, i % 2 == 0 ? "ann" : "bob", 13));
  coro::sync_wait(coro::when_all(coro::when_all(std::move(payments)), chatter(pool)));
}

// ---- Two mutexes ----

struct Shelf {
  coro::mutex mutex;
  int books = 10;
};

coro::task<void> move_books(Pool& pool, Shelf& from, Shelf& to) {
  co_await pool->schedule();
  auto first = co_await from.mutex.scoped_lock();
  co_await pool->yield();
  work(20ms);
  auto second = co_await to.mutex.scoped_lock();  // @shelf_lock
  --from.books;
  ++to.books;
}

// Two tasks lock two mutexes in opposite order.
// truth: deadlock|never notified|unknown; in move_books; at shelf_lock; of lock_operation
TRUTH_CASE(shelves_in_opposite_order) {
  let_operator_stop();
  Pool pool = make_pool(2);
  Shelf a, b;
  coro::sync_wait(coro::when_all(move_books(pool, a, b), move_books(pool, b, a)));
}

coro::task<void> swap_books(Pool& pool, Shelf& one, Shelf& other) {
  co_await pool->schedule();
  Shelf& low = &one < &other ? one : other;
  Shelf& high = &one < &other ? other : one;
  auto first = co_await low.mutex.scoped_lock();
  co_await pool->yield();
  work();
  auto second = co_await high.mutex.scoped_lock();
  std::swap(one.books, other.books);
}

TRUTH_CASE(shelves_in_order_of_address) {
  Pool pool = make_pool(2);
  Shelf a, b;
  for (int i = 0; i < 5; ++i)
    coro::sync_wait(coro::when_all(swap_books(pool, a, b), swap_books(pool, b, a), chatter(pool)));
}

// ---- An event ----

struct Config {
  coro::event loaded;
  std::string text;
};

coro::task<void> load_config(Pool& pool, Config& config, std::string path) {
  co_await pool->schedule();
  work(5ms);
  if (path.empty()) co_return;  // "nothing to load"
  config.text = path;
  config.loaded.set();
}

coro::task<void> serve_with_config(Pool& pool, Config& config) {
  co_await pool->schedule();
  co_await config.loaded;  // @config_event
  std::puts(config.text.c_str());
}

// A loader returns early without setting the event that the server waits for.
// truth: never notified|unknown; in serve_with_config; at config_event; of event
TRUTH_CASE(config_event_never_set) {
  let_operator_stop();
  Pool pool = make_pool(2);
  Config config;
  coro::sync_wait(coro::when_all(serve_with_config(pool, config), load_config(pool, config, "")));
}

TRUTH_CASE(config_event_is_set) {
  Pool pool = make_pool(2);
  for (int i = 0; i < 3; ++i) {
    Config config;
    coro::sync_wait(coro::when_all(serve_with_config(pool, config),
                                   load_config(pool, config, "skiff.ini"),
                                   serve_with_config(pool, config), chatter(pool)));
    coro::sync_wait(serve_with_config(pool, config));
  }
}

// ---- A queue ----

coro::task<void> print_lines(Pool& pool, coro::queue<std::string>& lines) {
  co_await pool->schedule();
  while (auto line = co_await lines.pop()) std::puts(line->c_str());  // @line_pop
}

coro::task<void> read_lines(Pool& pool, coro::queue<std::string>& lines, bool shut_down) {
  co_await pool->schedule();
  for (int i = 0; i < 5; ++i) {
    co_await lines.push("line " + std::to_string(i));
    work();
  }
  if (shut_down) co_await lines.shutdown_drain(pool);
}

// A producer ends without shutting down its queue; the consumer waits for a sixth line.
// truth: never notified|unknown; in print_lines; at line_pop; of queue
TRUTH_CASE(queue_without_shutdown) {
  let_operator_stop();
  Pool pool = make_pool(2);
  coro::queue<std::string> lines;
  coro::sync_wait(coro::when_all(print_lines(pool, lines), read_lines(pool, lines, false)));
}

TRUTH_CASE(queue_with_shutdown) {
  Pool pool = make_pool(2);
  coro::queue<std::string> lines;
  coro::sync_wait(coro::when_all(print_lines(pool, lines), read_lines(pool, lines, true),
                                 print_lines(pool, lines), chatter(pool)));
}

// Consumers idle longer than the thresholds of the lints; main() pushes from outside.
TRUTH_CASE(idle_consumers) {
  Pool pool = make_pool(2);
  coro::queue<std::string> lines;
  coro::task_group<coro::thread_pool> consumers(pool);
  for (int i = 0; i < 3; ++i) (void)consumers.start(print_lines(pool, lines));
  coro::sync_wait(chatter(pool));
  coro::sync_wait(lines.push("early"));
  std::this_thread::sleep_for(1300ms);
  coro::sync_wait(lines.push("late"));
  coro::sync_wait(lines.shutdown());
  coro::sync_wait(consumers);
}

sem_t stop;

// A server that is idle until SIGTERM, and then shuts down in order. Its operator is a process.
TRUTH_CASE(idle_until_sigterm) {
  sem_init(&stop, 0, 0);
  std::signal(SIGTERM, [](int) { sem_post(&stop); });
  const pid_t server = getpid();
  if (fork() == 0) {
    std::this_thread::sleep_for(1300ms);
    kill(server, SIGTERM);
    _exit(0);
  }
  Pool pool = make_pool(2);
  coro::queue<std::string> lines;
  coro::task_group<coro::thread_pool> consumers(pool);
  for (int i = 0; i < 3; ++i) (void)consumers.start(print_lines(pool, lines));
  coro::sync_wait(chatter(pool));
  coro::sync_wait(lines.push("early"));
  while (sem_wait(&stop) != 0) continue;  // interrupted by the signal
  coro::sync_wait(lines.shutdown());
  coro::sync_wait(consumers);
}

// ---- A semaphore ----

coro::task<void> upload(Pool& pool, coro::semaphore<2>& slots, int part) {
  co_await pool->schedule();
  co_await slots.acquire();  // @slot_acquire
  work();
  if (part % 3 == 0) throw std::runtime_error("connection reset");
  co_await slots.release();
}

coro::task<void> upload_all(Pool& pool, coro::semaphore<2>& slots) {
  for (int part = 0; part < 9; ++part) {
    try {
      co_await upload(pool, slots, part);
    } catch (const std::exception& e) {
      std::printf("part %d: %s\n", part, e.what());
    }
  }
}

// Failed uploads keep their slots, until none is left.
// truth: never released|never notified|unknown; in upload; at slot_acquire; of semaphore
TRUTH_CASE(failed_upload_keeps_slot) {
  let_operator_stop();
  Pool pool = make_pool(2);
  coro::semaphore<2> slots(2);
  coro::sync_wait(upload_all(pool, slots));
}

coro::task<void> download(Pool& pool, coro::semaphore<2>& slots, int part) {
  co_await pool->schedule();
  co_await slots.acquire();
  std::exception_ptr error;
  try {
    work();
    co_await pool->yield();
    if (part % 3 == 0) throw std::runtime_error("connection reset");
  } catch (...) {
    error = std::current_exception();
  }
  co_await slots.release();
  if (error) std::rethrow_exception(error);
}

coro::task<void> try_download(Pool& pool, coro::semaphore<2>& slots, int part) {
  try {
    co_await download(pool, slots, part);
  } catch (const std::exception& e) {
    std::printf("part %d: %s\n", part, e.what());
  }
}

TRUTH_CASE(failed_download_frees_slot) {
  Pool pool = make_pool(2);
  coro::semaphore<2> slots(2);
  std::vector<coro::task<void>> parts;
  for (int part = 0; part < 12; ++part) parts.push_back(try_download(pool, slots, part));
  parts.push_back(chatter(pool));
  coro::sync_wait(coro::when_all(std::move(parts)));
}

// ---- A latch ----

coro::task<void> start_service(Pool& pool, coro::latch& started, bool enabled) {
  co_await pool->schedule();
  if (!enabled) co_return;
  work();
  started.count_down();
}

coro::task<void> report_ready(coro::latch& started) {
  co_await started;  // @ready_latch
  std::puts("ready");
}

// A latch for three services, of which one is disabled and does not count down.
// truth: never notified|unknown; in report_ready; at ready_latch; of latch
TRUTH_CASE(disabled_service_never_counts) {
  let_operator_stop();
  Pool pool = make_pool(2);
  coro::latch started(3);
  coro::sync_wait(coro::when_all(start_service(pool, started, true),
                                 start_service(pool, started, false),
                                 start_service(pool, started, true), report_ready(started)));
}

TRUTH_CASE(all_services_count) {
  Pool pool = make_pool(2);
  coro::latch started(3);
  coro::sync_wait(coro::when_all(start_service(pool, started, true),
                                 start_service(pool, started, true), report_ready(started),
                                 start_service(pool, started, true), chatter(pool)));
}

// ---- sync_wait ----

coro::task<int> look_up(Pool& pool, int key) {
  co_await pool->schedule();  // @look_up_schedule
  work();
  co_return key * 2;
}

coro::task<int> render(Pool& pool) {  // @render
  co_await pool->schedule();
  co_return coro::sync_wait(look_up(pool, 21));  // @render_sync_wait
}

// A task waits with sync_wait() on the only thread of its pool for another task of that pool.
// truth: running|starved|ran-too-long|handed over; in render look_up; at render render_sync_wait
// look_up_schedule
TRUTH_CASE(sync_wait_on_only_thread) {
  let_operator_stop();
  Pool pool = make_pool(1);
  std::printf("%d\n", coro::sync_wait(render(pool)));
}

// The same on a pool with a second thread, and from main().
TRUTH_CASE(sync_wait_with_second_thread) {
  Pool pool = make_pool(2);
  for (int i = 0; i < 5; ++i) std::printf("%d\n", coro::sync_wait(render(pool)));
  coro::sync_wait(chatter(pool));
}

// ---- Tasks ----

coro::task<void> flush_journal(Pool& pool) {  // @flush_journal
  co_await pool->schedule();
  work();
}

coro::task<void> close_journal(Pool& pool) {
  co_await pool->schedule();
  const auto flushed = flush_journal(pool);  // @journal_task: never awaited
  co_await pool->yield();
  work();
}

// A task is created, and its co_await is forgotten.
// truth: never-started; in flush_journal; at journal_task flush_journal; of flush_journal
TRUTH_CASE(journal_never_flushed) {
  Pool pool = make_pool(1);
  coro::sync_wait(close_journal(pool));
}

coro::task<void> close_in_order(Pool& pool) {
  co_await pool->schedule();
  const auto flushed = flush_journal(pool);  // awaited later
  co_await pool->yield();
  work();
  co_await flushed;
}

TRUTH_CASE(journal_flushed_late) {
  Pool pool = make_pool(1);
  coro::sync_wait(coro::when_all(close_in_order(pool), chatter(pool)));
}

coro::task<int> fetch(Pool& pool, int item) {
  co_await pool->schedule();
  work();
  co_return item;
}

coro::task<int> watch_file(Pool& pool, coro::event& changed) {
  co_await pool->schedule();
  co_await changed;  // @watch_event
  co_return 1;
}

// when_all() of two requests and a watcher that never ends.
// truth: never notified|unknown; in watch_file; at watch_event; of event
TRUTH_CASE(when_all_with_watcher) {
  let_operator_stop();
  Pool pool = make_pool(2);
  coro::event changed;
  coro::sync_wait(coro::when_all(fetch(pool, 1), watch_file(pool, changed), fetch(pool, 2)));
}

coro::task<void> fetch_and_end_watch(Pool& pool, coro::event& changed) {
  co_await coro::when_all(fetch(pool, 1), fetch(pool, 2));
  changed.set();
}

// The same, but whoever is done ends the watcher.
TRUTH_CASE(when_all_ends_watcher) {
  Pool pool = make_pool(2);
  coro::event changed;
  coro::sync_wait(
      coro::when_all(watch_file(pool, changed), fetch_and_end_watch(pool, changed), chatter(pool)));
}

coro::task<void> parse_packet(Pool& pool, int length) {  // @parse_packet
  co_await pool->schedule();
  if (length < 4) throw std::length_error("packet of 3 bytes");
}

// A detached task throws; the pool drops the exception.
// truth: failed; in parse_packet; at parse_packet; of packet of 3 bytes
TRUTH_CASE(detached_parser_throws) {
  let_operator_stop();
  Pool pool = make_pool(1);
  for (int length : {8, 3, 12}) pool->spawn_detached(parse_packet(pool, length));
  wait_for_operator();
}

coro::task<void> try_parse(Pool& pool, int length) {
  try {
    co_await parse_packet(pool, length);
  } catch (const std::length_error& e) {
    std::puts(e.what());
  }
}

TRUTH_CASE(detached_parser_catches) {
  Pool pool = make_pool(1);
  coro::task_group<coro::thread_pool> parsers(pool);
  for (int length : {8, 3, 12}) (void)parsers.start(try_parse(pool, length));
  coro::sync_wait(coro::when_all(chatter(pool),
                                 [](auto& group) -> coro::task<void> { co_await group; }(parsers)));
}

coro::task<void> index_file(Pool& pool, int file) {
  work();
  co_await pool->yield();
  std::printf("file %d\n", file);
}

coro::task<void> write_index(Pool& pool) {
  co_await pool->yield();
  std::puts("index");
}

// A task behind many others, and one that is spawned while the pool is shut down.
TRUTH_CASE(last_in_queue_of_pool) {
  Pool pool = make_pool(1);
  coro::task_group<coro::thread_pool> files(pool);
  for (int file = 0; file < 200; ++file) (void)files.start(index_file(pool, file));
  pool->spawn_detached(write_index(pool));
  coro::sync_wait(chatter(pool));
  coro::sync_wait(files);
  pool->shutdown();
  if (!pool->spawn_detached(write_index(pool))) std::puts("too late");
}

// ---- A ring buffer ----

using Ring = coro::ring_buffer<int, 4>;

coro::task<void> sample(Pool& pool, Ring& ring) {
  co_await pool->schedule();
  for (int i = 0; i < 12; ++i) co_await ring.produce(i);  // @ring_produce
}

coro::task<void> plot_first(Pool& pool, Ring& ring, int count) {
  co_await pool->schedule();
  for (int i = 0; i < count; ++i)
    if (auto value = co_await ring.consume()) std::printf("%d\n", *value);
}

// A consumer ends after three values; the producer waits for room.
// truth: never notified|unknown; in sample; at ring_produce; of ring_buffer
TRUTH_CASE(plotter_ends_early) {
  let_operator_stop();
  Pool pool = make_pool(2);
  Ring ring;
  coro::sync_wait(coro::when_all(sample(pool, ring), plot_first(pool, ring, 3)));
}

// A slow consumer: its producer waits for room, but not forever.
TRUTH_CASE(slow_plotter) {
  Pool pool = make_pool(2);
  Ring ring;
  coro::sync_wait(coro::when_all(sample(pool, ring), plot_first(pool, ring, 12), chatter(pool)));
}

// ---- The first of several ----

coro::task<int> ask_mirror(Pool& pool, int mirror) {
  co_await pool->schedule();
  for (int i = 0; i < 10 * mirror; ++i) co_await pool->yield();
  co_return mirror;
}

coro::generator<int> countdown(int from) {
  for (int i = from; i >= 0; --i) co_yield i;
}

// The losers of when_any() go on in the background; a generator is left before its end.
TRUTH_CASE(first_of_three_mirrors) {
  Pool pool = make_pool(2);
  for (int round = 0; round < 3; ++round) {
    std::vector<coro::task<int>> mirrors;
    for (int mirror = 1; mirror <= 3; ++mirror) mirrors.push_back(ask_mirror(pool, mirror));
    std::printf("%d\n", coro::sync_wait(coro::when_any(std::move(mirrors))));
  }
  for (const int i : countdown(10))
    if (i == 5) break;
  coro::sync_wait(chatter(pool));
}

}  // namespace
