#include "cli/input/core_input.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/die.h"
#include "cli/output/progress.h"
#include "cli/output/terminal.h"
#include "target/kept_cores.h"
#include "target/packed_core.h"
#include "target/unpacker.h"

namespace skein::cli {

namespace {

enum class CoreKind { None, Plain, Packed };

CoreKind kind_of(Files& files, const std::string& path) {
  constexpr size_t head_size = 64;
  if (path == "-" || files.type(path) != FileType::File) return CoreKind::None;
  const Result<std::vector<uint8_t>> head = files.head(path, head_size);
  if (!head) return CoreKind::None;
  if (is_core(*head)) return CoreKind::Plain;
  if (packing_of(*head) == Packing::None) return CoreKind::None;
  const Result<Contents> packed = files.open(path);
  return packed && is_packed_core(packed->bytes()) ? CoreKind::Packed : CoreKind::None;
}

Result<UnpackedCore> unpack(Files& files, const std::string& path) {
  const Result<Contents> packed = files.open(path);
  if (!packed) return packed.error();
  ProgressBar bar(stderr, isatty(STDERR_FILENO), ProgressBar::Clock::now(), "unpacking");
  return unpack_core(
      packed->bytes(), path,
      {.folder = temporary_folder(), .progress = [&](uint64_t done, uint64_t in_all) {
         bar.show(done, in_all, ProgressBar::Clock::now());
       }});
}

// The newest core of a process with this number that has ended.
std::optional<KeptCore> find_kept_core(Files& files, const std::string& text) {
  uint64_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (files.type(text) != FileType::Missing || files.type("/proc/" + text) != FileType::Missing)
    return {};
  const std::vector<KeptCore> kept = kept_cores(files, core_folder(), pid);
  if (kept.empty()) return {};
  constexpr int64_t second = 1'000'000'000;
  report_message("process " + text + " has ended; reading its core, " + escaped(kept[0].name) +
                 " of " + utc_text(static_cast<int64_t>(kept[0].time) * 1000, second) + ": " +
                 escaped(kept[0].path));
  return kept[0];
}

// The notes are at the end of gdb's cores: names of files, and registers of threads.
std::string what_is_missing(const CoreFile& core) {
  std::string text = "the core was cut short: " + std::to_string(core.missing_bytes()) +
                     " bytes are missing, and with them perhaps coroutines";
  if (!core.has_file_names())
    text += " and the registers of its threads: a coroutine that one of them runs is shown where it "
            "last waited, or as not started";
  if (core.has_file_names() || core.program().path.empty()) return text;
  return text + "; its program is " + escaped(core.program().path);
}

// What to do if it is not known which files were mapped.
Error unknown_program(const CoreFile& core, const std::string& path) {
  const CoreProgram& program = core.program();
  std::string what = "the names of its program and libraries are missing";
  if (core.missing_bytes() != 0)
    what += " with the " + std::to_string(core.missing_bytes()) + " bytes that were cut off its end";
  std::string advice = "name the program with --exe FILE";
  if (!program.executed.empty()) advice += "; it was started as " + escaped(program.executed);
  if (!program.build_id.empty()) advice += "; its build id is " + program.build_id;
  return {.what = what, .file = path, .advice = advice};
}

}  // namespace

bool is_core_file(const std::string& path) {
  DiskFiles files;
  return kind_of(files, path) != CoreKind::None;
}

std::optional<CoreInput> open_core(const std::string& text, const std::string& program) {
  CoreInput input{.files = std::make_unique<DiskFiles>(), .path = text};
  if (const std::optional<KeptCore> kept = find_kept_core(*input.files, text)) {
    input.path = kept->path;
    if (access(kept->path.c_str(), R_OK) != 0)
      die(2, kept->path + ": permission denied; " + (geteuid() == 0 ? "" : "run skein as root, or ") +
                 "`coredumpctl dump " + text + " -o core`");
  }
  const CoreKind kind = kind_of(*input.files, input.path);
  if (kind == CoreKind::None) {
    if (input.path != text) die(2, input.path + ": not a core file");
    return {};
  }
  Result<std::unique_ptr<CoreFile>> core = Error{};
  if (kind == CoreKind::Packed) {
    Result<UnpackedCore> unpacked = unpack(*input.files, input.path);
    if (!unpacked) die(2, unpacked.error().message());
    if (!unpacked->warning.empty()) input.warnings.push_back(unpacked->warning);
    core = read_core(std::move(unpacked->contents), input.path, *input.files,
                     program);
  } else {
    core = read_core(input.path, *input.files, program);
  }
  if (!core) die(2, core.error().message());
  input.core = *std::move(core);
  const CoreProgram& found = input.core->program();
  if (!program.empty() && found.path.empty())
    die(2, "--exe: " + (found.problem.empty() ? program : found.problem));
  const bool has_names = input.core->has_file_names() || !found.path.empty();
  if (!has_names && input.core->saved_frames().empty())
    die(2, unknown_program(*input.core, input.path).message());
  if (input.core->missing_bytes() != 0) input.warnings.push_back(what_is_missing(*input.core));
  return input;
}

}  // namespace skein::cli
