// The report of `skein info`: the kind of a trace, its contents, and its losses.
#pragma once

#include <string>

#include "report/json.h"
#include "trace/ask/summary.h"

namespace skein {

std::string info_text(const Trace& trace, const Summary& summary);
// skein.info of docs/json.md.
Json info_json(const Trace& trace, const Summary& summary);

}  // namespace skein
