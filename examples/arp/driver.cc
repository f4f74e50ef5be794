#include "driver.h"

#include <unistd.h>

#include <system_error>

task<Nothing> Driver::write(Bytes frame) {
  if (::write(fd_, frame.data(), frame.size()) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot send a frame");
  Promise acknowledged("ring acknowledged");
  ring_.push_back(&acknowledged);
  if (!reply_first_()) loop_.soon([this, in_ring = ring_.size()] { acknowledge(in_ring); });
  co_await acknowledged.wait();
  co_return Nothing{};
}

task<std::optional<Bytes>> Driver::read() {
  acknowledge(ring_.size());  // the writes that wait until the last frame has been handled
  while (co_await loop_.readable(fd_, "frame arrives")) {
    Bytes frame(2048);
    const ssize_t size = ::read(fd_, frame.data(), frame.size());
    if (size < 0) continue;
    frame.resize(static_cast<size_t>(size));
    Cursor cursor(frame);
    const EthernetHeader header = take_ethernet(cursor);
    if (!cursor.failed() && (header.to == mac_ || header.to == broadcast)) co_return frame;
  }
  co_return std::nullopt;
}

void Driver::close() {
  acknowledge(ring_.size());
  loop_.forget(fd_);
}

void Driver::acknowledge(size_t count) {
  for (; count > 0 && !ring_.empty(); count--) {
    Promise* oldest = ring_.front();
    ring_.pop_front();
    oldest->notify_all();
  }
}
