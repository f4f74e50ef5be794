// Correct programs with a task type and an event loop of their own (loop.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>

#include "loop.h"

namespace {

Task<int> add(Loop& loop, int a, int b) {
  co_await loop.sleep(1ms);
  co_return a + b;
}

Task<> add_up(Loop& loop) {
  int total = 0;
  for (int i = 0; i < 4; ++i) total = co_await add(loop, total, i);  // each needs the one before
  std::printf("%d\n", total);
}

// Each step needs the result of the one before.
TRUTH_CASE(dependent_steps) {
  Loop loop;
  spawn(add_up(loop));
  loop.run();
}

Task<> work_for(Loop& loop, int ms, int& done) {
  co_await loop.sleep(std::chrono::milliseconds(ms));
  ++done;
}

Task<> fork_and_join(Loop& loop) {
  int done = 0;
  std::vector<Task<>> parts;
  for (int i = 0; i < 12; ++i) parts.push_back(work_for(loop, 5 + i, done));
  co_await loop.sleep(20ms);  // the parts are lazy: none has started yet
  co_await when_all(loop, std::move(parts));
  std::printf("%d\n", done);
}

// A work list of lazy tasks that start later, all at once.
TRUTH_CASE(when_all_of_lazy_tasks) {
  Loop loop;
  spawn(fork_and_join(loop));
  loop.run();
}

Task<> run_in_order(Loop& loop) {
  int done = 0;
  std::deque<Task<>> backlog;
  for (int i = 0; i < 8; ++i) backlog.push_back(work_for(loop, 10, done));
  while (!backlog.empty()) {
    co_await std::move(backlog.front());
    backlog.pop_front();
  }
}

// A backlog of lazy tasks, of which each starts when the one before has ended.
TRUTH_CASE(backlog_of_lazy_tasks) {
  Loop loop;
  spawn(run_in_order(loop));
  loop.run();
}

// A scheduler that owns lazy tasks and starts some of them: the others are dropped at its end.
class Crawler {
 public:
  explicit Crawler(Loop& loop) : loop_(loop) {
    for (int page = 0; page < 30; ++page) pages_.push_back(fetch(page));
  }
  Task<> crawl(int budget) {
    for (int i = 0; i < budget; ++i) co_await std::move(pages_[static_cast<std::size_t>(i)]);
  }

