// An ordinary program, not compiled for tracing: a TCP echo server and its client on libuv, a
// repeating timer and a job for the thread pool.
#include <uv.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
uv_loop_t* loop;
uv_tcp_t server, peer, client;
uv_timer_t ticker;
uv_write_t question, answer;
uv_connect_t connecting;
uv_work_t job;
char space[2][64];
int ticks, worked;
sockaddr_in connect_to;

void close(void* handle) { uv_close(static_cast<uv_handle_t*>(handle), nullptr); }
void allocate(uv_handle_t* handle, size_t, uv_buf_t* buffer) {
  *buffer = uv_buf_init(space[handle == reinterpret_cast<uv_handle_t*>(&client)], 64);
}
}  // namespace

extern "C" {
void on_tick(uv_timer_t* timer) {
  if (++ticks == 3) close(timer);
}
void on_answer(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  std::printf("%.*s\n", static_cast<int>(size), buffer->base);
  close(stream);
}
void on_asked(uv_write_t*, int) {}
void on_connected(uv_connect_t* connect, int) {
  static char text[] = "question";
  const uv_buf_t buffer = uv_buf_init(text, 8);
  uv_write(&question, connect->handle, &buffer, 1, on_asked);
  uv_read_start(connect->handle, allocate, on_answer);
}
void on_answered(uv_write_t*, int) {}
void on_question(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  if (size < 0) {
    close(stream);
    close(&server);
    return;
  }
  const uv_buf_t same = uv_buf_init(buffer->base, static_cast<unsigned>(size));
  uv_write(&answer, stream, &same, 1, on_answered);
}
void on_client(uv_stream_t* listener, int) {
  uv_tcp_init(loop, &peer);
  uv_accept(listener, reinterpret_cast<uv_stream_t*>(&peer));
  uv_read_start(reinterpret_cast<uv_stream_t*>(&peer), allocate, on_question);
}
void do_work(uv_work_t*) { worked = 1; }
void after_work(uv_work_t*, int status) {
  std::printf("worked %d %d\n", worked, status);
  uv_tcp_connect(&connecting, &client, reinterpret_cast<sockaddr*>(&connect_to), on_connected);
}
}

int main() {
  loop = uv_default_loop();
  uv_tcp_init(loop, &server);
  uv_tcp_init(loop, &client);
  sockaddr_in address;
  uv_ip4_addr("127.0.0.1", 0, &address);
  uv_tcp_bind(&server, reinterpret_cast<sockaddr*>(&address), 0);
  uv_listen(reinterpret_cast<uv_stream_t*>(&server), 8, on_client);
  int size = sizeof address;
  uv_tcp_getsockname(&server, reinterpret_cast<sockaddr*>(&address), &size);
  uv_timer_init(loop, &ticker);
  uv_timer_start(&ticker, on_tick, 1, 1);
  uv_queue_work(loop, &job, do_work, after_work);
  connect_to = address;
  return uv_run(loop, UV_RUN_DEFAULT);
}
