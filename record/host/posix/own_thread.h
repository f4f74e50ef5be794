// The recorder's own threads: for the control socket, and while threads are sampled.
#pragma once
#include <stddef.h>

namespace skein::record {

// Starts a thread to which the program's signals are not delivered, and that is never joined.
// `stack`: its size; 0: the default. Returns 0 or an errno value.
int start_thread(void* (*body)(void*), void* argument, size_t stack);

}  // namespace skein::record
