// Servers and clients as Asio coroutines, each with one fault.
#include <array>
#include <deque>
#include <future>
#include <map>
#include <stdexcept>

#include "net.h"

namespace {

// ---- timers as conditions ----

// An event that tasks wait for; cancel() of a timer that never expires wakes them.
class Event {
 public:
  explicit Event(asio::any_io_executor executor)
      : timer_(executor, steady_timer::time_point::max()) {}
  awaitable<void> wait() {
    try {
      co_await timer_.async_wait(use_awaitable);  // @event_wait
    } catch (const boost::system::system_error&) {
    }
  }
  void set() { timer_.cancel(); }
  void set_one() { timer_.cancel_one(); }

 private:
  steady_timer timer_;
};

struct Backend {
  explicit Backend(asio::io_context& io) : answered(io.get_executor()) {}
  Event answered;
  std::string answer;
};

awaitable<void> produce_answer(Backend& backend) {
  co_await pause(1ms);
  backend.answer = "42";
  backend.answered.set();  // @set_answer
}

awaitable<std::string> ask(Backend& backend) {
  co_await pause(20ms);              // writes the request to a slow disk first
  co_await backend.answered.wait();  // @ask_wait
  co_return backend.answer;
}

awaitable<void> report(Backend& backend) {
  const std::string answer = co_await ask(backend);
  std::printf("%s\n", answer.c_str());
}

// The answer comes while the client still writes its request to a log, before it waits.
// truth: lost wake-up; in ask; at ask_wait event_wait; of deadline_timer
TRUTH_CASE(answer_before_wait) {
  asio::io_context io;
  Backend backend(io);
  co_spawn(io, report(backend), detached);
  co_spawn(io, produce_answer(backend), detached);
  serve(io);
}

struct Startup {
  explicit Startup(asio::io_context& io) : database(io.get_executor()), cache(io.get_executor()) {}
  Event database, cache;
};

awaitable<void> open_database(Startup& startup) {
  co_await pause(5ms);
  startup.database.set();
}

awaitable<void> accept_requests(Startup& startup) {
  co_await startup.database.wait();
  co_await startup.cache.wait();  // @wait_for_cache
  std::puts("ready");
}

// A server waits for its cache, which is never signalled.
// truth: never expires; in accept_requests; at wait_for_cache event_wait; of deadline_timer
TRUTH_CASE(nobody_signals) {
  asio::io_context io;
  Startup startup(io);
  co_spawn(io, accept_requests(startup), detached);
  co_spawn(io, open_database(startup), detached);
  serve(io);
}

struct Job_board {
  explicit Job_board(asio::io_context& io) : posted(io.get_executor()) {}
  Event posted;
  int jobs = 0;
};

awaitable<void> pick_job(Job_board& board) {
  co_await board.posted.wait();  // @pick_wait
  --board.jobs;
}

awaitable<void> post_jobs(Job_board& board) {
  co_await pause(5ms);
  board.jobs = 2;
  board.posted.set_one();
}

// Two jobs are posted, one of two workers is woken.
// truth: lost wake-up|never expires; in pick_job; at pick_wait event_wait; of deadline_timer
TRUTH_CASE(wakes_one_of_two) {
  asio::io_context io;
  Job_board board(io);
  co_spawn(io, pick_job(board), detached);
  co_spawn(io, pick_job(board), detached);
  co_spawn(io, post_jobs(board), detached);
  serve(io);
}

// A mutex of the program's own.
class Async_mutex {
 public:
  explicit Async_mutex(asio::io_context& io) : freed_(io.get_executor()) {}
  awaitable<void> lock() {
    while (locked_) co_await freed_.wait();  // @lock_wait
    locked_ = true;
  }
  void unlock() {
    locked_ = false;
    freed_.set_one();
  }

