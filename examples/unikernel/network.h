// A network card, as the ARP layer sees it, and one that is only simulated: the other machine is in
// this program. A driver of virtio-net can take its place.
#pragma once
#include "loop.h"

struct ArpPacket {
  enum Operation : uint16_t { request = 1, reply = 2 };
  Operation operation;
  uint64_t sender_card;
  uint32_t sender, target;  // IPv4 addresses
};

class Card {
 public:
  using Receive = void (*)(void* context, const ArpPacket& packet);

  // Ends when the card has sent the packet.
  virtual task send(ArpPacket packet) = 0;
  void on_receive(Receive receive, void* context) {
    receive_ = receive;
    context_ = context;
  }

 protected:
  ~Card() = default;
  void received(const ArpPacket& packet) { receive_(context_, packet); }

 private:
  Receive receive_ = nullptr;
  void* context_ = nullptr;
};

// Reports that a packet is sent after `busy` ticks. The other machine replies after `distance`.
class SimulatedCard : public Card {
 public:
  SimulatedCard(Loop& loop, uint64_t busy, uint64_t distance)
      : loop_(loop), busy_(busy), distance_(distance), wire_(deliver()) {}

  task send(ArpPacket packet) override {
    sent_ = packet;
    wire_.start();
    co_await loop_.sleep(busy_);
  }

 private:
  task deliver() {
    co_await loop_.sleep(distance_);
    received({ArpPacket::reply, 0x525400123456, sent_.target, sent_.sender});
  }

  Loop& loop_;
  uint64_t busy_, distance_;
  ArpPacket sent_{};
  task wire_;
};
