//! Loops that are named by a line of the source, in the program and in its libraries.

use super::*;

/// Loops by source line: two nested ones, one that the compiler copies, and a function without any.
const LINES: &str = r#"
#include <stdio.h>
double a[64][64];
static inline __attribute__((always_inline)) double row(const double *p, int n) {
    double s = 0;
    for (int k = 0; k < n; k++)
        s += p[k];
    return s;
}
__attribute__((noinline)) double first(int n) { return row(a[0], n); }
__attribute__((noinline)) double second(int n) { return row(a[1], n); }
__attribute__((noinline)) void fill(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = i * j;
}
int main(void) {
    fill(40);
    printf("%g\n", first(40) + second(30));
    return 0;
}
"#;

#[test]
fn a_loop_is_opened_by_its_line() {
    if common::no_tool() {
        return;
    }
    let place = compiled(LINES, "-g -O1 -fno-unroll-loops -fno-vectorize");
    let stretch = |options: &str| {
        let options = format!("--graph g.dot --nodes 60 --collapse {options}");
        let all = json(&place, &options, "./prog", 0);
        (all["stretches"][0].clone(), all["notes"].to_string())
    };
    // The body is of the inner loop, whose fifth iteration stores once.
    let (of_line, notes) = stretch("--routine fill --open prog.c:15:5 --entry 3");
    let title = of_line["opened"]["title"].as_str().unwrap_or(&notes);
    let (start, end) = ("iteration 5 of the loop at 0x", ", entry 3");
    assert!(title.starts_with(start) && title.ends_with(end), "{title}");
    let head = &title[start.len() - 2..title.len() - end.len()];
    let (of_address, _) = stretch(&format!("--routine fill --open {head}:5 --entry 3"));
    assert_eq!(of_line["opened"], of_address["opened"]);
    // The same of a trace.
    let done = place.sh("parascan ilp -o o --save-trace t -- ./prog");
    assert_eq!(done.code, Some(0), "{done:?}");
    let done = place.sh("parascan ilp --format json -o out.json --trace t --graph g.dot --nodes 60 --collapse --routine fill --open prog.c:15:5 --entry 3");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(read(&place)["stretches"][0]["opened"], of_line["opened"]);
    // What is not one loop is not opened.
    let sh = |open: &str| {
        place.sh(&format!(
            "parascan ilp --graph g.dot --open {open} -- ./prog"
        ))
    };
    let copied = sh("prog.c:7:2");
    refused(
        &copied,
        2,
        &["prog.c:7:2", "2 loops", "(first prog.c:", "(second prog.c:"],
    );
    assert_eq!(copied.out, "", "the program was not run");
    let (_, candidate) = copied.err.split_once("--open 0x").unwrap();
    let candidate = candidate.split_once(' ').unwrap().0;
    let (opened, notes) = stretch(&format!("--open 0x{candidate}"));
    assert!(opened["opened"]["title"].is_string(), "{notes}");
    refused(
        &sh("prog.c:18:1"),
        81,
        &["no loop has any of it", "its function has no loop"],
    );
    refused(
        &sh("prog.c:2:1"),
        81,
        &["no code of this line", "nearest lines", ": 6"],
    );
    refused(&sh("other.c:7:1"), 81, &["no code of a file other.c"]);
    refused(&sh("prog.c:0:1"), 2, &["dot.c:12:3"]);
    place.sh("strip prog");
    refused(&sh("prog.c:15:1"), 81, &["no source lines", "-g"]);
}

/// A library with loops: one that a line names, and one that the compiler copies.
const LIBRARY: &str = r#"
static inline __attribute__((always_inline)) double row(const double *p, int n) {
    double s = 0;
    for (int k = 0; k < n; k++)
        s += p[k];
    return s;
}
double first(const double *p, int n) { return row(p, n); }
double second(const double *p, int n) { return row(p + 1, n); }
void fill(double *p, int n) {
    for (int i = 0; i < n; i++)
        p[i] = i * i;
}
"#;