 private:
  Event freed_;
  bool locked_ = false;
};

awaitable<void> transfer(Async_mutex& from, Async_mutex& to) {
  co_await from.lock();
  co_await pause(5ms);  // reads the balance
  co_await to.lock();   // @second_lock
  to.unlock();
  from.unlock();
}

// Two transfers lock two accounts in opposite order.
// truth: deadlock|never expires; in transfer; at second_lock lock_wait event_wait; of
// deadline_timer
TRUTH_CASE(mutexes_in_opposite_order) {
  asio::io_context io;
  Async_mutex alice(io), bob(io);
  co_spawn(io, transfer(alice, bob), detached);
  co_spawn(io, transfer(bob, alice), detached);
  serve(io);
}

awaitable<void> store_row(Async_mutex& table, int row) {
  co_await table.lock();  // @store_lock
  co_await pause(1ms);
  if (row % 3 == 1) co_return;  // a duplicate: forgets to unlock
  table.unlock();
}

// One branch returns without unlock().
// truth: never released|never expires; in store_row; at store_lock lock_wait event_wait; of
// deadline_timer
TRUTH_CASE(branch_keeps_the_lock) {
  asio::io_context io;
  Async_mutex table(io);
  for (int row = 0; row < 4; ++row) co_spawn(io, store_row(table, row), detached);
  serve(io);
}

class Permits {
 public:
  Permits(asio::io_context& io, int count) : freed_(io.get_executor()), left_(count) {}
  awaitable<void> acquire() {
    while (left_ == 0) co_await freed_.wait();  // @permit_wait
    --left_;
  }
  void release() {
    ++left_;
    freed_.set_one();
  }

 private:
  Event freed_;
  int left_;
};

awaitable<void> upload(Permits& permits, int number) {
  co_await permits.acquire();  // @upload_acquire
  co_await pause(1ms);
  if (number < 2) throw std::runtime_error("upload rejected");  // the permit is lost
  permits.release();
}

// Failed uploads keep their permits; the third waits forever.
// truth: never expires|failed; in upload; at upload_acquire permit_wait event_wait; of
// deadline_timer
TRUTH_CASE(failed_upload_keeps_permit) {
  asio::io_context io;
  Permits permits(io, 2);
  for (int i = 0; i < 3; ++i)
    co_spawn(io, upload(permits, i), [](std::exception_ptr) { /* logged elsewhere */ });
  serve(io);
}

struct Family {
  explicit Family(asio::io_context& io) : configured(io.get_executor()) {}
  Event configured;
};

awaitable<void> child(Family& family) {
  co_await family.configured.wait();  // @child_wait
}

awaitable<void> parent(Family& family) {
  co_await child(family);  // @parent_wait
  family.configured.set();
}

// A parent awaits its child before it signals what the child waits for.
// truth: deadlock|never expires; in parent; at parent_wait child_wait; of deadline_timer
TRUTH_CASE(parent_and_child) {
  asio::io_context io;
  Family family(io);
  co_spawn(io, parent(family), detached);
  serve(io);
}

// A channel of the program's own.
template <class T>
class Mailbox {
 public:
  explicit Mailbox(asio::io_context& io) : arrived_(io.get_executor()) {}
  void put(T value) {
    queue_.push_back(std::move(value));
    arrived_.set_one();
  }
  awaitable<T> take() {
    while (queue_.empty()) co_await arrived_.wait();  // @take_wait
    T value = std::move(queue_.front());
    queue_.pop_front();
    co_return value;
  }

