//! `parascan ilp` on real programs: they behave as they always do, and the figures are those that a reader of the code
//! works out.

#[path = "../common/mod.rs"]
mod common;
mod errors;
mod figures;
mod graphs;
mod lines;
mod parts;
mod program;

use common::{CommandResult, WorkFolder};
use serde_json::Value;

/// A reduction, a list, and a loop whose iterations are independent; called so often.
const KERNELS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long value; };
__attribute__((noinline)) long walk(struct node *p) { long s = 0; while (p) { s ^= p->value; p = p->next; } return s; }
__attribute__((noinline)) double dot(const double *a, const double *b, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
__attribute__((noinline)) void scale(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 3; }
double x[1000], y[1000];
struct node nodes[500];
int main(int argc, char **argv) {
    for (int i = 0; i < 499; i++) nodes[i].next = nodes + i + 1;
    double r = 0;
    for (int k = 0; k < 3; k++) { r += dot(x, y, 1000); y[k] = r; }
    scale(x, 1000);
    printf("%g %ld\n", r, walk(nodes));
    if (argc > 1) { fflush(stdout); abort(); }
    return 7;
}
"#;

fn compiled(source: &str, flags: &str) -> WorkFolder {
    let place = WorkFolder::new();
    place.write("prog.c", source);
    let done = place.sh(&format!("clang-22 {flags} prog.c -o prog"));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    place
}

/// Kernels without unrolling or vectors, so that the code is what the source says.
fn kernels() -> WorkFolder {
    compiled(KERNELS, "-g -O1 -fno-unroll-loops -fno-vectorize")
}

/// Runs with results as JSON; the program's own code is checked.
fn json(place: &WorkFolder, options: &str, command: &str, code: i32) -> Value {
    let done = place.sh(&format!(
        "parascan ilp --format json -o out.json {options} -- {command}"
    ));
    assert_eq!(
        (done.code, done.err.as_str()),
        (Some(code), ""),
        "{options}"
    );
    read(place)
}

fn read(place: &WorkFolder) -> Value {
    let text = std::fs::read_to_string(place.path("out.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The figures of one graph under one model.
fn figures(all: &Value, graph: usize, model: usize) -> &Value {
    &all["graphs"][graph]["results"][model]
}

fn whole(all: &Value) -> (u64, u64) {
    let figures = figures(all, 0, 0);
    (
        figures["operations"].as_u64().unwrap(),
        figures["critical_path"].as_u64().unwrap(),
    )
}

fn routine<'a>(all: &'a Value, name: &str) -> &'a Value {
    let routines = figures(all, 0, 0)["routines"].as_array().unwrap();
    let found = routines.iter().find(|routine| routine["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not among the routines"))
}

/// Code and one message in which all of these stand.
fn refused(done: &CommandResult, code: i32, words: &[&str]) {
    assert_eq!(done.code, Some(code), "{done:?}");
    for word in words {
        assert!(done.err.contains(word), "{word}: {}", done.err);
    }
    assert!(!done.err.contains("panicked"), "{}", done.err);
}
