// Benchmarks in interleaved rounds: A B C, A B C, ... so that a temporary slowdown of the machine
// affects every candidate, and the ratios within a round compare measurements of the same time.
//
//   Rounds rounds(301);
//   rounds.add("floor/tsc", 20'000, [](size_t n) { for (...) ...; });
//   rounds.add("event/notify", 20'000, [](size_t n) { ... });
//   rounds.run();      // one line per candidate: best and median, in ns of CPU time per item
//
// Measures CPU time of the calling thread, not wall time: the machine may have other load. A sample
// is short (some 200 us), so that many fall between two interruptions. The cost of reading the
// clock is measured and subtracted. Google Benchmark was rejected: it runs each candidate to its
// end before the next, and its repetitions are seconds apart.
//
// Output, tab-separated: name, threads, best ns, median ns, best ratio, median ratio. Ratios are
// relative to the first candidate: the ratio of the best values, and the median of the ratios
// within each round.
#pragma once
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace skein::bench {

// Makes the compiler assume that `value` is used and all memory is modified.
template <typename T>
inline void keep(const T& value) {
  asm volatile("" : : "r"(value) : "memory");
}

inline double cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

inline double wall_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

inline double best_of(const std::vector<double>& v) {
  return *std::min_element(v.begin(), v.end());
}
inline double median_of(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

inline void stay_on_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

struct Candidate {
  std::string name;
  size_t items;
  std::function<void(size_t)> run;      // runs `items` items; timed
  std::function<void()> after = [] {};  // cleans up; not timed
};

class Rounds {
 public:
  explicit Rounds(size_t rounds) : rounds_(rounds) {}

  void add(
      std::string name, size_t items, std::function<void(size_t)> run,
      std::function<void()> after = [] {}) {
    candidates_.push_back({std::move(name), items, std::move(run), std::move(after)});
  }

  // Runs all candidates in this thread and prints the results.
  void run() { print(measure(candidates_, 1), 1); }

  using Samples = std::vector<std::vector<double>>;  // [candidate][round]

  // `make(thread)` creates a thread's candidates in that thread. All threads run the same round of
  // the same candidate at the same time.
  static void run_threads(unsigned threads, size_t rounds,
                          const std::function<std::vector<Candidate>(unsigned)>& make) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, threads);
    std::vector<Samples> all(threads);
    std::vector<std::string> names;
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        stay_on_cpu(static_cast<int>(t));
        Rounds mine(rounds);
        mine.candidates_ = make(t);
        if (t == 0)
          for (const Candidate& c : mine.candidates_) names.push_back(c.name);
        all[t] = mine.measure(mine.candidates_, threads, &barrier);
      });
    for (std::thread& worker : workers) worker.join();
    pthread_barrier_destroy(&barrier);
    Rounds sum(rounds);
    for (const std::string& name : names) sum.candidates_.push_back({name, 0, {}});
    Samples mean(names.size(), std::vector<double>(rounds));
    for (size_t c = 0; c < names.size(); ++c)
      for (size_t r = 0; r < rounds; ++r) {
        for (unsigned t = 0; t < threads; ++t) mean[c][r] += all[t][c][r];
        mean[c][r] /= threads;
      }
    sum.print(mean, threads);
  }

  std::vector<Candidate> take() { return std::move(candidates_); }

 private:
  Samples measure(std::vector<Candidate>& candidates, unsigned,
                  pthread_barrier_t* barrier = nullptr) {
    std::vector<double> reads;
    for (int i = 0; i < 101; ++i) {
      const double a = cpu_ns();
      reads.push_back(cpu_ns() - a);
    }
    const double overhead = median_of(reads);
    for (Candidate& c : candidates) {  // warm up: first accesses are measured elsewhere
      c.run(c.items);
      c.after();
    }
    Samples samples(candidates.size());
    for (size_t r = 0; r < rounds_; ++r)
      for (size_t i = 0; i < candidates.size(); ++i) {
        Candidate& c = candidates[i];
        if (barrier != nullptr) pthread_barrier_wait(barrier);
        const double begin = cpu_ns();
        c.run(c.items);
        const double end = cpu_ns();
        c.after();
        samples[i].push_back(std::max(0.0, end - begin - overhead) / static_cast<double>(c.items));
      }
    return samples;
  }

  void print(const Samples& samples, unsigned threads) {
    for (size_t i = 0; i < samples.size(); ++i) {
      std::vector<double> ratios;
      for (size_t r = 0; r < samples[i].size(); ++r)
        ratios.push_back(samples[i][r] / samples[0][r]);
      printf("%s\t%u\t%.2f\t%.2f\t%.3f\t%.3f\n", candidates_[i].name.c_str(), threads,
             best_of(samples[i]), median_of(samples[i]), best_of(samples[i]) / best_of(samples[0]),
             median_of(ratios));
    }
    fflush(stdout);
  }

  size_t rounds_;
  std::vector<Candidate> candidates_;
};

}  // namespace skein::bench
