// Enough of TCP to connect, accept, send a little, and close. Nothing is retransmitted, because the
// wire here loses nothing; segments that arrive out of order are dropped.
//
//   from (2) | to (2) | sequence (4) | acknowledged (4)
//   words (1) | flags (1) | window (2) | checksum (2) | urgent (2) | data
#pragma once
#include <functional>
#include <list>
#include <optional>

#include "../task.h"
#include "background.h"
#include "ipv4.h"
#include "promise.h"

struct Segment {
  enum Flag : uint8_t { kFin = 1, kSyn = 2, kReset = 4, kPush = 8, kAck = 16 };
  uint16_t from = 0;
  uint16_t to = 0;
  uint32_t sequence = 0;
  uint32_t acknowledged = 0;
  uint8_t flags = 0;
  Bytes data;
};

class Tcp {
 public:
  using Send = std::function<task<Nothing>(Ip to, uint8_t protocol, Bytes content)>;
  Tcp(Ip address, Background& background, Send send)
      : address_(address), background_(background), send_(std::move(send)) {}

  class Connection;
  // Return nullptr if the peer resets the connection. Connections live as long as this object.
  task<Connection*> connect(Ip to, uint16_t port);
  task<Connection*> accept(uint16_t port);

  void input(const Ipv4Packet& packet);

 private:
  Ip address_;
  Background& background_;
  Send send_;
  std::list<Connection> connections_;
};

class Tcp::Connection {
 public:
  Connection(Tcp& tcp, uint16_t port, Ip peer, uint16_t peer_port)
      : tcp_(tcp), port_(port), peer_(peer), peer_port_(peer_port) {}

  task<Nothing> send(Bytes data);
  // Waits for data and returns it; empty if the peer has closed instead.
  task<Bytes> receive();
  // Completes once both sides have closed.
  task<Nothing> close();

 private:
  friend class Tcp;
  bool is_for(Ip from, const Segment& segment) const;
  void input(Ip from, const Segment& segment);
  task<Nothing> transmit(uint8_t flags, Bytes data);

  Tcp& tcp_;
  uint16_t port_;
  Ip peer_;                   // 0: any
  uint16_t peer_port_;        // 0: any
  uint32_t sequence_ = 1000;  // of the next segment sent
  uint32_t expected_ = 0;     // of the next segment received; 0: none has arrived yet
  bool sent_fin_ = false;
  bool got_fin_ = false;
  bool reset_ = false;
  Bytes received_;
  Promise established_{"established"};
  Promise arrived_{"data arrived"};
  Promise closed_{"closed by both"};
};
