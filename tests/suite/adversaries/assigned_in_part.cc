// Once `lastprivate(p)`: the class assigns less than all of itself.
#include <cstdio>
struct P { double x, y; P &operator=(const P &o) { x = o.x; return *this; } };
double A[600];
int main() {
  P p; p.y = 5;
  for (int i = 0; i < 600; i++) {
    p.x = i; p.y = i * 2;
    A[i] = p.x;
  }
  printf("%g %g %g\n", p.x, p.y, A[7]);
}
