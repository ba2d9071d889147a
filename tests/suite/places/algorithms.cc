// Loops of the library's algorithms: the call is the place that somebody can change. `// calls NAME` stands where the program calls one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

static double work(double x) {
  for (int k = 0; k < 20; k++)
    x = std::sqrt(x + k);
  return x;
}

static void halve(std::vector<double> &v) {
  std::for_each(v.begin(), v.end(), // calls for_each
                [](double &x) { x = work(x) / 2; });
}

int main() {
  std::vector<double> v(3000), w(3000);
  for (int i = 0; i < 3000; i++)
    v[i] = i;
  halve(v);

  std::transform(v.begin(), v.end(), w.begin(), // calls transform
                 [](double x) { return work(x) * 2; });
  double s = 0;
  for (int i = 0; i < 3; i++)
    s += std::accumulate(w.begin(), w.end(), 0.0); // calls accumulate
  std::printf("%g\n", s);
}
