// Wrong directive (observed), line 10: plain, which holds with argument 0; with 1 the lambda sets `last`.
#include <cstdio>
#include <cstdlib>
static const int N = 3000;
static int v[N], w[N], last = -1;
int main(int argc, char **argv) {
  int mode = atoi(argv[1]);
  for (int i = 0; i < N; i++)
    v[i] = i * 31 % 1007 - mode * 300;
  for (int i = 0; i < N; i++) {
    auto f = [&](int x) {
      if (x < 0) last = i;
      return x + 1;
    };
    w[i] = f(v[i]);
  }
  printf("%d %d\n", last, w[7]);
}
