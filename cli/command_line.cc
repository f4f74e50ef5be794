// The command line of `skein`: each command, its options and their help texts, in groups.
//
// The only file that includes CLI11, which takes 7 CPU seconds to compile: a command is a function
// of a plain struct (cli/commands.h), and parsing chooses which one to run. Help lines fit 80
// columns: an option's text has at most 50 characters.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/guest_input.h"
#include "cli/memory.h"
#include "cli/output/cmake_file.h"
#include "cli/output/terminal.h"
#include "cli/suggest.h"
#include "profile/flame/palette.h"
#include "trace/export/exporters.h"
#include "view/draw/theme.h"

namespace skein::cli {

namespace {

constexpr size_t help_column = 28;  // where the descriptions of options begin

// Formats help. The placeholder of an option is its option_text(). An argument has none, because
// the usage line shows which arguments are required.
class HelpText : public CLI::Formatter {
 public:
  HelpText() {
    column_width(help_column);
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
    label("OPTIONS", "OPTIONS");
  }
  // CLI11 does not know that `export` requires a FORMAT, that `help` takes a command, and
  // that `profile` has two kinds of arguments.
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_name() == "export") return "Usage: " + name + " FORMAT [OPTIONS] TRACE\n";
    if (app->get_name() == "profile")
      return "Usage: " + name + " [OPTIONS] PID\n       " + name + " [OPTIONS] -- COMMAND...\n";
    if (app->get_name() == "help") return "Usage: " + name + " [COMMAND]\n";
    return CLI::Formatter::make_usage(app, name);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }
};

struct CommandLine {
  CLI::App app{"Record, inspect and debug asynchronous programs.", "skein"};
  std::string group;                       // of the commands that are added next
  std::function<int()> chosen;             // runs the chosen command; set by parsing
  std::string memory;                      // its --memory
  std::vector<std::string> before_format;  // `export`: the arguments before the FORMAT
  // Which read a guest's trace; whether several traces, so that their order counts.
  std::map<const CLI::App*, bool> readers = {};
};

template <typename Options>
struct Command {
  CLI::App* app;
  std::shared_ptr<Options> options;
};

// Adds to `parent` a command that runs `run` with its options.
template <typename Options>
Command<Options> add(CommandLine& line, CLI::App& parent, const std::string& name,
                     const std::string& about, int (*run)(const Options&)) {
  auto options = std::make_shared<Options>();
  CLI::App* const command = parent.add_subcommand(name, about);
  command->callback([&line, command, options, run] {
    const bool is_limited = command->get_option_no_throw("--memory") != nullptr;
    line.chosen = [&line, is_limited, options, run] {
      if (!is_limited) return run(*options);
      return MemoryLimit(line.memory).run([&] { return run(*options); });
    };
  });
  return {command, options};
}

template <typename Options>
Command<Options> add(CommandLine& line, const char* name, const char* about,
                     int (*run)(const Options&)) {
  const Command<Options> command = add(line, line.app, name, about, run);
  command.app->group(line.group);
  return command;
}

// Returns the full name of a command: "skein export csv".
std::string path_of(const CLI::App& app) {
  return (app.get_parent() == nullptr ? "" : path_of(*app.get_parent()) + " ") + app.get_name();
}

const CLI::App& parsed_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : parsed_command(*commands.back());
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// "unknown command 'wyh'; the most similar is why"
std::string unknown(const std::string& what, const std::string& word,
                    const std::vector<std::string>& known) {
  const std::string similar = most_similar(word.substr(0, word.find('=')), known);
  return "unknown " + what + " '" + word + "'" +
         (similar.empty() ? "" : "; the most similar is " + similar);
}

// Rejects `skein export TRACE FORMAT`, which has the arguments in the wrong order.
void refuse_swapped(const CommandLine& line, const CLI::App& format) {
  if (line.before_format.empty() || format.get_group() != "Formats") return;
  die(2, "export: '" + line.before_format.front() + "' is not a format; use " + path_of(format) +
             ' ' + line.before_format.front());
}

// Rejects `skein export` without a known format.
void require_format(const CommandLine& line, const CLI::App& command) {
  if (command.get_name() != "export") return;
  const std::vector<std::string>& words = line.before_format;
  const std::vector<std::string> formats = command_names(command);
  std::error_code error;
  const bool is_trace = !words.empty() && std::filesystem::exists(words.front(), error);
  // `skein export hang.skein chrom`: the format is misspelt and in the wrong place. What follows
  // may also be the value of an option.
  const bool is_second = is_trace && words.size() > 1 && !most_similar(words[1], formats).empty();
  std::string reason = "missing FORMAT argument";
  if (is_second || (!words.empty() && !is_trace))
    reason = unknown("format", words[is_second ? 1 : 0], formats);
  die(2, reason + "; available: " + CLI::detail::join(formats, ", "));
}

// Options that several commands share.

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "Print one JSON object"); }

CLI::Option& add_option(CLI::App& app, const char* name, const char* placeholder,
                        std::string& value, const char* about) {
  return *app.add_option(name, value, about)->option_text(placeholder);
}

