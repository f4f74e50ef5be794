// The subcommands of the program `skein`: the arguments of each, and the function that runs it.
//
// To add a command, declare its options and its run_ function here, define the function in
// cli/command/<name>.cc, and add the command to cli/command_line.cc, the only file that includes
// the argument parser. A command is a function of a plain struct, so that a test or another command
// can call it. CONTRIBUTING.md lists the rest. Commands share cli/input/, which opens what the user
// names, and cli/output/, which writes files, pages and terminal output and opens windows.
//
// A run_ function returns the exit code. cli/die.h lists the codes and declares die(), which ends a
// command early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skein::cli {

// Record

struct RecordOptions {
  std::string output;  // empty: the program's name and .skein
  std::string size;    // empty: the recorder's default
  std::string keep;    // so are these
  std::string most;
  std::string mode = "ring";
  std::string tasks;
  std::string follow = "none";
  std::string all_files_for;  // threads whose files are created at start; empty: as needed
  bool monotonic = false;
  bool sched = false;
  std::string sample;  // samples per second of CPU time; empty: none
  std::vector<std::string> command;
};
int run_record(const RecordOptions& options);

struct SchedOptions {
  std::string process;  // PID
  double seconds = 0;   // 0: until it ends
};
int run_sched(const SchedOptions& options);

struct ControlOptions {
  std::string socket;
  std::string request;
  std::string argument;
};
int run_control(const ControlOptions& options);

struct SnapshotOptions {
  std::string trace;
  std::string output;
};
int run_snapshot(const SnapshotOptions& options);

struct GrabOptions {
  std::string guest;   // name, PID, RAM file or gdb:ADDRESS
  std::string output;  // empty: the guest's name and .skein
  std::string arena;   // its address, of a guest behind a gdb server; empty: it is searched for
};
int run_grab(const GrabOptions& options);

struct CoreOptions {
  std::string target;  // PID or core file
  std::string program;  // of a core that lacks its name; empty: as it names it
  std::string output;
  bool stop = false;              // the process, while it is read
  std::string search_limit = {};  // of its memory; empty: the usual one
};
int run_core(const CoreOptions& options);

struct CheckOptions {
  std::string timeout;  // empty: 30 s
  std::vector<std::string> budgets;
  std::vector<std::string> fail_on;
  std::string junit;
  bool github = false;
  std::string keep;
  uint32_t jobs = 1;
  bool no_record = false;
  bool catch_crashes = false;
  std::string ctest;  // a build tree; empty: `command` is the test
  bool cases = false;
  bool launcher = false;
  std::vector<std::string> command;  // or the options of ctest
};
int run_check(const CheckOptions& options);

// Inspect

struct InfoOptions {
  std::string trace;
  bool json = false;
};
int run_info(const InfoOptions& options);

struct DumpOptions {
  std::string trace;
  bool json = false;
};
int run_dump(const DumpOptions& options);

struct TargetsOptions {
  bool json = false;
};
int run_targets(const TargetsOptions& options);

struct PsOptions {
  std::optional<std::string> trace;  // none: list the recorded processes
  bool json = false;
  bool tree = false;
  bool wide = false;
  bool stop = false;           // the process, while its memory is read
  bool locals = false;         // of a process or a core
  bool group = false;          // its coroutines as one tree
  std::string program = {};    // of a core that lacks its name; empty: as it names it
  bool search_memory = false;  // of a process that records, however much it is
  std::string search_limit = {};  // of one that does not; empty: the usual one
};
int run_ps(const PsOptions& options);

// The options that `show` and `render` share: traces, time range and highlighted tasks.
struct PictureOptions {
  std::vector<std::string> traces;
  std::string from;
  std::string to;
  std::string select;
  std::string critical;
  std::string theme;
};

struct ShowOptions {
  PictureOptions picture;
  uint32_t width = 0;  // 0: the terminal's
  bool all = false;
  std::string colour = "auto";
};
int run_show(const ShowOptions& options);

struct ViewOptions {
  std::vector<std::string> traces;
  std::string theme;
  std::string critical;
  bool new_window = false;
};
int run_view(const ViewOptions& options);