 private:
  Task<> fetch(int page) {
    co_await loop_.sleep(2ms);
    seen_.insert(page);
  }
  Loop& loop_;
  std::vector<Task<>> pages_;
  std::set<int> seen_;
};

// A crawler with a budget: most of its lazy tasks never start.
TRUTH_CASE(crawler_with_budget) {
  Loop loop;
  Crawler crawler(loop);
  spawn(crawler.crawl(10));
  loop.run();
}

Task<> fill(Loop& loop, Channel<int>& out, int count) {
  for (int i = 0; i < count; ++i) {
    co_await out.send(i);
    if (i % 10 == 0) co_await loop.sleep(1ms);
  }
  out.close();
}

Task<> drain(Channel<int>& in, long& total) {
  while (const auto value = co_await in.receive()) total += *value;
}

// A producer and a consumer with a bounded channel.
TRUTH_CASE(producer_consumer) {
  Loop loop;
  Channel<int> channel(loop, 3);
  long total = 0;
  spawn(drain(channel, total));
  spawn(fill(loop, channel, 200));
  loop.run();
}

Task<> square(Channel<int>& in, Channel<int>& out) {
  while (const auto value = co_await in.receive()) co_await out.send(*value * *value);
  out.close();
}

// A pipeline of three stages.
TRUTH_CASE(pipeline) {
  Loop loop;
  Channel<int> first(loop, 2), second(loop, 2);
  long total = 0;
  spawn(drain(second, total));
  spawn(square(first, second));
  spawn(fill(loop, first, 50));
  loop.run();
}

Task<> handle_jobs(Loop& loop, Channel<int>& jobs, Latch& all) {
  while (const auto job = co_await jobs.receive())
    co_await loop.sleep(std::chrono::milliseconds(*job % 4));
  all.count_down();
}

Task<> offer_jobs(Channel<int>& jobs, Latch& all) {
  for (int i = 0; i < 40; ++i) co_await jobs.send(i);
  jobs.close();
  co_await all.wait();
  std::puts("all done");
}

// Workers that share a queue of jobs.
TRUTH_CASE(worker_queue) {
  Loop loop;
  Channel<int> jobs(loop, 5);
  Latch all(loop, 3);
  for (int i = 0; i < 3; ++i) spawn(handle_jobs(loop, jobs, all));
  spawn(offer_jobs(jobs, all));
  loop.run();
}

Task<> idle_worker(Channel<int>& jobs) {
  while (const auto job = co_await jobs.receive()) std::printf("%d\n", *job);
}

Task<> quit_after(Loop& loop, Clock::duration time) {
  co_await loop.sleep(time);
  loop.stop();
}

// Workers that wait for jobs, of which none come before the program is stopped.
TRUTH_CASE(idle_workers) {
  Loop loop;
  Channel<int> jobs(loop, 5);
  for (int i = 0; i < 4; ++i) spawn(idle_worker(jobs));
  spawn(quit_after(loop, 200ms));
  loop.run(true);
}

Task<> take_turns(Loop& loop, Mutex& mutex, int& shared) {
  for (int i = 0; i < 5; ++i) {
    co_await mutex.lock();
    const int seen = shared;
    co_await loop.sleep(1ms);
    shared = seen + 1;
    mutex.unlock();
  }
}

// A contended mutex.
TRUTH_CASE(contended_mutex) {
  Loop loop;
  Mutex mutex(loop);
  int shared = 0;
  for (int i = 0; i < 5; ++i) spawn(take_turns(loop, mutex, shared));
  loop.run();
}

Task<> nested_locks(Loop& loop, Mutex& outer, Mutex& inner) {
  for (int i = 0; i < 4; ++i) {
    co_await outer.lock();
    co_await inner.lock();
    co_await loop.sleep(1ms);
    inner.unlock();
    outer.unlock();
  }
}

// Two mutexes, always locked in the same order.
TRUTH_CASE(locks_in_one_order) {
  Loop loop;
  Mutex outer(loop), inner(loop);
  for (int i = 0; i < 4; ++i) spawn(nested_locks(loop, outer, inner));
  loop.run();
}

struct Gate {
  explicit Gate(Loop& loop) : opened(loop) {}
  Signal opened;
  bool open = false;
  Task<> pass() {
    while (!open) co_await opened.wait();
  }
};

Task<> pass_gate(Gate& gate, int& passed) {
  co_await gate.pass();
  ++passed;
}

Task<> open_gate(Loop& loop, Gate& gate) {
  co_await loop.sleep(5ms);
  gate.open = true;
  gate.opened.notify_all();
}

// Tasks before a gate, and some that come after it was opened.
TRUTH_CASE(gate) {
  Loop loop;
  Gate gate(loop);
  int passed = 0;
  for (int i = 0; i < 10; ++i) spawn(pass_gate(gate, passed));
  spawn(open_gate(loop, gate));
  loop.run();
  for (int i = 0; i < 5; ++i) spawn(pass_gate(gate, passed));
}

Task<> beat(Loop& loop, int times) {
  for (int i = 0; i < times; ++i) co_await loop.sleep(4ms);
}

// A periodic task.
TRUTH_CASE(heartbeat) {
  Loop loop;
  spawn(beat(loop, 50));
  loop.run();
}

// Hundreds of sleeping tasks.
TRUTH_CASE(many_sleepers) {
  Loop loop;
  int done = 0;
  for (int i = 0; i < 300; ++i) spawn(work_for(loop, 100 + i % 50, done));
  loop.run();
}

// A task that sleeps longer than the lints' thresholds.
TRUTH_CASE(sleeps_long) {
  Loop loop;
  int done = 0;
  spawn(work_for(loop, 1300, done));
  loop.run();
}

Task<int> attempt(Loop& loop, int number) {
  co_await loop.sleep(2ms);
  if (number < 3) throw std::runtime_error("connection refused");
  co_return number;
}

Task<> with_backoff(Loop& loop) {
  auto delay = 2ms;
  for (int i = 0;; ++i) {
    bool failed = false;
    try {
      std::printf("%d\n", co_await attempt(loop, i));
      co_return;
    } catch (const std::runtime_error&) {
      failed = true;
    }
    if (failed) co_await loop.sleep(delay);
    delay *= 2;
  }
}

// Retries with a growing delay.
TRUTH_CASE(retry_with_backoff) {
  Loop loop;
  spawn(with_backoff(loop));
  loop.run();
}

Task<int> fails_at_once() {
  throw std::logic_error("not found");
  co_return 1;
}

Task<> handles_failure() {
  try {
    (void)co_await fails_at_once();
  } catch (const std::logic_error&) {
    std::puts("using the default");
  }
}

// A failure that its caller handles.
TRUTH_CASE(handled_failure) {
  Loop loop;
  spawn(handles_failure());
  loop.run();
}

Task<> compute(int ms, Loop& loop) {
  const auto end = Clock::now() + std::chrono::milliseconds(ms);
  double x = 1;
  while (Clock::now() < end) x = std::sqrt(x + 2);
  co_await loop.sleep(1ms);
  std::printf("%f\n", x);
}

// Computes for 300 ms; nothing else waits for the thread.
TRUTH_CASE(long_computation) {
  Loop loop;
  spawn(compute(300, loop));
  loop.run();
}

// Computes for 20 ms at a time, between the turns of others.
TRUTH_CASE(short_computations) {
  Loop loop;
  int done = 0;
  for (int i = 0; i < 5; ++i) spawn(compute(20, loop));
  spawn(work_for(loop, 10, done));
  loop.run();
}

Task<> cooperative(Loop& loop, int slices) {
  double x = 1;
  for (int i = 0; i < slices; ++i) {
    for (int k = 0; k < 20'000; ++k) x = std::sqrt(x + k);
    co_await loop.yield();
  }
}

// A computation in slices, with a yield between them.
TRUTH_CASE(yields_between_slices) {
  Loop loop;
  spawn(cooperative(loop, 300));
  int done = 0;
  for (int i = 0; i < 10; ++i) spawn(work_for(loop, 5 * i, done));
  loop.run();
}

Task<> write_file(Loop& loop) {
  char name[] = "/tmp/truth-XXXXXX";
  std::FILE* out = fdopen(mkstemp(name), "w");
  for (int i = 0; i < 1000; ++i) std::fprintf(out, "row %d\n", i);
  std::fclose(out);
  co_await loop.yield();
  std::FILE* in = std::fopen(name, "r");
  std::array<char, 4096> block;
  while (std::fread(block.data(), 1, block.size(), in) > 0) co_await loop.yield();
  std::fclose(in);
  std::remove(name);
}

// Blocking file I/O between suspensions.
TRUTH_CASE(file_io) {
  Loop loop;
  spawn(write_file(loop));
  loop.run();
}

Generator<int> fibonacci() {
  for (int a = 0, b = 1;; a = std::exchange(b, a + b)) co_yield a;
}

// An endless generator, of which some values are taken.
TRUTH_CASE(endless_generator) {
  auto numbers = fibonacci();
  for (int i = 0; i < 20; ++i) std::printf("%d ", *numbers.next());
}

Generator<std::string> words(std::string text) {
  std::istringstream in(text);
  for (std::string word; in >> word;) co_yield word;
}

// A generator that ends.
TRUTH_CASE(finite_generator) {
  auto parts = words("the quick brown fox");
  while (const auto word = parts.next()) std::puts(word->c_str());
}

Generator<int> doubled(Generator<int> in) {
  while (const auto value = in.next()) co_yield *value * 2;
}

// A generator that reads another one, abandoned half-way.
TRUTH_CASE(generator_of_generator) {
  auto numbers = doubled(fibonacci());
  for (int i = 0; i < 7; ++i) (void)numbers.next();
}

Task<> feed_from_generator(Loop& loop, Channel<std::string>& out) {
  auto lines = words("a b c d e f g");
  while (auto line = lines.next()) {
    co_await out.send(std::move(*line));
    co_await loop.sleep(1ms);
  }
  out.close();
}

Task<> print_all(Channel<std::string>& in) {
  while (const auto line = co_await in.receive()) std::puts(line->c_str());
}

// A generator that feeds a channel.
TRUTH_CASE(generator_feeds_channel) {
  Loop loop;
  Channel<std::string> channel(loop, 1);
  spawn(print_all(channel));
  spawn(feed_from_generator(loop, channel));
  loop.run();
}

// A value that is computed once, at its first use.
template <class T>
class Lazy_value {
 public:
  Lazy_value(Loop& loop, std::function<Task<T>()> make) : made_(loop), make_(std::move(make)) {}
  Task<T> get() {
    if (value_) co_return *value_;
    if (std::exchange(is_being_made_, true)) {
      while (!value_) co_await made_.wait();
      co_return *value_;
    }
    value_ = co_await make_();
    made_.notify_all();
    co_return *value_;
  }

 private:
  Signal made_;
  std::function<Task<T>()> make_;
  std::optional<T> value_;
  bool is_being_made_ = false;
};

Task<> use_value(Lazy_value<int>& value, int& sum) { sum += co_await value.get(); }

// A lazily computed value that several tasks need at once, and some later.
TRUTH_CASE(lazy_value) {
  Loop loop;
  Lazy_value<int> value(loop, [&loop] { return add(loop, 2, 3); });
  int sum = 0;
  for (int i = 0; i < 4; ++i) spawn(use_value(value, sum));
  loop.run();
  spawn(use_value(value, sum));
}

// A lazily computed value that is never used.
TRUTH_CASE(lazy_value_unused) {
  Loop loop;
  Lazy_value<int> value(loop, [&loop] { return add(loop, 2, 3); });
  int done = 0;
  spawn(work_for(loop, 10, done));
  loop.run();
}

class Semaphore {
 public:
  Semaphore(Loop& loop, int count) : freed_(loop), left_(count) {}
  Task<> acquire() {
    while (left_ == 0) co_await freed_.wait();
    --left_;
  }
  void release() {
    ++left_;
    freed_.notify_one();
  }

 private:
  Signal freed_;
  int left_;
};

Task<> limited(Loop& loop, Semaphore& permits, int i) {
  co_await permits.acquire();
  co_await loop.sleep(std::chrono::milliseconds(1 + i % 3));
  permits.release();
}

// At most three of twenty tasks work at once.
TRUTH_CASE(semaphore) {
  Loop loop;
  Semaphore permits(loop, 3);
  for (int i = 0; i < 20; ++i) spawn(limited(loop, permits, i));
  loop.run();
}

class Token_bucket {
 public:
  explicit Token_bucket(Loop& loop) : loop_(loop), next_(Clock::now()) {}
  Task<> take() {
    const auto mine = next_;
    next_ += 3ms;
    if (mine > Clock::now()) co_await loop_.sleep(mine - Clock::now());
  }

 private:
  Loop& loop_;
  Clock::time_point next_;
};

Task<> rate_limited(Token_bucket& bucket) { co_await bucket.take(); }

// A rate limiter.
TRUTH_CASE(rate_limiter) {
  Loop loop;
  Token_bucket bucket(loop);
  for (int i = 0; i < 30; ++i) spawn(rate_limited(bucket));
  loop.run();
}

class Barrier {
 public:
  Barrier(Loop& loop, int count) : full_(loop), count_(count) {}
  Task<> arrive() {
    const int round = round_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++round_;
      full_.notify_all();
    }
    while (round == round_) co_await full_.wait();
  }

 private:
  Signal full_;
  int count_, arrived_ = 0, round_ = 0;
};

Task<> in_rounds(Loop& loop, Barrier& barrier, int i) {
  for (int round = 0; round < 4; ++round) {
    co_await loop.sleep(std::chrono::milliseconds(i));
    co_await barrier.arrive();
  }
}

// Tasks that work in rounds.
TRUTH_CASE(barrier) {
  Loop loop;
  Barrier barrier(loop, 5);
  for (int i = 0; i < 5; ++i) spawn(in_rounds(loop, barrier, i));
  loop.run();
}

// Readers may share.
class Shared_mutex {
 public:
  explicit Shared_mutex(Loop& loop) : changed_(loop) {}
  Task<> lock_shared() {
    while (writer_) co_await changed_.wait();
    ++readers_;
  }
  void unlock_shared() {
    if (--readers_ == 0) changed_.notify_all();
  }
  Task<> lock() {
    while (writer_ || readers_ > 0) co_await changed_.wait();
    writer_ = true;
  }
  void unlock() {
    writer_ = false;
    changed_.notify_all();
  }

