#include "cli/die.h"

#include <ostream>

#include "cli/output/terminal.h"

namespace skein::cli {

void die(int code, const std::string& what) { throw CommandError(code, what); }

int run_reporting(const std::function<int()>& command, std::ostream& err) {
  try {
    return command();
  } catch (const CommandError& error) {
    err << message_line(error.what());
    return error.code();
  } catch (const std::exception& error) {
    err << message_line(error.what());
    return 1;
  }
}

}  // namespace skein::cli
