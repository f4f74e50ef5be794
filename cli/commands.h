// The subcommands of the program `skein`, one file each: cli/<name>.cc defines add_<name>, which
// declares the subcommand's arguments and sets its callback; main.cc lists them.
//
// A callback that did its work just returns. One that has to end with another exit code reports on
// stderr, in one line that begins with "skein: ", and throws CLI::RuntimeError(code):
//   1  a problem was found, or something inside failed
//   2  bad usage, or an input that cannot be read
#pragma once

#include <CLI/CLI.hpp>

namespace skein::cli {

void add_dump(CLI::App& app);
void add_info(CLI::App& app);
void add_ps(CLI::App& app);
void add_snapshot(CLI::App& app);
void add_export(CLI::App& app);
void add_render(CLI::App& app);
void add_show(CLI::App& app);
void add_html(CLI::App& app);
void add_serve(CLI::App& app);
void add_view(CLI::App& app);
void add_why(CLI::App& app);
void add_doctor(CLI::App& app);
void add_critical(CLI::App& app);
void add_diff(CLI::App& app);
void add_stats(CLI::App& app);
void add_query(CLI::App& app);

// Turns what the parser threw into the exit code above, and says on `err` what is wrong. Texts that
// were asked for (--help, --version) go to `out`.
int exit_code(const CLI::App& app, const CLI::ParseError& error, std::ostream& out,
              std::ostream& err);

void add_record(CLI::App& app);
void add_control(CLI::App& app);

}  // namespace skein::cli
