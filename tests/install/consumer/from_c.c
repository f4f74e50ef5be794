/* Uses the recorder from C. */
#include <skein/skein.h>

void work_in_c(void);

void work_in_c(void) {
  static const skein_source where = {__FILE__, "work_in_c", __LINE__, 1};
  skein_task task = {0, 0, 0};
  if (!skein_enabled()) return;
  skein_create(&task, SKEIN_KIND_work, "work", &where);
  skein_resolve(&task, skein_resume(&task));
}
