// References to numbers and structures that a loop reduces, and members of classes.
#include <cstdio>
#include <vector>

struct Statistics {
  double sum = 0, largest = -1;
  long count = 0;
  bool found = false;
};

static void statistics(Statistics &s, const std::vector<double> &a) {
  // clauses: patch
  for (std::size_t i = 0; i < a.size(); i++) {
    s.sum += a[i];
    s.count++;
    s.found |= a[i] > 1.5;
  }
}

static void count(int &hits, const double *a, int n) {
  // clauses: reduction(+:hits)
  for (int i = 0; i < n; i++)
    hits += a[i] > 0.5;
}

class Histogram {
public:
  long total = 0;
  void add(const double *a, int n) {
    // clauses: words -- a member of the object itself
    for (int i = 0; i < n; i++)
      total += a[i] > 0.25;
  }
};

template <class T> static void sum(T *result, const T *a, int n) {
  // clauses: reduction(+:result[:1])
  for (int i = 0; i < n; i++)
    *result += a[i];
}

static void largest(Statistics &s, const std::vector<double> &a) {
  // clauses: patch
  for (std::size_t i = 0; i < a.size(); i++)
    if (a[i] > s.largest)
      s.largest = a[i];
}

double total;

int main() {
  std::vector<double> a(3000);
  for (int i = 0; i < 3000; i++)
    a[i] = i * 37 % 101 / 64.0;
  Statistics s;
  statistics(s, a);
  int hits = 0;
  count(hits, a.data(), 3000);
  Histogram h;
  h.add(a.data(), 3000);
  double x = 0;
  sum(&x, a.data(), 3000);
  std::printf("%g %ld %d %d %ld %g\n", s.sum, s.count, s.found, hits, h.total, x);
  Statistics own;
  largest(s, a);
  // clauses: reduction(+:total)
  for (double v : a)
    total += v;
  std::printf("%g %g\n", s.largest, total);
  // clauses: patch -- a constructor had its address
  for (double v : a) {
    own.sum += v;
    own.count++;
  }
  std::printf("%g %ld\n", own.sum, own.count);
}
