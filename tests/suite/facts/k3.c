// levels: O0 O1 O3
// K3 (Fig. 2): fillFeatures of feature_tracking written anew. Of the three nested loops only the innermost is parallel;
// total parallelism calls the outer ones parallel, self-parallelism does not.
enum { ROWS = 6, COLS = 10, FEATURES = 100 };
static double lambda[ROWS][COLS], strength[FEATURES];
static int where[2][FEATURES];

static void fill_features(void) {
  // expect: SERIAL sp=1 iters=6 cp=60*8 tp=(4+10*100)/8
  for (int i = 0; i < ROWS; i++)
    // expect: SERIAL sp=1 iters=60 instances=6 tp=(4+10*100)/8
    // every point is stronger than all before, so the comparison (load 4, compare 3) waits for the store 1 of the point before
    for (int j = 0; j < COLS; j++) {
      double current = lambda[i][j];
      // expect: DOALL sp=100 iters=6000 instances=60 work=6000*10
      // every feature slot is its own: load 4, compare 3, three stores 1 side by side
      for (int k = 0; k < FEATURES; k++)
        if (strength[k] < current) {
          where[0][k] = j;
          where[1][k] = i;
          strength[k] = current;
        }
    }
}

int main(void) {
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLS; j++)
      lambda[i][j] = i * COLS + j + 1;
  fill_features();
  return where[0][0] != COLS - 1;
}
