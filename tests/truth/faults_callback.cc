// Servers and clients with Asio's callbacks, each with one fault.
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <future>
#include <memory>
#include <stdexcept>

#include "net.h"

namespace {

// ---- timers ----

class Reply_waiter {
 public:
  explicit Reply_waiter(asio::io_context& io)
      : reply_(io, steady_timer::time_point::max()), disk_(io), network_(io) {}
  void start() {
    disk_.expires_after(20ms);
    disk_.async_wait([this](error_code) { wait(); });
    network_.expires_after(1ms);
    network_.async_wait([this](error_code) { on_reply(); });
  }

 private:
  void wait() {
    reply_.async_wait([this](error_code) { std::puts("replied"); });  // @wait_reply
  }
  void on_reply() { reply_.cancel(); }
  steady_timer reply_, disk_, network_;
};

// The reply comes before the client waits for it.
// truth: lost wake-up|never expires; in Reply_waiter::wait; at wait_reply; of deadline_timer
TRUTH_CASE(reply_before_wait) {
  asio::io_context io;
  Reply_waiter waiter(io);
  waiter.start();
  serve(io);
}

class Heartbeat {
 public:
  explicit Heartbeat(asio::io_context& io) : timer_(io) {}
  void arm() {
    timer_.expires_after(5ms);
    timer_.async_wait([this](error_code error) { beat(error); });  // @arm
  }

 private:
  void beat(error_code error) {
    if (error) return;
    if (++beats_ % 10 == 0) return;  // a log line each ten beats, and forgets to arm
    arm();
  }
  steady_timer timer_;
  int beats_ = 0;
};

class Ticker {
 public:
  explicit Ticker(asio::io_context& io) : timer_(io) {}
  void arm() {
    timer_.expires_after(7ms);
    timer_.async_wait([this](error_code) { arm(); });
  }

 private:
  steady_timer timer_;
};

// A heartbeat is not re-armed after its tenth beat; the rest of the program goes on.
// truth: broken chain; in Heartbeat::arm; at arm; of deadline_timer
TRUTH_CASE(heartbeat_stops) {
  asio::io_context io;
  Heartbeat heartbeat(io);
  Ticker ticker(io);
  heartbeat.arm();
  ticker.arm();
  serve(io);
}

class Session_timeout {
 public:
  explicit Session_timeout(asio::io_context& io) : timer_(io) {}
  void start() {
    timer_.expires_after(std::chrono::minutes(30));                      // meant seconds(30) / 1000
    timer_.async_wait([this](error_code error) { expired_ = !error; });  // @timeout_start
  }

 private:
  steady_timer timer_;
  bool expired_ = false;
};

// A timeout of 30 minutes instead of 30 ms.
// truth: external wait; in Session_timeout::start; at timeout_start; of deadline_timer; with 30.0
// min
TRUTH_CASE(timeout_in_minutes) {
  asio::io_context io;
  Session_timeout timeout(io);
  timeout.start();
  serve(io);
}

class Watchdog {
 public:
  explicit Watchdog(asio::io_context& io) : deadline_(io), traffic_(io) {}
  void start() {
    deadline_.expires_after(50ms);
    watch();
    feed();
  }

 private:
  void watch() {
    deadline_.async_wait([this](error_code error) {  // @watch
      if (error) return watch();
      std::puts("timeout");
    });
  }
  void feed() {  // even traffic of other sessions feeds it
    traffic_.expires_after(10ms);
    traffic_.async_wait([this](error_code) {
      deadline_.expires_after(50ms);
      feed();
    });
  }
  steady_timer deadline_, traffic_;
};

// A watchdog never expires: other traffic moves its deadline.
// truth: never expires|external wait; in Watchdog::watch; at watch; of deadline_timer; with feed
TRUTH_CASE(watchdog_is_fed) {
  asio::io_context io;
  Watchdog watchdog(io);
  watchdog.start();
  serve(io);
}

// ---- chains ----

class Echo : public std::enable_shared_from_this<Echo> {
 public:
  explicit Echo(tcp::socket socket) : socket_(std::move(socket)) {}
  void read() {
    socket_.async_read_some(asio::buffer(data_),  // @echo_read
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              if (!error) self->handle(size);
                            });
  }

