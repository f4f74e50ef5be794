// One tracepoint with two u64 arguments, for comparison with skein_notify.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER skein_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/lttng_provider.h"
#if !defined(SKEIN_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SKEIN_BENCH_LTTNG_PROVIDER_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(skein_bench, two, LTTNG_UST_TP_ARGS(uint64_t, target, uint64_t, woken),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, target, target)
                                                   lttng_ust_field_integer(uint64_t, woken, woken)))
#endif
#include <lttng/tracepoint-event.h>
