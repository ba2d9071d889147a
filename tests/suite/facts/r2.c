// levels: O0 O1 O3
// R2: a[i] = b[i] + c[i] has the critical path of one addition (with its loads and its store), whatever N is.
static int a[1000], b[1000], c[1000];

static void ten(void) {
  // expect: DOALL cp=6 sp=10 tp=10*10/6
  for (int i = 0; i < 10; i++)
    a[i] = b[i] + c[i];
}

static void thousand(void) {
  // expect: DOALL cp=6 sp=1000 tp=1000*10/6
  for (int i = 0; i < 1000; i++)
    a[i] = b[i] + c[i];
}

int main(void) {
  ten();
  thousand();
  return 0;
}
