// Compares two traces as `skein diff` does:
//
//   u8 bit 0: as JSON; u16 size of the first; the rest is the second. Each is as in any_trace.h.
#include "report/diff.h"

#include "fuzz/command/any_trace.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Cursor in({data, size});
  const bool json = (in.u8() & 1) != 0;
  const size_t first = in.u16();
  Cursor good_bytes(in.bytes(std::min(first, in.remaining())));
  const Trace good = fuzz::any_trace(good_bytes, 300);
  const Trace bad = fuzz::any_trace(in, 300);
  const Model good_model = build_model(good, {.simplify = false});
  const Model bad_model = build_model(bad, {.simplify = false});
  const Waits good_waits = find_waits(good, good_model);
  const Waits bad_waits = find_waits(bad, bad_model);
  const Comparison runs =
      compare_runs({"good", {good, good_model, good_waits}}, {"bad", {bad, bad_model, bad_waits}});
  fuzz::require_printable(json ? diff_json(runs).text() : diff_text(runs, 10));
  for (const TaskIndex task : runs.aligned.in_bad)
    fuzz::require(task == no_index || task < bad_model.tasks.size());
  return 0;
}
