#include "cli/check/github.h"

#include "base/text.h"

namespace skein::cli {

namespace {

// Of a message; of a property also , and :.
void append_github(std::string& out, std::string_view text, bool is_property) {
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (c == ':' && is_property)
      out += "%3A";
    else if (c == ',' && is_property)
      out += "%2C";
    else
      out += c;
  }
}

// Lines of harmless text.
std::string safe_lines(std::string_view text) {
  constexpr size_t most = 60'000;  // bytes; GitHub shows 64 KiB
  std::string out;
  while (!text.empty() && out.size() < most) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += safe_text(line, 1000);
    if (line.size() == text.size()) break;
    out += '\n';
    text.remove_prefix(line.size() + 1);
  }
  return out;
}

}  // namespace

std::string github_error(const SourcePlace& place, std::string_view workspace,
                         std::string_view title, std::string_view message) {
  std::string out = "::error ";
  if (place.line != 0) {
    std::string_view file = place.file;
    while (workspace.ends_with('/')) workspace.remove_suffix(1);
    if (!workspace.empty() && file.starts_with(workspace) &&
        file.substr(workspace.size()).starts_with('/'))
      file.remove_prefix(workspace.size() + 1);
    out += "file=";
    append_github(out, safe_text(file, 4096), true);
    out += ",line=" + std::to_string(place.line) + ",";
  }
  out += "title=";
  append_github(out, safe_text(title), true);
  out += "::";
  append_github(out, safe_lines(message), false);
  return out + "\n";
}

}  // namespace skein::cli
