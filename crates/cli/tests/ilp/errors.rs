//! Errors: what says what is wrong, where, and what to do.

use super::*;

/// A tracer that writes nothing but that it failed: executed in DynamoRIO's place, it finds the shared memory in its
/// options.
const FAILING_TRACER: &str = r#"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
    char path[64];
    const char *options = strstr(getenv("DYNAMORIO_OPTIONS"), "ring=");
    if (!options || sscanf(options, "ring=%63[^' ]", path) != 1) return 90;
    int file = open(path, O_RDWR);
    char *ring = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ring == MAP_FAILED) return 91;
    strcpy(ring + REASON_AT, "emit.rs:7: register 3 is lost");
    *(volatile int *)(ring + FAILED_AT) = FAILED;
    raise(SIGKILL);
}
"#;

#[test]
fn an_error_of_the_tracer_is_told_and_nothing_else() {
    if common::no_tool() {
        return;
    }
    use parascan_abi::trace::{FAILED, Ring};
    use std::mem::offset_of;

    let place = compiled(KERNELS, "-O1");
    place.write("tracer.c", FAILING_TRACER);
    let (failed, reason) = (offset_of!(Ring, failed), offset_of!(Ring, reason));
    let done = place.sh(&format!(
        "mkdir lib && cp \"$PARASCAN_LIB\"/*.cfg lib && touch lib/libparascan_tracer.so && clang-22 -DREASON_AT={reason} -DFAILED_AT={failed} -DFAILED={FAILED} tracer.c -o lib/libdynamorio.so"
    ).replace("$PARASCAN_LIB", &common::bin().join("../lib/parascan").display().to_string()));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let words = ["internal error of the tracer at emit.rs:7: register 3 is lost"];
    for options in [
        "",
        "--format json -o out.json",
        "--count-only out.json",
        "--save-trace out.json",
    ] {
        let done = place.sh(&format!(
            "PARASCAN_LIBDIR=$PWD/lib parascan ilp {options} -- ./prog"
        ));
        refused(&done, 70, &words);
        assert_eq!(done.out, "", "{options}");
        assert!(!place.path("out.json").exists(), "{options}");
    }
}

/// Whatever file cannot be written, the message has its name as given, and the option that names another.
#[test]
fn files_that_cannot_be_written_are_named() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    place.sh("mkdir folder; touch file");
    for (option, file) in [
        ("--histogram", "h.svg"),
        ("--graph", "g.dot"),
        ("--report", "r.html"),
        ("--save-trace", "t.trace"),
    ] {
        let say = format!("give another place with {option} FILE");
        let missing = place.sh(&format!("parascan ilp {option} missing/{file} -- ./prog"));
        let cannot = format!("cannot create missing/{file}: No such file or directory");
        refused(&missing, 73, &[&cannot, &say]);
        assert!(!missing.err.contains(&format!(".{file}")), "{missing:?}");
        place.sh(&format!("mkdir {file}"));
        let folder = place.sh(&format!("parascan ilp {option} {file} -- ./prog"));
        let is = format!("{file} is a directory; {option} FILE names a file");
        refused(&folder, 86, &[&is]);
    }
    let done = place.sh("parascan ilp --plots file -- ./prog");
    refused(&done, 73, &["cannot create the folder file", "--plots"]);
    let done = place.sh("mkdir -p plots/profile.svg; parascan ilp --plots plots -- ./prog");
    refused(
        &done,
        86,
        &["plots/profile.svg is a directory; --plots DIR"],
    );
}

#[test]
fn bad_input_is_refused_in_words() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    place.write("text", "hello");
    place.sh("chmod +x text; printf '\\177ELF\\2\\1\\1' > cut; chmod +x cut; printf '#!/no/such\\n' > script; chmod +x script");
    let sh = |line: &str| place.sh(&format!("parascan ilp {line}"));
    refused(&sh("-- ./missing"), 127, &["missing"]);
    refused(&sh("-- ./text"), 126, &["text"]);
    refused(&sh("-- ./cut"), 126, &["cut"]);
    refused(&sh("-- ./script"), 126, &["/no/such"]);
    refused(&sh(""), 2, &["PROGRAM"]);
    refused(&sh("--window 0 -- ./prog"), 2, &["window"]);
    refused(&sh("--window 7x -- ./prog"), 2, &["--window", "7x"]);
    refused(&sh("--units 0 -- ./prog"), 2, &["unit"]);
    refused(
        &sh("--physical-registers 0 -- ./prog"),
        2,
        &["physical-registers", "at least 1"],
    );
    refused(
        &sh("--physical-registers flags=3 -- ./prog"),
        2,
        &["--physical-registers", "flags=3", "general="],
    );
    refused(
        &sh("--physical-registers 8 --rename none,regs -- ./prog"),
        2,
        &["rename=none", "not renamed"],
    );
    refused(&sh("--rename some -- ./prog"), 2, &["--rename", "some"]);
    refused(&sh("--branches gshare:99,99 -- ./prog"), 2, &["branches"]);
    refused(&sh("--model none.toml -- ./prog"), 66, &["none.toml"]);
    place.write("wrong.toml", "window = 5\nfoo = 1\n");
    refused(
        &sh("--model wrong.toml -- ./prog"),
        78,
        &["wrong.toml", "2"],
    );
    refused(&sh("--from nowhere -- ./prog"), 81, &["nowhere"]);
    refused(&sh("--count 0 -- ./prog"), 2, &["--count"]);
    refused(&sh("--count 7x -- ./prog"), 2, &["--count", "7x", "1k"]);
    refused(&sh("--skip all -- ./prog"), 2, &["--skip", "1k"]);
    refused(&sh("--graph g.png -- ./prog"), 2, &["g.png", ".dot"]);
    refused(&sh("--histogram h.png -- ./prog"), 2, &["h.png", ".svg"]);
    refused(&sh("--routine '[' -- ./prog"), 2, &["--routine"]);
    refused(
        &sh("--steps 3..9 -- ./prog"),
        2,
        &["--steps", "--histogram"],
    );
    refused(&sh("--open 0x1139:3 -- ./prog"), 2, &["--open", "--graph"]);
    refused(&sh("--open 1139:3 -- ./prog"), 2, &["0x4011d0:3"]);
    refused(&sh("-o . -- ./prog"), 86, &["directory"]);
    refused(&sh("--trace text"), 65, &["text"]);
    refused(&sh("--trace missing"), 66, &["missing"]);
    // The program runs, but never this routine.
    let done = sh("--routine nope -o out.txt -- ./prog");
    refused(&done, 81, &["nope"]);
    assert_eq!(done.out, place.sh("./prog").out);
}
