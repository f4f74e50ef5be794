// The addresses of sockets (skein_connection), and the rows of the table that keep them and the
// bytes they have moved although the ring overwrites the events. What the kernel has counted shows
// the bytes of calls that the recorder does not see.
//
// Seven system calls for each connection, 3 us, and three when the kernel is asked again. Rejected:
// one network namespace for the process. A program may hold sockets of several.
#include <netinet/in.h>
#include <skein/skein.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <initializer_list>

#include "record/host/posix/session.h"
#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr uint32_t kMptcp = 262;  // IPPROTO_MPTCP, since glibc 2.32

union AnyAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un path;
  char bytes[sizeof(sockaddr_un) + 1];  // a path may lack its zero byte
};

uint64_t big_endian(const uint8_t* from) {
  uint64_t value;
  memcpy(&value, from, sizeof value);
  return __builtin_bswap64(value);
}

format::SocketAddress internet_address(const AnyAddress& from) {
  if (from.any.sa_family == AF_INET)
    return {.low = uint64_t{0xFFFF} << 32 | __builtin_bswap32(from.v4.sin_addr.s_addr),
            .port = __builtin_bswap16(from.v4.sin_port)};
  const uint8_t* bytes = from.v6.sin6_addr.s6_addr;
  return {.high = big_endian(bytes),
          .low = big_endian(bytes + 8),
          .port = __builtin_bswap16(from.v6.sin6_port)};
}

template <typename Call>
bool read_address(Call call, int descriptor, AnyAddress& to) {
  memset(&to, 0, sizeof to);
  socklen_t size = sizeof(sockaddr_un);
  return call(descriptor, &to.any, &size) == 0;
}

template <typename T>
T option_of(int descriptor, int option) {
  T value = 0;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : T{0};
}

enum class Found { kLater, kNothing, kAddresses };

// kLater: the socket has no peer yet.
Found find_addresses(int descriptor, uint32_t operation, format::Connection& c) {
  constexpr int kNetnsCookie = 71;  // SO_NETNS_COOKIE, since Linux 5.14
  AnyAddress local;
  AnyAddress peer;
  if (!read_address(getsockname, descriptor, local)) return Found::kLater;
  const bool has_peer = read_address(getpeername, descriptor, peer);
  if (local.any.sa_family == AF_UNIX) {
    if (!has_peer && operation != SKEIN_SOCKET_accepts) return Found::kLater;
    const bool of_peer = has_peer && peer.path.sun_path[0] != 0;
    c.path = skein_string((of_peer ? peer : local).path.sun_path);
    return c.path != 0 ? Found::kAddresses : Found::kNothing;
  }
  if (local.any.sa_family != AF_INET && local.any.sa_family != AF_INET6) return Found::kNothing;
  c.protocol = option_of<uint32_t>(descriptor, SO_PROTOCOL);
  c.local = internet_address(local);
  const bool may_have_none = operation == SKEIN_SOCKET_accepts || c.protocol == IPPROTO_UDP;
  if (!has_peer && (!may_have_none || c.local.port == 0)) return Found::kLater;
  if (has_peer) c.peer = internet_address(peer);
  c.net_namespace = option_of<uint64_t>(descriptor, kNetnsCookie);
  return Found::kAddresses;
}

void write_connection(Emission& e, uint64_t socket, const format::Connection& c) {
  e.header(format::k_connection);
  for (const uint64_t field :
       {socket, c.net_namespace, c.local.high, c.local.low, c.peer.high, c.peer.low})
    e.u64(field);
  for (const uint32_t field : {c.local.port, c.peer.port, c.protocol, c.descriptor, c.path})
    e.u32(field);
}

// Takes a row for the socket. 0: there is none.
uint32_t add_row(Emission& e, uint64_t socket, TaskState state, const format::Connection& c) {
  const uint32_t index = take_row(e);
  if (index == 0) return 0;
  TaskRow& row = e.writer().rows[index];
  RowUpdate update(row);
  format::put_connection(row, c);
  row.id = socket;
  row.state = state;
  row.flags = 0;
  e.writer().links[index] = 0;
  return index;
}

// Frees the rows that the link of the socket leads to.
void free_rows_of(Emission& e, const skein_task& socket) {
  Writer& w = e.writer();
  const TaskRow* traffic = traffic_of(w, socket.row, socket.id);
  if (traffic == nullptr) return;
  const auto index = static_cast<uint32_t>(traffic - w.rows);
  if (w.links[index] != 0) free_row(e, w.links[index]);
  free_row(e, index);
  w.links[socket.row] = 0;
}

void write_socket_bytes(Emission& e, uint64_t socket, const KernelBytes& kernel,
                        const TaskRow& traffic) {
  e.header(format::k_socket_bytes);
  for (const uint64_t field : {socket, kernel.sent, kernel.received}) e.u64(field);
  for (const uint32_t field : {traffic.label, traffic.tid, uint32_t{kernel.state}}) e.u32(field);
}

// The first time: nothing is unseen. Returns false if there is no room in the row.
bool begin_count(TaskRow& traffic, const KernelBytes& kernel) {
  if (kernel.sent >= UINT32_MAX || kernel.received >= UINT32_MAX) return false;
  traffic.place = static_cast<uint32_t>(kernel.sent);
  traffic.at = static_cast<uint32_t>(kernel.received);
  traffic.flags = format::kKernelCounts;
  traffic.reserved = 1;
  return true;
}