 private:
  void handle(std::size_t size) {
    if (data_[0] == '#') {  // a comment: nothing to answer
      kept = shared_from_this();
      return;  // and forgets to read on
    }
    asio::async_write(socket_, asio::buffer(data_, size),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error) self->read();
                      });
  }
  tcp::socket socket_;
  std::array<char, 64> data_;
  std::shared_ptr<Echo> kept;
};

class Echo_server {
 public:
  Echo_server(asio::io_context& io) : acceptor_(io, loopback()) { accept(); }
  tcp::endpoint where() const { return acceptor_.local_endpoint(); }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) return;
      std::make_shared<Echo>(std::move(socket))->read();
      accept();
    });
  }
  tcp::acceptor acceptor_;
};

class Chat_client {
 public:
  Chat_client(asio::io_context& io, tcp::endpoint server, std::string lines)
      : socket_(io), lines_(std::move(lines)) {
    socket_.async_connect(server, [this](error_code error) {
      if (!error) send();
    });
  }

 private:
  void send() {
    if (next_ == lines_.size()) return;
    asio::async_write(socket_, asio::buffer(&lines_[next_++], 1),
                      [this](error_code error, std::size_t) {
                        if (!error) receive();
                      });
  }
  void receive() {
    socket_.async_read_some(asio::buffer(data_),
                            [this](error_code error, std::size_t) {  // @chat_receive
                              if (!error) send();
                            });
  }
  tcp::socket socket_;
  std::string lines_;
  std::size_t next_ = 0;
  std::array<char, 64> data_;
};

// A session does not read on after a comment line.
// truth: broken chain; in Echo::read; at echo_read; of socket
TRUTH_CASE(comment_ends_chain) {
  asio::io_context io;
  Echo_server server(io);
  Chat_client client(io, server.where(), "abc#d");
  serve(io);
}

class One_shot_server {
 public:
  explicit One_shot_server(asio::io_context& io) : acceptor_(io, loopback()), house_(io) {
    accept();
    clean();
  }
  tcp::endpoint where() const { return acceptor_.local_endpoint(); }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {  // @accept_once
      if (error) return;
      sockets_.push_back(std::move(socket));
      if (sockets_.size() == 3) return;  // full: never accepts again
      accept();
    });
  }
  void clean() {
    house_.expires_after(10ms);
    house_.async_wait([this](error_code) {
      if (!sockets_.empty()) sockets_.erase(sockets_.begin());
      clean();
    });
  }
  tcp::acceptor acceptor_;
  steady_timer house_;
  std::vector<tcp::socket> sockets_;
};

// A server stops accepting when it is full, for ever.
// truth: broken chain; in One_shot_server::accept; at accept_once; of socket
TRUTH_CASE(stops_accepting) {
  asio::io_context io;
  One_shot_server server(io);
  std::vector<std::unique_ptr<tcp::socket>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<tcp::socket>(io));
    clients.back()->async_connect(server.where(), [](error_code) {});
  }
  serve(io);
}

class Collector {
 public:
  explicit Collector(asio::io_context& io) : acceptor_(io, loopback()) { accept(); }
  tcp::endpoint where() const { return acceptor_.local_endpoint(); }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {  // @collect
      if (error) return;
      sessions_.push_back(std::move(socket));  // and forgets to read
      accept();
    });
  }
  tcp::acceptor acceptor_;
  std::vector<tcp::socket> sessions_;
};

class Reporter {
 public:
  Reporter(asio::io_context& io, tcp::endpoint to) : socket_(io) {
    socket_.async_connect(to, [this](error_code) { report(); });
  }

 private:
  void report() {
    asio::async_write(socket_, asio::buffer("status ok\n", 10), [this](error_code, std::size_t) {
      socket_.async_read_some(asio::buffer(data_), [](error_code, std::size_t) {});  // @report_read
    });
  }
  tcp::socket socket_;
  std::array<char, 64> data_;
};

// A server accepts connections, but never reads from them.
// truth: external wait; in Reporter::report; at report_read; of socket
TRUTH_CASE(never_reads) {
  asio::io_context io;
  Collector collector(io);
  Reporter reporter(io, collector.where());
  serve(io);
}

// ---- threads ----

