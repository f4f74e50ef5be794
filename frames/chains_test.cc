#include "frames/chains.h"

#include <doctest/doctest.h>

#include <utility>

#include "frames/joined_coroutines.h"
#include "frames/silent_connections.h"
#include "frames/verdict.h"

using namespace skein;

namespace {

using State = SuspendedCoroutine::State;

// Coroutines of the functions 0 "session", 1 "read", 2 Asio's operation "async_receive".
SuspendedCoroutines coroutines(const std::vector<std::pair<uint32_t, uint32_t>>& all) {
  SuspendedCoroutines found;
  found.functions = {{.name = "session"}, {.name = "read"}, {.operation = "async_receive"}};
  for (const auto& [function, awaits] : all)
    found.coroutines.push_back({.frame = 16 * (found.coroutines.size() + 1),
                                .function = function,
                                .awaits = awaits,
                                .state = State::Waits});
  return found;
}

constexpr uint32_t none = SuspendedCoroutine::none;

ChainVerdict verdict_of(const SuspendedCoroutines& found, const Surroundings& around = {}) {
  return judge(found, find_chains(found).front(), around);
}

}  // namespace

TEST_CASE("chains: similar ones are one, with what each waits for") {
  SuspendedCoroutines found =
      coroutines({{0, 1}, {1, 2}, {2, none}, {0, 4}, {1, 5}, {2, none}, {1, none}});
  found.objects.resize(2);
  found.coroutines[2].object = 0;
  found.coroutines[5].object = 1;
  const std::vector<CoroutineChain> chains = find_chains(found);
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].count == 2);
  CHECK(chains[0].steps == std::vector<uint32_t>{0, 1});
  CHECK(chains[0].operation == "async_receive");
  CHECK(chains[0].objects == std::vector<uint32_t>{0, 1});
  CHECK(chains[0].members == std::vector<uint32_t>{0, 1, 2, 3, 4, 5});
  CHECK(chains[0].cycle_begin == CoroutineChain::no_cycle);
  CHECK(chains[1].steps == std::vector<uint32_t>{6});
  CHECK(chains[1].members == std::vector<uint32_t>{6});
}

TEST_CASE("chains: few that send to different channels have a line each") {
  SuspendedCoroutines found = coroutines({{0, 1}, {2, none}, {0, 3}, {2, none}, {0, 5}, {2, none}});
  found.objects = {{.kind = AsioObject::Kind::Channel, .address = 0x100},
                   {.kind = AsioObject::Kind::Channel, .address = 0x200},
                   {.kind = AsioObject::Kind::Channel, .address = 0x100}};
  for (const uint32_t i : {0U, 1U, 2U}) found.coroutines[2 * i + 1].object = i;
  CHECK(find_chains(found).size() == 1);  // they receive
  found.functions[2].operation = "async_send";
  std::vector<CoroutineChain> chains = find_chains(found);
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].objects == std::vector<uint32_t>{0, 2});
  CHECK(chains[1].objects == std::vector<uint32_t>{1});
  for (uint32_t i = 3; i < 5; i++) {  // of four channels
    found.objects.push_back({.kind = AsioObject::Kind::Channel, .address = 0x100 * i});
    found.coroutines.push_back(
        {.frame = 0x100 * i, .function = 0, .awaits = 2 * i + 1, .state = State::Waits});
    found.coroutines.push_back({.frame = 0x100 * i + 16, .function = 2, .state = State::Waits});
    found.coroutines.back().object = i;
  }
  chains = find_chains(found);
  REQUIRE(chains.size() == 1);
  CHECK(chains[0].count == 5);
  CHECK(chains[0].objects.size() == 5);
  CHECK(chains[0].members.size() == 10);
}

TEST_CASE("chains: a cycle is a deadlock") {
  const SuspendedCoroutines found = coroutines({{0, 1}, {1, 0}});
  const std::vector<CoroutineChain> chains = find_chains(found);
  REQUIRE(chains.size() == 1);
  CHECK(chains[0].steps.size() == 2);
  CHECK(chains[0].cycle_begin == 0);
  CHECK(verdict_of(found) == ChainVerdict::Deadlock);
}