 private:
  Signal changed_;
  int readers_ = 0;
  bool writer_ = false;
};

Task<> reader(Loop& loop, Shared_mutex& mutex) {
  for (int i = 0; i < 5; ++i) {
    co_await mutex.lock_shared();
    co_await loop.sleep(1ms);
    mutex.unlock_shared();
    co_await loop.sleep(1ms);
  }
}

Task<> writer(Loop& loop, Shared_mutex& mutex) {
  for (int i = 0; i < 3; ++i) {
    co_await mutex.lock();
    co_await loop.sleep(2ms);
    mutex.unlock();
    co_await loop.sleep(3ms);
  }
}

// Readers and writers.
TRUTH_CASE(readers_and_writers) {
  Loop loop;
  Shared_mutex mutex(loop);
  for (int i = 0; i < 4; ++i) spawn(reader(loop, mutex));
  for (int i = 0; i < 2; ++i) spawn(writer(loop, mutex));
  loop.run();
}

Task<int> depth(Loop& loop, int left) {
  if (left == 0) {
    co_await loop.sleep(10ms);
    co_return 0;
  }
  co_return 1 + co_await depth(loop, left - 1);
}

Task<> descend(Loop& loop) { std::printf("%d\n", co_await depth(loop, 200)); }

// A deep recursion of awaits.
TRUTH_CASE(deep_recursion) {
  Loop loop;
  spawn(descend(loop));
  loop.run();
}

Task<> tree(Loop& loop, int level, int& leaves) {
  if (level == 0) {
    co_await loop.sleep(2ms);
    ++leaves;
    co_return;
  }
  std::vector<Task<>> children;
  for (int i = 0; i < 3; ++i) children.push_back(tree(loop, level - 1, leaves));
  co_await when_all(loop, std::move(children));
}

// A tree of tasks.
TRUTH_CASE(tree_of_tasks) {
  Loop loop;
  int leaves = 0;
  spawn(tree(loop, 4, leaves));
  loop.run();
}

struct Cancel_token {
  bool cancelled = false;
};

Task<> cancellable(Loop& loop, const Cancel_token& token, int& steps) {
  while (!token.cancelled) {
    co_await loop.sleep(2ms);
    ++steps;
  }
}

Task<> cancel_later(Loop& loop, Cancel_token& token) {
  co_await loop.sleep(30ms);
  token.cancelled = true;
}

// Cancellation by a token that tasks check.
TRUTH_CASE(cancel_token) {
  Loop loop;
  Cancel_token token;
  int steps = 0;
  for (int i = 0; i < 3; ++i) spawn(cancellable(loop, token, steps));
  spawn(cancel_later(loop, token));
  loop.run();
}

Task<> publish(Loop& loop, std::vector<std::unique_ptr<Channel<int>>>& subscribers) {
  for (int i = 0; i < 10; ++i) {
    for (const auto& one : subscribers) co_await one->send(i);
    co_await loop.sleep(1ms);
  }
  for (const auto& one : subscribers) one->close();
}

// A publisher with several subscribers.
TRUTH_CASE(publish_subscribe) {
  Loop loop;
  std::vector<std::unique_ptr<Channel<int>>> subscribers;
  std::array<long, 4> totals = {};
  for (long& total : totals) {
    subscribers.push_back(std::make_unique<Channel<int>>(loop, 2));
    spawn(drain(*subscribers.back(), total));
  }
  spawn(publish(loop, subscribers));
  loop.run();
}

// Actors that send each other messages.
class Actor {
 public:
  explicit Actor(Loop& loop) : inbox(loop, 8) {}
  Channel<int> inbox;
  Task<> run(Actor& peer) {
    while (const auto message = co_await inbox.receive()) {
      if (*message == 0) {
        peer.inbox.close();
        co_return;
      }
      co_await peer.inbox.send(*message - 1);
    }
  }
};

// Two actors play ping-pong.
TRUTH_CASE(ping_pong_actors) {
  Loop loop;
  Actor a(loop), b(loop);
  spawn(a.run(b));
  spawn(b.run(a));
  spawn(a.inbox.send(60));
  loop.run();
}

Task<> debounce(Loop& loop, const int& edits, int& saves) {
  int seen = -1;
  while (edits < 20 || seen != edits) {
    seen = edits;
    co_await loop.sleep(5ms);
    if (seen == edits) ++saves;
  }
}

Task<> edit(Loop& loop, int& edits) {
  for (; edits < 20; ++edits) co_await loop.sleep(edits % 5 == 0 ? 12ms : 1ms);
}

// Saves when edits pause.
TRUTH_CASE(debounce_edits) {
  Loop loop;
  int edits = 0, saves = 0;
  spawn(edit(loop, edits));
  spawn(debounce(loop, edits, saves));
  loop.run();
}

Task<> batch(Loop& loop, Channel<int>& in, int& batches) {
  std::vector<int> rows;
  while (const auto row = co_await in.receive()) {
    rows.push_back(*row);
    if (rows.size() < 16) continue;
    co_await loop.sleep(1ms);
    rows.clear();
    ++batches;
  }
}

// Writes rows in batches.
TRUTH_CASE(batches) {
  Loop loop;
  Channel<int> rows(loop, 20);
  int written = 0;
  spawn(batch(loop, rows, written));
  spawn(fill(loop, rows, 100));
  loop.run();
}

Task<> race_member(Loop& loop, int ms, Signal& won, int& winner, int number) {
  co_await loop.sleep(std::chrono::milliseconds(ms));
  if (winner < 0) winner = number;
  won.notify_all();
}

Task<> race(Loop& loop) {
  Signal won(loop);
  int winner = -1;
  for (int i = 0; i < 4; ++i) spawn(race_member(loop, 5 + 3 * i, won, winner, i));
  while (winner < 0) co_await won.wait();
  std::printf("%d won\n", winner);
  co_await loop.sleep(30ms);  // for the losers
}

// The first of several results counts.
TRUTH_CASE(first_of_many) {
  Loop loop;
  spawn(race(loop));
  loop.run();
}

Task<std::string> respond(Loop& loop, std::string request) {
  co_await loop.sleep(1ms);
  co_return "re: " + request;
}

Task<> converse(Loop& loop, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string reply = co_await respond(loop, "message " + std::to_string(i));
    if (reply.empty()) co_return;
  }
}

