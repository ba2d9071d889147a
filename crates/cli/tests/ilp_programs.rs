//! Real programs under `parascan ilp`: what they print, which files they leave, and how they end is as without it.

mod common;

use std::io::Write;

use common::WorkFolder;
use serde_json::Value;

/// Threads that pass a baton by a condition variable, and one that ends the program.
const THREADS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;
static void *work(void *p) {
    long me = (long)p;
    for (int round = 0; round < 5; round++) {
        pthread_mutex_lock(&m);
        while (turn % 4 != me) pthread_cond_wait(&c, &m);
        printf("%ld ", me);
        turn++;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(t + i, 0, work, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    puts("");
    exit(5);
}
"#;

/// Handlers of faults, alarms and its own signals, one of which does not return.
const SIGNALS: &str = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
static sigjmp_buf back;
static volatile int alarms, faults;
static char *page;
static void fault(int s, siginfo_t *i, void *c) { faults++; mprotect(page, 4096, PROT_READ | PROT_WRITE); }
static void alarmed(int s) { alarms++; }
static void leave(int s) { siglongjmp(back, s); }
int main(void) {
    struct sigaction a = {0};
    a.sa_sigaction = fault;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &a, 0);
    signal(SIGALRM, alarmed);
    signal(SIGUSR1, leave);
    page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 20; i++) { mprotect(page, 4096, PROT_READ); page[i] = i; }
    struct itimerval soon = {{0, 2000}, {0, 2000}}, never = {0};
    setitimer(ITIMER_REAL, &soon, 0);
    while (alarms < 5) ;
    setitimer(ITIMER_REAL, &never, 0);
    volatile int jumps = 0;
    if (sigsetjmp(back, 1) < 20 && jumps < 20) { jumps++; raise(SIGUSR1); }
    printf("%d faults, %d jumps\n", faults, jumps);
    return 0;
}
"#;

/// Children that are forked, executed, and ended by a signal.
const PROCESSES: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int status;
    if (fork() == 0) { puts("child"); fflush(stdout); _exit(3); }
    wait(&status);
    printf("%d\n", WEXITSTATUS(status)); fflush(stdout);
    if (fork() == 0) { execlp("echo", "echo", "executed", (char *)0); _exit(9); }
    wait(&status);
    if (fork() == 0) raise(SIGTERM);
    wait(&status);
    printf("signal %d\n", WTERMSIG(status)); fflush(stdout);
    return system("exit 4") >> 8;
}
"#;

/// Buffered output that is lost, and a fault that nothing handles.
const CRASH: &str = r#"
#include <stdio.h>
int main(void) { puts("before"); fflush(stdout); printf("lost"); *(volatile int *)8 = 1; return 0; }
"#;

/// A heap that shrinks and grows again, which leaves `errno` alone and gives zeros.
const HEAP: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static char *heap(char *end) { return (char *)syscall(SYS_brk, end); }
static long sum(const char *from, long length) { long s = 0; while (length--) s += *from++; return s; }
int main(void) {
    static char buffer[4096];
    static char *volatile block[30];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 30; i++) {
            errno = ENOENT;
            block[i] = malloc(100000);
            if (errno != ENOENT) printf("round %d, block %d: errno %d\n", round, i, errno);
        }
        for (int i = 30; i-- > 0;) free(block[i]);
    }
    // From here on without malloc.
    char *start = heap(0);
    printf("%ld ", (long)(heap(start + 6000001) - start));
    memset(start, 1, 6000001);
    printf("%ld ", (long)(heap(start + 5000) - start));
    printf("%ld ", (long)(heap(start + 9000000) - start));
    printf("%ld\n", sum(start, 9000000));
    memset(start, 1, 9000000);
    printf("%d ", mlock(start + 40960, 4096));
    printf("%ld ", (long)(heap(start + 4096) - start));
    printf("%ld ", (long)(heap((char *)4096) - start));
    printf("%ld ", (long)(heap(start + 2000000) - start));
    printf("%ld\n", sum(start, 2000000));
    return 3;
}
"#;

const FORTRAN: &str = "
program sums
  real(8) :: a(1000)
  integer :: i
  do i = 1, 1000
    a(i) = 1d0 / i
  end do
  print '(f12.8)', sum(a)
  stop 6
end program
";

const RUST: &str = r#"
use std::collections::HashMap;
fn main() {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in "a b a c b a".split(' ') { *counts.entry(word.to_owned()).or_default() += 1; }
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort();
    println!("{all:?}");
    assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
    let sum: u64 = (0..3).map(|n| std::thread::spawn(move || n * 2)).map(|t| t.join().unwrap()).sum();
    std::process::exit(sum as i32);
}
"#;

