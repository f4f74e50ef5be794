#include "cli/fail.h"
#include "cli/parquet.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>


namespace skein::cli {

namespace {

std::string quoted(const std::string& text) {
  std::string sql = "'";
  for (const char c : text) sql += c == '\'' ? std::string("''") : std::string(1, c);
  return sql + "'";
}

// A folder that goes with what is in it.
class Scratch {
 public:
  Scratch() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    path_ = (error ? std::string("/tmp") : parent.string()) + "/skein-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) fail(1, path_ + ": " + std::strerror(errno));
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

int run_duckdb(const std::string& sql) {
  const char* const words[] = {"duckdb", "-c", sql.c_str(), nullptr};
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, words[0], nullptr, nullptr, const_cast<char* const*>(words), environ);
  if (error != 0) fail(1, std::string("duckdb: ") + std::strerror(error));
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) fail(1, std::string("duckdb: ") + std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

void require_duckdb() {
  const char* const path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = folders.substr(begin, end - begin);
    if (access(((folder.empty() ? "." : folder) + "/duckdb").c_str(), X_OK) == 0) return;
    begin = end + 1;
  }
  fail(2,
       "Parquet is written by DuckDB's program `duckdb`, which is not in PATH; install it, or use "
       "`skein export csv`");
}

void write_parquet(const std::string& path, const std::string& columns,
                   const std::function<void(OutputFile&)>& write_csv) {
  const Scratch scratch;
  const std::string table = scratch.file("table.csv");
  OutputFile csv(table);
  write_csv(csv);
  csv.finish();
  OutputFile parquet(path);
  if (parquet.temporary().empty()) fail(2, path + ": no file; Parquet needs one");
  const std::string sql = "COPY (SELECT * FROM read_csv(" + quoted(table) +
                          ", header = true, auto_detect = false, delim = ',', quote = '\"', "
                          "escape = '\"', columns = {" +
                          columns + "})) TO " + quoted(parquet.temporary()) + " (FORMAT PARQUET)";
  if (const int code = run_duckdb(sql); code != 0)
    fail(1, "duckdb failed (exit code " + std::to_string(code) + "), and nothing was written");
  parquet.finish();
}

}  // namespace skein::cli
