#include "profile/perf/sample_names.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "base/text.h"
#include "profile/flame/harmless.h"
#include "symbol/functions.h"

namespace skein {

namespace {

constexpr uint8_t mode_kernel = 1, mode_hypervisor = 3, mode_guest_kernel = 4, mode_guest_user = 5;

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
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

std::string share_text(uint64_t part, uint64_t all) {
  char share[32];
  std::snprintf(share, sizeof share, "%.1f %%",
                100 * static_cast<double>(part) / static_cast<double>(all));
  return share;
}

void add_lines(std::string_view text, std::vector<std::string>& lines) {
  for (size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    lines.emplace_back(text.substr(0, end));
}

}  // namespace

SampleNames::Space SampleNames::space_of_mode(uint8_t mode) {
  if (mode == mode_kernel || mode == mode_hypervisor) return Space::Kernel;
  return mode == mode_guest_kernel || mode == mode_guest_user ? Space::Guest : Space::User;
}
SampleNames::Space SampleNames::space_of_context(uint64_t context) {
  if (context == perf_context_user) return Space::User;
  // -2176 and -2560: of the guest as well.
  return context <= perf_context_guest ? Space::Guest : Space::Kernel;
}

SampleNames::SampleNames(const PerfFile& file, Files& files, const PerfOptions& options)
    : file_(file),
      files_(files),
      options_(options),
      image_files_(options.open ? options.open : open_from_disk(files, file.build_ids()), files) {
  unknown_ = names_.add("[unknown]");
}

void SampleNames::use(const PerfRecord& record) {
  images_.use(record);
  if (record.type == PerfRecord::Type::Lost) lost_ += record.lost;
  if (record.type == PerfRecord::Type::Name) thread_names_[record.tid] = frame_text(record.text);
  if (record.type == PerfRecord::Type::Fork)
    if (const auto name = thread_names_.find(record.parent_thread); name != thread_names_.end())
      thread_names_[record.tid] = name->second;
}

std::span<const uint32_t> SampleNames::functions(const PerfRecord& sample, uint32_t most) {
  stack_.clear();
  Space space = space_of_mode(sample.mode);
  const std::shared_ptr<const ProcessImage> image = images_.of(sample.pid);
  bool is_first = true;    // later ones are return addresses, behind the call
  uint32_t functions = 0;  // of the user
  for (const uint64_t address : chain_of(sample)) {
    if (most != 0 && functions == most) break;
    if (address >= perf_context_most) {
      space = space_of_context(address);
      is_first = true;
      continue;
    }
    if (space == Space::User) functions++;
    const auto [name, inlined] =
        name_of(space, address - (is_first || address == 0 ? 0 : 1), image.get());
    is_first = false;
    stack_.insert(stack_.end(), inlined_[inlined].begin(), inlined_[inlined].end());
    // Without frame pointers perf walks through whatever is on the stack: up to 127 numbers.
    if (name == unknown_ && !stack_.empty() && stack_.back() == unknown_) continue;
    stack_.push_back(name);
  }
  if (!stack_.empty()) return stack_;
  const auto [name, inlined] = name_of(space, sample.address, image.get());
  stack_ = inlined_[inlined];
  stack_.push_back(name);
  return stack_;
}

LogicalSample SampleNames::logical(const PerfRecord& sample) {
  if (options_.physical || !file_.logical()) return {};
  const auto logical = LogicalSample::read(sample.raw);
  if (!logical || (!logical->is_logical() && !logical->is_unknown())) return {};
  in_coroutines_++;
  if (logical->chain <= file_.logical()->size()) return *logical;
  without_chain_++;
  return {};
}

uint32_t SampleNames::waiter(uint32_t coroutine) {
  return cached(waiters, coroutine,
                [&] {
                  const LogicalStacks::Coroutine& one = file_.logical()->coroutine(coroutine);
                  if (one.line == 0) return one.function;
                  return one.function + " (" + std::string(base_name(one.file)) + ':' +
                         std::to_string(one.line) + ')';
                })
      .function;
}

std::string SampleNames::thread_name(const PerfRecord& sample) const {
  const auto known = thread_names_.find(sample.tid);
  if (known != thread_names_.end()) return known->second;
  return sample.tid == 0 ? "swapper" : "[unknown]";
}

std::vector<std::string> SampleNames::losses() const {
  std::vector<std::string> losses;
  if (file_.is_cut())
    losses.push_back("the file is damaged or cut short; what could be read is shown");
  if (lost_ != 0) losses.push_back("perf lost " + counted(lost_, "record") + "; use a lower -F");
  return losses;
}

std::vector<std::string> SampleNames::remarks() const {
  std::vector<std::string> remarks;
  for (const std::string& file : image_files_.changed())
    remarks.push_back(file + " has changed since the recording; its functions have no names");
  add_lines(unwinder_.counts().text("use perf record --call-graph dwarf,65528"), remarks);
  if (without_chain_ != 0) remarks.push_back(unknown_chains_text(without_chain_, in_coroutines_));
  if (kernel_is_other_ && kernel_unnamed_)
    remarks.push_back(
        "the kernel was booted again since the recording, or hides its addresses; "
        "name its functions with --map System.map");
  return remarks;
}

// Where samples have copies of stacks, their chains are only the kernel's part.
std::span<const uint64_t> SampleNames::chain_of(const PerfRecord& record) {
  if (SampleUnwinder::can_unwind(record)) return unwinder_.unwind(record);
  chain_.resize(record.chain.size() / sizeof(uint64_t));
  if (!chain_.empty())
    std::memcpy(chain_.data(), record.chain.data(), chain_.size() * sizeof(uint64_t));
  return chain_;
}

SampleNames::Named SampleNames::name_of(Space space, uint64_t address, const ProcessImage* image) {
  if (space == Space::Guest) return {names_.add("[guest]_[g]")};
  if (space == Space::Kernel)
    return cached(kernel_module, address, [&] { return kernel_name(address); });
  if (image == nullptr) return {unmapped(address)};
  const auto at = image->find(address);
  if (at == image->mappings.end()) return {unmapped(address)};
  const ProcessImage::Mapped& mapped = at->second;
  const uint64_t offset = address - at->first + mapped.offset;
  if (images_.files()[mapped.file].name.starts_with("//anon")) return {unmapped(address)};
  const size_t before = cache_.size();
  Named& named =
      cached(mapped.file, offset, [&] { return user_name(mapped.file, offset, address); });
  if (cache_.size() != before)
    libraries_.emplace(names_[named.function], base_name(images_.files()[mapped.file].name));
  if (options_.inlined && cache_.size() != before)
    named.inlined = find_inlined(mapped.file, offset);
  return named;
}

template <class Find>
SampleNames::Named& SampleNames::cached(uint32_t module, uint64_t address, Find find) {
  const auto [at, is_new] = cache_.try_emplace({module, address}, Named());
  if (is_new) at->second.function = names_.add(frame_text(find()));
  return at->second;
}

uint32_t SampleNames::find_inlined(uint32_t number, uint64_t offset) {
  const ProcessImages::File& image = images_.files()[number];
  std::vector<uint32_t> names;
  for (const std::string& name : image_files_.inlined_at(number, image, offset)) {
    const std::string function = demangled(name);
    if (!function.empty())
      names.push_back(names_.add(frame_text(without_parameters(function)) + "_[i]"));
  }
  if (names.empty()) return 0;
  inlined_.push_back(std::move(names));
  return static_cast<uint32_t>(inlined_.size() - 1);
}

uint32_t SampleNames::unmapped(uint64_t address) {
  const std::string_view name =
      options_.map == nullptr ? std::string_view{} : options_.map->find(address);
  return name.empty() ? unknown_ : names_.add(frame_text(name));
}

std::string SampleNames::user_name(uint32_t number, uint64_t offset, uint64_t address) {
  const ProcessImages::File& image = images_.files()[number];
  const std::optional<uint64_t> linked = image_files_.of(number, image).linked(offset);
  if (const Functions* functions = image_files_.functions(number, image)) {
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
  // One name for all samples of a function without a name.
  if (linked && file.front() != '[')
    if (const auto begin = image_files_.function_begin(number, image, *linked)) {
      char text[32];
      std::snprintf(text, sizeof text, "+0x%" PRIx64, *begin);
      return std::string(file) + text;
    }
  return file.front() == '[' ? std::string(file) : '[' + std::string(file) + ']';
}

std::string SampleNames::kernel_name(uint64_t address) {
  if (!kernel_is_read_) read_kernel();
  std::string_view name = kernel_.find(address);
  if (name.empty() && options_.map != nullptr) name = options_.map->find(address - kernel_slide_);
  if (name.empty()) kernel_unnamed_ = true;
  return (name.empty() ? "[kernel]" : std::string(name)) + "_[k]";
}

// Symbols of the running kernel are of the recorded boot if the noted symbol has its address.
void SampleNames::read_kernel() {
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

std::string unknown_chains_text(uint64_t unknown, uint64_t in_coroutines) {
  return share_text(unknown, in_coroutines) +
         " of the samples in coroutines have physical stacks, as it is not known which coroutines "
         "wait";
}

std::string doubtful_chains_text(uint64_t doubtful, uint64_t in_coroutines) {
  return share_text(doubtful, in_coroutines) +
         " of the samples in coroutines may lack their outermost coroutines: a coroutine may wait "
         "by an object of a kind that is not known";
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

}  // namespace skein
