// The classes of task and resource kinds, for analyses. Recorders may have additional kinds.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/model/model.h"

namespace skein {

enum class KindClass : uint8_t {
  Runnable,   // has code that an executor runs
  Operation,  // ends by an external event: a timer, a read, a process
  Handler,    // code that an event loop invokes once
  Callback,   // code that is called when an event occurs, if it occurs
  Promise,    // ends when another task resolves it
  Mutex,      // its holder must release it
  Semaphore,  // any task may release it
  Condition,  // its notifications are not stored
  Queue,      // stores items until a receiver takes them
  Other,      // unknown
};
KindClass kind_class(std::string_view kind);
KindClass kind_class(const Trace& trace, const Model::Task& task);

inline bool is_operation(const Trace& trace, const Model::Task& task) {
  return kind_class(trace, task) == KindClass::Operation;
}
// A generator at a value waits for its caller, which may stop at any.
bool is_generator(const Trace& trace, const Model::Task& task);
// Whether it is an operation that sends data, by its name.
bool sends(const Trace& trace, const Model& model, TaskIndex task);
// Whether it is an operation of an Asio channel, by its name.
bool is_channel_operation(const Trace& trace, const Model& model, TaskIndex task);
// Whether the holder must release it, as far as is known.
inline bool is_owned(const Trace& trace, const Model::Task& resource) {
  return kind_class(trace, resource) != KindClass::Semaphore;
}

}  // namespace skein
