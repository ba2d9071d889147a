// Once `#pragma omp parallel for` (complete, observed): as errno_behind_loops.c, in C++: by std's names, from templates, methods and virtual functions, read by
// std::error_code.
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>
constexpr int N = 1200;
template <class T> T root(T t) { return std::sqrt(t); }
struct Parser {
  virtual ~Parser() = default;
  virtual double parse(const std::string &s) const { return std::strtod(s.c_str(), nullptr); }
};
struct Log : Parser {
  double parse(const std::string &s) const override { return std::log(500.0 - s.size()); }
};
static void report(const char *what) {
  std::cout << what << ' ' << std::error_code(errno, std::generic_category()).message() << '\n';
}
int main(int argc, char **) {
  std::vector<double> a(N), b(N);
  std::vector<std::string> s(N);
  for (int i = 0; i < N; i++) {
    a[i] = 300 - i;
    s[i] = i == 1100 ? "1e999" : std::to_string(i);
  }
  errno = 0;
  for (int i = 0; i < N; i++)
    b[i] = std::sqrt(a[i]);
  report("sqrt");
  errno = 0;
  for (int i = 0; i < N; i++)
    b[i] = root(static_cast<float>(a[i])) + std::pow(i, 2);
  report("template");
  std::unique_ptr<Parser> p(argc > 5 ? new Log : new Parser);
  errno = 0;
  for (int i = 0; i < N; i++)
    b[i] = p->parse(s[i]) > 3;
  report("virtual");
  errno = 0;
  for (int i = 0; i < N; i++)
    b[i] += std::strtol(i == 1150 ? "99999999999999999999" : s[i].c_str(), nullptr, 10);
  report("strtol");
  double sum = 0;
  for (double x : b)
    sum += std::isfinite(x) ? x : 0;
  std::printf("%g\n", sum);
}
