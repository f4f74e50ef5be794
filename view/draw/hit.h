// The item at a point of a picture.
#pragma once

#include "view/draw/draw_list.h"
#include "view/draw/picture.h"

namespace skein {

// Finds any object that draw() shows at the point, including those that its list merges. A task is
// hit on its bar and on the texts above and below it.
Item hit(std::span<const Track> tracks, const Window& window, const Marks& marks, float x, float y);

}  // namespace skein
