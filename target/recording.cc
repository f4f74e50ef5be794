#include "target/recording.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "target/living_process.h"

namespace skein {

bool records_to(uint64_t pid, const std::string& directory) {
  struct stat status;
  if (stat((directory + "/.tasks").c_str(), &status) != 0) return false;
  std::ifstream maps(process_folder(std::to_string(pid)) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, access, offset, device;
    uint64_t inode = 0;
    if (words >> range >> access >> offset >> device >> inode && inode == status.st_ino &&
        line.find("/.tasks") != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace skein
