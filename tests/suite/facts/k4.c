// levels: O0 O1 O3
// K4: a DOALL loop is one whose self-parallelism equals its iteration count.
enum { N = 100 };
static int a[N], b[N];
static int *from[N];

static void equal(void) {
  // expect: DOALL sp=100 iters=100
  for (int i = 0; i < N; i++)
    a[i] = b[i] * 7;
}

static void unequal(void) {
  // expect: DOALL sp=(50*18+50*5)/18 iters=100
  // independent too, but of different length (test: load 4, compare 1; in half of them divide 12, store 1 behind it):
  // no iteration waits for another, and that is what counts
  for (int i = 0; i < N; i++)
    if (b[i])
      a[i] = i / 11;
}

static void one_link(void) {
  // expect: DOACROSS sp=100*10/16 iters=100
  // pointer 4, load 4, add 1, store 1 = 10; iteration 51 reads what iteration 50 wrote: a single true dependence
  for (int i = 0; i < N; i++)
    a[i] = *from[i] + 1;
}

int main(void) {
  for (int i = 0; i < N; i++)
    b[i] = i % 2, from[i] = i == 51 ? &a[50] : &b[i];
  equal();
  unequal();
  one_link();
  return 0;
}
