// Exports time by logical stack (trace/ask/logical_times.h) for flame graph tools: folded stacks,
// one per line, for flamegraph.pl and many others; and speedscope's JSON.
#pragma once

#include <string_view>

#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

enum class AwaitGraphOf { Suspended, Running };

// Lines like "serve (server.cc:41);query (db.cc:7);socket 1234", in ns.
Omissions export_folded(const Trace& trace, AwaitGraphOf of, Out& out);
// Contains both graphs, suspended and running; `of` is shown first.
Omissions export_speedscope(const Trace& trace, AwaitGraphOf of, std::string_view title, Out& out);

}  // namespace skein
