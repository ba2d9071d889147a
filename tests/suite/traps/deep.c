// Recursion far deeper than any number of lanes: folded, reported, and nothing lost.
static int a[4096];

static int deep(int n) {
  if (n == 0)
    return 1;
  a[n] = deep(n - 1) + 1;
  return a[n];
}

static int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void) {
  // expect: DOALL sp=16 cp=7
  // a loop before the dive
  for (int i = 0; i < 16; i++)
    a[i] = a[i + 100] + 1;
  int x = deep(4000) + ackermann(2, 9);
  // expect: DOALL sp=16 cp=7
  // and one after it
  for (int i = 0; i < 16; i++)
    a[i] = a[i + 100] + 1;
  return x != 4001 + 21;
}
