// Tasks without a waiter: started immediately, kept until this object is destroyed.
#pragma once
#include <deque>
#include <utility>

#include "../task.h"

struct Nothing {};

class Background {
 public:
  void start(task<Nothing> t) {
    tasks_.push_back(std::move(t));
    tasks_.back().start();
  }

 private:
  std::deque<task<Nothing>> tasks_;
};
