// ARP: finds the card that has an address.
#pragma once
#include <skein/sync.h>

#include "network.h"

class Arp {
 public:
  Arp(Card& card, uint32_t own) : card_(card), own_(own) {
    card_.on_receive(
        [](void* arp, const ArpPacket& packet) { static_cast<Arp*>(arp)->input(packet); }, this);
  }

  // The bug: the answer may come before the card reports that the request is sent. The condition
  // wakes only the current waiters.
  task query(uint32_t address) {
    co_await card_.send({ArpPacket::request, 0, own_, address});
    co_await answered_.wait();
  }
  uint64_t found() const { return found_; }

 private:
  void input(const ArpPacket& packet) {
    if (packet.operation != ArpPacket::reply) return;
    found_ = packet.sender_card;
    answered_.notify_all();
  }

  Card& card_;
  uint32_t own_;
  uint64_t found_ = 0;
  skein::condition answered_{"ARP answer"};
};
