// A function of the program in a header, with a phase of its own inside of the program's.
#pragma once

static void solve(double *v, int n) {
#pragma ompp phase start solve
  for (int i = 1; i < n; i++) v[i] += v[i - 1] * 0.25;
#pragma ompp phase end solve
}
