// libskein-uv.so: traces a program that uses libuv, without recompiling it.
//
//   SKEIN_TRACE=trace LD_PRELOAD=libskein-uv.so program
//
// It interposes the functions that start an operation, and replaces the program's callback:
//
//   A request (work, write, connect, shutdown, getaddrinfo, a one-shot timer) is a task from its
//   start to its callback. A repeating timer, a listening or reading stream, an async handle and a
//   signal handle are tasks until they are stopped or closed, and are suspended between callbacks.
//
// The task's name is the function that started it ("uv_write"); its location is the callback's
// name, if the program exports it. A negative result other than the end of the stream fails the
// task with libuv's error text.
//
// State: a table from the address of the request or handle to task and callback, protected by a
// lock that is not held while a callback runs. File system requests are not traced, because libuv
// also runs them without a callback.
#include <dlfcn.h>
#include <skein/skein.h>
#include <uv.h>

#include <mutex>
#include <unordered_map>
#include <utility>

namespace {

using AnyFunction = void (*)();

struct Entry {
  skein_task task{};
  AnyFunction callback = nullptr;
  AnyFunction second = nullptr;  // of uv_queue_work: the work function
};

enum class Use { kRequest, kRead, kListen };
struct Key {
  const void* address;
  Use use;  // a stream may both read and listen
  bool operator==(const Key&) const = default;
};
struct Hash {
  size_t operator()(const Key& key) const {
    return std::hash<const void*>()(key.address) * 3 + static_cast<size_t>(key.use);
  }
};

// Never destroyed: exit handlers may invoke callbacks.
struct Table {
  std::mutex mutex;
  std::unordered_map<Key, Entry, Hash> entries;
};
Table& table() {
  static Table* const instance = new Table;
  return *instance;
}

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}
#define REAL(function) static auto* const function##_real = real<decltype(::function)>(#function)

template <class F>
AnyFunction any(F* function) {
  return reinterpret_cast<AnyFunction>(function);
}

// Creates a task and stores the program's callback; the caller replaces it by one of this library.
template <class F>
void begin(const void* address, const char* name, uint32_t kind, F* callback,
           Use use = Use::kRequest, AnyFunction second = nullptr) {
  Entry entry;
  entry.callback = any(callback);
  entry.second = second;
  if (skein_enabled()) {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(callback), &info);
    const skein_source where = {info.dli_fname, info.dli_sname, 0, 0};
    skein_operation(&entry.task, kind, name, &where, nullptr);
  }
  std::lock_guard lock(table().mutex);
  Entry& place = table().entries[{address, use}];
  std::swap(place, entry);
  if (entry.task.id != 0 && skein_enabled()) skein_cancel(&entry.task);  // restarted
}

// Cancels the task of an operation that failed to start or was stopped.
void forget(const void* address, Use use = Use::kRequest) {
  std::lock_guard lock(table().mutex);
  const auto found = table().entries.find({address, use});
  if (found == table().entries.end()) return;
  if (found->second.task.id != 0 && skein_enabled()) skein_cancel(&found->second.task);
  table().entries.erase(found);
}

Entry take(const void* address, Use use = Use::kRequest) {
  std::lock_guard lock(table().mutex);
  const auto found = table().entries.find({address, use});
  if (found == table().entries.end()) return {};
  const Entry entry = found->second;
  table().entries.erase(found);
  return entry;
}

// Invokes the callback of a request. The task runs in it and ends after it.
template <class F, class... A>
void finish(const void* address, int status, A... arguments) {
  Entry entry = take(address);
  const bool traced = entry.task.id != 0 && skein_enabled();
  const uint64_t previous = traced ? skein_resume(&entry.task) : 0;
  if (entry.callback != nullptr) reinterpret_cast<F>(entry.callback)(arguments...);
  if (!traced) return;
  if (status < 0)
    skein_fail(&entry.task, uv_strerror(status), previous);
  else
    skein_resolve(&entry.task, previous);
}

