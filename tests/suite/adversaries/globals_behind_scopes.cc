// Globals behind `::` where the plain name means something else: a clause with it would mean that.
#include <cstdio>
const int N = 4000; int v[N], out[N];
int total, hits, seen, zed;
#define NI __attribute__((noinline))
struct Base { int total = 0; };
struct Derived : Base { NI void run() {
  for (int i = 0; i < N; i++)
    ::total += v[i];
} };
template <class B> struct Over : B { NI void run() {
  for (int i = 0; i < N; i++)
    ::total += v[i];
} };
NI void around(int hits) { auto f = [&]() {
  for (int i = 0; i < N; i++)
    ::hits += v[i];
  }; f(); (void)hits;
}
namespace A { int seen = 3; NI void run() {
  for (int i = 0; i < N; i++)
    ::seen += v[i];
} }
NI void unused_static() { static int zed = 2; (void)zed;
  for (int i = 0; i < N; i++)
    ::zed += v[i];
}
namespace Q { int inq; struct V { int inq = 0; }; struct W : V { NI void run() {
  for (int i = 0; i < N; i++) {
    Q::inq = v[i]; out[i] += Q::inq; }
} }; }
NI void plain() {
  for (int i = 0; i < N; i++)
    total += v[i];
}
int main() {
  for (int i = 0; i < N; i++) v[i] = i * 7 % 31;
  Derived d; d.run(); Over<Base> o; o.run(); around(4); A::run(); unused_static(); Q::W q; q.run(); plain();
  long s = 0; for (int i = 0; i < N; i++) s = s * 31 + out[i];
  printf("%d %d %d %d %d %ld\n", total, hits, seen, zed, Q::inq, s);
  printf("%d %d %d %d\n", d.total, o.total, A::seen, q.inq);
}
