// The await graph (await_graph.h) for those who draw flame graphs: folded stacks, a line each, as
// flamegraph.pl and many others take them; and speedscope's JSON.
#pragma once

#include "trace/export/await_graph.h"
#include "trace/export/out.h"

namespace skein {

// "serve;query;socket 1234", in ns.
Omissions export_folded(const Trace& trace, AwaitGraphOf of, Out& out);
// Both, suspended and running; `of` is shown first.
Omissions export_speedscope(const Trace& trace, AwaitGraphOf of, std::string_view title, Out& out);

}  // namespace skein
