#include "profile/perf/perf_stacks.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "profile/flame/harmless.h"
#include "profile/flame/name_table.h"
#include "profile/perf/image_files.h"
#include "profile/perf/perf_file.h"
#include "profile/perf/process_images.h"
#include "profile/perf/sample_unwinder.h"
#include "symbol/functions.h"

namespace skein {

namespace {

enum class Space : uint8_t { Kernel, User, Guest };
constexpr uint8_t mode_kernel = 1, mode_hypervisor = 3, mode_guest_kernel = 4, mode_guest_user = 5;

Space space_of_mode(uint8_t mode) {
  if (mode == mode_kernel || mode == mode_hypervisor) return Space::Kernel;
  return mode == mode_guest_kernel || mode == mode_guest_user ? Space::Guest : Space::User;
}
Space space_of_context(uint64_t context) {
  if (context == perf_context_user) return Space::User;
  // -2176 and -2560: of the guest as well.
  return context <= perf_context_guest ? Space::Guest : Space::Kernel;
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

void add_lines(std::string_view text, std::vector<std::string>& lines) {
  for (size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    lines.emplace_back(text.substr(0, end));
}

// Names must not end a stack or a line, nor look like a count.
std::string frame_text(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c == ';') c = ':';
    if (c == '\n' || c == '\r') c = '?';
  }
  hide_count(text);
  return text;
}

// The name of a function that perf shows, of several for the same address: "read", not "__read".
std::string_view usual_name(const Functions& functions, const Functions::Function& found) {
  const auto underscores = [](std::string_view name) {
    return std::min(name.find_first_not_of('_'), name.size());
  };
  const Functions::Function* const first = functions.all().data();
  std::string_view best = found.name;
  for (const Functions::Function* at = &found; at >= first && at->begin == found.begin; at--) {
    if (at->end == at->begin && found.end != found.begin) continue;
    const size_t few = underscores(at->name), least = underscores(best);
    if (few < least || (few == least && at->name.size() > best.size())) best = at->name;
  }
  return best;
}

// "pthread_create@@GLIBC_2.34" -> "pthread_create".
std::string_view without_version(std::string_view name) { return name.substr(0, name.find('@')); }

class Folder {
 public:
  Folder(const PerfFile& file, Files& files, const PerfOptions& options)
      : file_(file),
        files_(files),
        options_(options),
        image_files_(options.open ? options.open : open_from_disk(files, file.build_ids()), files) {
    unknown_ = names_.add("[unknown]");
  }

  Result<PerfStacks> fold(const std::string& path) {
    if (const auto error = choose_event(path)) return *error;
    file_.for_each([&](const PerfRecord& record) { use(record); });
    PerfStacks result;
    result.samples = samples_;
    result.lost = lost_;
    const PerfEvent& event = file_.events()[event_];
    result.unit = event.counts_ns() ? "ns" : event.name.empty() ? "events" : event.name;
    write(result.folded);
    add_remarks(result);
    return result;
  }

 private:
  std::optional<Error> choose_event(const std::string& path) {
    const auto& events = file_.events();
    counts_.assign(events.size(), 0);
    file_.for_each([&](const PerfRecord& record) {
      if (record.type == PerfRecord::Type::Sample) counts_[record.event]++;
    });
    std::string known;
    for (const PerfEvent& event : events) known += (known.empty() ? "" : ", ") + event.name;
    for (uint32_t i = 0; i < events.size(); i++) {
      if (options_.event.empty() ? counts_[i] == 0 : events[i].name != options_.event) continue;
      event_ = i;
      if (counts_[i] == 0) break;
      return std::nullopt;
    }
    if (!options_.event.empty())
      return Error{.what = "no samples of event '" + options_.event + "'",
                   .file = path,
                   .advice = "it has: " + known};
    return Error{.what = "no samples", .file = path, .advice = "record for longer"};
  }

  void use(const PerfRecord& record) {
    images_.use(record);
    switch (record.type) {
      case PerfRecord::Type::Mapping:
      case PerfRecord::Type::Exit:
      case PerfRecord::Type::Switch:
        break;
      case PerfRecord::Type::Name:
        thread_names_[record.tid] = frame_text(record.text);
        break;
      case PerfRecord::Type::Fork:
        if (const auto name = thread_names_.find(record.parent_thread); name != thread_names_.end())
          thread_names_[record.tid] = name->second;
        break;
      case PerfRecord::Type::Lost:
        lost_ += record.lost;
        break;
      case PerfRecord::Type::Sample:
        if (record.event == event_) add_sample(record);
        break;
    }
  }

