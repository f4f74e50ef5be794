// Instructions of a coroutine of clang's at which a register has the address of its frame, for
// symbol/frame_variables.h. From code for x86-64.
//
// They are those that store the number of a suspension point in the frame: their base register is
// the frame's. So is the parameter of the function that resumes the coroutine, where it begins.
#pragma once

#include <cstdint>
#include <vector>

#include "frames/suspension_place.h"
#include "symbol/frame_location.h"

namespace skein {

// Stores of `point` among those of a function. One whose base is another register than that of most
// of them may write to another object, and is left out.
std::vector<FramePlace> places_of_point(const std::vector<Store>& stores, uint32_t point);

// The end of the code that saves registers, with the register of the parameter and with those to
// which it was copied. `code` is that of the resuming function.
std::vector<FramePlace> places_at_begin(const Code& code);

}  // namespace skein
