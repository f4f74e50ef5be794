#include "cli/output/sched_thread.h"

#include <signal.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/output/terminal.h"

namespace skein::cli {

SchedThread::SchedThread(uint32_t pid, std::string directory) : directory_(std::move(directory)) {
  Result<SchedRecorder> recorder = SchedRecorder::start(pid);
  if (!recorder) {
    report_message("no context switches (--sched): " + recorder.error().message());
    return;
  }
  recorder_ = std::move(*recorder);
  // Signals are those of the main thread, which forwards them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] {
    constexpr int interval_ms = 100;
    while (!ends_) recorder_->work(directory_, interval_ms);
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SchedThread::~SchedThread() { stop(); }

void SchedThread::stop() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
}

void SchedThread::finish() {
  stop();
  if (!recorder_) return;
  const Result<void> finished = recorder_->finish(directory_);
  // Without a trace, the command reports that.
  if (!finished && std::filesystem::exists(directory_)) report_message(finished.error().message());
  report_sched(*recorder_);
}

void report_sched(const SchedRecorder& recorder) {
  for (const std::string& missing : recorder.missing())
    report_message("context switches are recorded " + missing);
  if (recorder.lost() != 0)
    report_message(counted(recorder.lost(), "context switch", "context switches") +
                   " lost: the program switches faster than skein reads");
}

}  // namespace skein::cli