  void add_sample(const PerfRecord& record) {
    samples_++;
    stack_.clear();
    Space space = space_of_mode(record.mode);
    const std::shared_ptr<const ProcessImage> image = images_.of(record.pid);
    bool is_first = true;  // later ones are return addresses, behind the call
    const LogicalSample logical = logical_of(record);
    uint32_t functions = 0;  // of the user
    for (const uint64_t address : chain_of(record)) {
      if (logical.is_logical() && functions == logical.functions) break;
      if (address >= perf_context_most) {
        space = space_of_context(address);
        is_first = true;
        continue;
      }
      if (space == Space::User) functions++;
      const uint32_t name =
          name_of(space, address - (is_first || address == 0 ? 0 : 1), image.get());
      is_first = false;
      // Without frame pointers perf walks through whatever is on the stack: up to 127 numbers.
      if (name == unknown_ && !stack_.empty() && stack_.back() == unknown_) continue;
      stack_.push_back(name);
    }
    if (stack_.empty()) stack_.push_back(name_of(space, record.address, image.get()));
    if (logical.is_logical())
      for (const uint32_t coroutine : file_.logical()->chain(logical.chain))
        if (!file_.logical()->coroutine(coroutine).function.empty())
          stack_.push_back(name_of_waiter(coroutine));
    const auto known = thread_names_.find(record.tid);
    std::string name = known != thread_names_.end() ? known->second
                       : record.tid == 0            ? "swapper"
                                                    : "[unknown]";
    if (options_.by_thread) name += '/' + std::to_string(record.tid);
    stack_.push_back(names_.add(name));
    key_.assign(reinterpret_cast<const char*>(stack_.data()), stack_.size() * sizeof stack_[0]);
    weights_[key_] += static_cast<double>(record.period);
  }

  // Counts those of coroutines.
  LogicalSample logical_of(const PerfRecord& record) {
    if (options_.physical || !file_.logical()) return {};
    const auto logical = LogicalSample::read(record.raw);
    if (!logical || *logical == LogicalSample()) return {};
    in_coroutines_++;
    if (logical->chain <= file_.logical()->size()) return *logical;
    without_chain_++;
    return {};
  }

  uint32_t name_of_waiter(uint32_t number) {
    return cached(waiters, number, [&] {
      const LogicalStacks::Coroutine& one = file_.logical()->coroutine(number);
      if (one.line == 0) return one.function;
      return one.function + " (" + std::string(base_name(one.file)) + ':' +
             std::to_string(one.line) + ')';
    });
  }

  // Where samples have copies of stacks, their chains are only the kernel's part.
  std::span<const uint64_t> chain_of(const PerfRecord& record) {
    if (SampleUnwinder::can_unwind(record)) return unwinder_.unwind(record);
    chain_.resize(record.chain.size() / sizeof(uint64_t));
    if (!chain_.empty())
      std::memcpy(chain_.data(), record.chain.data(), chain_.size() * sizeof(uint64_t));
    return chain_;
  }

  uint32_t name_of(Space space, uint64_t address, const ProcessImage* image) {
    if (space == Space::Guest) return names_.add("[guest]_[g]");
    if (space == Space::Kernel)
      return cached(kernel_module, address, [&] { return kernel_name(address); });
    if (image == nullptr) return unmapped(address);
    const auto at = image->find(address);
    if (at == image->mappings.end()) return unmapped(address);
    const ProcessImage::Mapped& mapped = at->second;
    const uint64_t offset = address - at->first + mapped.offset;
    if (images_.files()[mapped.file].name.starts_with("//anon")) return unmapped(address);
    return cached(mapped.file, offset, [&] { return user_name(mapped.file, offset, address); });
  }

  template <class Find>
  uint32_t cached(uint32_t module, uint64_t address, Find find) {
    const auto [at, is_new] = cache_.try_emplace({module, address}, 0);
    if (is_new) at->second = names_.add(frame_text(find()));
    return at->second;
  }