 private:
  Event arrived_;
  std::deque<T> queue_;
};

awaitable<void> sum(Mailbox<int>& in) {
  int total = 0;
  for (int i = 0; i < 3; ++i) total += co_await in.take();  // @sum_take
  std::printf("%d\n", total);
}

awaitable<void> send_two(Mailbox<int>& out) {
  for (int i = 0; i < 2; ++i) {
    out.put(i);
    co_await pause(1ms);
  }
}

// A consumer expects three messages, its producer sends two.
// truth: never expires|lost wake-up; in sum; at sum_take take_wait event_wait; of deadline_timer
TRUTH_CASE(one_message_short) {
  asio::io_context io;
  Mailbox<int> box(io);
  co_spawn(io, sum(box), detached);
  co_spawn(io, send_two(box), detached);
  serve(io);
}

// ---- timers ----

awaitable<void> heartbeat(int& beats) {
  steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(std::chrono::seconds(50));  // meant milliseconds
    co_await timer.async_wait(use_awaitable);       // @beat_wait
    ++beats;
  }
}

// A heartbeat every 50 s instead of every 50 ms.
// truth: external wait; in heartbeat; at beat_wait; of deadline_timer; with takes 50.0 s
TRUTH_CASE(wrong_unit) {
  asio::io_context io;
  int beats = 0;
  co_spawn(io, heartbeat(beats), detached);
  serve(io);
}

struct Lease {
  explicit Lease(asio::io_context& io) : timer(io) {}
  steady_timer timer;
  bool lost = false;
};

awaitable<void> watch_lease(Lease& lease) {
  for (;;) {
    try {
      co_await lease.timer.async_wait(use_awaitable);  // @lease_wait
      lease.lost = true;
      co_return;
    } catch (const boost::system::system_error&) {
    }
  }
}

awaitable<void> count_visitors(Lease& lease) {
  for (;;) {
    co_await pause(10ms);
    lease.timer.expires_after(60ms);  // @lease_moved: every visitor extends it
  }
}

// A lease of 60 ms never ends, because another task moves its expiry every 10 ms.
// truth: never expires|external wait; in watch_lease; at lease_wait; of deadline_timer; with
// count_visitors
TRUTH_CASE(deadline_moved) {
  asio::io_context io;
  Lease lease(io);
  lease.timer.expires_after(60ms);
  co_spawn(io, watch_lease(lease), detached);
  co_spawn(io, count_visitors(lease), detached);
  serve(io);
}

// ---- peers ----

awaitable<void> accept_and_ignore(tcp::acceptor& acceptor, std::vector<tcp::socket>& open) {
  for (;;) open.push_back(co_await acceptor.async_accept(use_awaitable));
}

awaitable<void> query(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  co_await asio::async_write(socket, asio::buffer("SELECT 1;", 9), use_awaitable);
  char row[64];
  co_await socket.async_read_some(asio::buffer(row), use_awaitable);  // @row_read
}

// A database accepts the connection and never answers.
// truth: external wait; in query; at row_read; of socket
TRUTH_CASE(peer_never_answers) {
  asio::io_context io;
  tcp::acceptor database(io, loopback());
  std::vector<tcp::socket> open;
  co_spawn(io, accept_and_ignore(database, open), detached);
  co_spawn(io, query(database.local_endpoint()), detached);
  serve(io);
}

awaitable<void> ask_synchronously(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  asio::write(socket, asio::buffer("GET /rows", 9));
  std::array<char, 64> row;
  co_await asio::async_read(socket, asio::buffer(row), use_awaitable);  // @row_awaited
}

// The request is sent by a synchronous call, which no hook sees; the server never answers.
// truth: external wait; in ask_synchronously; at row_awaited; of socket; with 9 bytes
TRUTH_CASE(asks_synchronously) {
  asio::io_context io;
  tcp::acceptor server(io, loopback());
  std::vector<tcp::socket> open;
  co_spawn(io, accept_and_ignore(server, open), detached);
  co_spawn(io, ask_synchronously(server.local_endpoint()), detached);
  serve(io);
}

awaitable<void> send_part(tcp::acceptor& acceptor, Event& forever) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  co_await asio::async_write(socket, asio::buffer("abc", 3), use_awaitable);
  co_await forever.wait();
}

awaitable<void> read_record(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  std::array<char, 64> record;
  co_await asio::async_read(socket, asio::buffer(record), use_awaitable);  // @record_read
}

