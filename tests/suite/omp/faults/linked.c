// Calls functions of two libraries, each of which is linked to the OpenMP runtime that it was built for.
#include <stdio.h>

int first(void), second(void);

int main(void) {
  printf("%d %d\n", first(), second());
  return 0;
}
