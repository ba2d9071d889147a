// A serial loop of the kind that MPI programs have: communication stands in another file, a phase ends where the loop
// goes on early.
// phases: 8
#include <stdio.h>
double exchange(double value, int step);

int main(void) {
  double value = 1;
  for (int step = 0; step < 8; step++) {
#pragma ompp phase start
    value = exchange(value, step);
    if (step % 3 == 0) {
#pragma ompp phase end
      continue;
    }
    value = exchange(value, -step);
#pragma ompp phase end
  }
  printf("%.3f\n", value);
}