// 3 of 64 bytes arrive.
// truth: external wait; in read_record; at record_read; of socket
TRUTH_CASE(partial_record) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  Event forever(io.get_executor());
  co_spawn(io, send_part(acceptor, forever), detached);
  co_spawn(io, read_record(acceptor.local_endpoint()), detached);
  serve(io);
}

awaitable<void> send_backup(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  const std::string backup(20'000'000, 'x');
  co_await asio::async_write(socket, asio::buffer(backup), use_awaitable);  // @backup_write
}

// The peer of a backup never reads.
// truth: external wait|operation-pending; in send_backup; at backup_write; of socket
TRUTH_CASE(peer_never_reads) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  std::vector<tcp::socket> open;
  co_spawn(io, accept_and_ignore(acceptor, open), detached);
  co_spawn(io, send_backup(acceptor.local_endpoint()), detached);
  serve(io);
}

awaitable<void> listen_for_clients(tcp::acceptor& acceptor) {
  for (;;) co_await acceptor.async_accept(use_awaitable);  // @listening
}

awaitable<void> transfer_both_ways(Async_mutex& alice, Async_mutex& bob) {
  auto executor = co_await asio::this_coro::executor;
  co_await transfer(alice, bob);
  co_spawn(executor, transfer(alice, bob), detached);
  co_spawn(executor, transfer(bob, alice), detached);
}

// The same in a server with clients and other work, after a transfer without contention.
// truth: deadlock|never expires; in transfer; at second_lock lock_wait event_wait; of
// deadline_timer
TRUTH_CASE(deadlock_in_server) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  Async_mutex alice(io), bob(io);
  co_spawn(io, listen_for_clients(acceptor), detached);
  co_spawn(io, transfer_both_ways(alice, bob), detached);
  serve(io);
}

awaitable<void> shut_down(asio::signal_set& signals, steady_timer& housekeeping) {
  co_await signals.async_wait(use_awaitable);
  housekeeping.cancel();  // and forgets the acceptor
}

awaitable<void> keep_house(steady_timer& timer) {
  try {
    for (;;) {
      timer.expires_after(5ms);
      co_await timer.async_wait(use_awaitable);
    }
  } catch (const boost::system::system_error&) {
  }
}

// SIGTERM stops the housekeeping, but the acceptor stays open and the process does not end.
// truth: external wait; in listen_for_clients; at listening; of socket; with signal
TRUTH_CASE(acceptor_survives_shutdown) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  asio::signal_set signals(io, SIGTERM);
  steady_timer housekeeping(io);
  co_spawn(io, listen_for_clients(acceptor), detached);
  co_spawn(io, keep_house(housekeeping), detached);
  co_spawn(io, shut_down(signals, housekeeping), detached);
  steady_timer operator_stops(io, 30ms);
  operator_stops.async_wait([](error_code) { std::raise(SIGTERM); });
  serve(io);
}

// ---- threads ----

awaitable<void> render_page() {  // @render_page
  co_await pause(1ms);
  std::this_thread::sleep_for(truth::patience() *
                              2);  // @render_sleep: a template engine that blocks
}

awaitable<void> other_page() {
  for (;;) co_await pause(5ms);
}

// A session blocks the only thread.
// truth: running|starved|ran-too-long; in render_page; at render_page render_sleep; of render_page
TRUTH_CASE(session_blocks_thread) {
  asio::io_context io;
  co_spawn(io, render_page(), detached);
  co_spawn(io, other_page(), detached);
  serve(io);
}

awaitable<int> read_setting() {
  co_await pause(1ms);
  co_return 7;
}

awaitable<void> configure(asio::io_context& io) {  // @configure
  co_await pause(1ms);
  std::future<int> setting = co_spawn(io, read_setting(), asio::use_future);
  if (setting.wait_for(truth::patience() * 2) == std::future_status::ready)  // @setting_get
    std::printf("%d\n", setting.get());
}

