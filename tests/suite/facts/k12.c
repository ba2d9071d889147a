// flags: --parascan-latency=kremlin
// levels: O0 O1 O3
// K12: Kremlin's implementation accepts a loop as DOALL when its critical path exceeds the largest iteration's by less than
// 5. A chain of five iterations of cost 1 (excess 4) passes that test; here it does not.
static int chain(int x, int c) {
  // expect: SERIAL sp=1 work=5 cp=5 iters=5
  // c - x is neither an induction (it alternates) nor a sum (the chain is the subtrahend)
  for (int i = 0; i < 5; i++)
    x = c - x;
  return x;
}

static int cell[6];

static void in_memory(void) {
  // expect: SERIAL sp=1 work=5*6 cp=5*5 iters=5
  // load 4, store 1; i + 1 beside the load
  for (int i = 0; i < 5; i++)
    cell[i + 1] = cell[i];
}

static void parallel(void) {
  // expect: DOALL sp=5 work=5 cp=1 iters=5
  for (int i = 0; i < 5; i++)
    cell[i] = 7;
}

int main(int argc, char **argv) {
  (void)argv;
  in_memory();
  parallel();
  return chain(argc, 100) == 0;
}
