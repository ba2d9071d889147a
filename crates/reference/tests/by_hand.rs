//! Tiny programs whose work and critical path are computed by hand, with the default latencies: integer add and compare
//! 1, multiply 3, divide 12, load 4, store 1, any library call 20, floating-point add and multiply 3.

mod common;

use parascan_formats::module::RegionKind;

use common::{figures, measured};

#[test]
fn straight_code() -> anyhow::Result<()> {
    // load x (4), multiply (3), divide (12), store (1): one after the other, 20. The other load (4) and add (1) feed a
    // store (1): 6. The result is a constant.
    let subject = measured(
        "unsigned x = 9, y, z, w;\n\
         int main(void) { z = x * 5 / 7; y = w + 1; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(26, 20)]);
    Ok(())
}

#[test]
fn independent_iterations() -> anyhow::Result<()> {
    // Each iteration: load (4), multiply (3), store (1) = 8; the counter costs nothing.
    let subject = measured(
        "unsigned a[10];\n\
         int main(void) { for (int i = 0; i < 10; i++) a[i] = a[i] * 3; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(80, 8)]);
    assert_eq!(figures(&subject, RegionKind::Loop), [(80, 8)]);
    assert_eq!(figures(&subject, RegionKind::Iteration), [(80, 80)]);
    Ok(())
}

#[test]
fn iterations_that_wait() -> anyhow::Result<()> {
    // i - 1 (1), load (4), multiply (3), store (1) = 9 in each of 9 iterations. All differences are there at 1; then
    // the loads wait for the stores before them: 1 + 9 * 8 = 73.
    let subject = measured(
        "unsigned a[10];\n\
         int main(void) { for (int i = 1; i < 10; i++) a[i] = a[i - 1] * 3; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Loop), [(81, 73)]);
    assert_eq!(figures(&subject, RegionKind::Iteration), [(81, 81)]);
    Ok(())
}

#[test]
fn a_sum_in_a_register() -> anyhow::Result<()> {
    // load (4), add (1) in each of 10 iterations; the additions do not wait for each other: 5. `main` stores it: 6.
    let subject = measured(
        "unsigned a[10], r;\n\
         int main(void) { unsigned s = 0; for (int i = 0; i < 10; i++) s += a[i]; r = s; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(51, 6)]);
    assert_eq!(figures(&subject, RegionKind::Loop), [(50, 5)]);
    Ok(())
}

#[test]
fn a_maximum_in_memory() -> anyhow::Result<()> {
    // load a[i] (4), load m (4), compare (1), load a[i] again (4), store (1) in each of 4 iterations, none of which
    // waits for another: load, compare, load and store one after the other are 10.
    let subject = measured(
        "unsigned a[4] = {1, 2, 3, 4}, m;\n\
         int main(void) { for (int i = 0; i < 4; i++) if (a[i] > m) m = a[i]; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Loop), [(56, 10)]);
    assert_eq!(figures(&subject, RegionKind::Iteration), [(56, 40)]);
    Ok(())
}

#[test]
fn a_product_that_is_not_one_operator() -> anyhow::Result<()> {
    // s = s * 3 + 1: multiply (3) and add (1) in each of 10 iterations, a chain of 40; then a store: 41.
    let subject = measured(
        "unsigned r;\n\
         int main(void) { unsigned s = 1; for (int i = 0; i < 10; i++) s = s * 3 + 1; r = s; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(41, 41)]);
    assert_eq!(figures(&subject, RegionKind::Loop), [(40, 40)]);
    assert_eq!(figures(&subject, RegionKind::Iteration), [(40, 40)]);
    Ok(())
}

#[test]
fn a_loop_that_data_ends() -> anyhow::Result<()> {
    // m = 16, 8, 4, 2, 1: each of four iterations divides (12) and compares (1), and the next one waits for both: 52.
    // Before them `main` loads (4) and compares (1).
    let subject = measured(
        "unsigned n = 16;\n\
         int main(void) { unsigned m = n; while (m > 1) m = m / 2; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(57, 57)]);
    assert_eq!(figures(&subject, RegionKind::Loop), [(52, 52)]);
    Ok(())
}

#[test]
fn a_check_that_holds() -> anyhow::Result<()> {
    // Each iteration: load (4) and compare (1) of the check; load (4), multiply (3), store (1), for which nobody waits:
    // work 13, and 8.
    let checked = |end: &str| {
        measured(&format!(
            "#include <stdlib.h>\n\
             unsigned a[10], b[10];\n\
             int main(void) {{ for (int i = 0; i < 10; i++) {{ if (b[i]) {end}; a[i] = a[i] * 3; }} return 0; }}\n"
        ))
    };
    for end in ["abort()", "exit(3)"] {
        let subject = checked(end)?;
        assert_eq!(figures(&subject, RegionKind::Loop), [(130, 8)], "{end}");
    }
    // The program's ordinary end decides about all that follows, from iteration to iteration: 10 * 5, then 8.
    assert_eq!(figures(&checked("exit(0)")?, RegionKind::Loop), [(130, 58)]);
    Ok(())
}

#[test]
fn calls_pass_times_on() -> anyhow::Result<()> {
    // `twice`: multiply (3). In `main`: load (4), twice (3), twice (3), store (1) in a row.
    let subject = measured(
        "unsigned x = 4, y;\n\
         __attribute__((noinline)) unsigned twice(unsigned v) { return v * 2; }\n\
         int main(void) { y = twice(twice(x)); return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(6, 6), (11, 11)]);
    Ok(())
}

#[test]
fn output_is_in_order() -> anyhow::Result<()> {
    // Two calls of the library (20 each) wait for each other.
    let subject = measured(
        "#include <stdio.h>\n\
         int main(void) { printf(\"a%d\\n\", 1); printf(\"b\\n\"); return 3; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(40, 40)]);
    assert_eq!(subject.outcome.output, b"a1\nb\n");
    assert_eq!(subject.outcome.code, 3);
    Ok(())
}

#[test]
fn copied_bytes_keep_their_times() -> anyhow::Result<()> {
    // load (4), multiply (3), store (1) into p.a = 8; the copy takes load + store (5) = 13; load of q.a (4), store (1)
    // = 18. q.b was stored at 1: not on the way.
    let subject = measured(
        "struct s { long a, b, c, d, e; } p, q; long x, y;\n\
         int main(void) { p.a = x * 3; p.b = 1; q = p; y = q.a; return 0; }\n",
    )?;
    assert_eq!(figures(&subject, RegionKind::Function), [(19, 18)]);
    Ok(())
}
