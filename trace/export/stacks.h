// Exports the await graph (await_graph.h) for flame graph tools: folded stacks, one per line, for
// flamegraph.pl and many others; and speedscope's JSON.
#pragma once

#include "trace/export/await_graph.h"
#include "trace/export/out.h"

namespace skein {

// Lines like "serve;query;socket 1234", in ns.
Omissions export_folded(const Trace& trace, AwaitGraphOf of, Out& out);
// Contains both graphs, suspended and running; `of` is shown first.
Omissions export_speedscope(const Trace& trace, AwaitGraphOf of, std::string_view title, Out& out);

}  // namespace skein
