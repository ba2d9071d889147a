// levels: O0 O1 O3
// The loop's index is lent: functions get its address that only read it, lambdas hold it. It is stepped by its loop all the same.
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>
enum { N = 64 };
static std::vector<double> a(N), b(N);

static double weigh(const int &k, const double &s) { return k * s + 1; }
template <class T> static const T &larger(const T &x, const T &y) { return x < y ? y : x; }
static void bump(int &k) { k += b[k] > 1e9; }
static const int *kept;
static void keep(const int &k) { kept = &k; }

static void to_functions() {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    b[i] = weigh(i, a[i]);
}

static void to_templates() {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    b[i] += larger(i, 5);
}

static void by_lambda() {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++) {
    auto f = [&](double s) { return s * i + a[i]; };
    b[i] = f(a[i]);
  }
}

static void by_lambda_handed_on() {
  // expect: DOALL
  // clauses:
  for (int i = 0; i < N; i++)
    b[i] += std::count_if(a.begin(), a.begin() + 5, [&](double x) { return x > i; });
}

static int found(const std::map<int, double> &m) {
  int hits = 0;
  // expect: DOALL_REDUCTION(+:hits)
  // clauses: reduction(+:hits)
  for (int i = 0; i < N; i++)
    hits += m.count(i);
  return hits;
}

static void stepped_within() {
  int k = 0;
  // expect: DOALL
  // clauses: words -- no `for`
  while (k < N) {
    b[k] = weigh(k, a[k]);
    k++;
  }
}

static void changed_while_held() {
  int n = 0;
  double sum = 0;
  // expect: CARRIED
  // carried: sum +3->+3 distance 1
  // carried: n +2->+1 distance 1
  for (int i = 0; i < N; i++) {
    auto next = [&] { return n; };
    n += i < 3;
    sum += b[i] * next();
    b[i] = sum;
  }
}

static void changed_by_the_function() {
  // expect: CARRIED
  // carried: i +0->+0 distance 1
  // carried: more -- the function reads and writes it by another name
  for (int i = 0; i < N; i++) {
    bump(i);
    b[i] += 1;
  }
}

static void remembered() {
  // expect: CARRIED
  // carried: i +0->+0 distance 1
  // carried: more -- the body reads it by another name
  for (int i = 0; i < N; i++) {
    keep(i);
    b[i] += *kept;
  }
}

int main() {
  for (int i = 0; i < N; i++)
    a[i] = i % 7;
  std::map<int, double> m;
  for (int i = 0; i < N; i += 2)
    m[i] = i;
  to_functions();
  to_templates();
  by_lambda();
  by_lambda_handed_on();
  stepped_within();
  changed_while_held();
  changed_by_the_function();
  remembered();
  double sum = found(m);
  for (double x : b)
    sum += x;
  std::printf("%g\n", sum);
}
