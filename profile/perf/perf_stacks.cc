#include "profile/perf/perf_stacks.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "profile/perf/perf_file.h"

namespace skein {

namespace {

class Folder {
 public:
  Folder(const PerfFile& file, Files& files, const PerfOptions& options)
      : file_(file), options_(options), names_(file, files, options) {}

  Result<PerfStacks> fold(const std::string& path) {
    Result<PerfFile::Chosen> chosen = file_.choose_event(options_.event, path);
    if (!chosen) return chosen.error();
    chosen_ = *std::move(chosen);
    file_.for_each([&](const PerfRecord& record) { use(record); });
    PerfStacks result;
    result.samples = samples_;
    result.lost = names_.lost();
    const PerfEvent& event = file_.events()[chosen_.event];
    result.unit = event.counts_ns() ? "ns" : event.name.empty() ? "events" : event.name;
    write(result.folded);
    add_remarks(result);
    result.libraries = names_.libraries();
    return result;
  }

 private:
  void use(const PerfRecord& record) {
    names_.use(record);
    if (record.type == PerfRecord::Type::Sample && record.event == chosen_.event)
      add_sample(record);
  }

  void add_sample(const PerfRecord& record) {
    samples_++;
    const LogicalSample logical = names_.logical(record);
    const auto functions = names_.functions(record, logical.functions);
    stack_.assign(functions.begin(), functions.end());
    if (logical.is_logical())
      for (const uint32_t coroutine : file_.logical()->chain(logical.chain))
        if (!file_.logical()->coroutine(coroutine).function.empty())
          stack_.push_back(names_.waiter(coroutine));
    std::string name = names_.thread_name(record);
    if (options_.by_thread) name += '/' + std::to_string(record.tid);
    stack_.push_back(names_.add(name));
    key_.assign(reinterpret_cast<const char*>(stack_.data()), stack_.size() * sizeof stack_[0]);
    weights_[key_] += static_cast<double>(record.period);
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
    remarks = names_.losses();
    const auto& events = file_.events();
    for (uint32_t i = 0; i < events.size(); i++)
      if (i != chosen_.event && chosen_.samples[i] != 0 && options_.event.empty())
        remarks.push_back("shows " + events[chosen_.event].name + "; " + events[i].name + " has " +
                          counted(chosen_.samples[i], "sample") + " (--event)");
    for (std::string& remark : names_.remarks()) remarks.push_back(std::move(remark));
  }

  const PerfFile& file_;
  const PerfOptions& options_;
  SampleNames names_;
  PerfFile::Chosen chosen_;
  uint64_t samples_ = 0;
  std::vector<uint32_t> stack_;
  std::string key_;
  std::unordered_map<std::string, double> weights_;
};

}  // namespace

Result<PerfStacks> fold_perf_data(std::span<const uint8_t> bytes, const std::string& path,
                                  Files& files, const PerfOptions& options) {
  Result<PerfFile> file = PerfFile::read(bytes, path);
  if (!file) return file.error();
  return Folder(*file, files, options).fold(path);
}

}  // namespace skein
