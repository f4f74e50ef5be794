// Correct servers and clients with Asio's callbacks.
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "net.h"

namespace {

// ---- timers ----

class Ticker : public std::enable_shared_from_this<Ticker> {
 public:
  Ticker(asio::io_context& io, int count, std::chrono::milliseconds period)
      : timer_(io), left_(count), period_(period) {}
  void start() {
    timer_.expires_after(period_);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && --self->left_ > 0) self->start();
    });
  }

 private:
  steady_timer timer_;
  int left_;
  std::chrono::milliseconds period_;
};

void tick(asio::io_context& io, int count, std::chrono::milliseconds period) {
  std::make_shared<Ticker>(io, count, period)->start();
}

// Timers that end after some ticks.
TRUTH_CASE(tickers) {
  asio::io_context io;
  for (int i = 1; i < 6; ++i) tick(io, 10 * i, std::chrono::milliseconds(i));
  serve(io);
}

// One timer ends early, another one goes on.
TRUTH_CASE(ticker_ends_first) {
  asio::io_context io;
  tick(io, 5, 2ms);
  tick(io, 40, 5ms);
  serve(io);
}

// A timer far in the future, cancelled at the end.
TRUTH_CASE(cancelled_timer) {
  asio::io_context io;
  steady_timer far(io, std::chrono::hours(10)), stop(io, 50ms);
  far.async_wait([](error_code) {});
  stop.async_wait([&](error_code) { far.cancel(); });
  serve(io);
}

// A timer far in the future when the program is stopped.
TRUTH_CASE(stopped_with_timer) {
  asio::io_context io;
  steady_timer far(io, std::chrono::hours(10)), stop(io, 80ms);
  far.async_wait([](error_code) {});
  stop.async_wait([&](error_code) { io.stop(); });
  serve(io);
}

// A timer that waits for longer than the lints' thresholds.
TRUTH_CASE(slow_timer) {
  asio::io_context io;
  steady_timer slow(io, 1250ms);
  slow.async_wait([](error_code) {});
  serve(io);
}

class Idle_timeout {
 public:
  explicit Idle_timeout(asio::io_context& io) : deadline_(io), traffic_(io) {}
  void start() {
    touch();
    message(20);
  }

 private:
  void touch() {
    deadline_.expires_after(40ms);
    deadline_.async_wait([this](error_code error) {
      if (!error) expired_ = true;
    });
  }
  void message(int left) {
    traffic_.expires_after(5ms);
    traffic_.async_wait([this, left](error_code) {
      touch();
      if (left > 0) message(left - 1);
    });
  }
  steady_timer deadline_, traffic_;
  bool expired_ = false;
};

// A deadline that each message moves, and that expires at last.
TRUTH_CASE(idle_timeout) {
  asio::io_context io;
  Idle_timeout timeout(io);
  timeout.start();
  serve(io);
}

class Retrier {
 public:
  explicit Retrier(asio::io_context& io) : timer_(io) {}
  void attempt() {
    if (++attempts_ == 5) return;
    timer_.expires_after(std::chrono::milliseconds(1 << attempts_));
    timer_.async_wait([this](error_code) { attempt(); });
  }

 private:
  steady_timer timer_;
  int attempts_ = 0;
};

// Gives up after five attempts.
TRUTH_CASE(gives_up) {
  asio::io_context io;
  Retrier retrier(io);
  retrier.attempt();
  tick(io, 20, 5ms);
  serve(io);
}

// A condition with callbacks: a timer that never expires.
class Ready {
 public:
  explicit Ready(asio::io_context& io) : timer_(io, steady_timer::time_point::max()) {}
  void then(std::function<void()> next) {
    if (ready_) return next();
    timer_.async_wait([next = std::move(next)](error_code) { next(); });
  }
  void set() {
    ready_ = true;
    timer_.cancel();
  }

 private:
  steady_timer timer_;
  bool ready_ = false;
};

// Parts that wait for each other's start.
TRUTH_CASE(start_in_order) {
  asio::io_context io;
  Ready database(io), cache(io);
  int started = 0;
  database.then([&] { cache.set(); });
  cache.then([&] { ++started; });
  asio::post(io, [&] { database.set(); });
  steady_timer late(io, 20ms);
  late.async_wait([&](error_code) { cache.then([&] { ++started; }); });
  serve(io);
}