  uint32_t unmapped(uint64_t address) {
    const std::string_view name =
        options_.map == nullptr ? std::string_view{} : options_.map->find(address);
    if (name.empty()) unnamed_++;
    return name.empty() ? unknown_ : names_.add(frame_text(name));
  }

  std::string user_name(uint32_t number, uint64_t offset, uint64_t address) {
    const ProcessImages::File& image = images_.files()[number];
    if (const Functions* functions = image_files_.functions(number, image)) {
      const std::optional<uint64_t> linked = image_files_.of(number, image).linked(offset);
      const Functions::Function* function = linked ? functions->find(*linked) : nullptr;
      if (function != nullptr)
        return std::string(
            without_parameters(demangled(without_version(usual_name(*functions, *function)))));
      // The dynamic linker's first function, which its symbols do not call one.
      constexpr uint64_t entry_size = 64;
      const uint64_t entry = image_files_.of(number, image).entry();
      if (linked && entry != 0 && *linked - entry < entry_size) return "_start";
    }
    if (options_.map != nullptr)
      if (const std::string_view name = options_.map->find(address); !name.empty())
        return std::string(name);
    const std::string_view file = base_name(image.name);
    if (file.empty()) return "[unknown]";
    return file.front() == '[' ? std::string(file) : '[' + std::string(file) + ']';
  }

  std::string kernel_name(uint64_t address) {
    if (!kernel_is_read_) read_kernel();
    std::string_view name = kernel_.find(address);
    if (name.empty() && options_.map != nullptr) name = options_.map->find(address - kernel_slide_);
    if (name.empty()) kernel_unnamed_ = true;
    return (name.empty() ? "[kernel]" : std::string(name)) + "_[k]";
  }

  // Symbols of the running kernel are of the recorded boot if the noted symbol has its address.
  void read_kernel() {
    kernel_is_read_ = true;
    if (options_.map != nullptr && !images_.kernel_symbol().empty())
      if (const uint64_t linked = options_.map->address_of(images_.kernel_symbol()); linked != 0)
        kernel_slide_ = images_.kernel_address() - linked;
    if (options_.kernel_symbols.empty() || images_.kernel_symbol().empty()) return;
    const Result<Contents> symbols = files_.open(options_.kernel_symbols, Access::Copy);
    if (!symbols) return;
    const auto bytes = symbols->bytes();
    kernel_.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    kernel_.finish();
    if (kernel_.address_of(images_.kernel_symbol()) == images_.kernel_address() &&
        images_.kernel_address() != 0)
      return;
    kernel_is_other_ = true;
    kernel_ = AddressMap();
  }

  void write(std::string& folded) const {
    std::vector<std::string> lines;
    lines.reserve(weights_.size());
    for (const auto& [key, weight] : weights_) {
      std::string line;
      const size_t count = key.size() / sizeof(uint32_t);
      for (size_t i = count; i-- > 0;) {
        uint32_t name = 0;
        std::memcpy(&name, key.data() + i * sizeof name, sizeof name);
        line += names_[name];
        line += i == 0 ? ' ' : ';';
      }
      char digits[32];
      const auto [end, error] =
          std::to_chars(digits, digits + sizeof digits, weight, std::chars_format::fixed, 0);
      line.append(digits, error == std::errc{} ? end : digits);
      lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end());
    for (const std::string& line : lines) folded += line + '\n';
  }

  void add_remarks(PerfStacks& result) const {
    auto& remarks = result.remarks;
    if (file_.is_cut())
      remarks.push_back("the file is damaged or cut short; what could be read is shown");
    if (lost_ != 0) remarks.push_back("perf lost " + counted(lost_, "record") + "; use a lower -F");
    const auto& events = file_.events();
    for (uint32_t i = 0; i < events.size(); i++)
      if (i != event_ && counts_[i] != 0 && options_.event.empty())
        remarks.push_back("shows " + events[event_].name + "; " + events[i].name + " has " +
                          counted(counts_[i], "sample") + " (--event)");
    for (const std::string& file : image_files_.changed())
      remarks.push_back(file + " has changed since the recording; its functions have no names");
    add_lines(unwinder_.counts().text(), remarks);
    if (without_chain_ != 0) remarks.push_back(unknown_chains_text(without_chain_, in_coroutines_));
    if (kernel_is_other_ && kernel_unnamed_)
      remarks.push_back(
          "the kernel was booted again since the recording, or hides its addresses; "
          "name its functions with --map System.map");
  }

