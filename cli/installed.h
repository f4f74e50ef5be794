// Files that belong to this program: beside it in a build tree, elsewhere when both are installed.
#pragma once

#include <string>

namespace skein::cli {

// Returns the path of the file `name`, beside this program or in `folder`, which is relative to the
// prefix of the installation. `mode`: the access that is necessary, as for access(2). Empty if the
// file is not there.
std::string find_installed(const std::string& name, const std::string& folder, int mode);

}  // namespace skein::cli
