// The program `skein`: lists the subcommands, finds the one that was asked for, runs it.
#include <exception>
#include <iostream>

#include "cli/commands.h"

int main(int argc, char** argv) {
  CLI::App app("Shows what an asynchronous program does and what it waits for.", "skein");
  app.set_version_flag("--version", "skein " SKEIN_VERSION);
  app.require_subcommand(1);
  skein::cli::add_record(app);
  skein::cli::add_control(app);
  skein::cli::add_info(app);
  skein::cli::add_dump(app);
  skein::cli::add_ps(app);
  skein::cli::add_snapshot(app);
  skein::cli::add_export(app);
  skein::cli::add_show(app);
  skein::cli::add_render(app);
  skein::cli::add_html(app);
  skein::cli::add_serve(app);
  skein::cli::add_view(app);
  skein::cli::add_why(app);
  skein::cli::add_doctor(app);
  skein::cli::add_critical(app);
  skein::cli::add_diff(app);
  skein::cli::add_stats(app);
  skein::cli::add_query(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return skein::cli::exit_code(app, error, std::cout, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "skein: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
