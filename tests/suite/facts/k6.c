// levels: O0 O1 O3
// K6: induction and reduction variables are broken, anti and output dependences ignored, true data and control
// dependences kept.
enum { N = 64 };
static int a[N + 1], b[N + 1], c[N];

static int all(int x) {
  int s = 0;
  int *p = a;
  // expect: DOALL sp=64
  // induction variables i and p
  for (int i = 0; i < N; i++)
    *p++ = b[i] * 3;
  // expect: DOALL_REDUCTION(+:s) sp=64
  // reduction variable
  for (int i = 0; i < N; i++)
    s += b[i];
  // expect: DOALL sp=64
  // anti dependence: the element is overwritten by the next iteration, after it was read
  for (int i = 0; i < N; i++)
    a[i] = a[i + 1] * 3;
  // expect: DOALL sp=64
  // output dependence: all write a[0]
  for (int i = 0; i < N; i++)
    a[0] = b[i] * 3;
  // expect: SERIAL sp=1
  // true dependence
  for (int i = 0; i < N; i++)
    a[i + 1] = a[i] * 3;
  // expect: SERIAL sp=64*7/(63*6+7)
  // control dependence: whether the next iteration happens is known after load 4, add 1, compare 1; the store 1 is behind it
  for (int i = 0; i < N; i++) {
    if (c[i] + 1 == x)
      break;
    b[i] = i;
  }
  return s;
}

int main(void) { return all(-5) < 0; }
