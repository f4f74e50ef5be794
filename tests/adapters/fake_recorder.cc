#include "tests/adapters/fake_recorder.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <string_view>

namespace {

std::mutex mutex;
std::vector<fake::Call> log;
uint64_t last_id;
int forgotten;
std::map<const void*, skein_task> handles;
thread_local uint64_t current;

void note(const std::string& what, const skein_source* where = nullptr) {
  fake::Call call{.what = what};
  if (where != nullptr) {
    call.file = where->file;
    call.function = where->function;
    call.line = where->line;
  }
  std::lock_guard lock(mutex);
  log.push_back(call);
}

void note_object(const void* object, const char* type) {
  std::lock_guard lock(mutex);
  log.back().object = object;
  log.back().type = type;
}

std::string id_of(skein_task* task) {
  if (task == nullptr) return std::to_string(current);
  if (task->id == 0) {
    std::unique_lock lock(mutex);
    task->id = ++last_id;
    lock.unlock();
    note("join " + std::to_string(task->id));
  }
  return std::to_string(task->id);
}

std::string make(skein_task* task, const char* verb, uint32_t kind, const char* name) {
  {
    std::lock_guard lock(mutex);
    task->id = ++last_id;
  }
  task->generation = 1;
  std::string text = verb + (" " + std::to_string(task->id)) + " under " + std::to_string(current);
  if (kind != SKEIN_KIND_coroutine) text += " kind " + std::to_string(kind);
  if (name != nullptr && kind > SKEIN_KIND_generator) text += std::string(" ") + name;
  return text;
}

std::string number(uint64_t n) { return std::to_string(n); }

}  // namespace

