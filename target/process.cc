#include "target/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/disk_files.h"
#include "target/access.h"
#include "target/elf.h"
#include "target/kernel_words.h"
#include "target/living_process.h"
#include "target/page_map.h"
#include "target/process_maps.h"
#include "target/process_threads.h"
#include "target/program_name.h"

namespace skein {

namespace {

// A file of /proc, without its last line feed; empty if it cannot be read.
std::string proc_text(const std::string& path) {
  DiskFiles files;
  const Result<Contents> contents = files.open(path, Access::Copy);
  if (!contents) return {};
  const auto bytes = contents->bytes();
  std::string text(bytes.begin(), bytes.end());
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Process : public Target {
 public:
  // `thread`: see LivingProcess.
  Process(uint64_t pid, uint64_t thread, Architecture architecture, std::vector<Mapping> mappings)
      : pid_(pid),
        thread_(thread),
        folder_("/proc/" + std::to_string(thread)),
        kept_name_(proc_text("/proc/" + std::to_string(pid) + "/comm")),
        name_(whole_name(kept_name_, {exe(), first_argument()})),
        architecture_(architecture),
        mappings_(std::move(mappings)),
        pages_(folder_) {}

  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return pid_; }
  Architecture architecture() const override { return architecture_; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }

  std::vector<TargetThread> threads() const override {
    const uint64_t own_id = own_id_of(proc_text(folder_ + "/status"));
    std::vector<TargetThread> threads =
        read_process_threads(folder_, architecture_, own_id != 0 && own_id != thread_);
    for (TargetThread& thread : threads)
      if (thread.name == kept_name_) thread.name = name_;
    return threads;
  }

  std::vector<ThreadMoment> thread_moments() const override {
    return read_thread_moments(folder_, architecture_);
  }

  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    Piece piece{.address = address, .to = to};
    read(std::span(&piece, 1));
    return piece.count;
  }

  // The kernel copies the pieces in order and ends in the first that it cannot copy, perhaps within
  // it. What follows is read by another call.
  void read(std::span<Piece> pieces) const override {
    std::vector<iovec> ours;
    std::vector<iovec> theirs;
    while (!pieces.empty()) {
      ours.clear();
      theirs.clear();
      for (const Piece& piece : pieces.first(std::min<size_t>(pieces.size(), IOV_MAX))) {
        ours.push_back({piece.to.data(), piece.to.size()});
        theirs.push_back({reinterpret_cast<void*>(piece.address), piece.to.size()});  // NOLINT
      }
      const ssize_t count = process_vm_readv(static_cast<pid_t>(thread_), ours.data(), ours.size(),
                                             theirs.data(), theirs.size(), 0);
      auto left = static_cast<size_t>(std::max<ssize_t>(count, 0));
      size_t done = 0;
      for (; done < ours.size(); done++) {
        Piece& piece = pieces[done];
        piece.count = std::min(left, piece.to.size());
        left -= piece.count;
        if (piece.count < piece.to.size()) break;
      }
      pieces = pieces.subspan(std::min(done + 1, ours.size()));
    }
  }

  uint64_t first_data(uint64_t begin, uint64_t end) const override {
    return pages_.first(begin, end);
  }

  // Pages of files and of shared memory have something in them without being in the page tables.
  size_t read_written(uint64_t address, std::span<uint8_t> to) const override {
    const Mapping* mapping = find_mapping(mappings_, address);
    if (mapping == nullptr || mapping->has_file() || mapping->shared || !pages_.is_known())
      return read(address, to);
    std::fill(to.begin(), to.end(), uint8_t{0});
    std::vector<Piece> pieces;
    for (const PageRun& run : pages_.runs(address, address + to.size()))
      pieces.push_back(
          {.address = run.begin, .to = to.subspan(run.begin - address, run.end - run.begin)});
    read(std::span(pieces));
    for (const Piece& piece : pieces)
      if (piece.count < piece.to.size()) return piece.address + piece.count - address;
    return to.size();
  }

