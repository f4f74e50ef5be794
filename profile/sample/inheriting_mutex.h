// A mutex whose owner runs with the priority of those that wait for it. With std::mutex, a thread
// that runs before others would wait for one that all of these keep from running.
#pragma once

#include <pthread.h>

#include <cassert>

namespace skein {

class InheritingMutex {
 public:
  InheritingMutex() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    // Not known to all kernels; then it is a usual mutex.
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    const int failed = pthread_mutex_init(&mutex_, &attributes);
    if (failed != 0) pthread_mutex_init(&mutex_, nullptr);
    pthread_mutexattr_destroy(&attributes);
  }
  ~InheritingMutex() { pthread_mutex_destroy(&mutex_); }
  InheritingMutex(const InheritingMutex&) = delete;
  InheritingMutex& operator=(const InheritingMutex&) = delete;

  void lock() {
    const int failed = pthread_mutex_lock(&mutex_);
    assert(failed == 0);
    (void)failed;
  }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace skein