// Sessions that ask and wait for the answer, again and again.
TRUTH_CASE(conversations) {
  Loop loop;
  for (int i = 0; i < 8; ++i) spawn(converse(loop, 12));
  loop.run();
}

Task<> detach_many(Loop& loop) {
  int done = 0;
  for (int i = 0; i < 50; ++i) {
    spawn(work_for(loop, 3, done));
    co_await loop.sleep(1ms);
  }
  co_await loop.sleep(10ms);
}

// Fire and forget.
TRUTH_CASE(fire_and_forget) {
  Loop loop;
  spawn(detach_many(loop));
  loop.run();
}

// An object pool: whoever finds none waits.
class Connections {
 public:
  Connections(Loop& loop, int count) : returned_(loop) {
    for (int i = 0; i < count; ++i) free_.push_back(i);
  }
  Task<int> borrow() {
    while (free_.empty()) co_await returned_.wait();
    const int one = free_.back();
    free_.pop_back();
    co_return one;
  }
  void give_back(int one) {
    free_.push_back(one);
    returned_.notify_one();
  }

 private:
  Signal returned_;
  std::vector<int> free_;
};

Task<> use_connection(Loop& loop, Connections& pool) {
  const int one = co_await pool.borrow();
  co_await loop.sleep(2ms);
  pool.give_back(one);
}

