// Records one task through the C interface, from C++ and from C.
#include <skein/skein.h>

extern "C" void work_in_c();

int main(int, char** argv) {
  skein_options options{};
  options.directory = argv[1];
  if (skein_start(&options) != 0) return 1;
  skein_task task{};
  const skein_source where{__FILE__, "main", __LINE__, 1};
  if (skein_enabled()) skein_create(&task, SKEIN_KIND_task, "request", &where);
  if (skein_enabled()) skein_label(&task, skein_string("a label"));
  work_in_c();
  if (skein_enabled()) skein_resolve(&task, 0);
  skein_stop();
  return task.id != 0 ? 0 : 1;
}