// Invokes a callback of a handle. The task runs in it and is then suspended, unless it was stopped.
template <class F, class... A>
void step(const void* address, Use use, uint64_t moved, A... arguments) {
  Entry entry;
  {
    std::lock_guard lock(table().mutex);
    const auto found = table().entries.find({address, use});
    if (found == table().entries.end()) return;
    entry = found->second;
  }
  const bool traced = entry.task.id != 0 && skein_enabled();
  const uint64_t previous = traced ? skein_resume(&entry.task) : 0;
  if (traced && moved != 0) skein_io(&entry.task, moved);
  reinterpret_cast<F>(entry.callback)(arguments...);
  if (!traced) return;
  std::lock_guard lock(table().mutex);
  const auto found = table().entries.find({address, use});
  if (found != table().entries.end() && found->second.task.id == entry.task.id)
    skein_suspend(&found->second.task, 0, nullptr, previous);
}

void on_timer(uv_timer_t* timer) {
  if (uv_timer_get_repeat(timer) != 0)
    step<uv_timer_cb>(timer, Use::kRequest, 0, timer);
  else
    finish<uv_timer_cb>(timer, 0, timer);
}
void on_work(uv_work_t* work) {
  Entry entry;
  {
    std::lock_guard lock(table().mutex);
    entry = table().entries[{work, Use::kRequest}];
  }
  const bool traced = entry.task.id != 0 && skein_enabled();
  const uint64_t previous = traced ? skein_resume(&entry.task) : 0;
  reinterpret_cast<uv_work_cb>(entry.second)(work);
  if (!traced) return;
  skein_suspend(&entry.task, 0, nullptr, previous);  // complete: waits for the event loop
}
void on_worked(uv_work_t* work, int status) {
  finish<uv_after_work_cb>(work, status, work, status);
}
void on_write(uv_write_t* write, int status) { finish<uv_write_cb>(write, status, write, status); }
void on_connect(uv_connect_t* connect, int status) {
  finish<uv_connect_cb>(connect, status, connect, status);
}
void on_shutdown(uv_shutdown_t* shutdown, int status) {
  finish<uv_shutdown_cb>(shutdown, status, shutdown, status);
}
void on_address(uv_getaddrinfo_t* request, int status, addrinfo* result) {
  finish<uv_getaddrinfo_cb>(request, status, request, status, result);
}
void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  if (size < 0) {  // the end, or an error: no more callbacks, but the program may still stop it
    std::unique_lock lock(table().mutex);
    const auto found = table().entries.find({stream, Use::kRead});
    if (found == table().entries.end()) return;
    Entry entry = found->second;
    table().entries.erase(found);
    lock.unlock();
    const bool traced = entry.task.id != 0 && skein_enabled();
    const uint64_t previous = traced ? skein_resume(&entry.task) : 0;
    reinterpret_cast<uv_read_cb>(entry.callback)(stream, size, buffer);
    if (!traced) return;
    if (size == UV_EOF)
      skein_resolve(&entry.task, previous);
    else
      skein_fail(&entry.task, uv_strerror(static_cast<int>(size)), previous);
    return;
  }
  step<uv_read_cb>(stream, Use::kRead, static_cast<uint64_t>(size), stream, size, buffer);
}
void on_connection(uv_stream_t* stream, int status) {
  step<uv_connection_cb>(stream, Use::kListen, 0, stream, status);
}
void on_async(uv_async_t* async) { step<uv_async_cb>(async, Use::kRequest, 0, async); }

