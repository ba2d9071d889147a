//! Compiler drivers against plain clang: every command line must end with the same code and print the same, in both
//! kinds of builds.

mod common;

use common::{CommandResult, WorkFolder};

/// Sources in every folder.
const FILES: &[(&str, &str)] = &[
    (
        "main.c",
        "#include <stdio.h>\n#include \"part.h\"\nint main(void) { int s = 0; for (int i = 0; i < 10; i++) s += part(i); printf(\"%d\\n\", s); return 0; }\n",
    ),
    (
        "part.h",
        "#ifndef FACTOR\n#define FACTOR 2\n#endif\nint part(int);\n",
    ),
    (
        "part.c",
        "#include \"part.h\"\nint part(int i) { int s = 0; for (int k = 0; k < i; k++) s += k * FACTOR; return s; }\n",
    ),
    (
        "main.cc",
        "#include <iostream>\n#include <vector>\n#include <numeric>\nint main() { std::vector<int> v(100); for (auto &x : v) x = &x - v.data(); try { v.at(100) = 1; } catch (...) { std::cout << \"caught\\n\"; } std::cout << std::accumulate(v.begin(), v.end(), 0) << '\\n'; }\n",
    ),
    (
        "add.s",
        ".globl add\n.type add,@function\nadd:\n lea (%rdi,%rsi), %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n",
    ),
    (
        "addpp.S",
        "#define NAME add\n.globl NAME\nNAME:\n lea (%rdi,%rsi), %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n",
    ),
    (
        "useadd.c",
        "#include <stdio.h>\nint add(int, int);\nint main(void) { printf(\"%d\\n\", add(40, 2)); return 0; }\n",
    ),
    ("wrong.c", "int main(void) { return undeclared; }\n"),
    ("warns.c", "int main(void) { int unused; return 0; }\n"),
    (
        "missing.c",
        "int nowhere(void);\nint main(void) { return nowhere(); }\n",
    ),
    (
        "threads.c",
        "#include <pthread.h>\n#include <stdio.h>\nstatic void *f(void *p) { return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); puts(\"joined\"); return 0; }\n",
    ),
    ("data.c", "const char table[] = \"only data\";\n"),
    ("empty.c", ""),
    ("rsp", "-O1 -DFACTOR=3 \"main.c\"\npart.c"),
    ("outer.rsp", "@rsp -o 'with space'"),
    (
        "a b.c",
        "#include <stdio.h>\nint main(void) { puts(\"spaced\"); return 0; }\n",
    ),
];