// Waits for a future on the thread that should fulfil it.
// truth: running|starved|ran-too-long; in configure; at configure setting_get; of configure
TRUTH_CASE(future_on_own_thread) {
  asio::io_context io;
  co_spawn(io, configure(io), detached);
  serve(io);
}

awaitable<void> poll_flag(const bool& done) {
  while (!done) co_await asio::post(use_awaitable);  // @poll
}

// Polls a flag through post().
// truth: self-wake|running; in poll_flag; at poll; of execute
TRUTH_CASE(busy_poll) {
  asio::io_context io;
  const bool done = false;
  co_spawn(io, poll_flag(done), detached);
  serve(io);
}

// ---- failures ----

awaitable<void> load_configuration() {  // @load_configuration
  co_await pause(1ms);
  throw std::invalid_argument("port 70000 is out of range");
}

awaitable<void> idle() {
  for (;;) co_await pause(20ms);
}

// A detached coroutine throws, and the exception is lost.
// truth: failed; in load_configuration; at load_configuration; of port 70000 is out of range
TRUTH_CASE(exception_of_detached) {
  asio::io_context io;
  co_spawn(io, load_configuration(), detached);
  co_spawn(io, idle(), detached);
  serve(io);
}

awaitable<void> listen_on(unsigned short port) {  // @listen_on
  tcp::acceptor acceptor(co_await asio::this_coro::executor);
  acceptor.open(tcp::v4());
  acceptor.bind(loopback(port));
  acceptor.listen();
  co_await listen_for_clients(acceptor);
}

// The port is in use, and the exception disappears.
// truth: failed; in listen_on; at listen_on; of Address already in use
TRUTH_CASE(bind_fails) {
  asio::io_context io;
  tcp::acceptor first(io, loopback());
  co_spawn(io, listen_on(first.local_endpoint().port()), [](std::exception_ptr) {});
  co_spawn(io, idle(), detached);
  serve(io);
}

awaitable<void> flush_cache() {  // @flush_cache
  co_await pause(1ms);
  std::puts("flushed");
}

awaitable<void> close_session() {
  co_await pause(1ms);
  (void)flush_cache();  // @flush: misses co_await
  co_await pause(1ms);
}

// A coroutine is called but not awaited.
// truth: never-started; in flush_cache; at flush flush_cache; of flush_cache
TRUTH_CASE(never_awaited) {
  asio::io_context io;
  co_spawn(io, close_session(), detached);
  serve(io);
}

awaitable<void> wait_for_reply(std::shared_ptr<Event> reply) {
  co_await reply->wait();  // @reply_wait
}

awaitable<void> retry_requests(std::vector<std::shared_ptr<Event>>& replies) {
  const auto executor = co_await asio::this_coro::executor;
  for (int i = 0; i < 40; ++i) {
    replies.push_back(std::make_shared<Event>(executor));
    co_spawn(executor, wait_for_reply(replies.back()), detached);  // @leak
    co_await pause(2ms);  // gives up on it, and tries again
  }
}

// Each retry leaks a coroutine.
// truth: never expires|unknown; in wait_for_reply; at reply_wait event_wait leak; of
// deadline_timer; with 39
TRUTH_CASE(leaked_coroutines) {
  asio::io_context io;
  std::vector<std::shared_ptr<Event>> replies;
  co_spawn(io, retry_requests(replies), detached);
  serve(io);
}

awaitable<int> look_up(int key) {
  co_await pause(5ms);  // a request to another machine
  co_return key* key;
}

awaitable<void> build_index() {
  int total = 0;
  for (int key = 0; key < 20; ++key) total += co_await look_up(key);  // @lookups
  std::printf("%d\n", total);
}

