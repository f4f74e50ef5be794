// Compiled without skein.
#include "task.h"

static Task inner(Event& event) { co_await event; }  // @inner

Task untraced(Event& event) { co_await inner(event); }  // @untraced
