#include "tcp.h"

namespace {

uint32_t pseudo_header(Ip from, Ip to, size_t size) {
  uint32_t sum = Ipv4Packet::kTcp + static_cast<uint32_t>(size);
  for (const Ip address : {from, to}) sum += (address.number >> 16) + (address.number & 0xffff);
  return sum;
}

std::optional<Segment> parse(const Ipv4Packet& packet) {
  const View bytes = packet.content;
  Cursor cursor(bytes);
  Segment segment;
  segment.from = cursor.u16();
  segment.to = cursor.u16();
  segment.sequence = cursor.u32();
  segment.acknowledged = cursor.u32();
  const size_t header = (cursor.u8() >> 4u) * size_t{4};
  segment.flags = cursor.u8();
  if (cursor.failed() || header < 20 || header > bytes.size() ||
      checksum(bytes, pseudo_header(packet.from, packet.to, bytes.size())) != 0)
    return std::nullopt;
  put(segment.data, bytes.subspan(header));
  return segment;
}

Bytes make(const Segment& segment, Ip from, Ip to) {
  Bytes bytes;
  put16(bytes, segment.from);
  put16(bytes, segment.to);
  put32(bytes, segment.sequence);
  put32(bytes, segment.acknowledged);
  put8(bytes, 5 << 4);
  put8(bytes, segment.flags);
  put16(bytes, 65535);
  put32(bytes, 0);
  put(bytes, segment.data);
  store_checksum(bytes, 16, checksum(bytes, pseudo_header(from, to, bytes.size())));
  return bytes;
}

}  // namespace

task<Tcp::Connection*> Tcp::connect(Ip to, uint16_t port) {
  Connection& connection = connections_.emplace_back(*this, uint16_t{49152}, to, port);
  co_await connection.transmit(Segment::kSyn, {});
  co_await connection.established_.wait();
  co_return connection.reset_ ? nullptr : &connection;
}

task<Tcp::Connection*> Tcp::accept(uint16_t port) {
  Connection& connection = connections_.emplace_back(*this, port, Ip{}, uint16_t{0});
  co_await connection.established_.wait();
  co_return connection.reset_ ? nullptr : &connection;
}

void Tcp::input(const Ipv4Packet& packet) {
  const std::optional<Segment> segment = parse(packet);
  if (!segment) return;
  for (Connection& connection : connections_)
    if (connection.is_for(packet.from, *segment)) return connection.input(packet.from, *segment);
}

bool Tcp::Connection::is_for(Ip from, const Segment& segment) const {
  if (segment.to != port_) return false;
  if (peer_port_ == 0) return (segment.flags & Segment::kSyn) != 0;
  return from == peer_ && segment.from == peer_port_;
}

// Updates the state, then sends segments, then wakes the waiters, because one may end immediately.
void Tcp::Connection::input(Ip from, const Segment& segment) {
  const auto has = [&](Segment::Flag flag) { return (segment.flags & flag) != 0; };
  if (has(Segment::kReset)) {
    reset_ = true;
    established_.notify_all();
    arrived_.notify_all();
    closed_.notify_all();
    return;
  }
  if (has(Segment::kSyn)) {
    expected_ = segment.sequence + 1;
    if (has(Segment::kAck)) return established_.notify_all();  // the next segment acknowledges
    peer_ = from;
    peer_port_ = segment.from;
    return tcp_.background_.start(transmit(Segment::kSyn | Segment::kAck, {}));
  }
  if (segment.sequence != expected_) return;
  put(received_, segment.data);
  got_fin_ |= has(Segment::kFin);
  expected_ += static_cast<uint32_t>(segment.data.size()) + (has(Segment::kFin) ? 1 : 0);
  if (!segment.data.empty() || has(Segment::kFin))
    tcp_.background_.start(transmit(Segment::kAck, {}));

  established_.notify_all();
  if (!received_.empty() || got_fin_) arrived_.notify_all();
  if (got_fin_ && sent_fin_ && segment.acknowledged == sequence_) closed_.notify_all();
}

task<Nothing> Tcp::Connection::transmit(uint8_t flags, Bytes data) {
  Segment segment;
  segment.from = port_;
  segment.to = peer_port_;
  segment.sequence = sequence_;
  segment.acknowledged = expected_;
  segment.flags = flags;
  segment.data = std::move(data);
  const bool takes_a_number = (flags & (Segment::kSyn | Segment::kFin)) != 0;
  sequence_ += static_cast<uint32_t>(segment.data.size()) + (takes_a_number ? 1 : 0);
  co_await tcp_.send_(peer_, Ipv4Packet::kTcp, make(segment, tcp_.address_, peer_));
  co_return Nothing{};
}

task<Nothing> Tcp::Connection::send(Bytes data) {
  co_await transmit(Segment::kPush | Segment::kAck, std::move(data));
  co_return Nothing{};
}

task<Bytes> Tcp::Connection::receive() {
  co_await arrived_.wait();
  co_return received_;
}

task<Nothing> Tcp::Connection::close() {
  sent_fin_ = true;
  co_await transmit(Segment::kFin | Segment::kAck, {});
  co_await closed_.wait();
  co_return Nothing{};
}
