#include "target/kept_cores.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace skein {

namespace {

// Removes the last part, behind a dot, and returns it; empty: there is no dot.
std::string_view take_last(std::string_view& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view last = name.substr(dot + 1);
  name = name.substr(0, dot);
  return last;
}

std::optional<uint64_t> parse(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// systemd writes dots and blanks of a name as \x2e.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    const bool is_escape = text.substr(i, 2) == "\\x" && i + 4 <= text.size();
    const std::optional<uint64_t> code =
        is_escape ? parse(text.substr(i + 2, 2), 16) : std::nullopt;
    out += code ? static_cast<char>(*code) : text[i];
    if (code) i += 3;
  }
  return out;
}

}  // namespace

std::optional<KeptCore> parse_core_name(std::string_view file) {
  constexpr size_t boot_digits = 32;
  constexpr std::string_view prefix = "core.";
  for (const std::string_view end : {".zst", ".xz", ".lz4"})
    if (file.ends_with(end)) file.remove_suffix(end.size());
  const std::optional<uint64_t> time = parse(take_last(file));
  const std::optional<uint64_t> pid = parse(take_last(file));
  const std::string_view boot = take_last(file);
  const std::optional<uint64_t> user = parse(take_last(file));
  if (!time || !pid || !user || boot.size() != boot_digits || !file.starts_with(prefix)) return {};
  return KeptCore{.name = unescaped(file.substr(prefix.size())), .pid = *pid, .time = *time};
}

std::string core_folder() {
  const char* const chosen = std::getenv("SKEIN_CORES");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/var/lib/systemd/coredump";
}

std::vector<KeptCore> kept_cores(Files& files, const std::string& folder, uint64_t pid) {
  std::vector<KeptCore> found;
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names) return found;
  for (const std::string& name : *names) {
    std::optional<KeptCore> core = parse_core_name(name);
    if (!core || core->pid != pid) continue;
    core->path = folder + "/" + name;
    found.push_back(std::move(*core));
  }
  std::sort(found.begin(), found.end(),
            [](const KeptCore& a, const KeptCore& b) { return a.time > b.time; });
  return found;
}

}  // namespace skein
