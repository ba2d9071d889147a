// Functions that the loops of main.c call.
#include <math.h>

#include "callees.h"

static double last;

double pure(double x) { return sqrt(x) + 1; }

double kept(double x) {
  last = x;
  return sqrt(last) + 1;
}
