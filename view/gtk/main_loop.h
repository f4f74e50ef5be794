// GTK's main loop, for other threads.
#pragma once

#include <functional>

namespace skein::desktop {

// Has `work` done always later and on the main thread, whichever thread asks.
void post_to_main_loop(std::function<void()> work);

}  // namespace skein::desktop