  // map_files has the mapped file itself, but needs CAP_SYS_ADMIN or a recent kernel. By its name
  // the file is looked up as the process sees it, which may be in a container.
  Result<Contents> file_of(const Mapping& mapping) const override {
    DiskFiles files;
    char range[40];
    std::snprintf(range, sizeof range, "/%llx-%llx", static_cast<unsigned long long>(mapping.begin),
                  static_cast<unsigned long long>(mapping.end));
    if (Result<Contents> mapped = files.open(folder_ + "/map_files" + range)) return mapped;
    if (mapping.file == exe() || mapping.deleted)
      if (Result<Contents> exe_file = files.open(folder_ + "/exe");
          exe_file && is_of(*exe_file, mapping))
        return exe_file;
    if (mapping.deleted)
      return Error{.what = "the file was deleted or replaced while it was in use",
                   .file = mapping.file,
                   .advice = geteuid() == 0 ? "reading it needs CAP_SYS_ADMIN, or a kernel of 5.9"
                                            : "run skein as root, which can read it still"};
    Result<Contents> named = files.open(folder_ + "/root" + mapping.file);
    if (!named) {
      named.error().file = mapping.file;
      return named;
    }
    if (!is_of(*named, mapping))
      return Error{.what = "the file has another build id than the running process",
                   .file = mapping.file,
                   .advice = "it was replaced; keep the old file, or restart"};
    return named;
  }

  std::optional<KernelWords> kernel_words() const override { return read_kernel_words(folder_); }

  std::string root() const override {
    std::string folder = folder_ + "/root";
    struct stat ours;
    struct stat theirs;
    const bool is_same = stat("/", &ours) == 0 && stat((folder + "/").c_str(), &theirs) == 0 &&
                         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
    return is_same ? std::string() : folder;
  }

 private:
  std::string exe() const {
    char path[PATH_MAX];
    const ssize_t size = readlink((folder_ + "/exe").c_str(), path, sizeof path);
    return size <= 0 ? std::string() : std::string(path, static_cast<size_t>(size));
  }

  std::string first_argument() const {
    const std::string all = proc_text(folder_ + "/cmdline");
    return all.substr(0, all.find('\0'));
  }

  // False if both the file and the memory have a build id, and these differ.
  bool is_of(const Contents& file, const Mapping& mapping) const {
    const std::string expected = build_id_of_file(*this, mapping);
    return expected.empty() || build_id(file.bytes()) == expected;
  }

  uint64_t pid_;
  uint64_t thread_;     // by which the kernel shows its memory
  std::string folder_;  // of this thread
  std::string kept_name_;  // by the kernel: that of all its threads without another one
  std::string name_;
  Architecture architecture_;
  std::vector<Mapping> mappings_;
  PageMap pages_;
};

// Why memory cannot be read, in the user's words.
Error access_error(uint64_t pid, int code) {
  const std::string file = "process " + std::to_string(pid);
  if (code == ESRCH) return Error{.what = "no such process", .file = file};
  if (code != EPERM && code != EACCES) return Error{.what = std::strerror(code), .file = file};
  return Error{.what = "no permission to read its memory",
               .file = file,
               .advice = advice_of(access_facts(pid))};
}

}  // namespace

Result<std::unique_ptr<Target>> open_process(uint64_t pid) {
  const std::string number = std::to_string(pid);
  const std::string shown = "process " + number;
  DiskFiles files;
  if (pid == 0 || pid > INT_MAX || files.type("/proc/" + number) != FileType::Directory)
    return Error{.what = "no such process", .file = shown};
  if (has_ended(proc_text("/proc/" + number + "/stat")))
    return Error{.what = "it has ended, and its parent has not waited for it", .file = shown};
  const std::optional<LivingProcess> process = living_process(pid);
  const uint64_t thread = process ? process->thread : pid;
  const std::string folder = "/proc/" + std::to_string(thread);

  // A file of /proc that may not be read is empty, like that of a thread of the kernel.
  const int list = open((folder + "/maps").c_str(), O_RDONLY | O_CLOEXEC);
  if (list < 0) return access_error(pid, errno == ENOENT ? ESRCH : errno);
  close(list);
  std::vector<Mapping> mappings = read_maps(proc_text(folder + "/maps"));
  if (mappings.empty())
    return Error{.what = "it has no memory: a thread of the kernel, or it is ending",
                 .file = shown};
  // Memory needs more permission than its list.
  uint8_t byte = 0;
  iovec to{&byte, 1};
  iovec from{reinterpret_cast<void*>(mappings.front().begin), 1};  // NOLINT
  if (process_vm_readv(static_cast<pid_t>(thread), &to, 1, &from, 1, 0) < 0 && errno != EFAULT)
    return access_error(pid, errno);
  const Result<std::vector<uint8_t>> head = files.head(folder + "/exe", 1 << 16);
  if (!head) {
    if (!living_process(pid)) return access_error(pid, ESRCH);
    return Error{.what = "its program: " + head.error().what, .file = shown};
  }
  const Result<ElfHeader> header = read_elf_header(*head, shown);
  if (!header) return header.error();

  return std::unique_ptr<Target>(
      std::make_unique<Process>(pid, thread, header->architecture, std::move(mappings)));
}

}  // namespace skein
