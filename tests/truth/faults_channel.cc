// Programs with the channels of standalone Asio, each with one fault.
#include <asio.hpp>
#include <asio/experimental/channel.hpp>
#include <system_error>

#include "case.h"

namespace {

using asio::awaitable;
using asio::co_spawn;
using asio::detached;
using asio::use_awaitable;
using Links = asio::experimental::channel<void(std::error_code, int)>;

class Crawler {
 public:
  explicit Crawler(asio::io_context& io) : links_(io, 4) {}
  awaitable<void> start() { co_await links_.async_send({}, 1, use_awaitable); }
  awaitable<void> crawl() {
    for (;;) {
      const int page = co_await links_.async_receive(use_awaitable);
      for (int link = 0; link < 3; ++link)
        co_await links_.async_send({}, 3 * page + link, use_awaitable);  // @send_link
    }
  }

 private:
  Links links_;
};

// Workers put the links that they find into the bounded channel from which they take pages, until
// all wait for room. main() destroys the channel before the event loop.
// truth: deadlock|external wait; in crawl; at send_link; of channel
TRUTH_CASE(workers_fill_own_queue) {
  asio::io_context io;
  Crawler crawler(io);
  co_spawn(io, crawler.start(), detached);
  for (int worker = 0; worker < 3; ++worker) co_spawn(io, crawler.crawl(), detached);
  truth::run(io);
}

awaitable<void> report(Links& results) {
  for (;;) {
    const int result = co_await results.async_receive(use_awaitable);  // @receive_result
    if (result == 0) co_return;
  }
}

awaitable<void> compute(Links& results) { co_await results.async_send({}, 7, use_awaitable); }

// A producer ends without the zero for which its consumer waits. main() closes the channel when the
// event loop has ended.
// truth: external wait; in report; at receive_result; of channel
TRUTH_CASE(closed_after_event_loop) {
  asio::io_context io;
  Links results(io, 1);
  co_spawn(io, report(results), detached);
  co_spawn(io, compute(results), detached);
  truth::run(io);
  results.close();
}

struct Pipeline {
  explicit Pipeline(asio::io_context& io) : jobs(io, 2), results(io, 2) {}
  Links jobs, results;
};

awaitable<void> resize(Pipeline& pipeline) {
  for (;;) {
    const int image = co_await pipeline.jobs.async_receive(use_awaitable);
    co_await pipeline.results.async_send({}, image / 2, use_awaitable);  // @send_resized
  }
}

awaitable<void> resize_all(Pipeline& pipeline, int count) {
  for (int i = 0; i < count; ++i)
    co_await pipeline.jobs.async_send({}, i, use_awaitable);  // @send_image
  for (int i = 0; i < count; ++i) co_await pipeline.results.async_receive(use_awaitable);
}

awaitable<void> resize_albums(Pipeline& pipeline) {
  for (const int size : {2, 3, 40}) co_await resize_all(pipeline, size);
}

// A batch sends all its jobs before it reads a result; large ones fill both channels.
// truth: deadlock; in resize resize_all; at send_resized send_image; of channel
TRUTH_CASE(all_jobs_before_results) {
  asio::io_context io;
  Pipeline pipeline(io);
  for (int worker = 0; worker < 2; ++worker) co_spawn(io, resize(pipeline), detached);
  co_spawn(io, resize_albums(pipeline), detached);
  truth::run(io);
}

}  // namespace
