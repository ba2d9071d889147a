// A shared library with a loop; linked or opened at run time.
enum { N = 64 };
static int a[N], b[N];

int in_library(int x) {
  // expect: DOALL sp=64 cp=8 instances=1
  for (int i = 0; i < N; i++)
    a[i] = b[i] * 3;
  return x + a[3];
}
