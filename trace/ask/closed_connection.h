// Operations of a socket that cannot complete any more, because an earlier one has failed: the
// connection is closed.
//
//   async_write ... Broken pipe;  async_write ... pending
#pragma once

#include "trace/ask/waits.h"

namespace skein {

// `operation` sends or receives. Of a receive: the receive before it, if that ended with "End of
// file". Of a send: the send before it, if that failed with "Broken pipe", or of TCP with
// "Connection reset by peer". no_index: the operation before it did not fail like that, the socket
// was connected again since, or there is none. O(uses of the socket).
TaskIndex find_closed(const Trace& trace, const Model& model, TaskIndex operation);

}  // namespace skein
