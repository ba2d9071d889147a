// K5: thresholds of the OpenMP personality: SP >= 5, speedup 0.1 % for DOALL and 3 % for DOACROSS.
// Work: narrow 4 * 300 * 16, large 2000 * 109, small 8 * 2, pipeline 1600 * 108, short pipeline 40 * 108; 414 000 in all.
enum { N = 2000, P = 40, Q = 1600 };
static double a[N], b[N], c[Q], d[P];
static int tiny[8];

static double divide(double x) { return x / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0 / 3.0; }

static void narrow(void) {
  // expect: DOALL sp=4 coverage>=0.04
  // parallel, but only four-fold
  for (int i = 0; i < 4; i++) { // narrow
    double x = a[i];
    // expect: SERIAL sp=1
    for (int k = 0; k < 300; k++)
      x = 1.0 / (x + 1.0);
    b[i] = x;
  }
}

static void large(void) {
  // expect: DOALL sp=2000 coverage>=0.3
  for (int i = 0; i < N; i++) // large
    b[i] = divide(a[i]);
}

static void small(void) {
  // expect: DOALL sp=8 coverage<=0.0005
  // parallel, but not worth 0.1 %
  for (int i = 0; i < 8; i++) // small
    tiny[i] = i + 1;
}

static void pipeline(double s) {
  // expect: DOACROSS sp>=10 coverage>=0.2
  // s: add 3 per iteration; eight divisions 104 hang off it
  for (int i = 0; i < Q; i++) { // pipeline
    s = s + 0.5;
    c[i] = divide(s);
  }
}

static void short_pipeline(double s) {
  // expect: DOACROSS sp>=10 coverage<=0.025
  // the same, but saves less than 3 %
  for (int i = 0; i < P; i++) { // short pipeline
    s = s + 0.5;
    d[i] = divide(s);
  }
}

int main(void) {
  narrow();
  large();
  small();
  pipeline(1);
  short_pipeline(2);
  return 0;
}
