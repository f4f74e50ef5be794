// A module of the scenario "unloaded-module": it records with its own source locations, in a
// thread, in constructors and in destructors.
#include <skein/skein.h>

#include <thread>

namespace {

void one_task(const char* name) {
  static const skein_source here = {__FILE__, "one_task", __LINE__, 1};
  skein_task task = {};
  const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, name, &here);
  skein_resolve(&task, previous);
}

struct Module {
  Module() { one_task("constructor"); }
  ~Module() {
    one_task("destructor");
    skein_module_unloaded();
  }
} module;

}  // namespace

extern "C" __attribute__((visibility("default"))) int chaos_module_run(void (*record)(unsigned)) {
  std::thread([=] {
    thread_local struct Last {
      ~Last() { one_task("end of a thread"); }
    } last;
    static_cast<void>(last);
    one_task("thread");
    record(20);
  }).join();
  return 1;
}