// A pool of connections.
TRUTH_CASE(connection_pool) {
  Loop loop;
  Connections pool(loop, 4);
  for (int i = 0; i < 30; ++i) spawn(use_connection(loop, pool));
  loop.run();
}

Task<> elevator(Loop& loop, std::set<int>& calls, Signal& called, const bool& closing) {
  int floor = 0;
  while (!closing || !calls.empty()) {
    if (calls.empty()) {
      co_await called.wait();
      continue;
    }
    const int next = *calls.begin();
    co_await loop.sleep(std::chrono::milliseconds(std::abs(next - floor)));
    floor = next;
    calls.erase(next);
  }
}

Task<> passengers(Loop& loop, std::set<int>& calls, Signal& called, bool& closing) {
  for (int i = 0; i < 12; ++i) {
    calls.insert(i * 7 % 10);
    called.notify_one();
    co_await loop.sleep(4ms);
  }
  closing = true;
  called.notify_one();
}

// A task that checks for work before it waits, and is often notified while it works.
TRUTH_CASE(checks_before_waiting) {
  Loop loop;
  std::set<int> calls;
  Signal called(loop);
  bool closing = false;
  spawn(elevator(loop, calls, called, closing));
  spawn(passengers(loop, calls, called, closing));
  loop.run();
}

