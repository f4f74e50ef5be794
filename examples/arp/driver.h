// The network card's driver: frames go into a ring, and a write is complete when the card has
// acknowledged the ring. It ignores frames for other cards, as a card does.
//
// The card here is a file descriptor, which acknowledges immediately. To produce both orders, the
// program chooses which comes first, the acknowledgement of a write or the reply to it:
//
//   first         the acknowledgement            the reply
//   write(frame)  acknowledged at the loop's     acknowledged once the next frame that arrives
//                 next turn, before it reads     has been handled
//
// Both are correct: a card may deliver a received frame before it acknowledges a write.
#pragma once
#include <deque>
#include <functional>
#include <optional>

#include "../task.h"
#include "background.h"
#include "ethernet.h"
#include "loop.h"
#include "promise.h"

class Driver {
 public:
  // Called for each write. Precondition: `fd` does not block; a read or write of it is a frame.
  using ReplyFirst = std::function<bool()>;
  Driver(Loop& loop, int fd, const Mac& mac, ReplyFirst reply_first)
      : loop_(loop), fd_(fd), mac_(mac), reply_first_(std::move(reply_first)) {}

  // Complete when the ring is acknowledged.
  task<Nothing> write(Bytes frame);

  // The next frame for us; empty once the driver is closed. Before: the last one is handled.
  task<std::optional<Bytes>> read();

  // Acknowledges what is in the ring, and ends reading.
  void close();

 private:
  void acknowledge(size_t count);

  Loop& loop_;
  int fd_;
  Mac mac_;
  ReplyFirst reply_first_;
  std::deque<Promise*> ring_;  // written and not acknowledged, the oldest first
};
