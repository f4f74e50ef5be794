// skein profile [-F HZ] [-T SECONDS] [--off-cpu] [-o FILE] PID | -- CMD...
//
// Samples where a process spends its CPU time, and draws the stacks: as a page with a timeline and
// a flame graph of its selection, or as a flame graph alone. With --off-cpu also where its threads
// wait: a flame graph alone is of one kind of time, and then only that of the waits.
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/disk_files.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/output/flame_output.h"
#include "cli/output/output_file.h"
#include "cli/output/page.h"
#include "cli/output/terminal.h"
#include "cli/output/trace_copy.h"
#include "cli/program.h"
#ifdef SKEIN_HAS_SYMBOLS
#include "cli/input/recorded_meanwhile.h"
#include "profile/perf/perf_stacks.h"
#include "profile/sample/report_texts.h"
#include "profile/sample/sampler.h"
#include "profile/trace/profile_trace.h"
#include "view/web/document/document.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

namespace {

using Clock = std::chrono::steady_clock;

bool is_page(const std::string& output) {
  return output.ends_with(".html") && !output.ends_with(".flame.html") && web::has_page();
}

bool is_trace(const std::string& output) { return output.ends_with(".skein"); }

bool keeps_samples(const std::string& output) {
  return output.ends_with(".data") || output.ends_with(".perf");
}

std::string default_output(const std::string& program) {
  const std::string page = program + ".profile.html";
  return is_page(page) ? page : program + ".flame.html";
}

// 0: it is the name of a program.
uint32_t process_number(const ProfileOptions& options) {
  if (options.words.size() != 1) return 0;
  const std::string& text = options.words[0];
  uint32_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  return error == std::errc{} && end == text.data() + text.size() ? pid : 0;
}

std::string program_of(const ProfileOptions& options, uint32_t pid) {
  std::string name;
  if (pid == 0)
    name = std::filesystem::path(options.words[0]).filename().string();
  else
    std::getline(std::ifstream("/proc/" + options.words[0] + "/comm"), name);
  std::replace(name.begin(), name.end(), '/', '_');
  return name.empty() ? "process-" + options.words[0] : name;
}

// The file of the samples. One without a name if only the flame graph is wanted: nothing is left if
// skein is killed.
class Samples {
 public:
  explicit Samples(std::string path) : path_(std::move(path)) {
    if (!path_.empty()) return;
    const char* const folder = getenv("TMPDIR");
    std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") +
                       "/skein-profile-XXXXXX";
    descriptor_ = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0)
      die(1, name + ": " + std::strerror(errno) + "; set TMPDIR to another folder");
    unlink(name.c_str());
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  ~Samples() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

volatile sig_atomic_t is_interrupted = 0;
void interrupt(int) { is_interrupted = 1; }

// Ctrl-C ends the sampling of a process that runs anyway, not this command.
void end_by_signals() {
  struct sigaction action = {};
  action.sa_handler = interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

// Until the process ends, its time is over, or Ctrl-C. Returns false if the process still runs.
bool sample(Sampler& sampler, pid_t pid, double seconds, Clock::time_point begin,
            RecordedMeanwhile* recorded) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  bool has_ended = process < 0;
  while (!has_ended && is_interrupted == 0) {
    const std::chrono::duration<double> passed = Clock::now() - begin;
    if (seconds > 0 && passed.count() >= seconds) break;
    const double left = seconds > 0 ? seconds - passed.count() : 1;
    has_ended = sampler.work(static_cast<int>(std::clamp(left * 1000, 1.0, 100.0)), process);
    if (recorded != nullptr) recorded->look();
  }
  if (process >= 0) close(process);
  return has_ended;
}

// "1,234 samples and 5 waits"
std::string counts_text(const Sampler::Counts& counts, const RingOptions& rings) {
  const std::string waits = counted(counts.waits, "wait");
  if (!rings.on_cpu) return waits;
  return counted(counts.samples, "sample") + (rings.off_cpu ? " and " + waits : "");
}

// CPU time that the samples do not contain.
void report_unsampled(const Sampler::Counts& counts) {
  constexpr uint64_t percent = 100, least_ns = 10'000'000;
  const uint64_t missing = counts.cpu_ns - std::min(counts.cpu_ns, counts.sampled_ns);
  if (missing < least_ns || missing * percent < 2 * counts.cpu_ns) return;
  report_message(
      duration_text(missing) + " of the " + duration_text(counts.cpu_ns) +
      " of CPU time are missing: no sample met the threads that used them. Use a higher -F");
}

// Of processes that the first one has started, the CPU time is only known by samples.
void report_cost(const Sampler& sampler, const RingOptions& rings) {
  constexpr uint64_t second = 1'000'000'000;
  const Sampler::Counts& counts = sampler.counts();
  const uint64_t of_others = counts.in_others * (second / rings.frequency);
  const std::string text = cost_text({.own_ns = counts.profiler_ns,
                                      .program_ns = counts.cpu_ns + of_others,
                                      .samples = counts.samples,
                                      .waits = counts.waits,
                                      .stops = !sampler.why_stopping().empty(),
                                      .logical = rings.logical});
  if (!text.empty()) report_message(text);
}

void report(const Sampler& sampler, const std::string& program, const RingOptions& rings,
            double seconds, const std::string& output) {
  const Sampler::Counts& counts = sampler.counts();
  char time[32];
  std::snprintf(time, sizeof time, "%.1f s", seconds);
  report_message(counts_text(counts, rings) + " of " + program + " in " + time + " written to " +
                 output);
  if (counts.preempted_ns != 0)
    report_message(duration_text(counts.preempted_ns) + " of the " + duration_text(counts.off_cpu_ns) +
                   " threads waited for a CPU that others had got");
  if (counts.at_end != 0)
    report_message(counted(counts.at_end, "thread") +
                   " waited during the whole profile: their coroutines are those at its end");
  if (counts.lost != 0)
    report_message("the kernel lost " + counted(counts.lost, "sample") +
                   ": use a lower -F, or a smaller --stack-size");
  report_cost(sampler, rings);
  if (!sampler.why_stopping().empty()) {
    char pause[32];
    std::snprintf(pause, sizeof pause, "%.0f us", sampler.median_pause() / 1e3);
    report_message(sampler.why_stopping() + ": threads were stopped for each sample, for " + pause +
                   " (median). The kernel's functions and started processes are missing");
    report_unsampled(counts);
  } else if (!sampler.has_kernel())
    report_message(
        "without the kernel's functions: these need kernel.perf_event_paranoid at 1 or "
        "less, or CAP_PERFMON");
}

std::string why_no_samples(const Sampler& sampler, const ProfileOptions& options) {
  return no_samples_text({.cpu_ns = sampler.counts().cpu_ns,
                          .frequency = options.frequency,
                          .has_end = options.seconds > 0,
                          .has_kernel = !sampler.why_stopping().empty() || sampler.has_kernel()});
}

// A flame graph alone.
void draw_flame(std::span<const uint8_t> bytes, const std::string& samples, DiskFiles& files,
                const PerfOptions& options, const std::string& program, bool is_off_cpu,
                const std::string& no_samples, const std::string& output) {
  FlameOptions flame;
  flame.inputs = {program};
  flame.output = output;
  flame.title = program + (is_off_cpu ? ": off-CPU time" : "");
  const FlameFormat format = flame_format(flame);
  const Result<PerfStacks> stacks = fold_perf_data(bytes, samples, files, options);
  if (!stacks) die(1, program + ": " + (is_off_cpu ? "its threads never waited" : no_samples));
  FoldedStacks folded;
  folded.add({reinterpret_cast<const uint8_t*>(stacks->folded.data()), stacks->folded.size()});
  write_flame(flame, format, folded, {.unit = stacks->unit, .libraries = stacks->libraries});
}

// If the program recorded while it was sampled, its trace with the samples; or else a trace of the
// samples alone.
MadeTrace make_trace_of(std::span<const uint8_t> bytes, const std::string& samples,
                        DiskFiles& files, const PerfOptions& options, const std::string& program,
                        const ThreadNumbers& numbers, const std::string& no_samples,
                        RecordedMeanwhile& recorded) {
  if (auto made = recorded.with_samples(bytes, samples, files, options, numbers))
    return *std::move(made);
  Result<ProfileTrace> profile = trace_of_profile(bytes, samples, files, options);
  if (!profile) die(1, program + ": " + no_samples);
  return {.trace = std::move(profile->trace), .title = program, .note = std::move(profile->note)};
}

// `recorded`: null: a flame graph alone. Draws the samples with the files that the process had
// mapped, also if they are gone.
void draw(const Sampler& sampler, const std::string& samples, const ProfileOptions& options,
          const std::string& program, RecordedMeanwhile* recorded, const std::string& output) {
  DiskFiles files;
  const Result<Contents> contents = files.open(samples);
  if (!contents) die(2, contents.error().message());
  PerfOptions perf;
  perf.open = sampler.open_files();
  perf.inlined = !options.no_inline;
  const std::string no_samples = why_no_samples(sampler, options);
  if (recorded == nullptr)
    return draw_flame(contents->bytes(), samples, files, perf, program, options.off_cpu, no_samples,
                      output);
  MadeTrace made = make_trace_of(contents->bytes(), samples, files, perf, program,
                                 sampler.thread_numbers(), no_samples, *recorded);
  if (is_trace(output)) return write_trace_copy(made.trace, output);
  Page page;
  page.output = output;
  page.made.push_back(std::move(made));
  write_page(std::move(page));
}

// `has_tasks`: samples have the tasks of a recorder, whichever coroutines were found on the stack.
void report_broken(const Sampler& sampler, uint32_t stack_bytes, bool has_tasks) {
  const std::string lines = sampler.counts().unwound.text(larger_copies_text(stack_bytes));
  std::string_view text = lines;
  for (size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    report_message(text.substr(0, end));
  if (has_tasks) return;
  constexpr uint64_t percent = 100, many = 10;
  if (const auto& coroutines = sampler.counts().coroutines; coroutines.unknown != 0) {
    std::string message = unknown_chains_text(coroutines.unknown, coroutines.in_coroutines);
    if (coroutines.undescribed * percent > many * coroutines.in_coroutines)
      message += ". Most often debug information shows that: build the program with -g";
    report_message(message);
  }
  if (const auto& coroutines = sampler.counts().coroutines; coroutines.doubtful != 0)
    report_message(doubtful_chains_text(coroutines.doubtful, coroutines.in_coroutines));
  if (const auto& coroutines = sampler.counts().coroutines;
      coroutines.early * percent > coroutines.in_coroutines && coroutines.in_coroutines != 0)
    report_message(counted(coroutines.early, "sample") +
                   (coroutines.early == 1 ? " has a physical stack: it was"
                                          : " have physical stacks: they were") +
                   " taken before the process's symbols were read");
}

// Before the program runs, whose profile would be lost. The folder of samples is that of a file
// that is made at once.
void check_folder(const std::string& output) {
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  if (output != "-" && access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    die(1, output + " cannot be written: " + std::strerror(errno));
}

Sampler checked(Result<Sampler> sampler) {
  if (!sampler) {
    abandon_program();
    die(1, sampler.error().message());
  }
  return std::move(*sampler);
}

}  // namespace

int run_profile(const ProfileOptions& options) {
  const uint32_t process = process_number(options);
  const bool runs = process == 0;
  const std::string program = program_of(options, process);
  const std::string output = options.output.empty() ? default_output(program) : options.output;
  const bool keeps = keeps_samples(output);
  if (is_trace(output) && std::filesystem::exists(output))
    die(2, output + " exists already; give another name with -o");
  const bool is_timeline = is_page(output) || is_trace(output);
  if (!keeps) check_folder(output);
  if (!keeps && !is_trace(output)) {
    FlameOptions flame;
    flame.output = output;
    if (flame_format(flame) != FlameFormat::Folded) check_not_a_terminal(output);
  }
  const Samples samples(keeps ? output : "");
  const RingOptions rings{.frequency = options.frequency,
                          .stack_bytes = options.stack_bytes / 8 * 8,
                          .on_cpu = !options.off_cpu || is_timeline || keeps,
                          .off_cpu = options.off_cpu,
                          .logical = options.stacks == "logical"};
  pid_t pid = 0;
  std::optional<Sampler> sampler;
  if (runs) {
    fork_program(options.words, [] {});
    pid = program_pid();
    sampler = checked(Sampler::start(static_cast<uint32_t>(pid), samples.path(), rings));
    execute_program(options.words);
  } else {
    pid = static_cast<pid_t>(process);
    sampler = checked(Sampler::attach(process, samples.path(), rings));
    end_by_signals();
  }
  const Clock::time_point begin = Clock::now();
  std::optional<RecordedMeanwhile> recorded;  // of what has a timeline
  if (is_timeline) recorded.emplace(static_cast<uint32_t>(pid));
  RecordedMeanwhile* const trace = recorded ? &*recorded : nullptr;
  const bool has_ended = sample(*sampler, pid, options.seconds, begin, trace);
  const std::chrono::duration<double> passed = Clock::now() - begin;
  const Result<void> finished = sampler->finish();
  if (trace != nullptr) trace->finish();
  ProgramEnd ending;
  if (runs) {
    if (!has_ended) kill(pid, SIGTERM);
    wait_for_program();
    ending = reap_program();
    if (!has_ended && ending.signal == SIGTERM) ending = {};
  }
  if (!finished) die(1, finished.error().message());
  if (!keeps) draw(*sampler, samples.path(), options, program, trace, output);
  if (keeps && rings.on_cpu && sampler->counts().samples == 0)
    report_message(program + ": " + why_no_samples(*sampler, options));
  report(*sampler, program, rings, passed.count(), output);
  report_broken(*sampler, rings.stack_bytes, trace != nullptr && trace->has_joined());
  return ending.code;
}

#else

int run_profile(const ProfileOptions&) {
  die(2, "this skein was built without elfutils, which profiles need");
}

#endif

}  // namespace skein::cli
