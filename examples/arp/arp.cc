#include "arp.h"

task<Mac> Arp::query(Ip address) {
  Entry& entry = cache_[address];
  if (!entry.mac) {
    co_await send(kRequest, broadcast, address);
    co_await entry.answered.wait();
  }
  co_return *entry.mac;
}

void Arp::input(View bytes) {
  Cursor cursor(bytes);
  const bool is_ours = cursor.u32() == 0x0001'0800 && cursor.u16() == 0x0604;
  const uint16_t operation = cursor.u16();
  const Mac sender = take_mac(cursor);
  const Ip sender_address{cursor.u32()};
  take_mac(cursor);
  const Ip target_address{cursor.u32()};
  if (cursor.failed() || !is_ours || target_address != address_) return;

  Entry& entry = cache_[sender_address];
  entry.mac = sender;
  if (operation == kReply)
    entry.answered.notify_all();
  else if (operation == kRequest)
    background_.start(send(kReply, sender, sender_address));
}

task<Nothing> Arp::send(Operation operation, Mac to, Ip target) {
  Bytes packet;
  put32(packet, 0x0001'0800);
  put16(packet, 0x0604);
  put16(packet, operation);
  put(packet, mac_);
  put32(packet, address_.number);
  put(packet, to);
  put32(packet, target.number);
  co_await driver_.write(make_frame({to, mac_, EthernetHeader::kArp}, packet));
  co_return Nothing{};
}