// Twenty independent requests, one after the other.
// truth: sequential-awaits; in build_index; at lookups; of look_up
TRUTH_CASE(sequential_requests) {
  asio::io_context io;
  co_spawn(io, build_index(), detached);
  serve(io);
}

awaitable<void> save_document(tcp::endpoint store) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(store, use_awaitable);
  char reply[1];
  co_await socket.async_read_some(asio::buffer(reply), use_awaitable);  // @save_read
  std::puts("saved");
}

// main() stops the event loop while a document is being saved.
// truth: torn down; in save_document; at save_read; of socket
TRUTH_CASE(stopped_too_early) {
  asio::io_context io;
  tcp::acceptor store(io, loopback());
  std::vector<tcp::socket> open;
  co_spawn(io, accept_and_ignore(store, open), detached);
  co_spawn(io, save_document(store.local_endpoint()), detached);
  steady_timer quit(io, 30ms);
  quit.async_wait([&io](error_code) { io.stop(); });
  serve(io);
}

// ---- what the other end, a sibling or the task itself did before ----

awaitable<void> count_lines(tcp::acceptor& acceptor) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  std::string in;
  for (;;) {
    const size_t size =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(in), '\n', use_awaitable);
    in.erase(0, size);
    co_await asio::async_write(socket, asio::buffer("counted\n", 8), use_awaitable);
  }
}

// Waits for the answer on the thread that should give it.
awaitable<void> ask_own_service(tcp::endpoint service) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(service, use_awaitable);
  std::string answer;
  co_await asio::async_write(socket, asio::buffer("one\n", 4), use_awaitable);
  co_await asio::async_read_until(socket, asio::dynamic_buffer(answer), '\n',
                                  use_awaitable);  // @last_await
  answer.clear();
  asio::write(socket, asio::buffer("two\n", 4));
  error_code error;
  asio::read_until(socket, asio::dynamic_buffer(answer), '\n', error);  // @own_read
}

// A task makes synchronous calls to a service that needs the same thread.
// truth: running|external wait; in ask_own_service; at own_read last_await; of ask_own_service
TRUTH_CASE(asks_own_service) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, count_lines(acceptor), detached);
  co_spawn(io, ask_own_service(acceptor.local_endpoint()), detached);
  serve(io);
}

// The head of a message, and its body of as many bytes as the head says.
awaitable<std::string> read_message(tcp::socket& socket) {
  std::string head;
  const size_t size =
      co_await asio::async_read_until(socket, asio::dynamic_buffer(head), '\n', use_awaitable);
  std::string body(std::stoul(head.substr(0, size)), ' ');
  co_await asio::async_read(socket, asio::buffer(body), use_awaitable);  // @body_read
  co_return body;
}

awaitable<void> store_messages(tcp::acceptor& acceptor) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  for (;;) {
    co_await read_message(socket);
    co_await asio::async_write(socket, asio::buffer("stored\n", 7), use_awaitable);
  }
}

awaitable<void> send_messages(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  for (const std::string message : {"5\nhello", "9\nsome more"}) {
    co_await asio::async_write(socket, asio::buffer(message), use_awaitable);
    char answer[7];
    co_await asio::async_read(socket, asio::buffer(answer), use_awaitable);
  }
}

// The body has come with the head, into a buffer that read_message() does not look at.
// truth: external wait; in read_message; at body_read; of socket; with got 7 bytes
TRUTH_CASE(body_in_buffer) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, store_messages(acceptor), detached);
  co_spawn(io, send_messages(acceptor.local_endpoint()), detached);
  serve(io);
}

awaitable<void> copy(std::shared_ptr<tcp::socket> from, std::shared_ptr<tcp::socket> to) {
  char data[512];
  for (;;) {
    error_code error;
    const size_t size = co_await from->async_read_some(                   // @copy_read
        asio::buffer(data), asio::redirect_error(use_awaitable, error));  // @copy_read
    if (error) co_return;  // and forgets that `to` should end, too
    co_await asio::async_write(*to, asio::buffer(data, size), use_awaitable);
  }
}