// ---- handlers ----

class Counter {
 public:
  explicit Counter(asio::io_context& io) : io_(io) {}
  void step() {
    if (++steps_ < 2000) asio::post(io_, [this] { step(); });
  }

 private:
  asio::io_context& io_;
  int steps_ = 0;
};

// A chain of posted handlers that ends.
TRUTH_CASE(post_chain) {
  asio::io_context io;
  Counter counter(io);
  counter.step();
  tick(io, 10, 10ms);
  serve(io);
}

class Sorter {
 public:
  explicit Sorter(asio::io_context& io) : io_(io) {
    for (unsigned i = 0; i < 60'000; ++i) values_.push_back(i * 2654435761u);
  }
  void slice() {  // cut into pieces, so that others may run
    const std::size_t end = std::min(values_.size(), done_ + 500);
    for (; done_ < end; ++done_)
      for (std::size_t k = done_; k > 0 && k + 20 > done_ && values_[k - 1] > values_[k]; --k)
        std::swap(values_[k - 1], values_[k]);
    if (done_ < values_.size()) asio::post(io_, [this] { slice(); });
  }

 private:
  asio::io_context& io_;
  std::vector<unsigned> values_;
  std::size_t done_ = 0;
};

// Work in slices, between timers.
TRUTH_CASE(work_in_slices) {
  asio::io_context io;
  Sorter sorter(io);
  sorter.slice();
  tick(io, 20, 3ms);
  serve(io);
}

// A handler that computes for 250 ms when nothing else is to be done.
TRUTH_CASE(long_handler_alone) {
  asio::io_context io;
  asio::post(io, [] {
    const auto end = std::chrono::steady_clock::now() + 250ms;
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  serve(io);
}

// A burst of jobs.
TRUTH_CASE(burst_of_jobs) {
  asio::io_context io;
  int done = 0;
  for (int i = 0; i < 3000; ++i) asio::post(io, [&] { ++done; });
  serve(io);
}

// dispatch(), defer() and post().
TRUTH_CASE(dispatch_and_defer) {
  asio::io_context io;
  int done = 0;
  for (int i = 0; i < 20; ++i)
    asio::post(io, [&] {
      asio::dispatch(io, [&] { ++done; });
      asio::defer(io, [&] { ++done; });
    });
  serve(io);
}

// ---- sessions ----

class Echo : public std::enable_shared_from_this<Echo> {
 public:
  explicit Echo(tcp::socket socket) : socket_(std::move(socket)) {}
  void read() {
    socket_.async_read_some(asio::buffer(data_),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              if (!error) self->write(size);
                            });
  }

 private:
  void write(std::size_t size) {
    asio::async_write(socket_, asio::buffer(data_, size),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error) self->read();
                      });
  }
  tcp::socket socket_;
  std::array<char, 256> data_;
};

template <class Session>
class Server {
 public:
  explicit Server(asio::io_context& io, int count) : acceptor_(io, loopback()), left_(count) {
    accept();
  }
  tcp::endpoint where() const { return acceptor_.local_endpoint(); }
  void stop() { acceptor_.close(); }

 private:
  void accept() {
    if (left_-- == 0) return;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) return;
      std::make_shared<Session>(std::move(socket))->read();
      accept();
    });
  }
  tcp::acceptor acceptor_;
  int left_;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(asio::io_context& io, int rounds, std::chrono::milliseconds think = 0ms)
      : socket_(io), pause_(io), rounds_(rounds), think_(think) {}
  void start(tcp::endpoint server) {
    socket_.async_connect(server, [self = shared_from_this()](error_code error) {
      if (!error) self->ask();
    });
  }

 private:
  void ask() {
    if (rounds_-- == 0) return;
    asio::async_write(socket_, asio::buffer("ping", 4),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return;
                        asio::async_read(self->socket_, asio::buffer(self->data_),
                                         [self](error_code failure, std::size_t) {
                                           if (!failure) self->think();
                                         });
                      });
  }
  void think() {
    pause_.expires_after(think_);
    pause_.async_wait([self = shared_from_this()](error_code) { self->ask(); });
  }
  tcp::socket socket_;
  steady_timer pause_;
  int rounds_;
  std::chrono::milliseconds think_;
  std::array<char, 4> data_;
};

