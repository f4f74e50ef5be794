// The item at a point of a picture.
#pragma once

#include <string>

#include "view/draw/draw_list.h"
#include "view/draw/picture.h"

namespace skein {

// Finds any object that draw() shows at the point, including those that its list merges. A task is
// hit on its bar and on the texts above and below it.
Item hit(std::span<const Track> tracks, const Window& window, const Marks& marks, float x, float y);

// What the kernel did with a thread, if its line below a lane is at the point: "preempted by
// cc1plus for 4.1 ms", "blocked in futex_wait for 1.2 ms". In a crowd it is the longest wait for a
// CPU, because the line shows these above the rest. Empty: there is no line, or nothing is known.
std::string thread_state_at(std::span<const Track> tracks, const Window& window, const Marks& marks,
                            float x, float y);

}  // namespace skein
