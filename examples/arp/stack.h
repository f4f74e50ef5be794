// Ethernet, ARP, IPv4 and TCP combined: a machine on the wire.
#pragma once
#include "arp.h"
#include "driver.h"
#include "tcp.h"

class Stack {
 public:
  Stack(Loop& loop, int fd, const Mac& mac, Ip address, Driver::ReplyFirst reply_first);

  // Passes received frames to ARP and TCP until the driver is closed.
  task<Nothing> listen();

 private:
  task<Nothing> send(Ip to, uint8_t protocol, Bytes content);

  Mac mac_;
  Ip address_;
  Background background_;

 public:
  Driver driver;
  Arp arp;
  Tcp tcp;
};