// Echo sessions.
TRUTH_CASE(callback_echo) {
  asio::io_context io;
  Server<Echo> server(io, 5);
  for (int i = 0; i < 5; ++i) std::make_shared<Client>(io, 40)->start(server.where());
  serve(io);
}

// Clients that think between requests.
TRUTH_CASE(thinking_clients) {
  asio::io_context io;
  Server<Echo> server(io, 4);
  for (int i = 0; i < 4; ++i)
    std::make_shared<Client>(io, 6, std::chrono::milliseconds(10 + i))->start(server.where());
  serve(io);
}

// Some clients leave early.
TRUTH_CASE(clients_leave) {
  asio::io_context io;
  Server<Echo> server(io, 8);
  for (int i = 0; i < 8; ++i) std::make_shared<Client>(io, i, 3ms)->start(server.where());
  serve(io);
}

// Idle connections until the program is stopped.
TRUTH_CASE(idle_connections) {
  asio::io_context io;
  Server<Echo> server(io, 100);
  std::vector<std::unique_ptr<tcp::socket>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<tcp::socket>(io));
    clients.back()->async_connect(server.where(), [](error_code) {});
  }
  steady_timer stop(io, 200ms);
  stop.async_wait([&](error_code) { io.stop(); });
  serve(io);
}

// Connections that are kept in a pool for later.
class Pool {
 public:
  explicit Pool(asio::io_context& io) : io_(io), pause_(io) {}
  void fill(tcp::endpoint server, int count) {
    for (int i = 0; i < count; ++i) {
      auto socket = std::make_shared<tcp::socket>(io_);
      socket->async_connect(server, [this, socket](error_code error) {
        if (!error) free_.push_back(socket);
      });
    }
    use(10);
  }

 private:
  void use(int left) {
    pause_.expires_after(8ms);
    pause_.async_wait([this, left](error_code) {
      if (left == 0) return free_.clear();
      if (free_.empty()) return use(left);
      auto socket = free_.back();
      free_.pop_back();
      asio::async_write(*socket, asio::buffer("ping", 4),
                        [this, socket, left](error_code, std::size_t) {
                          asio::async_read(*socket, asio::buffer(data_),
                                           [this, socket, left](error_code, std::size_t) {
                                             free_.push_back(socket);
                                             use(left - 1);
                                           });
                        });
    });
  }
  asio::io_context& io_;
  steady_timer pause_;
  std::vector<std::shared_ptr<tcp::socket>> free_;
  std::array<char, 4> data_;
};

TRUTH_CASE(pooled_connections) {
  asio::io_context io;
  Server<Echo> server(io, 3);
  Pool pool(io);
  pool.fill(server.where(), 3);
  serve(io);
}

class Line_session : public std::enable_shared_from_this<Line_session> {
 public:
  explicit Line_session(tcp::socket socket) : socket_(std::move(socket)) {}
  void read() {
    asio::async_read_until(socket_, asio::dynamic_buffer(in_), '\n',
                           [self = shared_from_this()](error_code error, std::size_t size) {
                             if (!error) self->handle(size);
                           });
  }

 private:
  void handle(std::size_t size) {
    const std::string line = in_.substr(0, size);
    in_.erase(0, size);
    if (line == "QUIT\n") return;  // closes the connection
    if (line == "NOOP\n") return read();
    out_ = "OK " + line;
    asio::async_write(socket_, asio::buffer(out_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (!error) self->read();
                      });
  }
  tcp::socket socket_;
  std::string in_, out_;
};

class Line_client : public std::enable_shared_from_this<Line_client> {
 public:
  explicit Line_client(asio::io_context& io) : socket_(io) {}
  void start(tcp::endpoint server) {
    socket_.async_connect(server, [self = shared_from_this()](error_code) {
      asio::async_write(self->socket_, asio::buffer(self->script_),
                        [self](error_code, std::size_t) { self->drain(); });
    });
  }

 private:
  void drain() {
    socket_.async_read_some(asio::buffer(data_),
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (!error) self->drain();
                            });
  }
  tcp::socket socket_;
  std::string script_ = "LIST\nNOOP\nGET 1\nNOOP\nQUIT\n";
  std::array<char, 64> data_;
};

// A line protocol in which some commands have no answer.
TRUTH_CASE(line_commands) {
  asio::io_context io;
  Server<Line_session> server(io, 3);
  for (int i = 0; i < 3; ++i) std::make_shared<Line_client>(io)->start(server.where());
  serve(io);
}

