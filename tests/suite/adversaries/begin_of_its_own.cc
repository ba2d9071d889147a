// Once directives: functions of the program itself were taken for those of the library by their names, which every thread then called.
#include <cstdio>
#include <vector>
struct Points {                       // lazily filled: common
  std::vector<double> v; int n; bool ready = false;
  void fill() { for (int i = 0; i < n; i++) v.push_back(i * 0.5); ready = true; }
  double* begin() { if (!ready) fill(); return v.data(); }
  double* end() { return v.data() + v.size(); }
  int size() { if (!ready) fill(); return (int)v.size(); }
};
double w[100000];
int main() {
  Points p{{}, 100000};
  for (int i = p.size() - 1; i >= 0; i--) /*S*/
    w[i] = i;
  Points q{{}, 100000};
  for (double& x : q) /*S*/
    x += 1;
  double s = 0; for (int i = 0; i < 100000; i++) s += q.v[i] * (i % 7) + w[i]; printf("%zu %zu %.9g\n", p.v.size(), q.v.size(), s);
}