TEST_CASE("chains: locks that their holders wait for are a deadlock, and those that are certain") {
  SuspendedCoroutines found = coroutines({{0, none}, {0, none}, {1, none}});
  constexpr auto certain = WaitObject::Certainty::Certain;
  found.awaited = {
      {.address = 1, .kind = WaitObject::Kind::Lock, .waiters = {0, 2}, .holders = {{1, certain}}},
      {.address = 2, .kind = WaitObject::Kind::Lock, .waiters = {1}, .holders = {{0, certain}}}};
  found.coroutines[0].awaited = 0;
  found.coroutines[1].awaited = 1;
  found.coroutines[2].awaited = 0;
  const auto verdicts = [&] {
    std::vector<ChainVerdict> all;
    for (const CoroutineChain& chain : find_chains(found)) all.push_back(judge(found, chain, {}));
    return all;
  };
  using enum ChainVerdict;
  CHECK(find_chains(found).size() == 3);
  CHECK(verdicts() == std::vector{Deadlock, Deadlock, BehindDeadlock});
  found.awaited[0].holders[0].certainty = WaitObject::Certainty::Perhaps;
  CHECK(verdicts() == std::vector{Unknown, Unknown, Unknown});
  found.awaited[0].holders[0].certainty = WaitObject::Certainty::Probable;
  CHECK(verdicts() == std::vector{PerhapsDeadlock, PerhapsDeadlock, Unknown});
}

TEST_CASE("chains: those that one waits for together are behind it") {
  SuspendedCoroutines found = coroutines({{1, none}, {1, none}, {0, none}});
  found.awaited = {{.address = 1, .kind = WaitObject::Kind::WhenAll, .waiters = {2}}};
  found.coroutines[2].awaited = 0;
  for (const uint32_t child : {0U, 1U}) found.coroutines[child].joined_by = 2;
  const std::vector<CoroutineChain> chains = find_chains(found);
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].steps == std::vector<uint32_t>{2});
  CHECK(chains[1].count == 2);
  CHECK(chains[1].joined_by == 2);
  found.coroutines[2].joined_by = 0;  // damaged: in a circle
  CHECK(find_chains(found).size() == 2);
}

TEST_CASE("chains: one that waits for several together, of which one waits for its lock") {
  // 0 joins 1 and 2; 2 awaits 3, which waits for a lock that 0 holds; 4 awaits 0.
  SuspendedCoroutines found = coroutines({{0, none}, {1, none}, {1, 3}, {1, none}, {0, 0}});
  constexpr auto certain = WaitObject::Certainty::Certain;
  found.awaited = {
      {.address = 1, .kind = WaitObject::Kind::WhenAll, .waiters = {0}},
      {.address = 2, .kind = WaitObject::Kind::Lock, .waiters = {3}, .holders = {{0, certain}}}};
  found.places.push_back(
      {.awaiter = "coro::detail::when_all_ready_awaitable::operator co_await::awaiter"});
  found.coroutines[0].place = 1;
  found.coroutines[0].awaited = 0;
  found.coroutines[3].awaited = 1;
  for (const uint32_t child : {1U, 2U}) found.coroutines[child].joined_by = 0;
  CHECK(find_lock_cycle(found, 0).length == 0);
  set_joined(found);
  for (const uint32_t in : {0U, 2U, 3U}) {
    const LockCycle cycle = find_lock_cycle(found, in);
    CHECK(cycle.length == 3);
    CHECK(cycle.contains_it);
    CHECK(cycle.has_join);
    CHECK(cycle.certainty == certain);
  }
  CHECK_FALSE(find_lock_cycle(found, 4).contains_it);
  CHECK(find_lock_cycle(found, 4).length == 3);
  CHECK(find_lock_cycle(found, 1).length == 0);
  found.places[1].awaiter = "app::Join";  // it may give up
  CHECK(find_lock_cycle(found, 0).certainty == WaitObject::Certainty::Probable);
  found.awaited[0].type = "boost::asio::experimental::operator||";
  CHECK(find_lock_cycle(found, 0).length == 0);
  found.awaited[0].type.clear();
  found.coroutines[2].state = State::Final;
  CHECK(find_lock_cycle(found, 0).length == 0);
}

TEST_CASE("an operation without an object is that of a channel, which another coroutine resumes") {
  CHECK(verdict_of(coroutines({{0, 1}, {2, none}})) == ChainVerdict::Unknown);
}

