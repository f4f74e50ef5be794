// The functions of the recorder that the scenarios call, without a recorder: the same program as
// if it were never linked with skein.
#include <skein/skein.h>

extern "C" {
void skein_counter_set(uint32_t, int64_t) {}
uint64_t skein_create_running(skein_task*, uint32_t, const char*, const skein_source*) { return 0; }
void skein_label_text(skein_task*, const char*, size_t) {}
void skein_resolve(skein_task*, uint64_t) {}
uint32_t skein_string(const char*) { return 0; }
void skein_module_unloaded(void) {}
}
