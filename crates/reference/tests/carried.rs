//! Carried dependences: in how many instances of each loop of tiny programs there are some, worked out by hand.

mod common;

use common::{carried, flow, gaps, measured};

/// Arrays and headers of the programs below, on one line; loops of a program stand on lines of their own.
fn program(body: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         unsigned a[64], b[64], v[16] = {{ 3, 9, 4, 9, 5, 9, 2, 6 }}, x[8][8]; unsigned char c[256];\n{body}"
    )
}

/// Of each loop of a program: instances with a carried flow dependence.
fn flows(body: &str) -> anyhow::Result<Vec<u64>> {
    Ok(flow(&measured(&program(body))?))
}

#[test]
fn hidden_behind_longer_iterations() -> anyhow::Result<()> {
    // Iteration i reads what i - 1 wrote at its start, and has longer to do with its own sum than i - 1 had.
    let subject = measured(&program(
        "int main(void) {\n\
         for (unsigned i = 1; i < 6; i++) { a[i] = i; unsigned s = a[i - 1];\n\
         for (unsigned j = 0; j < 5 * i; j++) s = s * 3 + v[j % 8];\n\
         b[i] = s; }\n\
         return 0; }\n",
    ))?;
    // The inner loop's chain is carried in a register, in each of its 5 instances.
    assert_eq!(carried(&subject), [[1, 0, 0], [5, 0, 0]]);
    assert_eq!(gaps(&subject)[0], 0);
    Ok(())
}

#[test]
fn scratch_space() -> anyhow::Result<()> {
    // Every iteration of the outer loop writes all of it before it reads: to be privatized.
    let subject = measured(&program(
        "int main(void) {\n\
         for (unsigned i = 0; i < 4; i++) {\n\
         for (unsigned j = 0; j < 8; j++) a[j] = i + j;\n\
         for (unsigned j = 0; j < 8; j++) x[i][j] = a[7 - j] * 2; }\n\
         return 0; }\n",
    ))?;
    assert_eq!(carried(&subject), [[0, 1, 1], [0, 0, 0], [0, 0, 0]]);
    Ok(())
}

#[test]
fn steps_of_time() -> anyhow::Result<()> {
    // a is made of b and b of a: carried by the loop over time only.
    let subject = measured(&program(
        "int main(void) {\n\
         for (unsigned t = 0; t < 3; t++) {\n\
         for (unsigned j = 0; j < 8; j++) a[j] = b[j] + t;\n\
         for (unsigned j = 0; j < 8; j++) b[j] = a[j] * 3; }\n\
         return 0; }\n",
    ))?;
    assert_eq!(carried(&subject), [[1, 1, 1], [0, 0, 0], [0, 0, 0]]);
    Ok(())
}

#[test]
fn only_some_instances() -> anyhow::Result<()> {
    // Two of five instances of the inner loop read their left neighbour. What instances of other k wrote is overwritten
    // before.
    let subject = measured(&program(
        "int main(void) {\n\
         for (unsigned k = 0; k < 5; k++)\n\
         for (unsigned i = 1; i < 8; i++) a[i] = k % 2 ? a[i - 1] + 1 : k;\n\
         return 0; }\n",
    ))?;
    assert_eq!(carried(&subject), [[0, 1, 1], [2, 0, 0]]);
    Ok(())
}

#[test]
fn an_iteration_that_overwrites_what_was_read() -> anyhow::Result<()> {
    // a[i + 1] is read before the next iteration writes it.
    let subject = measured(&program(
        "int main(void) {\n\
         for (unsigned i = 0; i < 8; i++) a[i] = a[i + 1] * 2;\n\
         return 0; }\n",
    ))?;
    assert_eq!(carried(&subject), [[0, 0, 1]]);
    Ok(())
}