awaitable<void> relay(tcp::acceptor& acceptor, tcp::endpoint target) {
  auto client = std::make_shared<tcp::socket>(co_await acceptor.async_accept(use_awaitable));
  auto upstream = std::make_shared<tcp::socket>(client->get_executor());
  co_await upstream->async_connect(target, use_awaitable);
  co_spawn(client->get_executor(), copy(client, upstream), detached);
  co_spawn(client->get_executor(), copy(upstream, client), detached);
}

awaitable<void> answer_once(tcp::acceptor& acceptor) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  char question[4];
  co_await asio::async_read(socket, asio::buffer(question), use_awaitable);
  co_await asio::async_write(socket, asio::buffer("the answer", 10), use_awaitable);
}

awaitable<void> ask_to_the_end(tcp::endpoint relay) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(relay, use_awaitable);
  co_await asio::async_write(socket, asio::buffer("what", 4), use_awaitable);
  std::string answer;
  error_code error;
  co_await asio::async_read(socket, asio::dynamic_buffer(answer),
                            asio::redirect_error(use_awaitable, error));
}

// A relay does not pass on the end of what the server sends, for which the client waits.
// truth: external wait; in copy; at copy_read; of socket; with after End of file
TRUTH_CASE(relay_forgets_end) {
  asio::io_context io;
  tcp::acceptor servers(io, loopback()), relays(io, loopback());
  co_spawn(io, answer_once(servers), detached);
  co_spawn(io, relay(relays, servers.local_endpoint()), detached);
  co_spawn(io, ask_to_the_end(relays.local_endpoint()), detached);
  serve(io);
}

awaitable<void> write_news(tcp::acceptor& acceptor) {
  tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
  for (;;) {
    error_code error;
    co_await asio::async_write(socket, asio::buffer("news\n", 5),            // @news_write
                               asio::redirect_error(use_awaitable, error));  // @news_write
    co_await pause(5ms);
  }
}

awaitable<void> read_news_once(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, use_awaitable);
  char news[5];
  co_await asio::async_read(socket, asio::buffer(news), use_awaitable);
}

// A server goes on to write to a client that has left: it does not look at the error.
// truth: external wait; in write_news; at news_write; of socket; with failed with Broken pipe
TRUTH_CASE(writes_after_failure) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  co_spawn(io, write_news(acceptor), detached);
  co_spawn(io, read_news_once(acceptor.local_endpoint()), detached);
  serve(io);
}

struct Shop {
  explicit Shop(asio::io_context& io) : acceptor(io, loopback()), sweep(io) {}
  tcp::acceptor acceptor;
  steady_timer sweep;
};

awaitable<void> sweep_shop(Shop& shop) {
  for (;;) {
    shop.sweep.expires_after(20ms);
    try {
      co_await shop.sweep.async_wait(use_awaitable);  // @sweep_wait
    } catch (const boost::system::system_error&) {    // also that it is cancelled
    }
  }
}

awaitable<void> serve_customers(Shop& shop) {
  try {
    for (;;) co_await shop.acceptor.async_accept(use_awaitable);
  } catch (const boost::system::system_error&) {
  }
}

awaitable<void> close_shop(Shop& shop) {
  co_await pause(30ms);
  shop.acceptor.close();
  shop.sweep.cancel();
}

// The shop closes, but its sweeper takes the cancel for an error, and sets its timer again.
// truth: external wait; in sweep_shop; at sweep_wait; of deadline_timer; with closed the acceptor
TRUTH_CASE(sweeper_survives_close) {
  asio::io_context io;
  Shop shop(io);
  co_spawn(io, serve_customers(shop), detached);
  co_spawn(io, sweep_shop(shop), detached);
  co_spawn(io, close_shop(shop), detached);
  serve(io);
}

}  // namespace
