// Names from outside for formats without an escape of their own, such as folded text.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// Control characters, invisible characters and bytes that are not UTF-8 become \n, \x1b or
// \u{202e}. Backslashes and quotation marks stay, unlike in escaped(): a name that is read and
// written again must not grow.
std::string harmless(std::string_view name);

// "worker 1" -> "worker_1": the number at the end of a line of folded text is a count. Blanks before
// it are no part of the name: "a " -> "a", and " " -> "_", which is not empty.
void hide_count(std::string& name);

}  // namespace skein