#[test]
fn first_and_last_iteration_only() -> anyhow::Result<()> {
    // The first iteration writes what the last one reads.
    let found = flows(
        "int main(void) {\n\
         for (unsigned i = 0; i < 20; i++) { if (i == 0) a[40] = v[2]; b[i] = i == 19 ? a[40] : i; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1]);
    Ok(())
}

#[test]
fn bytes_and_words() -> anyhow::Result<()> {
    // A word made of this iteration's byte and three older ones; a word of which this iteration wrote two bytes and
    // nobody the others; a byte out of an older iteration's word.
    let found = flows(
        "int main(void) {\n\
         for (unsigned i = 4; i < 20; i++) { unsigned w; c[i] = i; memcpy(&w, c + i - 3, 4); b[i] = w; }\n\
         for (unsigned i = 10; i < 20; i++) { unsigned w; c[4 * i] = i; c[4 * i + 1] = 1; memcpy(&w, c + 4 * i, 4); b[i] = w; }\n\
         for (unsigned i = 1; i < 20; i++) { a[i] = i; b[i] = ((unsigned char *)a)[4 * i - 1]; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 0, 1]);
    Ok(())
}

#[test]
fn words_of_own_and_older_bytes() -> anyhow::Result<()> {
    // A word whose last byte is of this iteration, the others of the one before; the same with a halfword that is read.
    let found = flows(
        "int main(int n, char **list) {\n\
         for (unsigned i = 0; i < 6; i++) { ((unsigned char *)a)[19] = n; b[i] = a[4]; a[4] = i * 3; }\n\
         for (unsigned i = 0; i < 6; i++) { ((unsigned char *)a)[19] = n; unsigned short h; memcpy(&h, (char *)a + 18, 2); b[i] = h; a[4] = i; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 1]);
    Ok(())
}

#[test]
fn copies() -> anyhow::Result<()> {
    // Each row from the one before; each row from a row that no iteration wrote.
    let found = flows(
        "int main(void) {\n\
         for (unsigned i = 1; i < 8; i++) memcpy(x[i], x[i - 1], sizeof x[0]);\n\
         for (unsigned i = 1; i < 8; i++) memcpy(x[i], v, sizeof x[0]);\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 0]);
    Ok(())
}

#[test]
fn a_copy_is_written_when_it_is_made() -> anyhow::Result<()> {
    // What was written before the loop is copied in its first iteration, and the copy read in later ones.
    let found = flows(
        "int main(void) { v[3] = 7;\n\
         for (unsigned i = 0; i < 5; i++) { if (i == 0) memcpy(a, v, 32); b[i] = a[3]; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1]);
    Ok(())
}

#[test]
fn fills_and_comparisons() -> anyhow::Result<()> {
    // The second loop's `memcmp` reads what earlier iterations filled, the first one's what its own did.
    let found = flows(
        "unsigned n;\n\
         int main(void) {\n\
         for (unsigned i = 1; i < 5; i++) { memset(c + 8 * i, i, 8); b[i] = memcmp(c + 8 * i, v, 8) != 0; }\n\
         for (unsigned i = 1; i < 5; i++) { memset(c + 8 * i, i, 8); b[i] = memcmp(c + 8 * i - 8, v, 8) != 0; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [0, 1]);
    Ok(())
}

#[test]
fn through_callees() -> anyhow::Result<()> {
    // A callee's static; what the callee of one iteration wrote and that of the next one reads; nothing of the kind.
    let found = flows(
        "static unsigned next(void) { static unsigned n; return n = n * 3 + 1; }\n\
         __attribute__((noinline)) static void put(unsigned i, unsigned w) { a[i] = w; }\n\
         __attribute__((noinline)) static unsigned get(unsigned i) { return a[i]; }\n\
         int main(void) {\n\
         for (unsigned i = 0; i < 5; i++) b[i] = next();\n\
         for (unsigned i = 1; i < 5; i++) put(i, get(i - 1) + 1);\n\
         for (unsigned i = 1; i < 5; i++) { put(i, i); b[i] = get(i); }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 1, 0]);
    Ok(())
}

#[test]
fn structures_by_value() -> anyhow::Result<()> {
    // The callee reads `a`. Handing all of the structure over is no read of `b`.
    let found = flows(
        "struct big { unsigned long a, b, d, e, f; } s;\n\
         __attribute__((noinline)) static unsigned long first(struct big t) { return t.a; }\n\
         int main(void) {\n\
         for (unsigned i = 0; i < 5; i++) { b[i] = first(s); s.a = i; }\n\
         for (unsigned i = 0; i < 5; i++) { b[i] = first(s); s.b = i; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 0]);
    Ok(())
}

#[test]
fn memory_got_anew() -> anyhow::Result<()> {
    // The same block of the heap, or of the stack, may come back in every iteration; what it held is gone.
    let found = flows(
        "__attribute__((noinline)) static unsigned local(unsigned i) { unsigned t[8]; for (unsigned j = 0; j < 8; j++) t[j] = i + j; return t[i % 8]; }\n\
         int main(void) {\n\
         for (unsigned i = 0; i < 5; i++) { unsigned *p = malloc(32); p[1] = i; b[i] = p[1]; free(p); }\n\
         for (unsigned i = 0; i < 5; i++) { unsigned *p = calloc(8, 4); p[1] = i; b[i] = p[1] + p[2]; free(p); }\n\
         for (unsigned i = 0; i < 5; i++) b[i] = local(i);\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [0, 0, 0, 0]);
    Ok(())
}

#[test]
fn output_is_a_dependence() -> anyhow::Result<()> {
    let found = flows(
        "int main(void) {\n\
         for (unsigned i = 0; i < 5; i++) printf(\"%u\\n\", i);\n\
         for (unsigned i = 0; i < 5; i++) if (i == 3) printf(\"%u\\n\", i);\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 0]);
    Ok(())
}

#[test]
fn atomic_counters() -> anyhow::Result<()> {
    let found = flows(
        "unsigned n;\n\
         int main(void) {\n\
         for (unsigned i = 0; i < 5; i++) b[i] = __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1]);
    Ok(())
}

#[test]
fn reductions_in_memory() -> anyhow::Result<()> {
    // A sum over both loops; one that the outer loop reads; one that it reads and sets to 0 before; a histogram.
    let found = flows(
        "unsigned n, m, o;\n\
         int main(void) {\n\
         for (unsigned i = 0; i < 3; i++)\n\
         for (unsigned j = 0; j < 3; j++) n += v[j];\n\
         for (unsigned i = 0; i < 3; i++) {\n\
         for (unsigned j = 0; j < 3; j++) m += v[j];\n\
         b[i] = m; }\n\
         for (unsigned i = 0; i < 3; i++) { o = 0;\n\
         for (unsigned j = 0; j < 3; j++) o += v[j];\n\
         b[i] = o; }\n\
         for (unsigned i = 0; i < 8; i++) a[v[i]]++;\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [0, 0, 1, 0, 0, 0, 0]);
    Ok(())
}

#[test]
fn recursion() -> anyhow::Result<()> {
    // An iteration first reads what the calls of the loop's earlier iterations wrote one level further down: level 0
    // has one instance, level 1 two, level 2 four; level 3 calls nobody.
    let found = flows(
        "static void f(unsigned d) {\n\
         for (unsigned i = 0; i < 2; i++) { b[d] = a[d + 1]; a[d] = i; if (d < 3) f(d + 1); }\n\
         }\n\
         int main(void) { f(0); return 0; }\n",
    )?;
    assert_eq!(found, [1 + 2 + 4]);
    Ok(())
}

#[test]
fn the_value_of_the_iteration_before() -> anyhow::Result<()> {
    let found = flows(
        "int main(void) { unsigned prev = 0, seed = 7;\n\
         for (unsigned i = 0; i < 5; i++) { b[i] = v[i] - prev; prev = v[i]; }\n\
         for (unsigned i = 0; i < 5; i++) { seed = seed * 69069 + 1; b[i] = seed; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 1]);
    Ok(())
}

#[test]
fn assigned_where_a_condition_holds() -> anyhow::Result<()> {
    // v = 3 9 4 9 5 9 2 6: nothing is above 10; 6 is above 5 in the last iteration, too late; 9 is above 8 early on.
    let found = flows(
        "__attribute__((noinline)) static unsigned f(unsigned from, unsigned limit) { unsigned p = 1;\n\
         for (unsigned i = from; i < 8; i++) { b[i] = v[i] * p; if (v[i] > limit) p = v[i]; }\n\
         return p; }\n\
         int main(void) { return f(0, 10) + f(6, 5) + f(0, 8) > 3; }\n",
    )?;
    assert_eq!(found, [1]);
    Ok(())
}

#[test]
fn assigned_before_it_is_used() -> anyhow::Result<()> {
    // Where the condition holds, the iteration uses its own value; where it does not, that of an earlier one.
    let found = flows(
        "__attribute__((noinline)) static void f(unsigned limit) { unsigned p = 1;\n\
         for (unsigned i = 0; i < 8; i++) { if (v[i] > limit) p = v[i] * 5; b[i] = p; }\n\
         }\n\
         int main(void) { f(1); f(10); f(4); return 0; }\n",
    )?;
    assert_eq!(found, [1]);
    Ok(())
}

#[test]
fn variables_that_change_places() -> anyhow::Result<()> {
    // Nothing new is computed, but which of both values an iteration sees depends on those before.
    let found = flows(
        "int main(int n, char **list) { unsigned p = n, q = n * 3;\n\
         for (unsigned i = 0; i < 8; i++) { b[i] = p + v[i]; unsigned t = p; p = q; q = t; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1]);
    Ok(())
}

#[test]
fn only_the_last_value_matters() -> anyhow::Result<()> {
    let found = flows(
        "int main(void) { unsigned last = 0;\n\
         for (unsigned i = 0; i < 8; i++) { if (v[i] == 9) last = i; b[i] = i; }\n\
         return last; }\n",
    )?;
    assert_eq!(found, [0]);
    Ok(())
}

#[test]
fn carried_by_one_loop_of_a_nest() -> anyhow::Result<()> {
    // The outer loop's `p` is used in the inner one; `q` starts from `p` and is carried on by the inner loop in each of
    // its instances, and back out.
    let found = flows(
        "int main(void) { unsigned p = 0, r = 0;\n\
         for (unsigned i = 0; i < 4; i++) {\n\
         for (unsigned j = 0; j < 4; j++) x[i][j] = p;\n\
         p = v[i]; }\n\
         for (unsigned i = 0; i < 4; i++) { unsigned q = r;\n\
         for (unsigned j = 0; j < 4; j++) { x[i][j] = q; q = v[j]; }\n\
         r = q; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 0, 1, 4]);
    Ok(())
}

#[test]
fn reductions_in_registers() -> anyhow::Result<()> {
    // A sum and a maximum; a chain of two operators.
    let found = flows(
        "int main(void) { unsigned s = 0, m = 0, t = 1;\n\
         for (unsigned i = 0; i < 8; i++) { s += v[i]; if (v[i] > m) m = v[i]; }\n\
         for (unsigned i = 0; i < 8; i++) t = t * 3 + v[i];\n\
         a[0] = s; a[1] = m; a[2] = t; return 0; }\n",
    )?;
    assert_eq!(found, [0, 1]);
    Ok(())
}

#[test]
fn lists_and_states() -> anyhow::Result<()> {
    // The next element's address comes out of this one. What a state decides depends on the iteration that set it.
    let found = flows(
        "struct item { struct item *next; unsigned w; } items[4] = { { items + 1, 1 }, { items + 2, 2 }, { items + 3, 3 }, { 0, 4 } };\n\
         int main(void) { unsigned state = 0;\n\
         for (struct item *p = items; p; p = p->next) p->w *= 2;\n\
         for (unsigned i = 0; i < 8; i++) switch (state) {\n\
         case 0: b[i] = 1; if (v[i] == 4) state = 1; break;\n\
         default: b[i] = 2; }\n\
         return 0; }\n",
    )?;
    assert_eq!(found, [1, 1]);
    Ok(())
}

#[test]
fn a_maximum_and_where_it_was() -> anyhow::Result<()> {
    // The maximum is a reduction, and of its place the last value only is used. A maximum that every iteration looks at
    // is none.
    let found = flows(
        "int main(void) { unsigned m = 0, at = 0, p = 0;\n\
         for (unsigned i = 0; i < 8; i++) if (v[i] > m) { m = v[i]; at = i; }\n\
         for (unsigned i = 0; i < 8; i++) { if (v[i] > p) p = v[i]; b[i] = p; }\n\
         a[0] = m; a[1] = at; return 0; }\n",
    )?;
    assert_eq!(found, [0, 1]);
    Ok(())
}

#[test]
fn a_single_iteration_depends_on_nothing() -> anyhow::Result<()> {
    let subject = measured(&program(
        "int main(void) {\n\
         for (unsigned k = 0; k < 4; k++)\n\
         for (unsigned i = 0; i < 1; i++) a[0] = a[0] * 3 + 1;\n\
         return 0; }\n",
    ))?;
    assert_eq!(carried(&subject), [[1, 1, 0], [0, 0, 0]]);
    Ok(())
}