class Thumbnailer {
 public:
  explicit Thumbnailer(asio::io_context& io) : io_(io), tick_(io) {}
  void start() {
    asio::post(io_, [this] { shrink(); });  // @post_shrink
    tick();
  }

 private:
  void shrink() { std::this_thread::sleep_for(truth::patience() * 2); }  // @shrink_sleep
  void tick() {
    tick_.expires_after(5ms);
    tick_.async_wait([this](error_code) { tick(); });
  }
  asio::io_context& io_;
  steady_timer tick_;
};

// A handler blocks the only thread.
// truth: running|starved|ran-too-long; in Thumbnailer::start; at post_shrink shrink_sleep; of
// execute
TRUTH_CASE(handler_blocks) {
  asio::io_context io;
  Thumbnailer thumbnailer(io);
  thumbnailer.start();
  serve(io);
}

class Parser {
 public:
  Parser(asio::io_context& io) : timer_(io), retry_(io) {}
  void start() {
    timer_.expires_after(1ms);
    timer_.async_wait([this](error_code) { parse("key value"); });  // @parse_timer
    retry_.expires_after(5ms);
    retry_.async_wait([](error_code) { std::puts("retry"); });
  }

 private:
  void parse(const char* text) {
    const auto end = std::chrono::steady_clock::now() + truth::patience() * 2;
    while (*text != ':' && std::chrono::steady_clock::now() < end) {  // @parse_loop
    }
  }
  steady_timer timer_, retry_;
};

// A parser loops for ever when the separator is missing.
// truth: running|starved|ran-too-long; in Parser::start; at parse_timer parse_loop; of
// deadline_timer
TRUTH_CASE(endless_loop) {
  asio::io_context io;
  Parser parser(io);
  parser.start();
  serve(io);
}

class Spinner {
 public:
  explicit Spinner(asio::io_context& io) : io_(io) {}
  void poll() {
    if (!ready_) asio::post(io_, [this] { poll(); });  // @spin
  }

 private:
  asio::io_context& io_;
  bool ready_ = false;
};

// A handler posts itself until a flag is set that is never set.
// truth: self-wake; in Spinner::poll; at spin; of execute
TRUTH_CASE(handler_posts_itself) {
  asio::io_context io;
  Spinner spinner(io);
  spinner.poll();
  serve(io);
}

class Ledger {
 public:
  explicit Ledger(asio::io_context& io) : strand_(asio::make_strand(io)) {}
  void start() {
    asio::post(strand_, [this] { rebuild(); });                           // @rebuild
    for (int i = 0; i < 4; ++i) asio::post(strand_, [this] { book(); });  // @book
  }

 private:
  void rebuild() { std::this_thread::sleep_for(truth::patience() * 2); }
  void book() { ++entries_; }
  asio::strand<asio::io_context::executor_type> strand_;
  int entries_ = 0;
};

// A long handler starves the others of its strand; a second thread is idle.
// truth: starved|running|ran-too-long; in Ledger::start; at rebuild; of strand
TRUTH_CASE(strand_is_starved) {
  asio::io_context io;
  Ledger ledger(io);
  ledger.start();
  serve(io, 2);
}

class Settings {
 public:
  explicit Settings(asio::io_context& io) : io_(io) {}
  void load() {
    asio::post(io_, [this] {  // @load_settings
      std::promise<int> answer;
      std::future<int> result = answer.get_future();
      asio::post(io_, [&answer] { answer.set_value(1); });
      if (result.wait_for(truth::patience() * 2) == std::future_status::ready) std::puts("loaded");
    });
  }

 private:
  asio::io_context& io_;
};

// A handler waits for a future that a later handler of its thread should fulfil.
// truth: running|starved|ran-too-long; in Settings::load; at load_settings; of execute
TRUTH_CASE(future_in_handler) {
  asio::io_context io;
  Settings settings(io);
  settings.load();
  serve(io);
}

// ---- work that is dropped ----

void log_line(asio::thread_pool& pool, int& lines) {
  asio::post(pool, [&lines] { ++lines; });  // @log_line
}

void idle_until_stopped() {
  asio::io_context io;
  Ticker ticker(io);
  ticker.arm();
  serve(io);
}