  static constexpr uint32_t kernel_module = UINT32_MAX;
  static constexpr uint32_t waiters = UINT32_MAX - 1;  // their numbers instead of addresses
  struct Place {
    uint32_t module;
    uint64_t address;
    bool operator==(const Place&) const = default;
  };
  struct HashPlace {
    size_t operator()(const Place& place) const {
      return (place.address ^ uint64_t{place.module} << 48) * 0x9e3779b97f4a7c15 >> 7;
    }
  };

  const PerfFile& file_;
  Files& files_;
  const PerfOptions& options_;
  uint32_t event_ = 0;
  std::vector<uint64_t> counts_;  // of samples, by event
  NameTable names_;
  uint32_t unknown_ = 0;
  ProcessImages images_;
  ImageFiles image_files_;
  SampleUnwinder unwinder_{images_, image_files_};
  std::unordered_map<uint32_t, std::string> thread_names_;
  std::unordered_map<Place, uint32_t, HashPlace> cache_;
  AddressMap kernel_;
  uint64_t kernel_slide_ = 0;  // by which the kernel was moved, from where the map has it
  bool kernel_is_read_ = false, kernel_is_other_ = false, kernel_unnamed_ = false;
  uint64_t samples_ = 0, lost_ = 0, unnamed_ = 0;
  uint64_t in_coroutines_ = 0, without_chain_ = 0;
  std::vector<uint32_t> stack_;
  std::vector<uint64_t> chain_;
  std::string key_;
  std::unordered_map<std::string, double> weights_;
};

}  // namespace

std::string unknown_chains_text(uint64_t unknown, uint64_t in_coroutines) {
  char share[32];
  std::snprintf(share, sizeof share, "%.1f %%",
                100 * static_cast<double>(unknown) / static_cast<double>(in_coroutines));
  return std::string(share) +
         " of the samples in coroutines have physical stacks, as it is not known which coroutines "
         "wait";
}

std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  int depth = 0;  // of <> and ()
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); i++) {
    const char c = name[i];
    if (c == 'o' && (i == begin || name[i - 1] == ':') && depth == 0 &&
        name.substr(i).starts_with("operator")) {
      // Its name ends at the parameters: operator(), operator<, operator new, operator bool.
      size_t open = i + 8;
      if (name.substr(open).starts_with("()")) open += 2;
      while (open < name.size() && (name[open] == '<' || name[open] == '>' || name[open] == '='))
        open++;
      open = name.find('(', open);
      return name.substr(begin, open == name.npos ? open : open - begin);
    }
    if (name.substr(i).starts_with(anonymous)) {
      i += anonymous.size() - 1;
    } else if (name.substr(i).starts_with("{lambda(")) {
      const size_t end = name.find('}', i);
      if (end == name.npos) return name;
      i = end;
    } else if (c == '<' || c == '{' || c == '[') {
      depth++;
    } else if (c == '>' || c == '}' || c == ']') {
      depth -= depth > 0;
    } else if (depth == 0 && c == '(') {
      // The parameters of a function around a local one are followed by its name.
      int open = 0;
      size_t end = i;
      for (; end < name.size(); end++) {
        open += name[end] == '(' ? 1 : name[end] == ')' ? -1 : 0;
        if (open == 0) break;
      }
      const size_t next = name.find_first_not_of(" ", end + 1);
      const bool is_around = next != name.npos && name.substr(next).starts_with("::");
      const bool is_const = next != name.npos && name.substr(next).starts_with("const::");
      if (!is_around && !is_const) return name.substr(begin, i - begin);
      i = end;
    } else if (depth == 0 && c == ' ' && !name.substr(i + 1).starts_with("[clone") &&
               !name.substr(i + 1).starts_with("const::")) {
      begin = i + 1;
    }
  }
  return name.substr(begin);
}

Result<PerfStacks> fold_perf_data(std::span<const uint8_t> bytes, const std::string& path,
                                  Files& files, const PerfOptions& options) {
  Result<PerfFile> file = PerfFile::read(bytes, path);
  if (!file) return file.error();
  return Folder(*file, files, options).fold(path);
}

}  // namespace skein