struct ServeOptions {
  std::string trace;
  std::string critical;
  uint16_t port = 0;  // 0: any free port
};
int run_serve(const ServeOptions& options);

// Analyse

struct WhyOptions {
  std::string trace;
  std::string task;
  std::string program = {};    // of a core that lacks its name; empty: as it names it
  bool stop = false;           // the process, while its memory is read
  bool locals = false;         // of a process or a core
  bool search_memory = false;  // of a process that records, however much it is
  std::string search_limit = {};  // of one that does not; empty: the usual one
  bool json = false;
};
int run_why(const WhyOptions& options);

struct DoctorOptions {
  std::string trace;
  std::string longer_than;
  std::string runs_longer_than;
  std::string held_longer_than;
  std::vector<std::string> only;
  bool strict = false;
  bool list = false;
  bool json = false;
  bool view = false;
  std::string page;
};
int run_doctor(const DoctorOptions& options);

struct CriticalOptions {
  std::string trace;
  std::string task;
  std::string from;
  std::string to;
  bool all = false;
  bool json = false;
};
int run_critical(const CriticalOptions& options);

struct DiffOptions {
  std::string good;
  std::string bad;
  std::string page;
  size_t lines = 10;
  bool json = false;
  bool view = false;
};
int run_diff(const DiffOptions& options);

struct StatsOptions {
  std::string trace;
  std::string name;
  std::string by = "name";
  bool json = false;
};
int run_stats(const StatsOptions& options);

struct QueryOptions {
  std::string trace;
  std::string sql;
  bool csv = false;
  bool json = false;
};
int run_query(const QueryOptions& options);

// Share

struct RenderOptions {
  PictureOptions picture;
  std::string output;
  float width = 1500;
  float height = 900;
};
int run_render(const RenderOptions& options);

struct HtmlOptions {
  std::vector<std::string> traces;
  std::string output;
  std::string align = "clock";
  std::string critical;
  std::string title;
};
int run_html(const HtmlOptions& options);

struct FlameOptions {
  std::vector<std::string> inputs;
  std::string output = "-";
  std::string format;               // empty: by the output's suffix
  std::vector<std::string> before;  // with these the inputs are compared
  std::vector<std::string> maps;    // names of addresses
  std::string event;                // of perf.data; empty: the first with samples
  std::string stacks = "logical";   // of perf.data, if it has them; or physical
  std::string time;  // of a trace: suspended (empty), running, ready, all, cpu, off-cpu
  std::string by;                   // empty, or the outermost frame: task, executor, thread, label
  std::string from;                 // of a trace
  std::string to;
  std::optional<std::string> title;
  std::string subtitle;
  std::string notes;
  std::string unit;                 // empty: samples, or what perf.data counts
  std::string name_type;
  std::string name_attributes;  // a file; empty: none
  std::string encoding = "UTF-8";
  std::string colours = "hot";
  std::string background;
  std::string font;
  std::string least_width = "0.1";  // px, or a share: 0.5%
  double font_size = 11;
  double font_width = 0.6;  // of a character, as a share of font_size
  double width = 1200;
  double row = 16;
  double factor = 1;
  double total = 0;  // 0: the sum
  bool icicle = false;
  bool reverse = false;
  bool chart = false;
  bool negate = false;
  bool normalize = false;
  bool random = false;     // a colour for each box
  bool no_inline = false;  // of perf.data: without functions that were inlined
};
int run_flame(const FlameOptions& options);

struct ProfileOptions {
  std::vector<std::string> words;  // the number of a process, or a program with its arguments
  std::string output;              // empty: PROGRAM.profile.html
  uint32_t frequency = 999;        // Hz
  double seconds = 0;              // 0: until the process ends
  uint32_t stack_bytes = 16384;
  std::string stacks = "logical";  // or physical
  bool off_cpu = false;            // also where threads wait
  bool no_inline = false;
};
int run_profile(const ProfileOptions& options);

struct ExportOptions {
  std::string format;  // one of export_formats() (trace/export/exporters.h)
  std::string trace;
  std::string output = "-";
  std::string table = "events";
  bool running = false;
};
int run_export(const ExportOptions& options);

}  // namespace skein::cli