// A job is posted to a pool that was stopped.
// truth: handler-never-invoked|starved; in log_line; at log_line; of thread_pool
TRUTH_CASE(job_for_stopped_pool) {
  asio::thread_pool logger(1);
  int lines = 0;
  log_line(logger, lines);
  std::this_thread::sleep_for(5ms);
  logger.stop();
  log_line(logger, lines);
  idle_until_stopped();
}

class Importer {
 public:
  explicit Importer(asio::io_context& background) : background_(background) {}
  void import_row() {
    asio::post(background_, [this] { ++rows_; });  // @import_row
  }

 private:
  asio::io_context& background_;
  int rows_ = 0;
};

// Jobs are posted to an event loop that no thread runs.
// truth: handler-never-invoked|starved; in Importer::import_row; at import_row; of io_context
TRUTH_CASE(loop_without_thread) {
  asio::io_context background;
  Importer importer(background);
  importer.import_row();
  idle_until_stopped();
}

class Outbox {
 public:
  explicit Outbox(asio::io_context& io) : io_(io), timer_(io) {}
  void start() {
    timer_.expires_after(20ms);
    timer_.async_wait([this](error_code) {
      for (int i = 0; i < 3; ++i) asio::post(io_, [this] { flush(); });  // @flush
      io_.stop();
    });
  }

 private:
  void flush() { std::puts("flushed"); }
  asio::io_context& io_;
  steady_timer timer_;
};

// stop() is called before the posted handlers ran; main() goes on with other things.
// truth: handler-never-invoked|starved|torn down; in Outbox::start; at flush; of io_context
TRUTH_CASE(stopped_before_flush) {
  asio::io_context io;
  Outbox outbox(io);
  outbox.start();
  serve(io);
  idle_until_stopped();
}

class Uploader {
 public:
  Uploader(asio::io_context& io, tcp::endpoint to) : io_(io), socket_(io), quit_(io) {
    socket_.async_connect(to, [this](error_code) {
      socket_.async_read_some(asio::buffer(data_), [](error_code, std::size_t) {});  // @upload_read
    });
    quit_.expires_after(30ms);
    quit_.async_wait([this](error_code) { io_.stop(); });
  }

 private:
  asio::io_context& io_;
  tcp::socket socket_;
  steady_timer quit_;
  std::array<char, 64> data_;
};

// The event loop is stopped while an upload waits for its acknowledgement.
// truth: torn down|external wait; in Uploader::Uploader; at upload_read; of socket
TRUTH_CASE(stopped_while_uploading) {
  asio::io_context io;
  Collector collector(io);
  Uploader uploader(io, collector.where());
  serve(io);
}

// ---- shutdown and failures ----

class Daemon {
 public:
  explicit Daemon(asio::io_context& io)
      : acceptor_(io, loopback()), signals_(io, SIGTERM), timer_(io) {
    accept();
    tick();
    signals_.async_wait([this](error_code, int) { timer_.cancel(); });  // forgets the acceptor
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket) {  // @daemon_accept
      if (!error) accept();
    });
  }
  void tick() {
    timer_.expires_after(5ms);
    timer_.async_wait([this](error_code error) {
      if (!error) tick();
    });
  }
  tcp::acceptor acceptor_;
  asio::signal_set signals_;
  steady_timer timer_;
};

// SIGTERM stops the timer, but the acceptor stays open and the process does not end.
// truth: external wait; in Daemon::accept; at daemon_accept; of socket; with signal
TRUTH_CASE(acceptor_stays_open) {
  asio::io_context io;
  Daemon daemon(io);
  steady_timer operator_stops(io, 30ms);
  operator_stops.async_wait([](error_code) { std::raise(SIGTERM); });
  serve(io);
}

// The work guard of a pool of threads is not reset at shutdown.
// truth: idle; in ; at ; of io_context
TRUTH_CASE(work_guard_kept) {
  asio::io_context io;
  auto guard = asio::make_work_guard(io);
  for (int i = 0; i < 5; ++i) asio::post(io, [] {});
  serve(io, 2);
}

class Billing {
 public:
  explicit Billing(asio::io_context& io) : timer_(io) {}
  void schedule() {
    timer_.expires_after(5ms);
    timer_.async_wait([this](error_code) { charge(-1); });  // @charge
  }

