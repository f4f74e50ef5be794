#include "base/whole_text.h"

#include <fstream>
#include <sstream>

namespace skein {

std::string whole_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text ? text.str() : std::string();
}

}  // namespace skein