/// A program that has one such library from the beginning, and loads another while it runs. The lines of the program
/// itself are without debug information.
const USER: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
double a[64];
void fill(double *p, int n);
double first(const double *p, int n);
int main(void) {
    void *later = dlopen("./liblater.so", RTLD_NOW);
    if (!later)
        return 1;
    void (*fill_later)(double *, int) = dlsym(later, "fill");
    fill(a, 40);
    fill_later(a, 50);
    printf("%g\n", first(a, 30));
    return 0;
}
"#;

/// Lines of libraries name loops as those of the program do, whenever the libraries are loaded, and in a trace, too.
#[test]
fn a_loop_of_a_library_is_opened_by_its_line() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    place.write("library.c", LIBRARY);
    place.write("later.c", LIBRARY);
    place.write("prog.c", USER);
    for command in [
        "clang-22 -g -O1 -fno-unroll-loops -fno-vectorize -fPIC -shared library.c -o libuser.so",
        "clang-22 -g -O1 -fno-unroll-loops -fno-vectorize -fPIC -shared later.c -o liblater.so",
        "clang-22 -O1 prog.c -o prog -L. -luser -Wl,-rpath,'$ORIGIN' -ldl",
    ] {
        let done = place.sh(command);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{command}");
    }
    let stretch = |options: &str| {
        let options = format!("--graph g.dot --nodes 60 --collapse --routine fill {options}");
        let all = json(&place, &options, "./prog", 0);
        (all["stretches"][0].clone(), all["notes"].to_string())
    };
    let (of_line, notes) = stretch("--open library.c:12:5");
    let title = of_line["opened"]["title"].as_str().unwrap_or(&notes);
    let (start, end) = ("iteration 5 of the loop at 0x", ", entry 1");
    assert!(title.starts_with(start) && title.ends_with(end), "{title}");
    let head = &title[start.len() - 2..title.len() - end.len()];
    let (of_address, _) = stretch(&format!("--open libuser.so:{head}:5"));
    assert_eq!(of_line["opened"], of_address["opened"]);
    let (of_module, _) = stretch("--open libuser.so:library.c:12:5");
    assert_eq!(of_line["opened"], of_module["opened"]);
    // The other library's code is the same, at the same addresses; it is called second.
    let (of_later, notes) = stretch("--open later.c:12:5 --call 2");
    assert_eq!(of_later["opened"]["title"], title, "{notes}");
    let (_, notes) = stretch("--open later.c:12:5");
    assert!(notes.contains("of liblater.so was executed"), "{notes}");
    // The same of a trace.
    let done = place.sh("parascan ilp -o o --save-trace t -- ./prog");
    assert_eq!(done.code, Some(0), "{done:?}");
    let done = place.sh("parascan ilp --format json -o out.json --trace t --graph g.dot --nodes 60 --collapse --routine fill --open library.c:12:5");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert_eq!(read(&place)["stretches"][0]["opened"], of_line["opened"]);
    // What is not one loop is not opened, which is known when the program has ended.
    let sh = |open: &str| {
        place.sh(&format!(
            "parascan ilp -o o --graph g.dot --open {open} -- ./prog"
        ))
    };
    let copied = sh("library.c:5:2");
    refused(
        &copied,
        2,
        &["library.c:5:2", "2 loops", "(first library.c:"],
    );
    assert_eq!(copied.out, place.sh("./prog").out);
    let (_, candidate) = copied.err.split_once("--open libuser.so:0x").unwrap();
    let candidate = candidate.split_once(' ').unwrap().0;
    let (opened, notes) = stretch(&format!("--open libuser.so:0x{candidate}"));
    assert!(notes.contains("was executed in the stretch"), "{opened}");
    refused(
        &sh("library.c:1:1"),
        81,
        &["libuser.so has no code of this line", "nearest lines"],
    );
    refused(
        &sh("other.c:7:1"),
        81,
        &["prog has no source lines", "other.c"],
    );
}
