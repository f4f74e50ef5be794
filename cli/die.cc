#include "cli/die.h"

#include <ostream>

#include "base/escape.h"

namespace skein::cli {

void die(int code, const std::string& what) { throw CommandError(code, what); }

int run_reporting(const std::function<int()>& command, std::ostream& err) {
  try {
    return command();
  } catch (const CommandError& error) {
    err << "skein: " << escaped(error.what()) << '\n';
    return error.code();
  } catch (const std::exception& error) {
    err << "skein: " << escaped(error.what()) << '\n';
    return 1;
  }
}

}  // namespace skein::cli
