// levels: O0 O1 O3
// K1 (Fig. 5): a region whose children run one after the other has self-parallelism 1, one with n independent equal
// children has n. Children are functions here, and iterations of loops.
enum { N = 8 };
static int cell[N + 1];

static void step(int *x) { *x = *x * 3; } // load 4, multiply 3, store 1 = 8

// expect-function: SERIAL sp=1 work=8*8 cp=8*8 self_work=0
// every call waits for the store of the one before
static void serial(void) {
  step(&cell[0]);
  step(&cell[0]);
  step(&cell[0]);
  step(&cell[0]);
  step(&cell[0]);
  step(&cell[0]);
  step(&cell[0]);
  step(&cell[0]);
}

// expect-function: TASK sp=8 work=8*8 cp=8 self_work=0
static void independent(void) {
  step(&cell[0]);
  step(&cell[1]);
  step(&cell[2]);
  step(&cell[3]);
  step(&cell[4]);
  step(&cell[5]);
  step(&cell[6]);
  step(&cell[7]);
}

static void loops(void) {
  // expect: SERIAL sp=1 iters=8 cp=8*8
  for (int i = 0; i < N; i++)
    cell[i + 1] = cell[i] * 3;
  // expect: DOALL sp=8 iters=8 cp=8
  for (int i = 0; i < N; i++)
    cell[i] = cell[i] * 3;
}

int main(void) {
  serial();
  independent();
  loops();
  return 0;
}
