//! Bounds in memory: figures of tiny programs worked out by hand, with the latencies of `by_hand.rs`.

mod common;

use common::{figures, flow, gaps, measured};
use parascan_formats::module::RegionKind;

#[test]
fn a_member_as_bound() -> anyhow::Result<()> {
    // Each of 10 iterations: load g.p (4), store (1), load g.n (4) for the test: work 9, and the store is there at 5.
    // The store may go to g.n, but does not: nobody waits. In `main` two stores come before, and the guard: load g.n
    // (until 5), compare (6); then g.p (10) and the store (11).
    let subject = measured(
        "struct s { unsigned n, *p; } g; unsigned a[16];\n\
         int main(void) { g.n = 10; g.p = a;\n\
         for (unsigned i = 0; i < g.n; i++) g.p[i] = i;\n\
         return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(97, 11)]);
    assert_eq!(figures(&subject, RegionKind::Loop), [(90, 5)]);
    assert_eq!(figures(&subject, RegionKind::Iteration), [(90, 50)]);
    assert_eq!((gaps(&subject), flow(&subject)), (vec![0], vec![0]));
    Ok(())
}

#[test]
fn nested_members_as_bounds() -> anyhow::Result<()> {
    // Inner iteration: load g.p (4), i * 4 (3), two additions (1 each), store (1), load g.m (4): work 14; the store is
    // there at 5. Around it per outer iteration: load g.m (4) and compare (1) before, load g.n (4) behind; the inner
    // loop starts at 5.
    let subject = measured(
        "struct s { unsigned n, m, *p; } g; unsigned a[16];\n\
         int main(void) { g.n = 3; g.m = 4; g.p = a;\n\
         for (unsigned i = 0; i < g.n; i++)\n\
         for (unsigned j = 0; j < g.m; j++) g.p[i * 4 + j] = i + j;\n\
         return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Loop), [(195, 10), (168, 15)]);
    assert_eq!((gaps(&subject), flow(&subject)), (vec![0, 0], vec![0, 0]));
    Ok(())
}

#[test]
fn a_bound_that_grows() -> anyhow::Result<()> {
    // n grows from 3 to 9 in the first 6 of 9 iterations. Each: load a[i] (4), multiply (3), store (1); load n (4),
    // compare (1); where it grows load n (4), add (1), store (1); load n (4) for the test.
    // Where n is there at X, the new one is at X + 4 + 1 + 4 + 1 + 1 = X + 11, and the next iteration starts then: 66
    // in the end. The last iterations store their product 8 later. An iteration by itself: 11, and the test's load 15.
    let subject = measured(
        "unsigned n = 3, a[16], c[16];\n\
         int main(void) {\n\
         for (unsigned i = 0; i < n; i++) { c[i] = a[i] * 3; if (n < 9) n = n + 1; }\n\
         return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Loop), [(189, 74)]);
    assert_eq!((gaps(&subject), flow(&subject)), (vec![74 - 15], vec![1]));
    Ok(())
}

#[test]
fn a_bound_that_is_written_once() -> anyhow::Result<()> {
    // Every iteration: store (1), compare i with 2 (1), load n for the test (4). Iteration 2 of 4 sets the bound, once
    // its compare is there: load (4), multiply (3), store (1), at 9 in all, and its test loads it until 13. Iteration 3
    // waits for the bound: its store is at 10, its test's load at 13. That is as long as iteration 2 takes by itself.
    let subject = measured(
        "unsigned n = 6, k = 2, a[8];\n\
         int main(void) {\n\
         for (unsigned i = 0; i < n; i++) { a[i] = i; if (i == 2) n = k * 2; }\n\
         return 0; }\n",
    )?;
    assert_eq!(
        figures(&subject, RegionKind::Loop),
        [(4 * (1 + 1 + 4) + 8, 13)]
    );
    assert_eq!((gaps(&subject), flow(&subject)), (vec![0], vec![1]));
    Ok(())
}

#[test]
fn a_bound_behind_pointers_and_arithmetic() -> anyhow::Result<()> {
    // Each of 5 iterations: load p (4) and x->a (4), multiply (3), store (1) as the work of the loop: 12, on the way
    // too. The test: load g (4), g->n (4), subtract (1): 9, nobody waits for it.
    let subject = measured(
        "struct s { int n; } s = { 6 }, *g = &s; struct t { int a, *p; } t; int a[8];\n\
         int main(void) { struct t *x = &t; x->p = a;\n\
         for (int i = 0; i < g->n - 1; i++) x->p[i] = x->a * 3;\n\
         return 0; }\n",
    )?;
    assert_eq!(
        figures(&subject, RegionKind::Loop),
        [(5 * (4 + 4 + 3 + 1 + 9), 9)]
    );
    assert_eq!((gaps(&subject), flow(&subject)), (vec![0], vec![0]));
    Ok(())
}

#[test]
fn a_test_that_is_not_affine() -> anyhow::Result<()> {
    // i * i (3) and the compare (1) decide; n is loaded (4) at the same time as the product: 5. The next iteration
    // waits for that. i = 0, 1, 2, 3 with n = 10: the store of iteration 3 is at 3 * 5 + 1, its test done at 4 * 5.
    let subject = measured(
        "int n = 10, a[8];\n\
         int main(void) { int *p = a;\n\
         for (int i = 0; i * i < n; i++) p[i] = i;\n\
         return 0; }\n",
    )?;
    assert_eq!(
        figures(&subject, RegionKind::Loop),
        [(4 * (1 + 3 + 4 + 1), 20)]
    );
    assert_eq!((gaps(&subject), flow(&subject)), (vec![15], vec![0]));
    Ok(())
}