// True if the caller is libuv, which calls its own functions by the same names: it stops an expired
// timer before it invokes the callback, and restarts a repeating one.
bool is_libuv(const void* caller) {
  static const void* const libuv = [] {
    Dl_info info{};
    dladdr(dlsym(RTLD_NEXT, "uv_run"), &info);
    return info.dli_fbase;
  }();
  Dl_info info{};
  return dladdr(caller, &info) != 0 && info.dli_fbase == libuv;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
// Calls the real function; if it fails, cancels the task.
#define OR_FORGET(call, ...)            \
  const int result = call;              \
  if (result != 0) forget(__VA_ARGS__); \
  return result

EXPORT int uv_timer_start(uv_timer_t* timer, uv_timer_cb callback, uint64_t after,
                          uint64_t repeat) {
  REAL(uv_timer_start);
  if (callback == nullptr || callback == on_timer)
    return uv_timer_start_real(timer, callback, after, repeat);
  begin(timer, "uv_timer", SKEIN_KIND_timer, callback);
  OR_FORGET(uv_timer_start_real(timer, on_timer, after, repeat), timer);
}
EXPORT int uv_timer_stop(uv_timer_t* timer) {
  REAL(uv_timer_stop);
  if (!is_libuv(__builtin_return_address(0))) forget(timer);
  return uv_timer_stop_real(timer);
}
EXPORT int uv_queue_work(uv_loop_t* loop, uv_work_t* work, uv_work_cb run, uv_after_work_cb after) {
  REAL(uv_queue_work);
  if (run == nullptr) return uv_queue_work_real(loop, work, run, after);
  begin(work, "uv_queue_work", SKEIN_KIND_work, after, Use::kRequest, any(run));
  OR_FORGET(uv_queue_work_real(loop, work, on_work, on_worked), work);
}
EXPORT int uv_write(uv_write_t* write, uv_stream_t* stream, const uv_buf_t buffers[],
                    unsigned count, uv_write_cb callback) {
  REAL(uv_write);
  begin(write, "uv_write", SKEIN_KIND_io, callback);
  OR_FORGET(uv_write_real(write, stream, buffers, count, on_write), write);
}
EXPORT int uv_tcp_connect(uv_connect_t* connect, uv_tcp_t* tcp, const sockaddr* address,
                          uv_connect_cb callback) {
  REAL(uv_tcp_connect);
  begin(connect, "uv_tcp_connect", SKEIN_KIND_io, callback);
  OR_FORGET(uv_tcp_connect_real(connect, tcp, address, on_connect), connect);
}
EXPORT void uv_pipe_connect(uv_connect_t* connect, uv_pipe_t* pipe, const char* name,
                            uv_connect_cb callback) {
  REAL(uv_pipe_connect);
  begin(connect, "uv_pipe_connect", SKEIN_KIND_io, callback);
  uv_pipe_connect_real(connect, pipe, name, on_connect);
}
EXPORT int uv_shutdown(uv_shutdown_t* shutdown, uv_stream_t* stream, uv_shutdown_cb callback) {
  REAL(uv_shutdown);
  begin(shutdown, "uv_shutdown", SKEIN_KIND_io, callback);
  OR_FORGET(uv_shutdown_real(shutdown, stream, on_shutdown), shutdown);
}
EXPORT int uv_getaddrinfo(uv_loop_t* loop, uv_getaddrinfo_t* request, uv_getaddrinfo_cb callback,
                          const char* node, const char* service, const addrinfo* hints) {
  REAL(uv_getaddrinfo);
  if (callback == nullptr)
    return uv_getaddrinfo_real(loop, request, callback, node, service, hints);
  begin(request, "uv_getaddrinfo", SKEIN_KIND_io, callback);
  OR_FORGET(uv_getaddrinfo_real(loop, request, on_address, node, service, hints), request);
}
EXPORT int uv_read_start(uv_stream_t* stream, uv_alloc_cb allocate, uv_read_cb callback) {
  REAL(uv_read_start);
  if (callback == nullptr) return uv_read_start_real(stream, allocate, callback);
  begin(stream, "uv_read", SKEIN_KIND_io, callback, Use::kRead);
  OR_FORGET(uv_read_start_real(stream, allocate, on_read), stream, Use::kRead);
}
EXPORT int uv_read_stop(uv_stream_t* stream) {
  REAL(uv_read_stop);
  forget(stream, Use::kRead);
  return uv_read_stop_real(stream);
}
EXPORT int uv_listen(uv_stream_t* stream, int backlog, uv_connection_cb callback) {
  REAL(uv_listen);
  begin(stream, "uv_listen", SKEIN_KIND_io, callback, Use::kListen);
  OR_FORGET(uv_listen_real(stream, backlog, on_connection), stream, Use::kListen);
}
EXPORT int uv_async_init(uv_loop_t* loop, uv_async_t* async, uv_async_cb callback) {
  REAL(uv_async_init);
  if (callback == nullptr ||
      is_libuv(__builtin_return_address(0)))  // each loop has an internal one
    return uv_async_init_real(loop, async, callback);
  begin(async, "uv_async", SKEIN_KIND_callback, callback);
  OR_FORGET(uv_async_init_real(loop, async, on_async), async);
}
EXPORT void uv_close(uv_handle_t* handle, uv_close_cb callback) {
  REAL(uv_close);
  for (Use use : {Use::kRequest, Use::kRead, Use::kListen}) forget(handle, use);
  uv_close_real(handle, callback);
}
