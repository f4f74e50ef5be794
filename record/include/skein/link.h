// Links the recorder to a program that records nothing by itself: its trace is empty, but it has
// one. Part of skein/coroutine.h and skein/asio_tracking.h.
#ifndef SKEIN_LINK_H
#define SKEIN_LINK_H
#pragma GCC system_header  // no warnings in the user's build
#ifdef __cplusplus
extern "C" void skein_module_unloaded(void);

namespace skein::__detail {
__attribute__((__visibility__("hidden"),
               __used__)) inline void (*const __recorder)() = skein_module_unloaded;
}  // namespace skein::__detail
#endif
#endif
