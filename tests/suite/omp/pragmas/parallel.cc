// C++ with OpenMP: 10 phases, begun by an operator in a macro.
// phases: 10
#include <cstdio>
#include <numeric>
#include <vector>
#define STEP_BEGINS _Pragma("ompp phase start")

namespace program {
static void scale(std::vector<double> &v) {
#pragma omp parallel for num_threads(2)
  for (std::size_t i = 0; i < v.size(); i++) v[i] = v[i] * 0.5 + 1;
}

template <typename T> __attribute__((noinline)) T sum(const std::vector<T> &v) { return std::accumulate(v.begin(), v.end(), T()); }
} // namespace program

int main() {
  std::vector<double> v(1'000);
  double total = 0;
  for (int step = 0; step < 10; step++) {
    STEP_BEGINS
    program::scale(v);
    total += program::sum(v);
    _Pragma("ompp phase end")
  }
  std::printf("%.3f %d\n", total, __LINE__);
}
