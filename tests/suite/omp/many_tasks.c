// A taskloop with so many tasks that the runtime halves the loop by tasks of its own.
int main(void) {
    volatile double values[2000];
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(10)
    for (int i = 0; i < 2000; i++)
        values[i] = i;
    return values[1999] != 1999;
}