// For every command that reads a trace itself.
void add_memory(CommandLine& line, CLI::App& app) {
  add_option(app, "--memory", "SIZE", line.memory,
             "Memory limit, e.g. 512M, 4G\n[default: half of the free memory]");
}

// Guests instead of traces. Parsing never sees the option: place_guests() replaces it.
void add_guest(CommandLine& line, CLI::App& app, bool is_one_of_several = false) {
  app.add_option("-d,--domain", "Read the trace of this virtual machine, as\nskein grab does, instead of TRACE")
      ->option_text("GUEST");
  line.readers[&app] = is_one_of_several;
}

void add_file(CommandLine& line, CLI::App& app, std::string& trace) {
  app.add_option("TRACE", trace, "Trace directory or file, or - for stdin")->required();
  add_guest(line, app);
}

CLI::Option& add_trace(CommandLine& line, CLI::App& app, std::string& trace) {
  add_guest(line, app);
  return *app.add_option("TRACE", trace, "Trace, or PID of a recording process");
}

void add_traces(CommandLine& line, CLI::App& app, std::vector<std::string>& traces) {
  app.add_option("TRACE", traces, "Traces, PIDs or cores to draw on one time axis, or -")->required();
  add_guest(line, app, true);
}

void add_critical_path(CLI::App& app, std::string& critical) {
  add_option(app, "--critical-path", "TASK", critical, "Draw the critical path of this task");
}

// Accepts an integer from `least` to `most`, of at most 9 digits; `noun` is its name in the
// message.
CLI::Validator integer(const std::string& noun, uint32_t least, uint32_t most) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        const bool is_number = !text.empty() && text.size() <= 9 &&
                               text.find_first_not_of("0123456789") == std::string::npos;
        if (is_number && std::stoul(text) >= least && std::stoul(text) <= most) return "";
        return "invalid " + noun + " '" + text + "' (" + std::to_string(least) + " to " +
               std::to_string(most) + ")";
      },
      "");
}

// A time in seconds, from 1 ms to some 30 years. CLI::Range accepts nan.
CLI::Validator seconds() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool is_number = error == std::errc{} && end == text.data() + text.size();
        if (is_number && number >= 0.001 && number <= 1e9) return "";
        return "invalid number of seconds '" + text + "' (0.001 to 1000000000)";
      },
      "");
}

CLI::Validator one_of(const std::vector<std::string>& values) {
  return CLI::Validator(
      [values](const std::string& text) -> std::string {
        if (std::find(values.begin(), values.end(), text) != values.end()) return "";
        return "invalid value '" + text + "' (one of: " + CLI::detail::join(values, ", ") + ")";
      },
      "");
}

std::vector<std::string> theme_names() {
  std::vector<std::string> names;
  for (const Theme& theme : themes) names.emplace_back(theme.name);
  return names;
}

void add_picture(CommandLine& line, CLI::App& app, PictureOptions& picture) {
  add_traces(line, app, picture.traces);
  add_option(app, "--from", "TIME", picture.from, "Start of the range, e.g. 1.5s, 20ms, 300us");
  add_option(app, "--to", "TIME", picture.to, "End of the range, in the form of --from");
  add_option(app, "--select", "TEXT", picture.select, "Highlight matching tasks and zoom to them");
  add_critical_path(app, picture.critical);
  const std::string names = CLI::detail::join(theme_names(), ", ");
  add_option(app, "--theme", "NAME", picture.theme, names.c_str());
}

void add_record(CommandLine& line) {
  const auto [app, options] = add(line, "record", "Run a program and record its tasks", run_record);
  add_option(*app, "-o,--output", "DIR", options->output,
             "Output directory [default: PROGRAM.skein]");
  add_option(*app, "--size", "SIZE", options->size,
             "Ring size per thread (ring mode) [default: 1M]");
  add_option(*app, "--keep", "TIME", options->keep,
             "Time a ring grows to reach back [default: 5s]");
  add_option(*app, "--most", "SIZE", options->most,
             "Total size to which rings grow [default: 256M]");
  add_option(*app, "--mode", "MODE", options->mode, "ring: newest events; log: all [default: ring]")
      .check(one_of({"ring", "log"}));
  add_option(*app, "--tasks", "N", options->tasks,
             "Capacity of the live task table [default: 256k]");
  add_option(*app, "--follow", "WHAT", options->follow,
             "fork: record forked children too [default: none]")
      .check(one_of({"fork", "none"}));
  app->add_flag("--all-files-at-start{16}", options->all_files_for,
                "Create the files of N threads at start [N: 16]");
  app->add_flag("--monotonic", options->monotonic, "Use clock_gettime, not the time stamp counter");
  app->add_flag("--sched", options->sched, "Also record what the kernel does with its threads");
  app->add_flag("--sample{999}", options->sample,
                "Also sample where threads spend CPU time, N times\na second [N: 999]");
  app->add_option("COMMAND", options->command, "Program and its arguments, after --")->required();
  app->positionals_at_end();
}

