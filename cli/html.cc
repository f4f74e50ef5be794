// `skein html`: traces as one page that needs nothing else.
#include <memory>

#include "cli/commands.h"
#include "cli/page.h"

namespace skein::cli {

void add_html(CLI::App& app) {
  auto* command = app.add_subcommand("html", "Write traces as one page that opens in any browser");
  auto page = std::make_shared<Page>();
  auto align = std::make_shared<std::string>("clock");
  command
      ->add_option("TRACE", page->traces,
                   "directories that skein recorded, files of mirage-profile, Eio, FXT or Chrome "
                   "JSON, or -; several "
                   "are stacked on one time line")
      ->required();
  command->add_option("-o,--output", page->output, "the page's file, or - for standard output")
      ->required();
  command
      ->add_option("--align", *align,
                   "several: clock, by when they were recorded, or start, beginning together")
      ->check(CLI::IsMember({"clock", "start"}))
      ->capture_default_str();
  command->add_option("--critical-path", page->critical,
                      "where the time of this task went: its number, label or name");
  command->add_option("--title", page->title, "instead of the traces' names");
  command->callback([page, align] {
    page->together = *align == "start";
    write_page(*page);
  });
}

}  // namespace skein::cli
