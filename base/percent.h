// Formats percentages.
#pragma once

#include <string>

namespace skein {

// Returns `part` of `whole`: "3.1 %"; "0.0 %" if `whole` is not positive.
std::string percent_text(double part, double whole);

}  // namespace skein