void add_sched(CommandLine& line) {
  const auto [app, options] = add(
      line, "sched", "Record what the kernel does with a process's threads", run_sched);
  app->add_option("PID", options->process, "Process that records a trace")->required();
  app->add_option("-T,--time", options->seconds, "End after this time [default: with the process]")
      ->option_text("SECONDS")
      ->check(seconds());
}

void add_control(CommandLine& line) {
  const auto [app, options] =
      add(line, "control", "Control the recorder in a running program", run_control);
  app->add_option("SOCKET", options->socket, "Control socket path (SKEIN_CONTROL's value)")
      ->required();
  app->add_option("REQUEST", options->request, "One of status, start, stop, sample, snapshot")
      ->required()
      ->check(one_of({"status", "start", "stop", "sample", "snapshot"}));
  app->add_option("ARGUMENT", options->argument,
                  "start: DIR[,keep=10s][,mode=ring|log]\n"
                  "snapshot: DIR\nsample: times per second, or off");
}

void add_snapshot(CommandLine& line) {
  const auto [app, options] =
      add(line, "snapshot", "Copy the trace of a running program", run_snapshot);
  app->add_option("TRACE", options->trace, "PID of a recording process, or its trace directory")
      ->required();
  add_option(*app, "-o,--output", "DIR", options->output, "Output directory").required();
  add_memory(line, *app);
}

void add_grab(CommandLine& line) {
  const auto [app, options] =
      add(line, "grab", "Copy the trace of a virtual machine from outside", run_grab);
  add_option(*app, "-d,--domain", "GUEST", options->guest,
             "Name (QEMU's -name) or PID of a guest, the file of\nits memory, or its gdb server: "
             "gdb:HOST:PORT or\ngdb:/PATH of a socket")
      .required();
  add_option(*app, "-w,--write", "DIR", options->output, "Output directory [default: GUEST.skein]");
  add_option(*app, "--arena", "ADDRESS", options->arena,
             "With a gdb server: where the arena is, instead of a\nsearch");
  add_memory(line, *app);
}

void add_search_limit(CLI::App& app, std::string& limit) {
  add_option(app, "--search-limit", "SIZE", limit,
             "Of a process or core that has written more, read a\nsample of this size "
             "[default: 32G]");
}

void add_program(CLI::App& app, std::string& program) {
  add_option(app, "--exe", "FILE", program,
             "Program of a core that was cut short, or whose\nprogram is elsewhere now");
}

void add_core(CommandLine& line) {
  const auto [app, options] =
      add(line, "core", "Write a small core file of a process or a core", run_core);
  app->add_option("TARGET", options->target, "PID of any process, or a core file")->required();
  add_option(*app, "-o,--output", "FILE", options->output, "Output file").required();
  app->add_flag("--stop", options->stop, "Stop the process while it is read");
  add_program(*app, options->program);
  add_search_limit(*app, options->search_limit);
  add_memory(line, *app);
}