// Stores what the kernel has counted and the operations have not. If it has counted less, the
// descriptor has become that of another connection.
void count_unseen(Emission& e, TaskRow& traffic, const KernelBytes& kernel) {
  const auto unseen = [](uint64_t all, uint32_t before, const uint64_t& seen, uint32_t& to) {
    const auto more = static_cast<int64_t>(all - before - __atomic_load_n(&seen, __ATOMIC_RELAXED));
    const auto value = static_cast<uint32_t>(more > UINT32_MAX ? UINT32_MAX : more);
    if (more >= 0) __atomic_store_n(&to, value, __ATOMIC_RELAXED);
    return more >= 0;
  };
  if (unseen(kernel.sent, traffic.place, traffic.parent, traffic.label) &&
      unseen(kernel.received, traffic.at, traffic.on, traffic.tid))
    write_socket_bytes(e, traffic.id, kernel, traffic);
  else
    __atomic_store_n(&traffic.flags, uint8_t{0}, __ATOMIC_RELAXED);
}

[[gnu::noinline, gnu::cold]] void record_kernel_bytes(const skein_task& socket, int descriptor) {
  KernelBytes kernel;
  if (!read_kernel_bytes(descriptor, kernel)) return;
  Session e;
  if (!e || e->writer().links == nullptr || e->writer().generation != socket.generation) return;
  TaskRow* traffic = traffic_of(e->writer(), socket.row, socket.id);
  if (traffic != nullptr && traffic->flags == format::kKernelCounts)
    count_unseen(*e, *traffic, kernel);
}

// Links the socket to its row kTraffic, or to its own row if there is nothing to count.
[[gnu::noinline, gnu::cold]] void connect_rows(skein_task* socket, int descriptor,
                                               uint32_t operation) {
  ErrnoGuard errno_guard;
  format::Connection c;
  c.descriptor = static_cast<uint32_t>(descriptor);
  // A sandbox may forbid the calls.
  const bool may_ask = !now_of(state.files)->all_at_start;
  const Found found = may_ask ? find_addresses(descriptor, operation, c) : Found::kNothing;
  if (found == Found::kLater) return;
  KernelBytes kernel;
  const bool has_count = found == Found::kAddresses && operation != SKEIN_SOCKET_accepts &&
                         (c.protocol == IPPROTO_TCP || c.protocol == kMptcp) &&
                         read_kernel_bytes(descriptor, kernel);
  Session e;
  if (!e || socket->generation != e->writer().generation) return;
  uint32_t* links = e->writer().links;
  const uint32_t traffic = add_row(*e, socket->id, TaskState::kTraffic, {});
  const uint32_t connection = traffic != 0 && found == Found::kAddresses
                                  ? add_row(*e, socket->id, TaskState::kConnection, c)
                                  : 0;
  if (traffic != 0) links[traffic] = connection;
  TaskRow& row = e->writer().rows[traffic];
  const bool counts = traffic != 0 && has_count && begin_count(row, kernel);
  const TaskRow begun = row;  // others may count as soon as it is linked
  // Another thread may use the socket for the first time, too. Its operation has begun if it has
  // linked its row, and would be in the kernel's first counts of this one.
  uint32_t none = 0;
  if (!__atomic_compare_exchange_n(&links[socket->row], &none, traffic != 0 ? traffic : socket->row,
                                   false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    if (connection != 0) free_row(*e, connection);
    if (traffic != 0) free_row(*e, traffic);
    return;
  }
  if (found == Found::kAddresses) write_connection(*e, socket->id, c);
  if (counts) write_socket_bytes(*e, socket->id, kernel, begun);
}

// Counts an operation that sends or receives.
bool is_kernel_due(Writer& w, const skein_task& socket) {
  TaskRow* traffic = traffic_of(w, socket.row, socket.id);
  if (traffic == nullptr || traffic->flags != format::kKernelCounts) return false;
  const auto count =
      static_cast<uint16_t>(__atomic_load_n(&traffic->reserved, __ATOMIC_RELAXED) + 1);
  __atomic_store_n(&traffic->reserved, count, __ATOMIC_RELAXED);
  return format::reads_kernel_bytes(count);
}

// Precondition: the descriptor is open.
void before_close(int descriptor) {
  const uintptr_t key = static_cast<uintptr_t>(descriptor) + 1;
  if (const skein_task* socket = find_object(key); socket != nullptr && socket->row != 0)
    record_kernel_bytes(*socket, descriptor);
}

}  // namespace

void forget_connection(const skein_task& socket) {
  if (socket.row == 0) return;
  if (Session e; e && e->writer().links != nullptr && e->writer().generation == socket.generation)
    free_rows_of(*e, socket);
}

}  // namespace skein::record

using namespace skein::record;

extern "C" __attribute__((noinline)) skein_use skein_connection(int descriptor, const char* name,
                                                                uint32_t operation) {
  skein_use use = {};
  if (!is_on() || descriptor < 0) return use;
  if (operation == SKEIN_SOCKET_closes) {
    before_close(descriptor);
    return use;
  }
  skein_task* socket =
      handle_of_object(static_cast<uintptr_t>(descriptor) + 1, SKEIN_KIND_socket, name);
  if (socket == nullptr) return use;
  use.object = socket->id;
  Writer* w = this_writer;
  if (socket->row == 0 || w == nullptr || w->links == nullptr ||
      w->generation != socket->generation)
    return use;
  uint32_t link = link_of(*w, socket->row);
  if (operation == SKEIN_SOCKET_connects) {
    if (link != 0) forget_connection(*socket);  // a datagram socket may get another peer
    return use;
  }
  const bool is_first = link == 0;
  if (is_first) [[unlikely]] {
    connect_rows(socket, descriptor, operation);
    link = link_of(*w, socket->row);
  }
  if (operation != SKEIN_SOCKET_sends && operation != SKEIN_SOCKET_receives) return use;
  use.counts = link | (operation == SKEIN_SOCKET_sends ? kSends : 0);
  if (!is_first && is_kernel_due(*w, *socket)) [[unlikely]]
    record_kernel_bytes(*socket, descriptor);
  return use;
}
