#include "stack.h"

Stack::Stack(Loop& loop, int fd, const Mac& mac, Ip address, Driver::ReplyFirst reply_first)
    : mac_(mac),
      address_(address),
      driver(loop, fd, mac, std::move(reply_first)),
      arp(driver, mac, address, background_),
      tcp(address, background_, [this](Ip to, uint8_t protocol, Bytes content) {
        return send(to, protocol, std::move(content));
      }) {}

task<Nothing> Stack::listen() {
  while (std::optional<Bytes> frame = co_await driver.read()) {
    Cursor cursor(*frame);
    const EthernetHeader header = take_ethernet(cursor);
    if (header.type == EthernetHeader::kArp) arp.input(cursor.rest());
    if (header.type != EthernetHeader::kIpv4) continue;
    const std::optional<Ipv4Packet> packet = parse_ipv4(cursor.rest());
    if (packet && packet->to == address_ && packet->protocol == Ipv4Packet::kTcp)
      tcp.input(*packet);
  }
  co_return Nothing{};
}

task<Nothing> Stack::send(Ip to, uint8_t protocol, Bytes content) {
  const Mac mac = co_await arp.query(to);
  const Bytes packet = make_ipv4({address_, to, protocol, std::move(content)});
  co_await driver.write(make_frame({mac, mac_, EthernetHeader::kIpv4}, packet));
  co_return Nothing{};
}