/// Command lines; `$CC` and `$CXX` are plain clang once and the drivers once.
const SAME: &[&str] = &[
    // Compile and link, together and apart, at all levels.
    "$CC main.c part.c && ./a.out",
    "for o in 0 1 2 3 s z fast; do $CC -O$o main.c part.c -lm -o p && ./p || exit 1; done",
    "for g in 0 1 2 3 line-tables-only dwarf-4 gdb; do $CC -g$g -O1 main.c part.c -o p && ./p || exit 1; done",
    "$CC -c main.c part.c && $CC main.o part.o -o p && ./p",
    "$CC -c main.c -o x.o && $CC x.o part.c -o p && ./p; ls",
    "$CXX main.cc -o p && ./p",
    "$CXX -std=c++20 -O2 -c main.cc && $CXX main.o -o p && ./p",
    "$CXX -O1 -x c++ main.cc -x c part.c -o p && ./p",
    "$CXX -stdlib=libstdc++ -O2 main.cc -static -o p && ./p",
    "$CC -S main.c part.c && ls *.s && $CC main.s part.s -o p && ./p",
    "$CC -E main.c | grep -c part",
    "$CC -E -dM part.c | sort",
    "$CC -E -g part.c",
    "$CC -M main.c | head -1; $CC -MM main.c part.c; $CC -MMD -MF d -c part.c && cat d; $CC -MD -MT x -c part.c && grep -c part.h part.d",
    "$CC -fsyntax-only main.c wrong.c",
    "$CC -O2 -emit-llvm -c main.c part.c && file main.bc | grep -c bitcode; $CC main.bc part.bc -o p && ./p",
    "$CC -O2 -emit-llvm -S part.c && grep -c 'define.*@part(' part.ll; $CC -O0 part.ll main.c -o p && ./p",
    // Several kinds of input.
    "cat main.c | $CC -O1 -x c - part.c -o p && ./p",
    "$CC -x c - </dev/null -c -o e.o && ls e.o",
    "$CC useadd.c add.s -o p && ./p",
    "$CC -g -c add.s && $CC useadd.c add.o -o p && ./p",
    "$CC addpp.S useadd.c -o p && ./p",
    "$CC -x assembler-with-cpp -c addpp.S -o a.o && $CC useadd.c a.o -o p && ./p",
    "$CC -include part.h -O2 -DFACTOR=7 -UNDEBUG -Wall -Wextra main.c part.c -o p && ./p",
    "$CC -c data.c empty.c && ls *.o && $CC -shared -o d.so data.o empty.o",
    "$CC 'a b.c' -o 'a b' && './a b'",
    // Response files.
    "$CC @rsp -o p && ./p",
    "$CC @outer.rsp && './with space'",
    "$CC @missing.rsp",
    // Libraries.
    "$CC -O1 -c part.c && ar rcs libpart.a part.o && $CC main.c -L. -lpart -o p && ./p",
    "$CC -O2 -shared -fPIC part.c -o libpart.so && $CC main.c -L. -lpart -Wl,-rpath,. -o p && ./p",
    "$CC -O2 -shared -fPIC part.c -o libpart.so -Wl,-soname,libpart.so -Wl,--version-script=v && $CC main.c ./libpart.so -o p && LD_LIBRARY_PATH=. ./p",
    "$CC -r main.c part.c -o all.o && $CC all.o -o p && ./p",
    "$CC -c main.c part.c && $CC -nostdlib -Wl,-r main.o part.o -o all.o && $CC all.o -o p && ./p",
    "$CC -c main.c part.c && ld -r main.o part.o -o all.o && $CC all.o -o p && ./p",
    // Ways to link.
    "$CC -fuse-ld=lld main.c part.c -o p && ./p",
    "$CC -flto -fuse-ld=lld -O2 main.c part.c -o p && ./p",
    "$CC -flto=thin -fuse-ld=lld -O2 -c main.c part.c && $CC -flto=thin -fuse-ld=lld main.o part.o -o p && ./p",
    "$CC -static main.c part.c -o p && ./p",
    "$CC -static-pie main.c part.c -o p && ./p",
    "$CC -no-pie main.c part.c -o p && ./p",
    "$CC -Wl,--gc-sections -ffunction-sections -fdata-sections -s main.c part.c -o p && ./p",
    "$CC -pthread threads.c -o p && ./p",
    "$CC -Wl,--as-needed -Wl,-z,now,-z,relro -Wl,-Map=map main.c part.c -o p && ./p",
    "$CC -rdynamic main.c part.c -o p && ./p",
    // Precompiled headers.
    "$CC part.h -o part.pch && $CC -include-pch part.pch main.c part.c -o p && ./p",
    "$CC -x c-header part.h -o part.h.pch && $CC -include part.h main.c part.c -o p && ./p",
    "$CC part.h && ls part.h.*",
    // Diagnostics are clang's.
    "$CC wrong.c",
    "$CC missing.c 2>errors; echo $?; grep -q 'undefined reference to `nowhere' errors && tail -1 errors",
    "$CC -Wall warns.c -o p",
    "$CC -Werror -Wall warns.c -o p",
    "$CC nothing.c",
    "$CC",
    "$CC --no-such-option main.c",
    "$CC -Wl,--no-such-option main.c part.c",
    "$CC -o p -c main.c part.c",
    "$CC -Werror -Weverything -Wno-declaration-after-statement -Wno-missing-prototypes -Wno-unsafe-buffer-usage -Wno-poison-system-directories -c part.c && ls part.o",
    "for a in -c -S -E -fsyntax-only '' -shared '-c -emit-llvm' -MM; do $CC -Werror -Wunused-command-line-argument -fPIC $a part.c -o out || exit; done; ls out",
    "$CC -Werror -c part.c -lm",
    "$CC -c -Werror main.c -Wl,-x",
    "$CC -Werror -Wunused-command-line-argument add.s -c",
    "$CC -Werror -Wunused-command-line-argument -E addpp.S",
    // Questions that configure scripts and CMake ask.
    "$CC --version; $CC -dumpversion; $CC -dumpmachine; $CC -print-prog-name=ld; $CC -print-search-dirs; $CC -print-file-name=libc.so; $CC -print-multiarch; $CC --help | head -5",
    "$CC -v; $CXX --version; $CC -print-target-triple; $CC -qversion; $CC -V",
    "$CC -print-resource-dir main.c; $CC -print-libgcc-file-name",
    // Of debug information in its own assembly code clang warns, whoever asked for it.
    "$CC -save-temps -g0 -O1 main.c part.c -o p && ./p && ls",
    "$CC -fno-exceptions -fomit-frame-pointer -march=native -ffast-math -O3 main.c part.c -o p && ./p",
    "$CC -fprofile-instr-generate -c part.c; $CC -ftime-trace -c part.c && ls *.json",
];

fn run(script: &str, cc: &str, cxx: &str) -> CommandResult {
    let place = WorkFolder::new();
    for (name, content) in FILES {
        place.write(name, content);
    }
    place.write("v", "V1 { global: part; local: *; };\n");
    place.sh(&format!("CC='{cc}' CXX='{cxx}'\n{script}"))
}

/// Runs all command lines with plain clang, and with the drivers behind `setting`.
fn compare(setting: &str) {
    let failures: Vec<String> = SAME
        .iter()
        .filter_map(|script| {
            let plain = run(script, "clang-22", "clang++-22");
            let set = format!("{setting}\n{script}");
            let driver = run(&set, "parascan-cc", "parascan-c++");
            (plain != driver)
                .then(|| format!("{script}\n  clang:  {plain:?}\n  driver: {driver:?}"))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        SAME.len(),
        failures.join("\n")
    );
}

#[test]
fn drivers_and_clang_cannot_be_told_apart() {
    if common::no_tool() {
        return;
    }
    compare("");
}

#[test]
fn nor_in_builds_for_parascan_omp() {
    if common::no_tool() {
        return;
    }
    compare("export PARASCAN_WATCH=1");
}