class One_answer : public std::enable_shared_from_this<One_answer> {
 public:
  explicit One_answer(tcp::socket socket) : socket_(std::move(socket)) {}
  void read() {
    asio::async_write(socket_, asio::buffer("12:00\n", 6),
                      [self = shared_from_this()](error_code, std::size_t) {
                        error_code ignored;
                        self->socket_.shutdown(tcp::socket::shutdown_both, ignored);
                      });
  }

 private:
  tcp::socket socket_;
};

// A daytime server, which closes each connection.
TRUTH_CASE(daytime) {
  asio::io_context io;
  Server<One_answer> server(io, 6);
  for (int i = 0; i < 6; ++i) std::make_shared<Line_client>(io)->start(server.where());
  serve(io);
}

class Outgoing : public std::enable_shared_from_this<Outgoing> {
 public:
  explicit Outgoing(asio::io_context& io) : socket_(io), timer_(io) {}
  void start(tcp::endpoint server) {
    socket_.async_connect(server, [self = shared_from_this()](error_code) { self->produce(); });
  }

 private:
  void produce() {  // queues lines; a write is pending only if there are any
    if (++lines_ > 15) return;
    queue_.push_back("line " + std::to_string(lines_) + "\n");
    if (queue_.size() == 1) write();
    timer_.expires_after(std::chrono::milliseconds(lines_ % 4));
    timer_.async_wait([self = shared_from_this()](error_code) { self->produce(); });
  }
  void write() {
    asio::async_write(socket_, asio::buffer(queue_.front()),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        if (error) return;
                        self->queue_.pop_front();
                        if (!self->queue_.empty()) self->write();
                      });
  }
  tcp::socket socket_;
  steady_timer timer_;
  std::deque<std::string> queue_;
  int lines_ = 0;
};

// A queue of outgoing messages, which is often empty.
TRUTH_CASE(write_queue) {
  asio::io_context io;
  Server<Echo> server(io, 2);
  for (int i = 0; i < 2; ++i) std::make_shared<Outgoing>(io)->start(server.where());
  serve(io);
}

class Throttled : public std::enable_shared_from_this<Throttled> {
 public:
  explicit Throttled(tcp::socket socket)
      : socket_(std::move(socket)), pause_(socket_.get_executor()) {}
  void read() {
    socket_.async_read_some(asio::buffer(data_),
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (error) return;
                              self->pause_.expires_after(3ms);  // reads again later
                              self->pause_.async_wait([self](error_code) { self->read(); });
                            });
  }

 private:
  tcp::socket socket_;
  steady_timer pause_;
  std::array<char, 64> data_;
};

// A server that reads slowly on purpose.
TRUTH_CASE(throttled_reads) {
  asio::io_context io;
  Server<Throttled> server(io, 3);
  for (int i = 0; i < 3; ++i) std::make_shared<Outgoing>(io)->start(server.where());
  serve(io);
}

// A server that accepts again only after a session has ended.
class Exclusive {
 public:
  explicit Exclusive(asio::io_context& io) : acceptor_(io, loopback()) { accept(); }
  tcp::endpoint where() const { return acceptor_.local_endpoint(); }

 private:
  void accept() {
    if (++served_ > 4) return;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) return;
      socket_.emplace(std::move(socket));
      read();
    });
  }
  void read() {
    socket_->async_read_some(asio::buffer(data_), [this](error_code error, std::size_t size) {
      if (error) {
        socket_.reset();
        return accept();
      }
      asio::async_write(*socket_, asio::buffer(data_, size),
                        [this](error_code, std::size_t) { read(); });
    });
  }
  tcp::acceptor acceptor_;
  std::optional<tcp::socket> socket_;
  std::array<char, 64> data_;
  int served_ = 0;
};

TRUTH_CASE(one_session_at_a_time) {
  asio::io_context io;
  Exclusive server(io);
  for (int i = 0; i < 4; ++i) std::make_shared<Client>(io, 5)->start(server.where());
  serve(io);
}

// Connections that are refused.
TRUTH_CASE(connection_refused) {
  asio::io_context io;
  const auto gone = [&] {
    tcp::acceptor acceptor(io, loopback());
    return acceptor.local_endpoint();
  }();
  for (int i = 0; i < 3; ++i) std::make_shared<Client>(io, 5)->start(gone);
  tick(io, 10, 5ms);
  serve(io);
}

