// References and pointers to elements of containers that are global: what is written through them bears the container's name in the run.
#include <cstdio>
#include <vector>

struct Particle {
  double x, y, vx, vy;
};
static const int n = 1000;
std::vector<Particle> all(n), others(n);
int moved, key[n];

static void by_reference() {
  // clauses: none
  for (std::size_t i = 0; i < all.size(); ++i) {
    Particle &p = all[i];
    p.x += p.vx;
    p.y += p.vy;
  }
}

static void counted() {
  // clauses: reduction(+:moved)
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto &p = all[i];
    if (p.x > 3) {
      p.x -= 1;
      moved++;
    }
  }
}

static void by_pointer() {
  // clauses: none
  for (int i = 0; i < n; i++) {
    Particle *p = &all[i];
    p->vx *= 0.5;
  }
}

static void one_of_two(double limit) {
  // clauses: unchecked -- the second write of the line never ran
  for (int i = 0; i < n; i++) {
    Particle &p = all[i], &q = others[i / 2];
    p.x += 1; if (p.x > limit) q.x = p.x;
  }
}

static void by_one_iteration(int one) {
  // clauses: unchecked -- nobody knows which of several would stay
  for (int i = 0; i < n; i++) {
    Particle &p = all[i], &q = others[i / 2];
    if (key[i] == one)
      q.y = p.x;
  }
}

static void neighbour() {
  // clauses: words
  for (int i = 1; i < n; i++) {
    Particle &p = all[i], &q = all[i - 1];
    p.y += q.y * 0.5;
  }
}

int main() {
  for (int i = 0; i < n; i++)
    all[i] = {i * 0.5, i * 0.25, (i % 7) - 3.0, (i % 5) - 2.0}, key[i] = i;
  by_reference();
  counted();
  by_pointer();
  one_of_two(1e9);
  by_one_iteration(500);
  neighbour();
  std::printf("%d %g %g %g %g\n", moved, all[7].x, all[9].y, all[3].vx, others[3].x + others[250].y);
}
