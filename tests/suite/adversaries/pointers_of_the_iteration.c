/* Pointers that every iteration sets to elements and rows. */
#include <stdio.h>
#include <stdlib.h>
#define N 2000
double a[N], w[N], mat[40][40]; int k[N]; double *rows[40], **rr; 
int main(void) { int i, j; double s = 0, *p; 
  rr = malloc(40 * sizeof *rr); for (i = 0; i < 40; i++) rr[i] = calloc(40, sizeof(double));
  for (i = 0; i < N; i++) { a[i] = i; k[i] = i * 7919 % N; }
  for (i = 0; i < 40; i++) rows[i] = mat[i];
  for (i = 0; i < N; i++) {
    double *q = rows[i % 40]; w[i] += q[3]; }
  for (i = 0; i < N; i++) {
    double *q = mat[i % 40]; w[i] += q[3]; }
  for (i = 0; i < N; i++) {
    p = mat[i % 40]; w[i] += p[3]; }
  for (i = 0; i < N; i++) {
    p = &a[i]; w[i] += *p; }
  for (i = 0; i < N; i++) {
    p = &a[i]; w[i] = *p; }
  for (i = 0; i < N; i++) {
    p = &w[i]; *p += a[i]; }
  for (i = 0; i < 40; i++) {
    p = rows[i]; for (j = 0; j < 40; j++) p[j] += i; }
  for (i = 0; i < 40; i++) {
    p = rr[i]; for (j = 0; j < 40; j++) p[j] += mat[i][j]; }
  for (i = 0; i < N; i++) {
    w[i] += rows[i % 40][3]; }
  for (i = 0; i < N; i++) s += w[i];
  printf("%g\n", s); return 0; }
