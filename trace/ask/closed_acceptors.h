// Programs that have closed their acceptor to end, and that a repeated timer keeps running.
#pragma once

#include <functional>
#include <optional>

#include "trace/ask/waits.h"

namespace skein {

struct ClosedAcceptor {
  uint32_t acceptor = Model::Object::none;  // index into Model::objects; the last that was closed
  // By the same task, at about the same time: the cancel of the timer that is set again (index into
  // Model::cancels); none: it has not cancelled the timer.
  uint32_t cancel = Model::Object::none;
};

// `subject` must outlive it.
class ClosedAcceptors {
 public:
  // `is_lasting` returns whether an operation is a wait for a timer that is set again and again. If
  // another operation is pending, or a task that waits for none, the program is not about to end:
  // then nothing is found. O(tasks + objects).
  ClosedAcceptors(const Subject& subject, const std::function<bool(TaskIndex)>& is_lasting);

  // Of such a wait: the acceptor that a task has closed while it waited for a connection.
  std::optional<ClosedAcceptor> find(TaskIndex timer) const;

 private:
  Subject s_;
  uint32_t acceptor_ = Model::Object::none;
};

}  // namespace skein
