// levels: O0 O1 O3
// Small functions are folded into constants when a caller is looked at; by then, functions further up in the file already
// carry instrumentation, which must not count.
enum { N = 8 };
static unsigned table[N], out[N];

static unsigned folded(unsigned a) { return a * 16 + 3; }

unsigned other(unsigned x, unsigned k) { return x + folded(k); }

static void each(void) {
  // expect: DOALL sp=8 work=8*9 cp=9
  // load 4, multiply 3, add 1, store 1
  for (int i = 0; i < N; i++)
    out[i] = folded(table[i]);
}

int main(void) {
  for (int i = 0; i < N; i++)
    table[i] = i;
  each();
  return out[7] == 115 && other(1, 2) == 36 ? 0 : 1;
}
