// What a function does with its parameters, by its code: those of a coroutine have one, the frame.
#pragma once

#include "frames/resume_point.h"

namespace skein {

struct ParameterUse {
  bool has_more = false;  // it reads the second parameter, or one behind it
  bool is_used = false;  // it reads or writes behind the first 16 bytes of what the first refers to
  bool is_passed =
      false;  // a call, or the function in which it goes on, gets the first, as its first or second
  bool clears_first = false;  // it stores 0 as the first word there, as a coroutine that ends
  bool stores_number =
      false;  // and a small number as a byte behind the first 16, as one that waits
};

// Of a whole function. O(bytes), a few times.
ParameterUse parameter_use(const Code& code);

}  // namespace skein
