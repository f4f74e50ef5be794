// Programs with a task type and an event loop of their own (loop.h), each with one fault.
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>

#include "loop.h"

namespace {

struct Resolver {
  explicit Resolver(Loop& its_loop) : loop(its_loop), answered(its_loop) {}
  Loop& loop;
  Signal answered;
  std::string address;
};

Task<> answer(Resolver& resolver) {
  co_await resolver.loop.sleep(1ms);
  resolver.address = "10.0.0.1";
  resolver.answered.notify_all();
}

Task<> resolve(Resolver& resolver) {
  co_await resolver.loop.sleep(20ms);
  co_await resolver.answered.wait();  // @resolve_wait
}

// The answer is signalled before the resolver waits for it.
// truth: lost wake-up|never notified|unknown; in resolve; at resolve_wait; of Signal
TRUTH_CASE(signal_before_wait) {
  Loop loop;
  Resolver resolver(loop);
  spawn(resolve(resolver));
  spawn(answer(resolver));
  loop.run(true);
}

Task<> move_money(Loop& loop, Mutex& from, Mutex& to) {
  co_await from.lock();
  co_await loop.sleep(5ms);
  co_await to.lock();  // @move_lock
  to.unlock();
  from.unlock();
}

// Two tasks lock two mutexes in opposite order.
// truth: deadlock|never notified|unknown; in move_money; at move_lock; of Signal
TRUTH_CASE(opposite_locks) {
  Loop loop;
  Mutex a(loop), b(loop);
  spawn(move_money(loop, a, b));
  spawn(move_money(loop, b, a));
  loop.run(true);
}

Task<> append_row(Loop& loop, Mutex& mutex, int row) {
  co_await mutex.lock();  // @append_lock
  co_await loop.sleep(1ms);
  if (row == 1) co_return;
  mutex.unlock();
}

// One branch forgets to unlock.
// truth: never released|never notified|unknown; in append_row; at append_lock; of Signal
TRUTH_CASE(forgets_to_unlock) {
  Loop loop;
  Mutex mutex(loop);
  for (int row = 0; row < 3; ++row) spawn(append_row(loop, mutex, row));
  loop.run(true);
}

Task<> print_messages(Channel<std::string>& in) {
  while (const auto line = co_await in.receive()) std::puts(line->c_str());  // @print_receive
}

Task<> greet(Loop& loop, Channel<std::string>& out) {
  co_await out.send("hello");
  co_await loop.sleep(1ms);
  co_await out.send("bye");  // and forgets to close
}

// The producer ends without closing the channel; its consumer waits for ever.
// truth: never notified|unknown; in print_messages; at print_receive; of Signal
TRUTH_CASE(channel_never_closed) {
  Loop loop;
  Channel<std::string> channel(loop, 4);
  spawn(print_messages(channel));
  spawn(greet(loop, channel));
  loop.run(true);
}

Task<> produce_rows(Channel<int>& out) {
  for (int i = 0; i < 10; ++i) co_await out.send(i);  // @produce_send
  std::puts("produced");
}

Task<> consume_two(Channel<int>& in) {
  for (int i = 0; i < 2; ++i) (void)co_await in.receive();
}

// The consumer ends early; the producer waits for room.
// truth: never notified|unknown; in produce_rows; at produce_send; of Signal
TRUTH_CASE(consumer_ended) {
  Loop loop;
  Channel<int> channel(loop, 2);
  spawn(produce_rows(channel));
  spawn(consume_two(channel));
  loop.run(true);
}

Task<> start_part(Loop& loop, Latch& started, int part) {
  co_await loop.sleep(1ms);
  if (part == 2) co_return;  // "disabled by configuration"
  started.count_down();
}

Task<> open_for_business(Latch& started) {
  co_await started.wait();  // @started_wait
  std::puts("open");
}

// A latch for three parts, of which one does not count down.
// truth: never notified|unknown; in open_for_business; at started_wait; of Signal
TRUTH_CASE(latch_counts_too_many) {
  Loop loop;
  Latch started(loop, 3);
  for (int part = 0; part < 3; ++part) spawn(start_part(loop, started, part));
  spawn(open_for_business(started));
  loop.run(true);
}

// A pool of threads of the program's own, which stops with jobs in its queue.
class Pool {
 public:
  Pool() : worker_([this] { work(); }) {}
  ~Pool() {
    stop();
    worker_.join();
  }
  auto schedule() {
    struct Awaiter {
      Pool& pool;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> handle) { pool.push(handle); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    filled_.notify_all();
  }

 private:
  void push(std::coroutine_handle<> handle) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(handle);
    filled_.notify_one();
  }
  void work() {
    for (std::unique_lock lock(mutex_);;) {
      filled_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
      if (stopped_) return;
      const auto job = jobs_.front();
      jobs_.pop_front();
      lock.unlock();
      job.resume();
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::coroutine_handle<>> jobs_;
  bool stopped_ = false;
  std::thread worker_;
};

Task<> compress(Pool& pool) {
  co_await pool.schedule();  // @compress_schedule
  std::puts("compressed");
}

// A job is given to a pool that has stopped.
// truth: never notified|unknown|handed over; in compress; at compress_schedule; of Pool
TRUTH_CASE(job_lost_by_pool) {
  Pool pool;
  pool.stop();
  spawn(compress(pool));
  Loop loop;
  loop.run(true);
}

Task<> refresh_token(Loop& loop) { co_await loop.sleep(1ms); }  // @refresh_token

Task<> log_in(Loop& loop) {
  co_await loop.sleep(1ms);
  const Task<> refresh = refresh_token(loop);  // @refresh: never awaited
  co_await loop.sleep(5ms);
}

// A task is created and never awaited.
// truth: never-started; in refresh_token; at refresh refresh_token; of refresh_token
TRUTH_CASE(task_never_awaited) {
  Loop loop;
  spawn(log_in(loop));
  loop.run();
}

Task<> wait_for_ack(Signal& acked) {
  co_await acked.wait();  // @ack_wait
}

Task<> send_packets(Loop& loop, std::deque<Signal>& acks) {
  for (int i = 0; i < 50; ++i) {
    acks.emplace_back(loop);
    spawn(wait_for_ack(acks.back()));  // @ack_leak
    co_await loop.sleep(1ms);
  }
}

// Each packet leaks a task that waits for its acknowledgement.
// truth: unknown|never notified; in wait_for_ack; at ack_wait ack_leak; of Signal; with 49
TRUTH_CASE(tasks_leak) {
  Loop loop;
  std::deque<Signal> acks;
  spawn(send_packets(loop, acks));
  loop.run(true);
}

Task<> parse_header(Loop& loop) {  // @parse_header
  co_await loop.sleep(1ms);
  throw std::runtime_error("bad magic 0x7f");
}

// A detached task fails, and its exception is lost.
// truth: failed; in parse_header; at parse_header; of bad magic 0x7f
TRUTH_CASE(lost_exception) {
  Loop loop;
  spawn(parse_header(loop));
  loop.run(true);
}

Task<> hash_passwords(Loop& loop) {  // @hash_passwords
  co_await loop.sleep(30ms);
  std::this_thread::sleep_for(truth::patience() * 2);  // @hash_sleep
}

Task<> blink(Loop& loop) {
  for (;;) co_await loop.sleep(5ms);
}

// A task blocks the event loop.
// truth: running|starved|ran-too-long; in hash_passwords; at hash_passwords hash_sleep; of
// hash_passwords
TRUTH_CASE(task_blocks_loop) {
  Loop loop;
  spawn(hash_passwords(loop));
  spawn(blink(loop));
  loop.run(true);
}

Task<> wait_for_flag(Loop& loop, const bool& flag) {
  while (!flag) co_await loop.yield();  // @yield
}

// A task polls a flag.
// truth: self-wake; in wait_for_flag; at yield; of wait_for_flag
TRUTH_CASE(polls_with_yield) {
  Loop loop;
  const bool flag = false;
  spawn(wait_for_flag(loop, flag));
  loop.run(true);
}

Task<int> fetch_price(Loop& loop, int item) {
  co_await loop.sleep(5ms);
  co_return item * 3;
}

Task<> total_price(Loop& loop) {
  int total = 0;
  for (int item = 0; item < 16; ++item) total += co_await fetch_price(loop, item);  // @prices
  std::printf("%d\n", total);
}

// Sixteen independent requests, one after the other.
// truth: sequential-awaits; in total_price; at prices; of fetch_price
TRUTH_CASE(one_after_the_other) {
  Loop loop;
  spawn(total_price(loop));
  loop.run();
}

Task<> read_config(std::promise<int>& promise, Loop& loop) {
  co_await loop.sleep(1ms);
  promise.set_value(3);
}

Task<> start_up(Loop& loop) {  // @start_up
  std::promise<int> promise;
  auto value = promise.get_future();
  spawn(read_config(promise, loop));
  value.wait_for(truth::patience() * 2);  // @config_get
  co_return;
}

// Waits for a std::future on the thread that should fulfil it.
// truth: running|starved|ran-too-long; in start_up; at start_up config_get; of start_up
TRUTH_CASE(future_on_loop_thread) {
  Loop loop;
  spawn(start_up(loop));
  loop.run(true);
}

// An awaiter that loses the handle if the queue is full.
class Bounded_queue {
 public:
  auto enter() {
    struct Awaiter {
      Bounded_queue& queue;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> handle) {
        if (queue.waiters_.size() < 2) queue.waiters_.push_back(handle);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void open(Loop& loop) {
    for (const auto waiter : std::exchange(waiters_, {})) loop.post(waiter);
  }

 private:
  std::deque<std::coroutine_handle<>> waiters_;
};

Task<> visitor(Bounded_queue& queue) {
  co_await queue.enter();  // @enter
}

Task<> open_doors(Loop& loop, Bounded_queue& queue) {
  co_await loop.sleep(5ms);
  queue.open(loop);
}

// A queue drops the third waiter's handle.
// truth: unknown|never notified; in visitor; at enter; of Bounded_queue
TRUTH_CASE(handle_dropped) {
  Loop loop;
  Bounded_queue queue;
  for (int i = 0; i < 3; ++i) spawn(visitor(queue));
  spawn(open_doors(loop, queue));
  loop.run(true);
}

Task<> save_state(Loop& loop) {
  co_await loop.sleep(1h);  // @save_sleep
  std::puts("saved");
}

// A task sleeps for an hour where milliseconds were meant.
// truth: unknown|external wait; in save_state; at save_sleep; of Loop::sleep
TRUTH_CASE(sleeps_an_hour) {
  Loop loop;
  spawn(save_state(loop));
  loop.run(true);
}

Task<> flush_log(Signal& quit) {
  co_await quit.wait();  // @quit_wait
  std::puts("flushed");
}

// main() stops the loop while a task still waits to flush.
// truth: torn down|unknown; in flush_log; at quit_wait; of Signal
TRUTH_CASE(stopped_with_task) {
  Loop loop;
  Signal quit(loop);
  Task<> flush = flush_log(quit);
  auto holder = [](Task<>& task) -> Detached { co_await task; };
  holder(flush);
  loop.run(true);
}

Task<> store(Channel<std::string>& samples) {
  for (int sum = 0;;) {
    const std::optional<std::string> sample = co_await samples.receive();  // @receive_sample
    sum += std::stoi(*sample);
  }
}

Task<> measure(Loop& loop, Channel<std::string>& samples) {
  for (int i = 0; i < 100; ++i) {
    co_await loop.sleep(2ms);
    std::string sample = i == 20 ? "n/a" : std::to_string(i);
    co_await samples.send(std::move(sample));
  }
}

// The only task that takes from a queue fails, its exception is lost, and those that fill the queue
// wait for room.
// truth: failed; in store measure; with stoi
TRUTH_CASE(only_reader_fails) {
  Loop loop;
  Channel<std::string> samples(loop, 4);
  spawn(store(samples));
  for (int i = 0; i < 3; ++i) spawn(measure(loop, samples));
  loop.run(true);
}

// An event that stores one waiter.
class Loaded {
 public:
  explicit Loaded(Loop& loop) : loop_(loop) {}
  bool await_ready() const noexcept { return set_; }
  void await_suspend(std::coroutine_handle<> handle) { waiter_ = handle; }
  void await_resume() const noexcept {}
  void set() {
    set_ = true;
    if (waiter_) loop_.post(std::exchange(waiter_, nullptr));
  }

 private:
  Loop& loop_;
  bool set_ = false;
  std::coroutine_handle<> waiter_;
};

Task<> serve_route(Loop& loop, Loaded& routes) {
  co_await routes;  // @routes_wait
  co_await loop.sleep(1ms);
}

Task<> accept_routes(Loop& loop, Loaded& routes) {
  for (int i = 0; i < 9; ++i) {
    if (i == 3) routes.set();
    spawn(serve_route(loop, routes));
    co_await loop.sleep(5ms);
  }
}

// An event stores one waiter: of three tasks that wait, the last one is woken; later ones pass.
// truth: lost wake-up; in serve_route; at routes_wait; of Loaded
TRUTH_CASE(event_keeps_last_waiter) {
  Loop loop;
  Loaded routes(loop);
  spawn(accept_routes(loop, routes));
  loop.run(true);
}

class Fair_mutex {
 public:
  explicit Fair_mutex(Loop& loop) : loop_(loop) {}
  auto lock() {
    struct Awaiter {
      Fair_mutex& mutex;
      bool await_ready() const noexcept { return !std::exchange(mutex.locked_, true); }
      void await_suspend(std::coroutine_handle<> handle) { mutex.waiters_.push_back(handle); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  void unlock() {
    if (waiters_.empty()) {
      locked_ = false;
      return;
    }
    loop_.post(waiters_.front());
    waiters_.pop_front();
  }

 private:
  Loop& loop_;
  bool locked_ = false;
  std::deque<std::coroutine_handle<>> waiters_;
};

Task<> load_profile(Loop& loop) { co_await loop.sleep(60ms); }

struct Profiles {
  explicit Profiles(Loop& on) : loop(on), mutex(on) {}
  Task<> get(int user) {
    co_await mutex.lock();
    if (known.count(user) == 0) {
      co_await load_profile(loop);  // @profile_load
      known[user] = "profile";
    }
    mutex.unlock();
  }
  Loop& loop;
  Fair_mutex mutex;
  std::map<int, std::string> known;
};

Task<> ask_for_profiles(Loop& loop, Profiles& profiles) {
  for (int i = 0; i < 100; ++i) {
    spawn(profiles.get(i % 4 == 3 ? i : 0));
    co_await loop.sleep(10ms);
  }
}

// A cache locks its mutex while it loads a profile: hits wait for misses.
// truth: lock-across-wait; in get; at profile_load; of Fair_mutex
TRUTH_CASE(locked_while_it_loads) {
  Loop loop;
  Profiles profiles(loop);
  spawn(ask_for_profiles(loop, profiles));
  loop.run();
}

// A lock for readers or one writer, whose readers can become the writer.
class Shared_lock {
 public:
  explicit Shared_lock(Loop& loop) : loop_(loop) {}
  struct Awaiter {
    Shared_lock& lock;
    bool upgrades;
    std::coroutine_handle<> handle = {};
    bool await_ready() const noexcept { return lock.take(upgrades); }
    void await_suspend(std::coroutine_handle<> waiter) {
      handle = waiter;
      lock.waiters_.push_back(this);
    }
    void await_resume() const noexcept {}
  };
  Awaiter shared() { return {*this, false}; }
  Awaiter upgrade() { return {*this, true}; }
  void unlock() {
    writer_ = false;
    for (Awaiter* waiter : std::exchange(waiters_, {}))
      take(waiter->upgrades) ? loop_.post(waiter->handle) : waiters_.push_back(waiter);
  }

 private:
  bool take(bool upgrades) {
    if (writer_ || (upgrades && readers_ != 1)) return false;
    readers_ += upgrades ? -1 : 1;
    writer_ = upgrades;
    return true;
  }
  Loop& loop_;
  int readers_ = 0;
  bool writer_ = false;
  std::deque<Awaiter*> waiters_;
};

Task<> edit_page(Loop& loop, Shared_lock& page) {
  co_await page.shared();
  co_await loop.sleep(5ms);
  co_await page.upgrade();  // @page_upgrade
  page.unlock();
}

// Two readers of a page become its writer: each waits for the other to stop reading.
// truth: deadlock|unknown; in edit_page; at page_upgrade; of Shared_lock
TRUTH_CASE(two_readers_upgrade) {
  Loop loop;
  Shared_lock page(loop);
  spawn(edit_page(loop, page));
  spawn(edit_page(loop, page));
  loop.run(true);
}

}  // namespace
