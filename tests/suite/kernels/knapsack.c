/* Dynamic programming with one row and two rows: knapsack, coins, longest increasing subsequence. */
#include <stdio.h>
#include <string.h>
#define ITEMS 60
#define CAP 900
static int weight[ITEMS], value[ITEMS], best[CAP + 1], row[2][CAP + 1], lis[600], seq[600];
static long ways[CAP + 1];

int main(void) {
  int i, w, j, top = 0, cur = 0;
  int coins[] = {1, 2, 5, 10, 20, 50}, ncoins = sizeof coins / sizeof coins[0];
  for (i = 0; i < ITEMS; i++) {
    weight[i] = 3 + i * 37 % 41;
    value[i] = 5 + i * 53 % 67;
  }
  for (i = 0; i < ITEMS; i++)
    for (w = CAP; w >= weight[i]; w--)
      if (best[w - weight[i]] + value[i] > best[w])
        best[w] = best[w - weight[i]] + value[i];
  for (i = 0; i < ITEMS; i++) {
    int *now = row[cur], *next = row[1 - cur];
    for (w = 0; w <= CAP; w++) {
      next[w] = now[w];
      if (w >= weight[i] && now[w - weight[i]] + value[i] > next[w])
        next[w] = now[w - weight[i]] + value[i];
    }
    cur = 1 - cur;
  }
  ways[0] = 1;
  for (i = 0; i < ncoins; i++)
    for (w = coins[i]; w <= CAP; w++)
      ways[w] += ways[w - coins[i]];
  for (i = 0; i < 600; i++)
    seq[i] = i * 7919 % 601;
  for (i = 0; i < 600; i++) {
    lis[i] = 1;
    for (j = 0; j < i; j++)
      if (seq[j] < seq[i] && lis[j] + 1 > lis[i])
        lis[i] = lis[j] + 1;
    if (lis[i] > top)
      top = lis[i];
  }
  printf("%d %d %ld %d\n", best[CAP], row[cur][CAP], ways[CAP], top);
  return 0;
}
