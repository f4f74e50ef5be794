// What kinds of tasks and resources mean, for who asks what is wrong. Recorders may have kinds of
// their own.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/model/model.h"

namespace skein {

enum class KindClass : uint8_t {
  Runnable,   // it has code of its own that somebody lets run
  Operation,  // it ends by what happens outside of the program: a timer, a read, a process
  Handler,    // code that a loop is to call
  Callback,   // code that is called when something happens, if it does
  Promise,    // it ends when somebody says so
  Mutex,      // who takes it has to give it back
  Semaphore,  // anybody may give it back
  Condition,  // notified, and remembers nothing
  Queue,      // it keeps what nobody waits for yet
  Other,      // nothing is known of it
};
KindClass kind_class(std::string_view kind);
KindClass kind_class(const Trace& trace, const Model::Task& task);

inline bool is_operation(const Trace& trace, const Model::Task& task) {
  return kind_class(trace, task) == KindClass::Operation;
}
// Who takes it has to give it back, as far as is known.
inline bool is_owned(const Trace& trace, const Model::Task& resource) {
  return kind_class(trace, resource) != KindClass::Semaphore;
}

}  // namespace skein
