#include "cli/input/converted.h"

#include <cstdio>
#include <utility>

#include "trace/export/ctf.h"

namespace skein::cli {

void add_converted(MemoryFiles& files, const std::string& path, const Trace& trace) {
  CtfCopy copy = export_ctf(trace, {});
  if (copy.ids_are_shifted)
    std::fputs("skein: the trace contains task 0; all ids are increased by one in the page\n",
               stderr);
  for (CtfFile& file : copy.files) files.add(path + "/" + file.name, std::move(file.bytes));
}

}  // namespace skein::cli
