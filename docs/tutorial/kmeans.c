/* k-means: groups points in the plane around centres. */
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 400000, CENTRES = 24, ROUNDS = 20 };

struct point { double x, y; };

static struct point points[POINTS], centres[CENTRES];
static int nearest[POINTS];

static double squared_distance(struct point a, struct point b)
{
    double dx = a.x - b.x, dy = a.y - b.y;
    return dx * dx + dy * dy;
}

static void assign(void)
{
    int i, c, best;
    double distance, least;

    for (i = 0; i < POINTS; i++) {
        best = 0;
        least = squared_distance(points[i], centres[0]);
        for (c = 1; c < CENTRES; c++) {
            distance = squared_distance(points[i], centres[c]);
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        nearest[i] = best;
    }
}

static void move_centres(void)
{
    struct point sum[CENTRES] = {{0, 0}};
    int count[CENTRES] = {0};
    int i, c;

    for (i = 0; i < POINTS; i++) {
        c = nearest[i];
        sum[c].x += points[i].x;
        sum[c].y += points[i].y;
        count[c]++;
    }
    for (c = 0; c < CENTRES; c++)
        if (count[c] > 0) {
            centres[c].x = sum[c].x / count[c];
            centres[c].y = sum[c].y / count[c];
        }
}

int main(void)
{
    int i, round;

    srand(1);
    for (i = 0; i < POINTS; i++) {
        points[i].x = rand() % 10000 / 10000.0;
        points[i].y = rand() % 10000 / 10000.0;
    }
    for (i = 0; i < CENTRES; i++)
        centres[i] = points[i];
    for (round = 0; round < ROUNDS; round++) {
        assign();
        move_centres();
    }
    for (i = 0; i < CENTRES; i++)
        printf("%.4f %.4f\n", centres[i].x, centres[i].y);
    return 0;
}