Task<> shutdown_step(Loop& loop, Latch& stopped, int ms) {
  co_await loop.sleep(std::chrono::milliseconds(ms));
  stopped.count_down();
}

Task<> graceful_shutdown(Loop& loop) {
  co_await loop.sleep(20ms);
  Latch stopped(loop, 5);
  for (int i = 0; i < 5; ++i) spawn(shutdown_step(loop, stopped, 5 * i));
  co_await stopped.wait();
  loop.stop();
}

// All parts are stopped before the program ends.
TRUTH_CASE(graceful_stop) {
  Loop loop;
  spawn(graceful_shutdown(loop));
  loop.run(true);
}

// A cache whose entries expire.
class Expiring_cache {
 public:
  explicit Expiring_cache(Loop& loop) : loop_(loop) {}
  Task<> put(int key, std::string value) {
    values_[key] = std::move(value);
    co_await loop_.sleep(15ms);
    values_.erase(key);
  }
  bool has(int key) const { return values_.contains(key); }

 private:
  Loop& loop_;
  std::map<int, std::string> values_;
};

Task<> use_cache(Loop& loop, Expiring_cache& cache) {
  for (int i = 0; i < 30; ++i) {
    if (!cache.has(i % 5)) spawn(cache.put(i % 5, "value"));
    co_await loop.sleep(3ms);
  }
}

