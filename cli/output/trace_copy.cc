#include "cli/output/trace_copy.h"

#include <unistd.h>

#include <cstdio>
#include <random>

#include "base/escape.h"
#include "base/text.h"
#include "cli/output/progress.h"
#include "cli/output/trace_directory_writer.h"

namespace skein::cli {

namespace {

ctf::Uuid random_uuid() {
  ctf::Uuid uuid;
  std::random_device random;
  for (uint8_t& byte : uuid) byte = static_cast<uint8_t>(random());
  return uuid;
}

}  // namespace

void report_omissions(const Omissions& omissions) {
  std::string text;
  for (const auto& [what, count] : omissions.all())
    text += (text.empty() ? "" : ", ") + what + ": " + grouped(count);
  if (!text.empty())
    std::fprintf(stderr, "skein: not representable in this format: %s\n", escaped(text).c_str());
}

void write_trace_copy(const Trace& trace, const std::string& directory,
                      CtfCopy (*copy_of)(const Trace&, const ctf::Uuid&)) {
  CtfCopy copy;
  {
    const Spinner spinner(stderr, isatty(STDERR_FILENO), "writing");
    copy = copy_of(trace, random_uuid());
  }
  TraceDirectoryWriter to(directory);
  for (const CtfFile& file : copy.files) to.write(file.name, file.bytes);
  if (copy.ids_are_shifted)
    std::fputs("skein: the trace contains task 0; all ids are increased by one in the copy\n",
               stderr);
  report_omissions(copy.omissions);
}

}  // namespace skein::cli
