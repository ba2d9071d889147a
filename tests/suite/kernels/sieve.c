/* Sieve of Eratosthenes, twin primes, sum of divisors. */
#include <stdio.h>
#define LIMIT 60000
char composite[LIMIT + 1];
int divisors[LIMIT / 10];
int limit = LIMIT;

int main(void) {
  int i, j, count = 0, twins = 0, perfect = 0;
  long sum = 0;
  for (i = 2; i * i <= limit; i++)
    if (!composite[i])
      for (j = i * i; j <= limit; j += i)
        composite[j] = 1;
  for (i = 2; i <= limit; i++)
    if (!composite[i]) {
      count++;
      sum += i;
      if (i > 2 && !composite[i - 2])
        twins++;
    }
  for (i = 1; i < limit / 10; i++)
    for (j = 2 * i; j < limit / 10; j += i)
      divisors[j] += i;
  for (i = 1; i < limit / 10; i++)
    if (divisors[i] == i)
      perfect += i;
  printf("%d %ld %d %d\n", count, sum, twins, perfect);
  return 0;
}