/// Masks, broadcasts, gathers and scatters of 512 bits.
const AVX512: &str = r#"
#include <immintrin.h>
#include <stdio.h>
int main(void) {
    double in[64], out[64] = {0};
    for (int i = 0; i < 64; i++) in[i] = i * 0.5;
    __m256i index = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
    __m512d sum = _mm512_setzero_pd();
    for (int i = 0; i < 8; i++) {
        __m512d v = _mm512_i32gather_pd(index, in + i, 8);
        __mmask8 mask = _mm512_cmp_pd_mask(v, _mm512_set1_pd(10), _CMP_GT_OQ);
        sum = _mm512_mask_add_round_pd(sum, mask, sum, v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        _mm512_mask_i32scatter_pd(out + i, mask, index, v, 8);
    }
    double total = 0;
    for (int i = 0; i < 64; i++) total += out[i];
    printf("%g %g\n", _mm512_reduce_add_pd(sum), total);
    return 7;
}
"#;

/// Runs a command alone and measured, in a folder each, and demands the same output, messages, end, and files. Before,
/// a file `source` is written and a command prepares the rest. `ending` is how it ends. Returns the results.
fn unchanged((source, prepare): (&str, &str), command: &str, ending: i32, options: &str) -> Value {
    let run = |measured: &str| {
        let place = WorkFolder::new();
        place.write("source", source);
        let ready = place.sh(prepare);
        assert_eq!(ready.code, Some(0), "{prepare}: {ready:?}");
        // The shell tells of signals only when it has something to do afterwards.
        let done = place.sh(&format!("{measured}{command}; echo \"= $?\""));
        let files = place.sh("ls -A | grep -v '^out[.]json$'; cat kept* 2>/dev/null | cksum");
        (place, done, files)
    };
    let (_, plain, plain_files) = run("");
    let measure = format!("parascan ilp --format json -o out.json {options} -- ");
    let (place, measured, files) = run(&measure);
    let end = format!("= {ending}\n");
    assert!(plain.out.ends_with(&end), "{command}: {plain:?}");
    assert_eq!(measured.out, plain.out, "{command}");
    // The shell's own message of a signal has the whole command in it.
    if ending < 128 {
        assert_eq!(measured.err, plain.err, "{command}");
    }
    assert_eq!(files, plain_files, "{command}");
    let text = std::fs::read_to_string(place.path("out.json")).expect("results");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(all["partial"], ending >= 128, "{command}");
    let whole = &all["graphs"][0]["results"][0];
    assert!(whole["critical_path"].as_u64() > Some(10), "{command}");
    all
}

/// How C is compiled.
const CLANG: &str = "clang-22 -O2 -pthread -x c source -o prog";
/// The same without shared libraries.
const STATIC: &str = "clang-22 -O2 -pthread -static -x c source -o prog";

#[test]
fn commands() {
    if common::no_tool() {
        return;
    }
    let none = ("", "true");
    let text = ("", "seq 1 20000 | sed 's/.*/& & line/' > text");
    // The archive has no time in it, which would tell two runs apart.
    unchanged(text, "gzip -n -k -c text > kept.gz", 0, "");
    unchanged(text, "sort -r -o kept text", 0, "");
    unchanged(text, "sort missing 2>/dev/null", 2, "");
    unchanged(
        none,
        "/usr/bin/python3 -c 'import sys, json; print(json.dumps([i * i for i in range(3000)])); sys.exit(9)'",
        9,
        "",
    );
    let query = "create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) \
                 insert into t select i, i * i % 101 from n; create index x on t(b); select b, count(*), sum(a) from t group by b order by 2, 1 limit 5;";
    unchanged(
        none,
        &format!("sqlite3 kept.db '{query}'"),
        0,
        "--window 64,all",
    );
}

#[test]
fn compiled_programs() {
    if common::no_tool() {
        return;
    }
    let rust = "rustc -O --edition 2024 --crate-name prog source";
    unchanged((RUST, rust), "./prog 2>/dev/null", 6, "");
    let fortran = "mv source sums.f90; flang-22 -O2 sums.f90 -o prog";
    unchanged((FORTRAN, fortran), "./prog 2>&1", 6, "");
    let all = unchanged((THREADS, CLANG), "./prog", 5, "--threads each");
    assert_eq!(all["graphs"].as_array().map(Vec::len), Some(6));
    unchanged((SIGNALS, CLANG), "./prog", 0, "");
    for options in ["", "--follow"] {
        unchanged((PROCESSES, CLANG), "./prog", 4, options);
    }
    unchanged((CRASH, CLANG), "./prog", 139, "");
    unchanged((HEAP, CLANG), "./prog", 3, "");
}

#[test]
fn static_programs_and_scripts() {
    if common::no_tool() {
        return;
    }
    let all = unchanged((THREADS, STATIC), "./prog", 5, "");
    assert_eq!(all["scope"], "from main");
    unchanged((PROCESSES, STATIC), "./prog", 4, "--follow");
    let pie = STATIC.replace("-static", "-static-pie");
    unchanged((SIGNALS, &pie), "./prog", 0, "");
    let script = "#!/bin/sh -e\necho \"$0\" \"$@\" | sort\nseq 3 > kept\nexit 4\n";
    let named = "mv source 'a script'; chmod +x 'a script'";
    for options in ["", "--follow"] {
        unchanged((script, named), "'./a script' one 'two words'", 4, options);
    }
}

#[test]
fn vectors_of_512_bits() {
    if common::no_tool() {
        return;
    }
    if !std::arch::is_x86_feature_detected!("avx512f") {
        // Not captured, as what `println!` prints is.
        let note = "NOT TRIED: vectors of 512 bits, which this processor does not have\n";
        std::io::stderr()
            .write_all(note.as_bytes())
            .expect("standard error");
        return;
    }
    let wide = CLANG.replace("-O2", "-O2 -mavx512f");
    unchanged((AVX512, &wide), "./prog", 7, "");
}
