//! The program behaves as it does alone, and how it ends is seen.

use super::*;

#[test]
fn output_and_code_are_the_programs_own() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let plain = place.sh("./prog");
    let measured = place.sh("parascan ilp -o results -- ./prog");
    assert_eq!(measured, plain);
    assert_eq!(plain.code, Some(7));
    // Without -o the results go where the program's output does not.
    let shown = place.sh("parascan ilp -- ./prog");
    assert_eq!((shown.code, &shown.out), (plain.code, &plain.out));
    assert!(shown.err.contains("available parallelism"), "{}", shown.err);
    for name in ["main", "dot", "walk"] {
        assert!(shown.err.contains(name), "{name}: {}", shown.err);
    }
}

#[test]
fn a_crash_leaves_a_partial_result() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let done = place.sh("parascan ilp --format json -o out.json -- ./prog crash; echo $?");
    assert!(done.out.ends_with("134\n"), "{done:?}");
    let all = read(&place);
    assert_eq!((&all["partial"], &all["signal"]), (&true.into(), &6.into()));
    assert_eq!(routine(&all, "dot")["calls"], 3);
}

#[test]
fn the_program_sees_its_own_environment() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    let variables = "env -i Z=1 \"PATH=$PATH\" B='2 3' A= DYNAMORIO_OPTIONS=x";
    let alone = place.sh(&format!("{variables} env | grep -v DYNAMORIO"));
    let measured = place.sh(&format!("{variables} parascan ilp -o out -- env"));
    assert!(alone.out.starts_with("Z=1\nPATH="), "{alone:?}");
    assert_eq!(measured, alone);
    // And so do those that it executes.
    let child = "sh -c 'env -u _; true'";
    let alone = place.sh(&format!("{variables} {child} | grep -v DYNAMORIO"));
    let followed = place.sh(&format!(
        "{variables} parascan ilp --follow -o out -- {child}"
    ));
    assert_eq!(followed, alone);
}

const ITSELF: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static const char self[] = "/proc/self/exe";
int main(int argc, char **argv) {
    long call = 2, path = (long)self;
    __asm__ volatile("syscall" : "+a"(call), "+D"(path) : "S"(O_RDONLY), "d"(0) : "rcx", "r11", "memory");
    struct stat opened, named;
    fstat(call, &opened);
    stat("prog", &named);
    printf("%d %d %s\n", path == (long)self, opened.st_ino == named.st_ino, argv[0]);
    fflush(stdout);
    char *again[] = {"again", "and", "over", 0};
    if (argc < 3) execv(self, again);
    return 3;
}
"#;

#[test]
fn the_program_finds_itself() {
    if common::no_tool() {
        return;
    }
    let place = compiled(ITSELF, "-O1");
    let alone = place.sh("./prog");
    assert_eq!(alone.out, "1 1 ./prog\n1 1 again\n");
    for follow in ["", "--follow"] {
        let measured = place.sh(&format!("parascan ilp {follow} -o out -- ./prog"));
        assert_eq!(measured.out, alone.out, "{measured:?}");
        assert_eq!(measured.code, alone.code);
    }
}

#[test]
fn a_stripped_program_has_addresses_for_names() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    place.sh("strip prog");
    let all = json(&place, "", "./prog", 7);
    assert!(all["notes"].to_string().contains("no symbols"), "{all}");
    // Its first instructions tell where `main` is.
    assert_eq!(all["scope"], "from main");
    assert_eq!(routine(&all, "main")["calls"], 1);
    let routines = figures(&all, 0, 0)["routines"].as_array().unwrap();
    let own = routines.iter().filter(|routine| {
        let module = routine["module"].as_str().unwrap_or_default();
        let name = routine["name"].as_str().unwrap_or_default();
        module.ends_with("/prog") && name.starts_with("0x")
    });
    // At least the three kernels, one of which is called three times.
    let calls: Vec<u64> = own
        .map(|routine| routine["calls"].as_u64().unwrap())
        .collect();
    assert!(calls.len() >= 3 && calls.contains(&3), "{calls:?}");
}

const THREADS: &str = r#"
#include <pthread.h>
#include <stdio.h>
long shared[2];
void *work(void *p) { long *s = p; for (int i = 0; i < 5000; i++) *s = *s * 3 + i; return 0; }
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(t + i, 0, work, shared + i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    printf("%ld\n", shared[0] - shared[1]);
    return 0;
}
"#;

