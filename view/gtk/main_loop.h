// GTK's main loop, for other threads.
#pragma once

#include <functional>

namespace skein::desktop {

// Runs `work` on the main thread, always later. May be called on any thread.
void post_to_main_loop(std::function<void()> work);

}  // namespace skein::desktop
