// Members that are summed of classes, references and captured variables.
#include <algorithm>
#include <cstdio>
#include <vector>
enum Colour { red, green };
struct Base { double sum = 0; };
struct Derived : Base { long n = 0; Colour last = red; };
struct Counted { static int copies; double sum = 0; long n = 0; Counted() {} Counted(const Counted &o) : sum(o.sum), n(o.n) { copies++; } };
int Counted::copies = 0;
class Closed { double sum = 0; long n = 0; friend void friendly(Closed &, const std::vector<double> &); public: double get() const { return sum + n; } void own(const double *x, int k); };
void friendly(Closed &c, const std::vector<double> &x) {
  for (std::size_t i = 0; i < x.size(); i++) { c.sum += x[i]; c.n++; }
}
void Closed::own(const double *x, int k) {
  for (int i = 0; i < k; i++) { sum += x[i]; n++; }
  for (int i = 0; i < k; i++) { this->sum += x[i]; this->n++; }
}
static void derived(Derived &d, const double *x, int k) {
  for (int i = 0; i < k; i++) { d.sum += x[i]; d.n++; }
  for (int i = 0; i < k; i++) { d.n += i; if (x[i] > 5) d.last = green; }
}
static void counted(Counted *c, const double *x, int k) {
  for (int i = 0; i < k; i++) { c->sum += x[i]; c->n++; }
}
template <class T> static void generic(T &t, const double *x, int k) {
  for (int i = 0; i < k; i++) { t.sum += x[i]; t.n++; }
}
struct Pair { double sum = 0; long n = 0; };
struct Other { float sum = 0; int n = 1; };
static void captured(const std::vector<double> &x) {
  Pair p; double most = 0;
  auto add = [&](double v) { p.sum += v; p.n++; most = std::max(most, v); };
  for (std::size_t i = 0; i < x.size(); i++) add(x[i]);
  std::printf("%g %ld %g\n", p.sum, p.n, most);
  const auto all = [&p, &x]() { for (std::size_t i = 0; i < x.size(); i++) { p.sum += x[i]; p.n += 2; } };
  all();
  std::printf("%g %ld\n", p.sum, p.n);
}
static void rvalue(Pair &&p, const double *x, int k) {
  for (int i = 0; i < k; i++) { p.sum += x[i]; p.n++; }
  std::printf("%g %ld\n", p.sum, p.n);
}
static void by_value(Pair p, const double *x, int k) {
  for (int i = 0; i < k; i++) { p.sum += x[i]; p.n++; }
  std::printf("%g %ld\n", p.sum, p.n);
}
static int behind(const std::vector<double> &x) {
  std::size_t i; int hits = 0;
  for (i = 0; i < x.size(); ++i) hits += x[i] > 3;
  std::printf("%zu\n", i);
  const double *q;
  for (q = x.data(); q != x.data() + x.size(); ++q) hits += *q > 4;
  std::printf("%td\n", q - x.data());
  int j;
  for (j = (int)x.size(); j > 10; j -= 3) hits += x[j - 1] > 5;
  return hits + j;
}
int main() {
  std::vector<double> x(2000);
  for (int i = 0; i < 2000; i++) x[i] = i % 7;
  Closed c; friendly(c, x); c.own(x.data(), 2000); std::printf("%g\n", c.get());
  Derived d; derived(d, x.data(), 2000); std::printf("%g %ld %d\n", d.sum, d.n, d.last);
  Counted n; counted(&n, x.data(), 2000); std::printf("%g %ld %d\n", n.sum, n.n, Counted::copies);
  Pair p; generic(p, x.data(), 2000); Other o; generic(o, x.data(), 2000); std::printf("%g %ld %g %d\n", p.sum, p.n, o.sum, o.n);
  captured(x); rvalue(Pair(), x.data(), 2000); by_value(Pair(), x.data(), 2000); std::printf("%d\n", behind(x));
}
