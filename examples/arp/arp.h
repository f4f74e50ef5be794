// ARP: finds the card that has an address. It broadcasts a query; the address's owner replies.
//
//   1 (2) | 0x0800 (2) | 6 (1) | 4 (1) | operation (2)
//   sender: mac (6), address (4) | target: mac (6), address (4)
#pragma once
#include <skein/sync.h>

#include <map>
#include <optional>

#include "../task.h"
#include "background.h"
#include "driver.h"
#include "ethernet.h"
#include "ipv4.h"
#include "promise.h"

#if defined(ARP_FIXED)
using Answered = Promise;  // a later waiter continues immediately
#else
using Answered = skein::condition;  // the answer wakes only the current waiters
#endif

class Arp {
 public:
  Arp(Driver& driver, const Mac& mac, Ip address, Background& background)
      : driver_(driver), mac_(mac), address_(address), background_(background) {}

  task<Mac> query(Ip address);

  // Handles a packet: a reply to a query, or a query for our address.
  void input(View bytes);

 private:
  enum Operation : uint16_t { kRequest = 1, kReply = 2 };
  struct Entry {
    std::optional<Mac> mac;
    Answered answered{"ARP answer"};
  };
  task<Nothing> send(Operation operation, Mac to, Ip target);

  Driver& driver_;
  Mac mac_;
  Ip address_;
  Background& background_;
  std::map<Ip, Entry> cache_;
};