using asio::ip::udp;

class Announcer {
 public:
  explicit Announcer(asio::io_context& io)
      : socket_(io, udp::endpoint(asio::ip::address_v4::loopback(), 0)), timer_(io) {}
  udp::endpoint where() const { return socket_.local_endpoint(); }
  void listen() {
    socket_.async_receive_from(asio::buffer(data_), sender_, [this](error_code error, std::size_t) {
      if (!error && ++heard_ < 20) listen();
    });
  }
  void announce(udp::endpoint to, int left) {
    if (left == 0) return;
    socket_.async_send_to(asio::buffer("here", 4), to, [this, to, left](error_code, std::size_t) {
      timer_.expires_after(2ms);
      timer_.async_wait([this, to, left](error_code) { announce(to, left - 1); });
    });
  }

 private:
  udp::socket socket_;
  steady_timer timer_;
  udp::endpoint sender_;
  std::array<char, 16> data_;
  int heard_ = 0;
};

// Announcements by datagrams.
TRUTH_CASE(announcements) {
  asio::io_context io;
  Announcer a(io), b(io);
  a.listen();
  b.listen();
  a.announce(b.where(), 20);
  b.announce(a.where(), 20);
  serve(io);
}

// A resolver.
TRUTH_CASE(resolves_host) {
  asio::io_context io;
  tcp::resolver resolver(io);
  int found = 0;
  resolver.async_resolve("127.0.0.1", "443", [&](error_code, tcp::resolver::results_type results) {
    found = static_cast<int>(results.size());
  });
  serve(io);
}

// ---- shutdown ----

class Daemon {
 public:
  explicit Daemon(asio::io_context& io)
      : acceptor_(io, loopback()), signals_(io, SIGTERM, SIGINT), timer_(io) {
    accept();
    clean();
    signals_.async_wait([this](error_code, int) { stop(); });
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket) {
      if (!error) accept();
    });
  }
  void clean() {
    timer_.expires_after(5ms);
    timer_.async_wait([this](error_code error) {
      if (!error) clean();
    });
  }
  void stop() {
    acceptor_.close();
    timer_.cancel();
  }
  tcp::acceptor acceptor_;
  asio::signal_set signals_;
  steady_timer timer_;
};

// A daemon that ends on SIGTERM.
TRUTH_CASE(daemon_stops) {
  asio::io_context io;
  Daemon daemon(io);
  steady_timer stop(io, 60ms);
  stop.async_wait([](error_code) { std::raise(SIGTERM); });
  serve(io);
}

// A daemon that waits for a signal, for longer than the lints' thresholds.
TRUTH_CASE(daemon_waits) {
  asio::io_context io;
  Daemon daemon(io);
  steady_timer stop(io, 1250ms);
  stop.async_wait([](error_code) { std::raise(SIGTERM); });
  serve(io);
}

// A drain: no new connections, and the old ones end by themselves.
TRUTH_CASE(drain) {
  asio::io_context io;
  Server<Echo> server(io, 100);
  for (int i = 0; i < 3; ++i) std::make_shared<Client>(io, 15, 4ms)->start(server.where());
  steady_timer drain(io, 30ms);
  drain.async_wait([&](error_code) { server.stop(); });
  serve(io);
}

// A work guard that is reset when the last job is done.
TRUTH_CASE(work_guard) {
  asio::io_context io;
  auto guard = asio::make_work_guard(io);
  std::thread producer([&] {
    for (int i = 0; i < 20; ++i) {
      asio::post(io, [] {});
      std::this_thread::sleep_for(3ms);
    }
    guard.reset();
  });
  serve(io);
  producer.join();
}

// A handler that throws; the loop around run() logs it and goes on.
TRUTH_CASE(run_in_slices) {
  asio::io_context io;
  tick(io, 30, 3ms);
  while (!io.stopped()) {
    io.run_for(10ms);
    if (io.run_for(0ms) == 0) std::this_thread::sleep_for(1ms);
  }
}

// poll() in a loop of the program's own, as games do.
TRUTH_CASE(game_loop) {
  asio::io_context io;
  tick(io, 30, 4ms);
  for (int frame = 0; frame < 20; ++frame) {
    io.poll();
    std::this_thread::sleep_for(8ms);
  }
}