void add_check(CommandLine& line) {
  const auto [app, options] =
      add(line, "check", "Run tests, and explain those that hang", run_check);
  add_option(*app, "--timeout", "TIME", options->timeout, "Longest time of a test [default: 30s]");
  app->add_option("--budget", options->budgets,
                  "Limit of a function's costs, such as\n'f p99 < 50ms running'; may be repeated")
      ->option_text("BUDGET")
      ->expected(1)
      ->take_all();
  app->add_option("--fail-on", options->fail_on, "Fail if skein doctor finds these")
      ->option_text("LINT,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_option(*app, "--ctest", "DIR", options->ctest,
             "Run the tests of a CTest build tree; options\nof ctest follow --");
  app->add_flag("--cases", options->cases,
                "Run each test case of a GoogleTest, Catch2 or\ndoctest program by itself");
  app->add_option("--jobs", options->jobs, "Tests to run at once [default: 1]")
      ->option_text("N")
      ->check(integer("number", 1, 1'000));
  add_option(*app, "--junit", "FILE", options->junit, "Write the results as JUnit XML");
  app->add_flag("--github", options->github,
                "Print annotations for GitHub Actions [default:\nif GITHUB_ACTIONS is true]");
  add_option(*app, "--keep", "DIR", options->keep,
             "Keep traces and reports of failed tests there");
  app->add_flag("--no-record", options->no_record, "Do not record the tests");
  app->add_flag("--catch-crashes", options->catch_crashes,
                "Trace tests by ptrace, to report where one\ncrashes");
  app->add_flag("--launcher", options->launcher,
                "End as the test does, for TEST_LAUNCHER of\nCMake; 124 after the timeout");
  app->add_option("COMMAND", options->command, "Program and its arguments, after --");
  app->positionals_at_end();
}

// Inspect

void add_targets(CommandLine& line) {
  const auto [app, options] =
      add(line, "targets", "List guests and processes that skein can attach to", run_targets);
  add_json(*app, options->json);
}

void add_ps(CommandLine& line) {
  const auto [app, options] = add(line, "ps", "List live tasks and what they wait for", run_ps);
  app->add_option("TRACE", options->trace, "Trace, PID, core [default: list recorded processes]");
  add_guest(line, *app);
  add_json(*app, options->json);
  app->add_flag("--tree", options->tree, "Show children under their parents");
  app->add_flag("--wide", options->wide, "Show all columns and do not truncate");
  app->add_flag("--stop", options->stop,
                "Stop the process while its memory is read");
  app->add_flag("--group", options->group,
                "Show coroutines in memory as one tree by function\nand place, with counts");
  app->add_flag("--locals", options->locals,
                "Show parameters and local variables of coroutines\nin memory");
  app->add_flag("--search-memory", options->search_memory,
                "Search the memory of a recorded process even if\nit has more than 1 GiB");
  add_program(*app, options->program);
  add_search_limit(*app, options->search_limit);
  add_memory(line, *app);
}

void add_info(CommandLine& line) {
  const auto [app, options] =
      add(line, "info", "Show a trace's format, contents and losses", run_info);
  add_file(line, *app, options->trace);
  add_json(*app, options->json);
  add_memory(line, *app);
}

void add_dump(CommandLine& line) {
  const auto [app, options] = add(line, "dump", "Print every event, one per line", run_dump);
  add_file(line, *app, options->trace);
  app->add_flag("--json", options->json, "Print one JSON object per line");
  add_memory(line, *app);
}

void add_show(CommandLine& line) {
  const auto [app, options] = add(line, "show", "Draw traces in the terminal", run_show);
  add_picture(line, *app, options->picture);
  app->add_option("--width", options->width, "Width in columns [default: terminal width]")
      ->option_text("N")
      ->check(integer("width", 20, 2'000));
  app->add_flag("--all", options->all, "Show all rows, beyond the terminal height");
  add_option(*app, "--color,--colour", "WHEN", options->colour,
             "Use colour: auto, always, never [default: auto]")
      .check(one_of({"auto", "always", "never"}));
  add_memory(line, *app);
}

void add_view(CommandLine& line) {
  const auto [app, options] =
      add(line, "view", "Open traces in a window; follows live recordings", run_view);
  app->add_option("TRACE", options->traces, "Traces, PIDs or cores to draw on one time axis, or -");
  add_guest(line, *app, true);
  app->add_flag("--new-window", options->new_window, "Open each TRACE in its own window");
  add_critical_path(*app, options->critical);
  add_option(*app, "--theme", "NAME", options->theme, "Colour theme [default: last used]")
      .check(one_of(theme_names()));
}

void add_serve(CommandLine& line) {
  const auto [app, options] =
      add(line, "serve", "Serve a live view of a trace on localhost", run_serve);
  app->add_option("TRACE", options->trace, "Trace, PID, or core")->required();
  add_guest(line, *app);
  app->add_option("--port", options->port, "Port on 127.0.0.1 [default: any free port]")
      ->option_text("N")
      ->check(integer("port", 0, UINT16_MAX));
  add_critical_path(*app, options->critical);
  add_memory(line, *app);
}

// Analyse

void add_why(CommandLine& line) {
  const auto [app, options] = add(line, "why", "Explain why tasks are stuck", run_why);
  app->add_option("TRACE", options->trace, "Trace, PID of any process, or core")->required();
  add_guest(line, *app);
  app->add_option("TASK", options->task, "Explain only this task (id, label or name)");
  add_json(*app, options->json);
  app->add_flag("--stop", options->stop,
                "Stop the process while its memory is read");
  app->add_flag("--locals", options->locals,
                "Show parameters and local variables of coroutines\nin memory");
  app->add_flag("--search-memory", options->search_memory,
                "Search the memory of a recorded process even if\nit has more than 1 GiB");
  add_program(*app, options->program);
  add_search_limit(*app, options->search_limit);
  add_memory(line, *app);
}

void add_doctor(CommandLine& line) {
  const auto [app, options] = add(line, "doctor", "Check a trace for concurrency bugs", run_doctor);
  add_trace(line, *app, options->trace);  // not required: --list needs none
  add_option(*app, "--longer-than", "TIME", options->longer_than,
             "Longest allowed wait [default: 1s]");
  add_option(*app, "--runs-longer-than", "TIME", options->runs_longer_than,
             "Longest allowed run [default: 100ms]");
  add_option(*app, "--held-longer-than", "TIME", options->held_longer_than,
             "Longest allowed wait for a lock whose holder waits\n[default: 100ms]");
  app->add_flag("--strict", options->strict, "Include notes: patterns that are usually intended");
  app->add_option("--only", options->only, "Run only these lints (comma-separated)")
      ->option_text("LINT,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_flag("--list", options->list, "List the lints and exit");
  add_json(*app, options->json);
  add_option(*app, "--html", "FILE", options->page,
             "Also write an HTML page that marks the findings");
  app->add_flag("--view", options->view, "Also open a window that marks the findings");
  add_memory(line, *app);
}

void add_critical(CommandLine& line) {
  const auto [app, options] =
      add(line, "critical", "Show the critical path of a task or time range", run_critical);
  add_trace(line, *app, options->trace).required();
  app->add_option("TASK", options->task, "Task to analyse (id, label or name)");
  add_option(*app, "--from", "MOMENT", options->from,
             "Start: time since trace start (20ms), or a name");
  add_option(*app, "--to", "MOMENT", options->to, "End of the path, in the form of --from");
  app->add_flag("--all", options->all, "Print every step, not only the 40 longest");
  add_json(*app, options->json);
  add_memory(line, *app);
}

void add_diff(CommandLine& line) {
  const auto [app, options] =
      add(line, "diff", "Compare two runs: first divergence, then timing", run_diff);
  app->add_option("GOOD", options->good, "Trace of the good run")->required();
  add_guest(line, *app, true);
  app->add_option("BAD", options->bad, "Trace of the bad run")->required();
  app->add_option("--lines", options->lines, "Maximum lines of the timing table [default: 10]")
      ->option_text("N")
      ->check(integer("number", 0, 1'000'000));
  add_json(*app, options->json);
  add_option(*app, "--html", "FILE", options->page, "Also write an HTML page with both runs");
  app->add_flag("--view", options->view, "Also open both runs in a window");
  add_memory(line, *app);
}

void add_stats(CommandLine& line) {
  const auto [app, options] =
      add(line, "stats", "Summarise task latency and state by group", run_stats);
  add_trace(line, *app, options->trace).required();
  app->add_option("NAME", options->name, "Show only this group, with a latency histogram");
  add_option(*app, "--by", "KEY", options->by, "Group by name, kind or location [default: name]")
      .check(one_of({"name", "kind", "location"}));
  add_json(*app, options->json);
  add_memory(line, *app);
}

void add_query(CommandLine& line) {
  const auto [app, options] = add(line, "query", "Query a trace with SQL", run_query);
  app->add_option("TRACE", options->trace, "Trace, PID, or core")->required();
  add_guest(line, *app);
  app->add_option("SQL", options->sql, "SQL or .command [default: read stdin or prompt]");
  CLI::Option* const csv = app->add_flag("--csv", options->csv, "Print CSV");
  app->add_flag("--json", options->json, "Print a JSON array of objects")->excludes(csv);
  add_memory(line, *app);
}

// Share

void add_html(CommandLine& line) {
  const auto [app, options] = add(line, "html", "Write a self-contained HTML page", run_html);
  add_traces(line, *app, options->traces);
  add_option(*app, "-o,--output", "FILE", options->output, "Output file, or - for stdout")
      .required();
  add_option(*app, "--align", "HOW", options->align,
             "Align traces by clock or by start [default: clock]")
      .check(one_of({"clock", "start"}));
  add_critical_path(*app, options->critical);
  add_option(*app, "--title", "TEXT", options->title, "Page title [default: trace names]");
  add_memory(line, *app);
}

void add_render(CommandLine& line) {
  const auto [app, options] = add(line, "render", "Render traces as PNG, SVG or PDF", run_render);
  add_picture(line, *app, options->picture);
  add_option(*app, "-o,--output", "FILE", options->output, "Output file (.png, .svg or .pdf)")
      .required();
  const auto is_length = [](std::string& text) -> std::string {
    float number = 0;
    const bool is_good =
        CLI::detail::lexical_cast(text, number) && number >= 16 && number <= 32'767;
    return is_good ? "" : "'" + text + "' is not a number of pixels between 16 and 32767";
  };
  const CLI::Validator pixels(is_length, "");
  app->add_option("--width", options->width, "Image width in pixels [default: 1500]")
      ->option_text("N")
      ->check(pixels);
  app->add_option("--height", options->height, "Image height in pixels [default: 900]")
      ->option_text("N")
      ->check(pixels);
  add_memory(line, *app);
}

void add_profile(CommandLine& line) {
  const auto [app, options] =
      add(line, "profile", "Sample where a process spends its CPU time", run_profile);
  app->add_option("PID", options->words,
                  "Process to sample; or after -- a program to run,\nwith its arguments")
      ->required();
  add_option(
      *app, "-o,--output", "FILE", options->output,
      "Page with timeline and flame graph: .html; flame\ngraph alone: .flame.html, .svg or a "
      "format of skein\nflame; .skein: a trace; .data: the samples, as\nperf.data [default: "
      "PROGRAM.profile.html]");
  app->add_option("-F,--frequency", options->frequency,
                  "Samples per second of CPU time [default: 999]")
      ->option_text("HZ")
      ->check(CLI::Range(1, 100'000));
  app->add_option("-T,--time", options->seconds, "End after this time [default: with the process]")
      ->option_text("SECONDS")
      ->check(seconds());
  app->add_option("--stack-size", options->stack_bytes,
                  "Bytes to copy of each stack [default: 16384]")
      ->option_text("N")
      ->check(CLI::Range(512, 65'528));
  add_option(*app, "--stacks", "KIND", options->stacks,
             "Callers of coroutines: logical (they await it)\nor physical (they resumed it) [default: logical]")
      .check(one_of({"logical", "physical"}));
  app->add_flag("--off-cpu", options->off_cpu,
                "Also where threads wait, and how long; a flame graph\nalone is of their waits");
  app->add_flag("--no-inline", options->no_inline,
                "Without functions that were inlined, which debug\ninformation names");
}

// Familiar options of flamegraph.pl are accepted with its names.
void add_flame(CommandLine& line) {
  const auto [app, options] =
      add(line, "flame", "Draw a flame graph of a profile", run_flame);
  app->add_option("PROFILE", options->inputs, "perf.data, a trace, a recording process's PID,\nfolded stacks, or - for stdin")
      ->required();
  add_option(*app, "-o,--output", "FILE", options->output,
             "Output file: .svg, .html, .folded, .pb.gz (pprof)\nor .speedscope.json "
             "[default: stdout]");
  add_option(*app, "--format", "FORMAT", options->format,
             "Instead of the suffix: svg, html, folded, pprof,\nspeedscope")
      .check(one_of({"svg", "html", "folded", "pprof", "speedscope"}));
  CLI::App& command = *app;  // clang 14 captures no structured bindings
  const auto several = [&](const char* name, const char* placeholder,
                           std::vector<std::string>& values, const char* about) {
    command.add_option(name, values, about)->option_text(placeholder)->expected(1)->take_all();
  };
  several("--diff", "BEFORE", options->before, "Compare with this profile: red for more");
  app->add_flag("--normalize", options->normalize, "Scale BEFORE to the same total");
  app->add_flag("--negate", options->negate, "Compare: blue for more, red for less");
  several("--map", "FILE", options->maps,
          "Names of addresses: output of nm, objdump -t or\nSystem.map; may be repeated");
  add_option(*app, "--event", "NAME", options->event,
             "Of perf.data [default: the first with samples]");
  add_option(*app, "--stacks", "KIND", options->stacks,
             "The same for perf.data of skein profile: logical or\nphysical [default: logical]")
      .check(one_of({"logical", "physical"}));
  app->add_flag("--no-inline", options->no_inline,
                "Of perf.data: without functions that were inlined");
  add_option(*app, "--time", "KIND", options->time,
             "Of a trace: suspended, running, ready, all, cpu\n(its samples) or off-cpu [default: "
             "suspended]")
      .check(one_of({"suspended", "running", "ready", "all", "cpu", "off-cpu"}));
  add_option(*app, "--by", "GROUP", options->by,
             "Outermost frame: task, executor, thread or label;\nof perf.data: thread")
      .check(one_of({"task", "executor", "thread", "label"}));
  add_option(*app, "--from", "TIME", options->from, "Of a trace: start of the range, e.g. 1.5s, 20ms");
  add_option(*app, "--to", "TIME", options->to, "End of the range, in the form of --from");
  app->add_flag("--reverse", options->reverse, "Start with the innermost function");
  app->add_flag("--icicle,--inverted", options->icicle, "Draw from the top down");
  app->add_flag("--flamechart", options->chart, "Keep the order of the input, which is time");
  std::string palettes;
  std::vector<std::string> palette_list;
  size_t columns = 0;
  for (const PaletteName& one : palette_names) {
    if (!palettes.empty()) palettes += columns + one.name.size() > 46 ? ",\n" : ", ";
    columns = palettes.ends_with('\n') ? 0 : columns + 2;
    palettes += one.name;
    columns += one.name.size();
    palette_list.emplace_back(one.name);
  }
  add_option(*app, "--colors,--colours", "NAME", options->colours,
             (palettes + "\n[default: hot]").c_str())
      .check(one_of(palette_list));
  app->add_flag("--random", options->random, "Another shade for each box of a function");
  const CLI::Validator background(
      [](const std::string& text) -> std::string {
        if (gradient_of(text)) return "";
        return "invalid background '" + text + "' (yellow, blue, green, grey or #rrggbb)";
      },
      "");
  add_option(*app, "--bgcolors", "NAME", options->background,
             "Background: yellow, blue, green, grey, #rrggbb")
      .check(background);
  app->add_option("--title", options->title, "Title [default: name of the input]")
      ->option_text("TEXT");
  add_option(*app, "--subtitle", "TEXT", options->subtitle, "Second line of the title");
  add_option(*app, "--notes", "TEXT", options->notes, "Text to keep in the file, not shown");
  add_option(*app, "--countname", "TEXT", options->unit,
             "What the counts are, e.g. ns, bytes\n[default: samples; of perf.data its event]");
  add_option(*app, "--nametype", "TEXT", options->name_type, "Text before a name, e.g. Function:");
  add_option(*app, "--nameattr", "FILE", options->name_attributes,
             "Links, titles, classes of functions; a line is name,\ntab, href=LINK");
  const auto number = [&](const char* name, const char* placeholder, double& value, double least,
                          double most, const char* about) {
    command.add_option(name, value, about)
        ->option_text(placeholder)
        ->check(CLI::Validator(
            [=](std::string& text) -> std::string {
              double given = 0;
              if (CLI::detail::lexical_cast(text, given) && given >= least && given <= most)
                return "";
              std::ostringstream problem;
              problem << "invalid number '" << text << "' (" << least << " to " << most << ")";
              return problem.str();
            },
            ""));
  };
  number("--width", "N", options->width, 100, 100'000, "Width in pixels [default: 1200]");
  number("--height", "N", options->row, 4, 1'000, "Height of a row in pixels [default: 16]");
  add_option(*app, "--minwidth", "N", options->least_width,
             "Leave out narrower boxes: pixels, or a share such\nas 1% [default: 0.1]");
  add_option(*app, "--fonttype", "NAME", options->font, "Font [default: monospaced]");
  number("--fontsize", "N", options->font_size, 4, 100, "Size of the font in pixels [default: 11]");
  number("--fontwidth", "N", options->font_width, 0.1, 3,
         "Width of a character, of --fontsize [default: 0.6]");
  add_option(*app, "--encoding", "NAME", options->encoding, "Of the picture; only UTF-8")
      .check(CLI::Validator(
          [](const std::string& text) -> std::string {
            if (text.size() == 5 && CLI::detail::to_lower(text) == "utf-8") return "";
            return "unsupported encoding '" + text + "'; pictures are UTF-8";
          },
          ""));
  number("--factor", "N", options->factor, 1e-12, 1e12, "Multiply all counts [default: 1]");
  number("--total", "N", options->total, 0, 1e18, "Count of the whole width [default: their sum]");
  // Always true: a function has the same colour in every picture.
  app->add_flag("--hash,--cp")->group("");
  add_memory(line, *app);
}

void add_format(CommandLine& line, CLI::App& parent, const ExportFormat& format) {
  const auto [app, options] =
      add(line, parent, std::string(format.name), std::string(format.about), run_export);
  app->group("Formats");
  options->format = format.name;
  add_file(line, *app, options->trace);
  const std::string about_output =
      format.is_directory()
          ? "Output directory"
          : "Output file (" + std::string(format.extension) + ") [default: stdout]";
  CLI::Option& output = add_option(*app, "-o,--output", format.is_directory() ? "DIR" : "FILE",
                                   options->output, about_output.c_str());
  output.required(format.is_directory());
  if (format.choice == ExportFormat::Choice::Running)
    app->add_flag("--running", options->running, "Weight by running time, not waiting time");
  if (format.choice == ExportFormat::Choice::Table)
    add_option(*app, "--table", "TABLE", options->table,
               "events or tasks, one per row [default: events]")
        .check(one_of({"events", "tasks"}));
  add_memory(line, *app);
}

void add_export(CommandLine& line) {
  CLI::App* const command =
      line.app.add_subcommand("export", "Convert a trace to another format")->group(line.group);
  command->require_subcommand(0, 1);
  command->add_option("FORMAT", line.before_format)->group("");  // arguments that are not a format
  command->callback([&line] {
    refuse_swapped(line, parsed_command(line.app));
    require_format(line, parsed_command(line.app));
  });
  for (const ExportFormat& format : export_formats()) add_format(line, *command, format);
}

void add_all(CommandLine& line) {
  line.group = "Record";
  add_record(line);
  add_profile(line);
  add_sched(line);
  add_control(line);
  add_snapshot(line);
  add_grab(line);
  add_core(line);
  add_check(line);
  line.group = "Inspect";
  add_targets(line);
  add_ps(line);
  add_info(line);
  add_dump(line);
  add_show(line);
  add_view(line);
  add_serve(line);
  line.group = "Analyse";
  add_why(line);
  add_doctor(line);
  add_critical(line);
  add_diff(line);
  add_stats(line);
  add_query(line);
  line.group = "Share";
  add_html(line);
  add_render(line);
  add_flame(line);
  add_export(line);
  line.app.add_subcommand("help", "Show the help of a command")->group("Help");
}

// CLI11 splits an argument such as "[a,b]" of an option with several values, and removes the
// brackets. With this character before it, it does not.
constexpr char whole_word = '\1';

std::string without_marks(std::string text) {
  std::erase(text, whole_word);
  return text;
}

// Converts a message of CLI11 to the form of skein's messages: "object: problem". CLI11 checks
// values and missing arguments before unknown options; here an unknown option takes precedence over
// a missing argument.
std::string problem(const CLI::App& command, const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto is = [&](CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
  };
  const std::vector<std::string> extra = command.remaining();
  if (is(CLI::ExitCodes::ExtrasError) || is(CLI::ExitCodes::RequiredError)) {
    const auto is_option = [](const std::string& word) {
      return word.size() > 1 && word[0] == '-' && word != "--";
    };
    const auto found = std::find_if(extra.begin(), extra.end(), is_option);
    if (found != extra.end()) return unknown("option", *found, option_names(command));
  }
  if (is(CLI::ExitCodes::ExtrasError) && !extra.empty())
    return "unexpected argument '" + extra.front() + "'";
  if (is(CLI::ExitCodes::RequiredError) && text == "A subcommand is required")
    return "missing command";
  if (is(CLI::ExitCodes::RequiredError)) {
    const std::string name = text.substr(0, text.find(' '));
    return name.starts_with('-') ? "missing option " + name : "missing " + name + " argument";
  }
  if (is(CLI::ExitCodes::ArgumentMismatch) && text.ends_with(" missing"))
    return text.substr(0, text.find(':')) + ": missing value";
  constexpr std::string_view not_converted = "Could not convert: ";
  if (const size_t equals = text.find(" = ");
      text.starts_with(not_converted) && equals != std::string::npos)
    return text.substr(not_converted.size(), equals - not_converted.size()) + ": invalid number '" +
           text.substr(equals + 3) + "'";
  return text;
}

// Prints the help or version that parsing requested, or throws CommandError(2): CLI11 numbers its
// errors from 100 up, but each of them is bad usage.
int report(const CommandLine& line, const CLI::ParseError& error, std::ostream& out) {
  if (error.get_exit_code() == 0) {  // --help, --version, --cmake
    std::ostringstream text;
    const int code = line.app.exit(error, text, text);
    const Terminal terminal = find_terminal();
    out << (terminal.is_terminal ? wrapped(text.str(), text_columns(), help_column) : text.str());
    return code;
  }
  const CLI::App& command = parsed_command(line.app);
  refuse_swapped(line, command);
  if (!line.before_format.empty()) require_format(line, command);
  die(2, without_marks(problem(command, error)) + "; see " + path_of(command) + " --help");
}

void mark_whole_words(std::vector<std::string>& words) {
  for (std::string& word : words)
    if ((word.starts_with('[') && word.ends_with(']')) || word.starts_with(whole_word))
      word.insert(0, 1, whole_word);
}

void remove_marks_of_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options())
    option->transform([](std::string value) {
      return value.starts_with(whole_word) ? value.substr(1) : value;
    });
  for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; }))
    remove_marks_of_values(*command);
}

// `skein why -d web TASK` reads the TRACE guest:web (cli/input/guest_input.h): the other arguments
// keep their order, which parsing an option would not know.
void place_guests(const CommandLine& line, std::vector<std::string>& words) {
  const CLI::App* command = &line.app;
  size_t first = 0;
  for (; first < words.size() && !words[first].starts_with('-'); first++) {
    const auto commands = command->get_subcommands(
        [&](const CLI::App* one) { return one->get_name() == words[first]; });
    if (commands.empty()) break;
    command = commands.front();
  }
  const auto reader = line.readers.find(command);
  if (reader == line.readers.end()) return;
  const auto end = static_cast<size_t>(std::find(words.begin(), words.end(), "--") - words.begin());
  for (size_t i = first; i < end; i++) {
    const std::string word = words[i];
    constexpr std::string_view short_name = "-d", long_name = "--domain=";
    std::string guest;
    size_t count = 1;
    if (word == short_name || word == "--domain") {
      if (i + 1 == end) return;  // CLI11 reports it
      guest = words[i + 1];
      count = 2;
    } else if (word.starts_with(long_name)) {
      guest = word.substr(long_name.size());
    } else if (word.starts_with(short_name)) {
      guest = word.substr(short_name.size());
    } else {
      continue;
    }
    const auto at = words.erase(words.begin() + static_cast<ptrdiff_t>(i),
                                words.begin() + static_cast<ptrdiff_t>(i + count));
    words.insert(reader->second ? at : words.begin() + static_cast<ptrdiff_t>(first),
                 std::string(guest_prefix) + guest);
    return place_guests(line, words);
  }
}

// Returns the arguments for CLI11. Replaces `skein help why` by `skein why --help`, and rejects an
// unknown command before CLI11 can reject its options.
std::vector<std::string> words_to_parse(const CommandLine& line, int argc,
                                        const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    if (words.size() > 1 && words[0] != "export" && !words[1].starts_with('-'))
      die(2, "unexpected argument '" + words[1] + "'; see skein --help");
    words.emplace_back("--help");
  }
  const std::vector<std::string> commands = command_names(line.app);
  if (!words.empty() && !words[0].starts_with('-') &&
      std::find(commands.begin(), commands.end(), words[0]) == commands.end())
    die(2, unknown("command", words[0], commands) + "; see skein --help");
  place_guests(line, words);
  mark_whole_words(words);
  std::reverse(words.begin(), words.end());  // the order that CLI11 expects
  return words;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  CommandLine line;
  line.app.formatter(std::make_shared<HelpText>());
  line.app.set_version_flag("-V,--version", "skein " SKEIN_VERSION, "Print the version and exit");
  line.app.add_flag_callback(
      "--cmake", [] { throw CLI::CallForVersion(cmake_file(), 0); },
      "Print the CMake file that traces a project");
  line.app.require_subcommand(1);
  add_all(line);
  remove_marks_of_values(line.app);
  return run_reporting(
      [&] {
        try {
          line.app.parse(words_to_parse(line, argc, argv));
        } catch (const CLI::ParseError& error) {
          return report(line, error, out);
        }
        return line.chosen();
      },
      err);
}

}  // namespace skein::cli
