// Functions that regions of inlined.c begin with: their lines are none of that file's directives.
static inline double halve(const double *values, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += values[i] * 0.5;
  return sum;
}
