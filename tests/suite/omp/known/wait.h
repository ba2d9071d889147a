// Known lengths of time: a thread that sleeps needs no processor, so what the others wait for it is known. On a busy machine
// threads wake up late; so programs measure what was really lost in them, by class, and print it with `lost_report`.
#pragma once
#include <stdio.h>
#include <time.h>

enum { SYNCHRONIZATION, LIMITED, MANAGEMENT, IMBALANCE };

// Milliseconds lost, by class.
static double lost_ms[4];

static inline double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Sleeps for `ms` milliseconds.
static inline void pause_ms(long ms) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += ms * 1000000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, 0)) {
  }
}

// A thread lost the time from `since` to now.
static inline void lost_since(int class_of, double since) {
  double ms = now_ms() - since;
#pragma omp atomic
  lost_ms[class_of] += ms;
}

static inline void lost_report(void) {
  printf("%.3f %.3f %.3f %.3f\n", lost_ms[0], lost_ms[1], lost_ms[2], lost_ms[3]);
}
