// Loops with the dependences that stop them. A comment `//:` on a loop's line lists, separated by `;`:
//   flow NAME +A>+B D    written A lines below the loop's line, read B lines below, at distance D (`D..E`: from D to E)
//   free                 nothing stops it
//   share NAME HOW       how a parallel loop would have to share the object
// A local variable is written where its value is computed (`list = n`: where n is), or chosen (`if (c) x = y`: at the if).
// All flow dependences that are not reductions must be listed.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
static int a[N + 8], b[N + 8], tmp[8], last, key[N + 8];
static double m[N][N];
static char bytes[4 * N + 8];
static long total;
static jmp_buf env;
struct node {
  struct node *next;
  int value;
};

static int counter(void) {
  static int count;
  count++;
  return count;
}

static void leave(int i) {
  for (int k = 0; k < 4; k++)
    if (k == 2 && i % 4 == 3)
      longjmp(env, 1);
}

static int depth(int n) {
  int local[4];
  local[n % 4] = n;
  return n == 0 ? local[0] : depth(n - 1) + local[n % 4];
}

static void independent(void) {
  for (int i = 0; i < N; i++) //: free
    a[i] = 3 * i % 17;
}

static void chains(void) {
  for (int i = 1; i < N; i++) //: flow b[] +1>+1 1
    b[i] = b[i - 1] + a[i];
  for (int i = 4; i < N; i++) //: flow b[] +1>+1 4
    b[i] = b[i - 4] ^ a[i];
  int prev = 0;
  for (int i = 0; i < N; i++) { //: flow prev +2>+1 1
    b[i] = a[i] - prev;
    prev = a[i];
  }
  unsigned seed = 1;
  for (int i = 0; i < N; i++) { //: flow seed +1>+1 1
    seed = seed * 1103515245u + 12345u;
    key[i] = seed >> 16 & 7;
  }
}

static void sometimes(void) {
  // The last iteration reads what the first one wrote.
  for (int i = 0; i < N; i++) { //: flow b +1>+3 63
    b[i] = a[i];
    if (i == N - 1)
      a[i] = b[0];
  }
  int seen = 0;
  for (int i = 0; i < N; i++) { //: flow seen +1>+3 1..7
    if (i % 8 == 0)
      seen = i;
    a[i] = seen;
  }
}

static void storage(void) {
  for (int i = 0; i < N; i++) { //: free; share tmp private
    for (int j = 0; j < 8; j++)
      tmp[j] = a[i] + j;
    for (int j = 0; j < 8; j++)
      b[i] += tmp[j];
  }
  for (int i = 0; i < N; i++) { //: free; share last lastprivate
    last = a[i];
    b[i] = last * last;
  }
  printf("%d\n", last);
  for (int i = 0; i + 1 < N; i++) //: free; share a copy
    a[i] = a[i] + a[i + 1];
}

static void reduced(void) {
  for (int i = 0; i < N; i++) //: free; share total reduction
    total += b[i];
  for (int i = 0; i < N; i++) //: free
    key[a[i] & 7] += 1;
}

static void narrow(void) {
  // Neighbouring bytes of one word belong to different iterations.
  for (int i = 0; i < 4 * N; i++) //: free
    bytes[i] = (char)i;
  for (int i = 0; i < 4 * N; i++) //: flow bytes[] +1>+1 1
    bytes[i + 1] = (char)(bytes[i] + 1);
  for (int i = 0; i < N; i++) //: flow bytes[] +1>+1 1
    memcpy(bytes + i + 1, bytes + i, 1);
  // A word is read over the bytes that the two iterations before wrote.
  for (int i = 2; i < N; i++) { //: flow bytes[] +3>+2 1..2
    short both;
    memcpy(&both, bytes + 2 * i - 3, 2);
    bytes[2 * i] = bytes[2 * i + 1] = (char)(both & 1);
  }
}

static void lives(void) {
  for (int i = 0; i < N; i++) { //: free
    int *block = malloc(4 * sizeof *block);
    block[0] = i;
    a[i] = block[0];
    free(block);
  }
  for (int i = 0; i < N; i++) //: free
    a[i] = depth(i % 5);
  char *text = malloc(4);
  for (int i = 0; i < N; i++) { //: flow text +1>+1 1; flow text[] +2>+3 1
    text = realloc(text, (size_t)i + 4);
    text[i] = (char)i;
    b[i] = i > 0 ? text[i - 1] : 0;
  }
  free(text);
}

static void jumps(void) {
  for (volatile int i = 0; i < N; i = i + 1) //: flow i +0>+0 1; flow i +0>+2 1
    if (setjmp(env) == 0)
      leave(i);
}

static void lists(void) {
  struct node *list = NULL;
  for (int i = 0; i < N; i++) { //: flow list +1>+3 1
    struct node *n = malloc(sizeof *n);
    n->value = i;
    n->next = list;
    list = n;
  }
  for (struct node *n = list; n; n = n->next) //: flow n +0>+1 1
    n->value++;
}

static void hidden(void) {
  for (int i = 0; i < N; i++) //: flow rand() +1>+1 1
    a[i] = rand();
  for (int i = 0; i < N; i++) //: flow count -131>-131 1
    a[i] = counter();
}

static void triangle(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i == j ? N : 1.0 / (1 + i + j);
  // Ever shorter iterations hide in the shadow of the first.
  for (int k = 1; k < N; k++) //: flow m[] +2>+2 1
    for (int i = k; i < N; i++)
      m[i][k] -= m[i][k - 1] * 0.5;
}

int main(void) {
  independent();
  chains();
  sometimes();
  storage();
  reduced();
  narrow();
  lives();
  jumps();
  lists();
  hidden();
  triangle();
  printf("%ld %d %d %d %f\n", total, b[3], key[2], bytes[9], m[3][2]);
  return 0;
}