// Entries of a cache expire by a task each.
TRUTH_CASE(expiring_cache) {
  Loop loop;
  Expiring_cache cache(loop);
  spawn(use_cache(loop, cache));
  loop.run();
}

// A state machine of a protocol, driven by messages.
Task<> protocol(Channel<std::string>& in, std::vector<std::string>& log) {
  enum { Closed, Open, Closing } state = Closed;
  while (const auto message = co_await in.receive()) {
    if (state == Closed && *message == "SYN")
      state = Open;
    else if (state == Open && *message == "FIN")
      state = Closing;
    else if (state == Closing && *message == "ACK")
      break;
    log.push_back(*message);
  }
}

Task<> drive(Loop& loop, Channel<std::string>& out) {
  for (const char* message : {"SYN", "data", "data", "FIN", "ACK"}) {
    co_await out.send(message);
    co_await loop.sleep(2ms);
  }
}

// A state machine.
TRUTH_CASE(state_machine) {
  Loop loop;
  Channel<std::string> messages(loop, 1);
  std::vector<std::string> log;
  spawn(protocol(messages, log));
  spawn(drive(loop, messages));
  loop.run();
}

// A task that is started, and stopped before it ends, by destroying it.
TRUTH_CASE(destroyed_on_purpose) {
  Loop loop;
  int done = 0;
  std::vector<Task<>> speculative;
  for (int i = 0; i < 3; ++i) speculative.push_back(work_for(loop, 5, done));
  spawn(std::move(speculative.back()));
  speculative.clear();  // the first result is enough
  loop.run();
}

Task<> index_mails(Channel<std::string>& mails) {
  for (int indexed = 0; indexed < 5; ++indexed)
    if ((co_await mails.receive())->empty()) co_return;
  throw std::runtime_error("the index is full");
}

Task<> archive_mails(Loop& loop, Channel<std::string>& mails) {
  for (;;) {
    for (int i = 0; i < 4; ++i) co_await mails.receive();
    co_await loop.sleep(3s);
  }
}

Task<> send_mails(Loop& loop, Channel<std::string>& mails) {
  for (int i = 0; i < 40; ++i) {
    co_await loop.sleep(2ms);
    std::string mail = "mail";
    co_await mails.send(std::move(mail));
  }
}

Task<> stop_after(Loop& loop, Clock::duration time) {
  co_await loop.sleep(time);
  loop.stop();
}

// One of two tasks that take from a queue fails, as it does when its index is full; the other takes
// some every three seconds. main() stops before.
TRUTH_CASE(one_of_two_readers_fails) {
  Loop loop;
  Channel<std::string> mails(loop, 4);
  spawn(index_mails(mails));
  spawn(archive_mails(loop, mails));
  for (int i = 0; i < 2; ++i) spawn(send_mails(loop, mails));
  spawn(stop_after(loop, 1500ms));
  loop.run(true);
}

}  // namespace