#[test]
fn threads_have_graphs_of_their_own() {
    if common::no_tool() {
        return;
    }
    let place = compiled(THREADS, "-g -O1 -pthread");
    let all = json(&place, "--threads each", "./prog", 0);
    let graphs = all["graphs"].as_array().unwrap();
    assert_eq!(graphs.len(), 4, "all threads, and three");
    let operations = |graph| figures(&all, graph, 0)["operations"].as_u64().unwrap();
    assert_eq!(operations(0), operations(1) + operations(2) + operations(3));
    let path = |graph| figures(&all, graph, 0)["critical_path"].as_u64().unwrap();
    assert!((1..4).all(|thread| path(thread) <= path(0)));
    assert_eq!(routine(&all, "work")["calls"], 2);
}

#[test]
fn children_are_followed_when_asked_for() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let alone = json(&place, "", "sh -c './prog; exit 3'", 3);
    assert_eq!(alone["graphs"].as_array().unwrap().len(), 1);
    let followed = json(&place, "--follow", "sh -c './prog; exit 3'", 3);
    let graphs = followed["graphs"].as_array().unwrap();
    assert!(graphs.len() > 1);
    let names: Vec<&str> = graphs.iter().filter_map(|g| g["name"].as_str()).collect();
    assert!(names.iter().any(|name| name.contains("prog")), "{names:?}");
}

#[test]
fn processes_are_added_up_and_looked_into() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let shown = place
        .sh("parascan ilp --follow --top 0 -- sh -c './prog; ./prog; exit 3'")
        .err;
    assert!(shown.contains("3 processes"), "{shown}");
    // Three calls in each of two processes.
    let row = shown.lines().find(|line| line.starts_with("dot "));
    let words: Vec<&str> = row.unwrap_or_default().split_whitespace().collect();
    assert_eq!(words.get(2), Some(&"6"), "{shown}");
    // Not the shell, but the first process that has such a routine.
    let options = "--follow --routine dot --chains 1";
    let all = json(&place, options, "sh -c './prog; ./prog; exit 3'", 3);
    let title = all["stretches"][0]["title"].as_str().unwrap_or_default();
    assert!(
        title.starts_with("dot, call 1, process") && title.contains("(prog)"),
        "{all}"
    );
    let chain = &all["stretches"][0]["chains"][0];
    assert!(chain["steps"].as_u64() >= Some(1000));
    let text = chain.to_string();
    assert!(text.contains("addsd") && text.contains("prog.c"), "{text}");
}

#[test]
fn a_wrapper_that_executes_the_program_says_so() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "", "sh -c 'exec ./prog'", 7);
    assert!(all["notes"].to_string().contains("--follow"), "{all}");
    let all = json(&place, "--follow", "sh -c 'exec ./prog'", 7);
    assert!(!all["notes"].to_string().contains("--follow"));
    assert_eq!(all["graphs"].as_array().unwrap().len(), 2);
}

/// A child that ends before what its parent did is read.
const CHILD_FIRST: &str = r#"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    volatile long sum = 0;
    if (fork() == 0) {
        for (int i = 0; i < 5000; i++) sum += i;
        _exit(5);
    }
    int status;
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
}
"#;

#[test]
fn a_child_that_ends_first_does_not_say_where_looking_began() {
    if common::no_tool() {
        return;
    }
    let place = compiled(CHILD_FIRST, "-g -O1");
    let all = json(&place, "--follow", "./prog", 0);
    assert_eq!(all["scope"], "from main");
    assert_eq!(all["graphs"].as_array().unwrap().len(), 2);
    // The dynamic loader takes many more.
    assert!(
        figures(&all, 0, 0)["instructions"].as_u64() < Some(20_000),
        "{all}"
    );
}

/// Requests of terminals, sockets and files that do not tell their size.
const REQUESTS: &str = r#"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
int main(void) {
    int ends[2], there = 0, on = 1;
    if (pipe(ends) || write(ends[1], "abc", 3) != 3) return 1;
    if (ioctl(ends[0], FIOCLEX) || ioctl(ends[0], FIONCLEX) || ioctl(ends[0], FIONBIO, &on)) return 2;
    if (ioctl(ends[0], FIONREAD, &there)) return 3;
    return 4 + there;
}
"#;

#[test]
fn common_requests_to_devices_are_known() {
    if common::no_tool() {
        return;
    }
    let place = compiled(REQUESTS, "-O1");
    let all = json(&place, "", "./prog", 7);
    // Of other requests there would be a note.
    assert_eq!(all["notes"], serde_json::json!([]));
}
