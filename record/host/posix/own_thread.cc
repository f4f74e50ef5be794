#include "record/host/posix/own_thread.h"

#include <pthread.h>
#include <signal.h>

namespace skein::record {

int start_thread(void* (*body)(void*), void* argument, size_t stack) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack != 0) pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace skein::record
