// The driver of the network card: frames go into a ring, and a write is complete when the card has
// acknowledged the ring. It ignores frames for other cards, as a card does.
//
// The card here is a file descriptor, which acknowledges immediately. To produce both orders, the
// program chooses which comes first, the acknowledgement of a write or the reply to it:
//
//   first         the acknowledgement            the reply
//   write(frame)  acknowledged in the loop's     acknowledged once the next frame that arrives
//                 next iteration, before reads   has been handled
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
  // ReplyFirst is called for each write. Precondition: `fd` is non-blocking, one frame per read or
  // write.
  using ReplyFirst = std::function<bool()>;
  Driver(Loop& loop, int fd, const Mac& mac, ReplyFirst reply_first)
      : loop_(loop), fd_(fd), mac_(mac), reply_first_(std::move(reply_first)) {}

  // Completes when the ring is acknowledged.
  task<Nothing> write(Bytes frame);

  // Returns the next frame for this card, or none once the driver is closed. Precondition: the
  // previous frame has been handled.
  task<std::optional<Bytes>> read();

  // Acknowledges all frames in the ring and ends a pending read.
  void close();

 private:
  void acknowledge(size_t count);

  Loop& loop_;
  int fd_;
  Mac mac_;
  ReplyFirst reply_first_;
  std::deque<Promise*> ring_;  // unacknowledged writes, oldest first
};