// A broadcast to all sessions, of which some have left.
class Broadcast {
 public:
  explicit Broadcast(asio::io_context& io) : io_(io), acceptor_(io, loopback()), timer_(io) {
    accept();
  }
  tcp::endpoint where() const { return acceptor_.local_endpoint(); }
  void send(int left) {
    if (left == 0) return acceptor_.close(), sessions_.clear();
    for (const auto& session : sessions_)
      asio::async_write(*session, asio::buffer("news", 4), [session](error_code, std::size_t) {});
    timer_.expires_after(5ms);
    timer_.async_wait([this, left](error_code) { send(left - 1); });
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) return;
      sessions_.insert(std::make_shared<tcp::socket>(std::move(socket)));
      accept();
    });
  }
  asio::io_context& io_;
  tcp::acceptor acceptor_;
  steady_timer timer_;
  std::set<std::shared_ptr<tcp::socket>> sessions_;
};

TRUTH_CASE(broadcast) {
  asio::io_context io;
  Broadcast server(io);
  server.send(12);
  for (int i = 0; i < 4; ++i) std::make_shared<Line_client>(io)->start(server.where());
  serve(io);
}

// A timer that is re-armed until an attempt succeeds, while the program goes on.
class Attempts {
 public:
  explicit Attempts(asio::io_context& io) : timer_(io) {}
  void attempt() {
    timer_.expires_after(5ms);
    timer_.async_wait([this](error_code) {
      if (++attempts_ < 6) attempt();
    });
  }

 private:
  steady_timer timer_;
  int attempts_ = 0;
};

TRUTH_CASE(succeeds_at_last) {
  asio::io_context io;
  Attempts attempts(io);
  attempts.attempt();
  tick(io, 60, 4ms);
  serve(io);
}

// SIGUSR1 makes a server tell its state, once; its next client comes later.
TRUTH_CASE(tells_state_on_signal) {
  asio::io_context io;
  tcp::acceptor acceptor(io, loopback());
  asio::signal_set signals(io, SIGUSR1);
  signals.async_wait([](error_code, int) { std::puts("0 clients"); });
  acceptor.async_accept([](error_code, tcp::socket) {});
  const tcp::endpoint where = acceptor.local_endpoint();
  std::thread client([where] {
    std::this_thread::sleep_for(20ms);
    std::raise(SIGUSR1);
    std::this_thread::sleep_for(300ms);
    asio::io_context own;
    tcp::socket(own).connect(where);
  });
  serve(io);
  client.join();
}

// A handler that throws; the loop around run() logs it and goes on.
TRUTH_CASE(loop_logs_exceptions) {
  asio::io_context io;
  tick(io, 20, 3ms);
  for (int i = 0; i < 3; ++i) asio::post(io, [] { throw std::runtime_error("bad request"); });
  for (bool again = true; again;) {
    try {
      serve(io);
      again = false;
    } catch (const std::exception& e) {
      std::puts(e.what());
    }
  }
}

// Ends the process while a thread of a pool computes; the other one has served a timer since.
TRUTH_CASE(exits_during_batch) {
  asio::thread_pool pool(2);
  steady_timer later(pool, 20ms), often(pool);
  const auto until = std::chrono::steady_clock::now() + 1300ms;
  std::atomic<unsigned> sum{0};
  later.async_wait([&](error_code) {
    while (std::chrono::steady_clock::now() < until + 5s) ++sum;
  });
  std::function<void(error_code)> beat = [&](error_code) {
    often.expires_after(5ms);
    often.async_wait(beat);
  };
  asio::post(pool, [&] { beat({}); });
  for (int i = 0; i < truth::noise(); ++i) asio::post(pool, [&] { ++sum; });
  std::this_thread::sleep_until(until);
  std::_Exit(0);
}

// Handlers post others to their own pool, and wait for none.
TRUTH_CASE(handlers_divide_work) {
  asio::thread_pool pool(2);
  std::function<void(int)> divide = [&](int depth) {
    for (int i = 0; depth > 0 && i < 2; ++i) asio::post(pool, [&, depth] { divide(depth - 1); });
    std::this_thread::sleep_for(15ms);
  };
  for (int i = 0; i < truth::noise(); ++i) asio::post(pool, [] {});
  asio::post(pool, [&] { divide(5); });
  pool.join();
}

}  // namespace
