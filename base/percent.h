// Shares as people read them.
#pragma once

#include <string>

namespace skein {

// "3.1 %": `part` of `whole`; "0.0 %" of nothing.
std::string percent_text(double part, double whole);

}  // namespace skein
