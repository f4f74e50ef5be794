#include "target/program_name.h"

namespace skein {

std::string whole_name(std::string_view kept, std::initializer_list<std::string_view> paths) {
  constexpr size_t most_kept = 15;
  if (kept.size() != most_kept) return std::string(kept);
  constexpr std::string_view gone = " (deleted)";
  for (std::string_view path : paths) {
    if (path.ends_with(gone)) path.remove_suffix(gone.size());
    path.remove_prefix(path.rfind('/') + 1);  // npos + 1 == 0
    if (path.starts_with(kept)) return std::string(path);
  }
  return std::string(kept);
}

}  // namespace skein
