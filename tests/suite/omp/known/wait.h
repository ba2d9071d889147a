// Known lengths of time: a thread that sleeps needs no processor, so what the others wait for it is known too.
#pragma once
#include <time.h>

// Sleeps until `ms` milliseconds from now, on the clock.
static inline void pause_ms(long ms) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += ms * 1000000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, 0)) {
  }
}