TEST_CASE("verdicts of timers") {
  SuspendedCoroutines found = coroutines({{0, 1}, {2, none}});
  found.objects = {{.kind = AsioObject::Kind::Timer, .clock = AsioObject::Clock::Steady}};
  found.coroutines[1].object = 0;
  const Surroundings now{.steady_now = 5'000'000'000};
  CHECK(verdict_of(found, now) == ChainVerdict::Usual);  // it was never set
  found.functions[2].operation = "async_wait";
  found.objects[0].expires = 4'500'000'000;
  CHECK(verdict_of(found, now) == ChainVerdict::Usual);  // half a second late
  found.objects[0].expires = 4'000'000'000;
  CHECK(verdict_of(found, now) == ChainVerdict::Overdue);
  CHECK(left_of(found.objects[0], now) == -1'000'000'000);
  found.functions[2].operation = "async_receive";
  CHECK(verdict_of(found, now) != ChainVerdict::Overdue);  // it does not wait for the timer
  found.functions[2].operation = "async_wait";
  found.objects[0].expires = 20'000'000'000;
  CHECK(verdict_of(found, now) == ChainVerdict::Slow);
  CHECK(verdict_of(found) == ChainVerdict::UnknownTimer);  // a core
  CHECK(left_of(found.objects[0], now) == 15'000'000'000);
  found.objects[0].expires = AsioObject::never;
  CHECK(verdict_of(found) == ChainVerdict::NeverExpires);
}

TEST_CASE("an acceptor does not have the connected socket of an earlier operation") {
  SuspendedCoroutines found = coroutines({{2, none}, {2, none}});
  found.objects = {{.kind = AsioObject::Kind::Socket, .descriptor = 7},
                   {.kind = AsioObject::Kind::Socket, .descriptor = 8}};
  found.coroutines[0].object = 0;
  found.coroutines[1].object = 1;
  Surroundings around;
  around.sockets = {{.descriptor = 7, .peer = "127.0.0.1:80"}};  // 8 listens
  remove_earlier_sockets(found, around);
  CHECK(found.coroutines[0].object == 0);  // it receives
  found.functions[2].operation = "async_accept";
  remove_earlier_sockets(found, around);
  CHECK(found.coroutines[0].object == none);
  CHECK(found.coroutines[1].object == 1);
}

TEST_CASE("chains: one of several similar ones that is wrong has its own line") {
  SuspendedCoroutines found = coroutines({{0, none}, {0, none}, {0, none}});
  found.coroutines[1].is_unreferenced = true;
  const std::vector<CoroutineChain> chains = find_chains(found, Surroundings{});
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].members == std::vector<uint32_t>{0, 2});
  CHECK(judge(found, chains[0], {}) == ChainVerdict::Unknown);
  CHECK(chains[1].members == std::vector<uint32_t>{1});
  CHECK(judge(found, chains[1], {}) == ChainVerdict::Unreferenced);
}

TEST_CASE("chains: of many similar timers only those that never expire are wrong") {
  SuspendedCoroutines found;
  found.functions = {{.name = "session"}};
  constexpr int64_t late = 20'000'000'000;
  for (uint32_t i = 0; i < 5; i++) {
    found.objects.push_back({.kind = AsioObject::Kind::Timer,
                             .clock = AsioObject::Clock::Steady,
                             .expires = i == 2       ? AsioObject::never
                                        : i % 2 == 0 ? late
                                                     : 0});
    found.coroutines.push_back({.frame = 16 * (i + 1), .object = i, .state = State::Waits});
  }
  const Surroundings now{.steady_now = 5'000'000'000};
  const std::vector<CoroutineChain> chains = find_chains(found, now);
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].members == std::vector<uint32_t>{0, 1, 3, 4});  // whether soon or late
  CHECK(judge(found, chains[0], now) == ChainVerdict::Usual);
  CHECK(judge(found, chains[1], now) == ChainVerdict::NeverExpires);
}

TEST_CASE("verdicts of sockets") {
  SuspendedCoroutines found = coroutines({{0, 1}, {2, none}});
  found.objects = {{.kind = AsioObject::Kind::Socket, .descriptor = 7}};
  found.coroutines[1].object = 0;
  Surroundings around;
  around.sockets = {{.descriptor = 7,
                     .local_port = 40000,
                     .peer_port = 80,
                     .peer = "127.0.0.1:80",
                     .sent = 9,
                     .sent_ago = 5,
                     .has_counts = true}};
  CHECK(verdict_of(found, around) == ChainVerdict::NoAnswer);
  std::swap(around.sockets[0].local_port, around.sockets[0].peer_port);
  CHECK(verdict_of(found, around) == ChainVerdict::Usual);  // a session of a server
  around.sockets[0].unread = 3;
  CHECK(verdict_of(found, around) == ChainVerdict::Unread);
  found.functions[2].operation = "async_write";
  SocketState& socket = around.sockets[0];
  CHECK(verdict_of(found, around) == ChainVerdict::Usual);  // the peer has what was sent
  socket.unacked = 9;
  CHECK(verdict_of(found, around) == ChainVerdict::Usual);  // it was sent just now
  socket.sent_ago = 1'000'000'000;
  CHECK(verdict_of(found, around) == ChainVerdict::NotReceived);
  socket.sent_ago = 5;
  socket.unacked = 100'000;
  CHECK(verdict_of(found, around) == ChainVerdict::NotReceived);
  socket.has_counts = false;
  CHECK(verdict_of(found, around) == ChainVerdict::NotReceived);
}