extern "C" {

unsigned char skein_page[4096];

void skein_create(skein_task* task, uint32_t kind, const char* name, const skein_source* where) {
  note(make(task, "create", kind, name), where);
}
uint64_t skein_create_running(skein_task* task, uint32_t kind, const char* name,
                              const skein_source* where) {
  note(make(task, "run", kind, name), where);
  const uint64_t previous = current;
  current = task->id;
  return previous;
}
void skein_operation(skein_task* task, uint32_t kind, const char* name, const skein_source* where,
                     const skein_source* fallback) {
  note(make(task, "operation", kind, name), where != nullptr ? where : fallback);
}
void skein_operation_on(skein_task* task, uint32_t kind, const char* name,
                        const skein_source* where, const skein_source* fallback, skein_use) {
  skein_operation(task, kind, name, where, fallback);
}
uint64_t skein_object(uintptr_t, uint32_t, const char*) { return 0; }
skein_use skein_connection(int, const char*, uint32_t) { return {}; }
void skein_object_cancel(uintptr_t, uint32_t, const char*, uint64_t) {}
void skein_object_end(uintptr_t) {}
skein_task* skein_handle_keep(const void* object, const void*) {
  std::lock_guard lock(mutex);
  skein_page[1] = 1;
  return &(handles[object] = {});
}
skein_task skein_handle_take(const void* object, const void*) {
  std::lock_guard lock(mutex);
  const auto found = handles.extract(object);
  return found.empty() ? skein_task{} : found.mapped();
}
uint64_t skein_resume(skein_task* task) {
  note("resume " + id_of(task));
  const uint64_t previous = current;
  current = task->id;
  return previous;
}
uint64_t skein_resume_by(skein_task* task, uint64_t waker) {
  note("resume " + id_of(task) + " by " + number(waker));
  const uint64_t previous = current;
  current = task->id;
  return previous;
}
uint64_t skein_resume_io(skein_task* task, uint64_t result) {
  const uint64_t previous = skein_resume(task);
  skein_io(task, result);
  return previous;
}
void skein_suspend(skein_task* task, uint64_t on, const skein_source* where, uint64_t previous) {
  note("suspend " + id_of(task) + " on " + number(on) + " previous " + number(previous), where);
  current = previous;
}
void skein_suspend_on(skein_task* task, const void* object, const char* type,
                      const skein_source* where, uint64_t previous) {
  skein_suspend(task, 0, where, previous);
  note_object(object, type);
}
void skein_await(skein_task* task, uint64_t on) {
  note("await " + id_of(task) + " on " + number(on));
}
void skein_ready(skein_task* task, uint64_t on, const skein_source* where) {
  note("ready " + id_of(task) + " on " + number(on), where);
}
void skein_ready_on(skein_task* task, const void* object, const char* type,
                    const skein_source* where) {
  skein_ready(task, 0, where);
  note_object(object, type);
}
void skein_resolve(skein_task* task, uint64_t previous) {
  note("resolve " + id_of(task) + " previous " + number(previous));
  if (current == task->id) current = previous;
}
uint64_t skein_resolve_resume(skein_task* task, uint64_t previous, skein_task* next) {
  skein_resolve(task, previous);
  return skein_resume_by(next, task->id);
}
void skein_discard(skein_task* task) { note("discard " + id_of(task)); }
void skein_fail(skein_task* task, const char* reason, uint64_t previous) {
  note("fail " + id_of(task) + " " + (reason != nullptr ? reason : "-") + " previous " +
       number(previous));
  if (current == task->id) current = previous;
}
void skein_cancel(skein_task* task) {
  note("cancel " + id_of(task));
  if (current == task->id) current = 0;
}
void skein_io(skein_task* task, uint64_t result) {
  note("io " + id_of(task) + " " + number(result));
}
void skein_should_resolve(skein_task* task) { note("should_resolve " + id_of(task)); }
void skein_label(skein_task* task, uint32_t label) {
  note("label " + id_of(task) + " " + number(label));
}
void skein_label_text(skein_task* task, const char* text, size_t size) {
  note("label " + id_of(task) + " " + std::string(text, size));
}
void skein_resource(skein_task* resource, uint32_t kind, const char* name, uint64_t capacity,
                    const skein_source* where) {
  note(make(resource, "resource", kind, name) + " capacity " + number(capacity), where);
}
void skein_acquire(skein_task* resource, uint64_t task) {
  note("acquire " + id_of(resource) + " by " + number(task));
}
void skein_acquire_at(skein_task* resource, uint64_t task, const skein_source* where) {
  note("acquire " + id_of(resource) + " by " + number(task), where);
}
void skein_release(skein_task* resource, uint64_t task) {
  note("release " + id_of(resource) + " by " + number(task));
}
void skein_notify(uint64_t target, uint64_t woken) {
  note("notify " + number(target) + " woken " + number(woken));
}
void skein_notify_at(uint64_t target, uint64_t woken, const skein_source* where) {
  note("notify " + number(target) + " woken " + number(woken), where);
}
void skein_resource_destroy(skein_task* resource) { note("end " + id_of(resource)); }
void skein_counter_add(uint32_t counter, int64_t amount) {
  note("add " + number(counter) + " " + std::to_string(amount));
}
void skein_counter_set(uint32_t counter, int64_t value) {
  note("set " + number(counter) + " " + std::to_string(value));
}
uint64_t skein_span_begin(uint32_t name) {
  note("span " + number(name));
  return 77;
}
void skein_span_end(uint64_t span) { note("span_end " + number(span)); }
void skein_pause(uint32_t kind, uint64_t nanoseconds) {
  note("pause " + number(kind) + " " + number(nanoseconds));
}
void skein_send(uint64_t correlation, uint64_t peer) {
  note("send " + number(correlation) + " " + number(peer));
}
void skein_receive(uint64_t correlation, uint64_t peer) {
  note("receive " + number(correlation) + " " + number(peer));
}
uint64_t skein_current(void) { return current; }
uint32_t skein_string(const char* text) {
  note(std::string("string ") + text);
  return std::string_view(text) == "no room" ? 0 : 40;
}
uint32_t skein_generation(void) { return 1; }
void skein_module_unloaded(void) { ++forgotten; }
void skein_error_text(const char* category, int value, char* text, size_t size) {
  snprintf(text, size, "%s %d", category, value);
}
int skein_can_read(const void* word) {
  constexpr size_t set_size = 8;
  return syscall(SYS_rt_sigprocmask, -1, word, nullptr, set_size) == 0 || errno != EFAULT;
}

}  // extern "C"

namespace fake {

void switch_on(bool on) { skein_page[0] = on ? 1 : 0; }

void reset(bool on) {
  std::lock_guard lock(mutex);
  log.clear();
  last_id = 0;
  current = 0;
  switch_on(on);
}

std::vector<Call> calls() {
  std::lock_guard lock(mutex);
  return log;
}

std::vector<std::string> words() {
  std::vector<std::string> result;
  for (const Call& c : calls()) result.push_back(c.what);
  return result;
}

Call call(const std::string& what) {
  for (const Call& c : calls())
    if (c.what == what) return c;
  for (const Call& c : calls()) std::fprintf(stderr, "  %s\n", c.what.c_str());
  return {"no call: " + what, "", "", 0};
}

int forgotten_modules() { return forgotten; }

}  // namespace fake