 private:
  void charge(int amount) {
    if (amount < 0) throw std::out_of_range("negative amount");
  }
  steady_timer timer_;
};

void run_and_swallow(asio::io_context& io) {
  for (;;) {
    try {
      return serve(io);
    } catch (const std::exception&) {  // "should not happen"
    }
  }
}

// A handler throws, and the loop around run() swallows it.
// truth: failed; in Billing::schedule; at charge; of negative amount
TRUTH_CASE(handler_throws) {
  asio::io_context io;
  Billing billing(io);
  Ticker ticker(io);
  billing.schedule();
  ticker.arm();
  run_and_swallow(io);
}

class Metrics_server {
 public:
  Metrics_server(asio::io_context& io, unsigned short port) : acceptor_(io), io_(io), port_(port) {
    asio::post(io_, [this] { listen(); });  // @listen
  }

 private:
  void listen() {
    acceptor_.open(tcp::v4());
    acceptor_.bind(loopback(port_));
    acceptor_.listen();
  }
  tcp::acceptor acceptor_;
  asio::io_context& io_;
  unsigned short port_;
};

// bind() throws in a handler, and the loop around run() swallows it.
// truth: failed; in Metrics_server; at listen; of Address already in use
TRUTH_CASE(bind_throws) {
  asio::io_context io;
  tcp::acceptor first(io, loopback());
  Metrics_server metrics(io, first.local_endpoint().port());
  Ticker ticker(io);
  ticker.arm();
  run_and_swallow(io);
}

// Ends a program whose threads are blocked.
void exit_after_patience() {
  std::this_thread::sleep_for(truth::patience());
  std::_Exit(0);
}

// Answers each request for the port of a service with a line.
class Registry {
 public:
  explicit Registry(asio::io_context& io) : acceptor_(io, loopback()) { accept(); }
  tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) return;
      asio::write(socket, asio::buffer("7001\n", 5));
      accept();
    });
  }
  tcp::acceptor acceptor_;
};

class Deployment {
 public:
  Deployment(asio::io_context& io, tcp::endpoint registry)
      : io_(io), registry_(registry), begin_(io, 5ms) {}
  void start() {
    begin_.async_wait([this](error_code) { look_up(); });  // @begin_wait
  }

 private:
  void look_up() {
    tcp::socket socket(io_);
    socket.connect(registry_);
    std::array<char, 8> port;
    if (socket.read_some(asio::buffer(port)) > 0) std::puts("found");
  }
  asio::io_context& io_;
  tcp::endpoint registry_;
  steady_timer begin_;
};

// A handler waits, in a system call, for the answer of a service that its thread runs.
// truth: running|ran-too-long; in Deployment::start; at begin_wait; of deadline_timer
TRUTH_CASE(asks_service_of_own_thread) {
  asio::io_context io;
  Registry registry(io);
  Deployment deployment(io, registry.endpoint());
  deployment.start();
  std::thread(exit_after_patience).detach();
  io.run();
}

// Sums up a table in two halves, each in its own handler.
class Summary {
 public:
  explicit Summary(asio::thread_pool& pool) : pool_(pool), begin_(asio::make_strand(pool), 10ms) {}
  void start() {
    begin_.async_wait([this](error_code) { build(); });  // @summary_wait
  }

 private:
  void build() {
    std::this_thread::sleep_for(20ms);
    auto halves = std::make_shared<std::array<std::promise<int>, 2>>();
    for (std::size_t i = 0; i < halves->size(); ++i)
      asio::post(pool_, [halves, i] { (*halves)[i].set_value(1); });
    for (std::promise<int>& half : *halves) half.get_future().get();
    std::puts("built");
  }
  asio::thread_pool& pool_;
  steady_timer begin_;
};

// Both threads of a pool wait for handlers that only they could run.
// truth: running; in Summary::start Summary::build; at summary_wait; with posted 4 of these
// handlers
TRUTH_CASE(futures_in_all_threads) {
  asio::thread_pool pool(2);
  for (int i = 0; i < 8; ++i) asio::post(pool, [] { std::this_thread::sleep_for(2ms); });
  Summary summaries[] = {Summary(pool), Summary(pool)};
  for (Summary& summary : summaries) summary.start();
  exit_after_patience();
}

}  // namespace