// Both ends may have ports of the range for clients: a server's may be one that the kernel has chosen.
TEST_CASE("verdicts of sockets: neither end has spoken") {
  SuspendedCoroutines found = coroutines({{0, 1}, {2, none}, {0, 3}, {2, none}});
  found.objects = {{.kind = AsioObject::Kind::Socket, .descriptor = 4},
                   {.kind = AsioObject::Kind::Socket, .descriptor = 5}};
  found.coroutines[1].object = 0;
  found.coroutines[3].object = 1;
  Surroundings around;
  const auto end = [](uint64_t descriptor, const char* local, const char* peer) {
    SocketState socket{.descriptor = descriptor, .tcp = SocketState::Established};
    socket.local = local;
    socket.peer = peer;
    socket.has_counts = true;
    return socket;
  };
  around.sockets = {end(4, "1:1", "1:2"), end(5, "1:2", "1:1")};
  CHECK(verdict_of(found, around) == ChainVerdict::Usual);
  mark_silent_sockets(found, around);
  CHECK(verdict_of(found, around) == ChainVerdict::NothingSent);
  for (SocketState& one : around.sockets) one.is_silent = false;
  found.functions[2].operation = "async_wait";  // nothing reads
  mark_silent_sockets(found, around);
  CHECK_FALSE(around.sockets[0].is_silent);
  found.functions[2].operation = "async_read_some";
  around.sockets[0].received = 1;
  mark_silent_sockets(found, around);
  CHECK_FALSE(around.sockets[1].is_silent);
}

TEST_CASE("verdicts of sockets: only the end that made the connection waits for an answer") {
  SuspendedCoroutines found = coroutines({{0, 1}, {2, none}});
  found.objects = {{.kind = AsioObject::Kind::Socket, .descriptor = 7}};
  found.coroutines[1].object = 0;
  Surroundings around;
  around.sockets = {{.descriptor = 7,
                     .local_port = 40000,
                     .peer_port = 50000,
                     .peer = "127.0.0.1:50000",
                     .sent = 9,
                     .sent_ago = 5,
                     .has_counts = true}};
  SocketState& socket = around.sockets[0];
  CHECK(verdict_of(found, around) == ChainVerdict::Usual);  // which end it is is unknown
  socket.is_local_port_listening = true;
  CHECK(verdict_of(found, around) == ChainVerdict::Usual);
  socket.peer_port = 80;
  CHECK(verdict_of(found, around) == ChainVerdict::Usual);
  socket.is_local_port_listening = false;
  socket.peer_port = 50000;
  socket.is_peer_port_listening = true;
  CHECK(verdict_of(found, around) == ChainVerdict::NoAnswer);
}

TEST_CASE("verdicts of running coroutines and of awaiters") {
  SuspendedCoroutines found = coroutines({{0, none}});
  found.places.push_back({.awaiter = "coro::event::awaiter"});
  found.places.push_back({.awaiter = "std::suspend_always"});
  CHECK(verdict_of(found) == ChainVerdict::Unknown);
  found.coroutines[0].place = 1;
  CHECK(verdict_of(found) == ChainVerdict::Unknown);
  found.coroutines[0].place = 2;  // a generator
  CHECK(verdict_of(found) == ChainVerdict::Usual);
  found.places.push_back({.is_yield = true});
  found.coroutines[0].place = 3;
  CHECK(verdict_of(found) == ChainVerdict::Usual);
  found.places[3].awaiter = "coro::event::awaiter";
  CHECK(verdict_of(found) == ChainVerdict::Unknown);
  found.coroutines[0].state = State::Runs;
  found.coroutines[0].thread = 12;
  CHECK(verdict_of(found) == ChainVerdict::Runs);
  const Surroundings around{.threads = {{.id = 12, .state = TargetThread::State::Sleeping}}};
  CHECK(verdict_of(found, around) == ChainVerdict::BlocksThread);
  Surroundings locked = around;
  locked.mutex_waits = MutexWaits({{.thread = 12, .holder = 13}});
  CHECK(verdict_of(found, locked) == ChainVerdict::BlocksThread);
  locked.mutex_waits = MutexWaits({{.thread = 12, .holder = 13}, {.thread = 13, .holder = 12}});
  CHECK(verdict_of(found, locked) == ChainVerdict::Deadlock);
  found.coroutines[0].state = State::NotStarted;
  CHECK(verdict_of(found) == ChainVerdict::NotStarted);
}
