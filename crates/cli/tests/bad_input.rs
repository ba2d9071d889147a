//! Whatever is wrong: one clear message that names the remedy, an exit code of its own, and no half-written file.

mod common;

use std::io::Write;

use common::{CommandResult, WorkFolder};

const LOOP: &str =
    "volatile int x; int main(void) { for (int i = 0; i < 100; i++) x += i; return 0; }\n";

/// A folder with an instrumented program and its profile.
fn place() -> WorkFolder {
    let place = WorkFolder::new();
    place.write("prog.c", LOOP);
    let done = place.sh("parascan-cc -O1 prog.c -o prog && parascan record -- ./prog");
    assert_eq!(
        done,
        CommandResult {
            code: Some(0),
            out: String::new(),
            err: String::new()
        }
    );
    place
}

/// The command fails with this code and one message with all these words.
fn fails(place: &WorkFolder, script: &str, code: i32, words: &[&str]) {
    let done = place.sh(script);
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(code), ""),
        "{script}: {done:?}"
    );
    assert_eq!(
        done.err.matches("error:").count(),
        1,
        "{script}: {}",
        done.err
    );
    assert!(!done.err.contains("panicked"), "{script}: {}", done.err);
    for word in words {
        assert!(
            done.err.contains(word),
            "{script}: no `{word}` in: {}",
            done.err
        );
    }
}

#[test]
fn programs_without_instrumentation() {
    if common::no_tool() {
        return;
    }
    let place = place();
    fails(
        &place,
        "clang-22 prog.c -o plain; parascan record -o p -- ./plain",
        79,
        &["./plain", "parascan-cc", "make CC="],
    );
    fails(
        &place,
        "parascan record -o p -- sh -c 'exit 3'",
        79,
        &["exited with code 3"],
    );
    fails(
        &place,
        "parascan record -o p -- ./missing",
        127,
        &["./missing not found"],
    );
    fails(
        &place,
        "parascan record -o p -- missing-command",
        127,
        &["parascan record -- ./missing-command"],
    );
    fails(
        &place,
        "parascan record -o p -- ./prog.c",
        126,
        &["cannot be executed"],
    );
    fails(
        &place,
        "printf '#!/no/such\\n' > s; chmod +x s; parascan record -o p -- ./s",
        126,
        &["interpreter"],
    );
    assert!(!place.path("p").exists());
}

#[test]
fn outputs_that_are_not_files() {
    if common::no_tool() {
        return;
    }
    let place = place();
    place.write("touch.sh", "touch ran; ./prog");
    let record = "parascan record -o";
    fails(
        &place,
        &format!("mkdir d; {record} d -- sh touch.sh"),
        86,
        &["d is a directory", "-o FILE names"],
    );
    fails(
        &place,
        &format!("mkfifo f; {record} f -- sh touch.sh"),
        86,
        &["f is a pipe"],
    );
    fails(
        &place,
        &format!("{record} /dev/null -- sh touch.sh"),
        86,
        &["/dev/null is a device"],
    );
    fails(
        &place,
        &format!("{record} /dev/stdout -- sh touch.sh > file; c=$?; cat file; exit $c"),
        86,
        &["/dev/stdout is a device"],
    );
    fails(
        &place,
        &format!("{record} missing/p -- sh touch.sh"),
        73,
        &[
            "cannot create missing/p: No such file or directory (os error 2); give another",
            "-o FILE",
        ],
    );
    fails(
        &place,
        &format!("{record} /sys/p -- sh touch.sh"),
        73,
        &["cannot create /sys/p"],
    );
    fails(
        &place,
        &format!("{record} prog/p -- sh touch.sh"),
        73,
        &["cannot create prog/p"],
    );
    assert!(place.path("f").exists() && place.path("d").is_dir());
    assert!(
        !place.path("ran").exists(),
        "outputs are checked before the program runs"
    );
}

#[test]
fn files_of_another_command() {
    if common::no_tool() {
        return;
    }
    let place = place();
    place.sh("printf 'PSCANOMP\\4\\0\\0\\0' > run.omp; printf 'PSCNTRCE\\1\\0\\0\\0' > run.trace; mkdir d");
    let phases = "`parascan phases` reads it";
    let trace = "`parascan ilp --trace` reads it";
    for (script, code, words) in [
        ("parascan plan run.omp", 65, [phases, "run.omp"]),
        ("parascan report run.trace", 65, [trace, "run.trace"]),
        (
            "parascan phases parascan.prof",
            65,
            ["`parascan plan`", "a profile"],
        ),
        (
            "parascan phases run.trace",
            65,
            ["`parascan ilp --trace`", "a trace"],
        ),
        (
            "parascan regions d",
            66,
            ["d is a directory", "`parascan record`"],
        ),
        (
            "parascan phases d",
            66,
            ["d is a directory", "`parascan omp`"],
        ),
        (
            "parascan ilp --trace d",
            66,
            ["d is a directory", "--save-trace"],
        ),
    ] {
        fails(&place, script, code, &words);
    }
}

#[test]
fn unwritable_directories() {
    if common::no_tool() {
        return;
    }
    let place = place();
    // Root may write everywhere, so another user tries.
    if place.sh("id -u").out != "0\n" {
        fails(
            &place,
            "mkdir d; chmod a-w d; parascan record -o d/p -- ./prog",
            73,
            &["Permission denied", "-o FILE"],
        );
    } else {
        let script = "chmod a+rx . && mkdir d && chmod 755 d && setpriv --reuid 65534 --regid 65534 --clear-groups parascan record -o d/p -- ./prog";
        let done = place.sh(script);
        // The tool itself may lie where that user cannot go.
        if done.code == Some(127) || done.code == Some(126) {
            // Not by `eprintln!`, which is shown for failures only.
            let _ = writeln!(std::io::stderr(), "left out: {done:?}");
            return;
        }
        assert_eq!(done.code, Some(73), "{done:?}");
        assert!(done.err.contains("Permission denied"), "{done:?}");
    }
    assert!(!place.path("d/p").exists());
}

#[test]
fn full_disks() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let on_small_disk = |size: &str, inside: &str| {
        place.sh(&format!(
            "mkdir -p disk; unshare --mount sh -c 'mount -t tmpfs -o size={size} none disk || exit 99; {inside}'"
        ))
    };
    if on_small_disk("64k", "true").code != Some(0) {
        let _ = writeln!(
            std::io::stderr(),
            "left out: this user cannot mount a small file system"
        );
        return;
    }
    let done = on_small_disk(
        "64k",
        "echo old > disk/p; head -c 60k /dev/zero > disk/rest 2>/dev/null; parascan record -o disk/p -- ./prog; echo $?; cat disk/p; ls -A disk",
    );
    assert_eq!(done.out, "74\nold\np\nrest\n", "{done:?}");
    assert!(
        done.err.contains("cannot write disk/p") && done.err.contains("free some space"),
        "{done:?}"
    );
    // The scratch space is full.
    let done = on_small_disk(
        "64k",
        "mount --bind disk /dev/shm; TMPDIR=$PWD/disk parascan record -o p -- ./prog; echo $?; ls p",
    );
    assert!(!done.out.starts_with("0\n"), "{done:?}");
    assert!(done.err.contains("space"), "{done:?}");
    assert!(!place.path("p").exists());
}

#[test]
fn compilers_and_parts_that_are_missing() {
    if common::no_tool() {
        return;
    }
    let place = place();
    for driver in ["parascan-cc", "parascan cc", "parascan-c++", "parascan c++"] {
        let script =
            format!("PARASCAN_CLANG=/no/clang PARASCAN_CLANGXX=/no/clang {driver} -c prog.c");
        fails(
            &place,
            &script,
            69,
            &["/no/clang", "clang-22", "apt-get install"],
        );
        let script = format!("mkdir -p empty; PARASCAN_LIBDIR=$PWD/empty {driver} -c prog.c");
        fails(
            &place,
            &script,
            69,
            &["libparascan_pass.so", "cargo xtask build"],
        );
    }
    fails(
        &place,
        "b=$(command -v parascan-cc); PATH=/no/path $b -c prog.c",
        69,
        &["clang-22 not found"],
    );
    fails(
        &place,
        "PARASCAN_FLANG=/no/flang parascan-fc --parascan-watch -c prog.f90",
        69,
        &["/no/flang", "flang-22", "apt-get install", "PARASCAN_FLANG"],
    );
    place.write(
        "marked.c",
        "int main(void) {\n#pragma ompp phase start\n}\n",
    );
    fails(
        &place,
        "mkdir -p empty; PARASCAN_LIBDIR=$PWD/empty parascan cc --watch -c marked.c",
        69,
        &["parascan.h", "cargo xtask build"],
    );
}

#[test]
fn builds_for_watching_that_cannot_be() {
    if common::no_tool() {
        return;
    }
    let place = place();
    place.write(
        "wrong.f90",
        "program p\n!$ompp phase begin\nend program p\n",
    );
    place.write(
        "marked.i",
        "int main(void) {\n#pragma ompp phase start\n}\n",
    );
    for (script, words) in [
        (
            "parascan fc --watch -c wrong.f90",
            &["wrong.f90:2: ompp: unknown word begin"][..],
        ),
        (
            "PARASCAN_WATCH=1 parascan-cc -c marked.i",
            &["marked.i", "preprocessed already"],
        ),
        (
            "parascan-cc --parascan-watch --parascan-clock=64 -c prog.c",
            &["--parascan-watch", "--parascan-clock"],
        ),
    ] {
        fails(&place, script, 2, words);
    }
}

#[test]
fn options_that_contradict_each_other() {
    if common::no_tool() {
        return;
    }
    let place = place();
    for (script, words) in [
        ("parascan", &["Usage"][..]),
        ("parascan record", &["PROGRAM"]),
        ("parascan record --levels 3 -- ./prog", &["A..B"]),
        (
            "parascan record --levels 5..5 -- ./prog",
            &["does not come before"],
        ),
        (
            "parascan record --levels 0..4 --jobs 2 -- ./prog",
            &["fits into one run"],
        ),
        (
            "parascan record --levels 9..12 --max-depth 8 -- ./prog",
            &["--max-depth"],
        ),
        ("parascan record --jobs 0 -- ./prog", &["--jobs 0"]),
        (
            "parascan record --max-depth 0 -- ./prog",
            &["--max-depth 0"],
        ),
        (
            "parascan record --quiet --verbose -- ./prog",
            &["cannot be used with"],
        ),
        (
            "cp /bin/true prog; parascan ./prog",
            &[
                "no command of parascan",
                "did you mean `parascan record -- ./prog` or `parascan ilp -- ./prog`?",
            ],
        ),
        (
            "parascan parascan.prof",
            &["is a profile", "`parascan plan parascan.prof`"],
        ),
        (
            "printf PSCANOMP > run.omp; parascan run.omp",
            &["is a recording", "`parascan phases run.omp`"],
        ),
        ("parascan ./nothing", &["unrecognized subcommand"]),
        (
            "cd .. && parascan pla",
            &["unrecognized subcommand", "'plan'"],
        ),
        (
            "parascan plan --min-sp 0.5 parascan.prof",
            &["--min-sp", "1 or more"],
        ),
        (
            "parascan plan --min-speedup-doall -1 parascan.prof",
            &["-1"],
        ),
        ("parascan plan --cores 0 parascan.prof", &["cores"]),
        ("parascan plan --format xml parascan.prof", &["json"]),
        ("parascan plan - - < parascan.prof", &["only once"]),
        (
            "parascan-cc --parascan-latncy=unit -c prog.c",
            &["--parascan-latency"],
        ),
    ] {
        let done = place.sh(script);
        assert_eq!(
            (done.code, done.out.as_str()),
            (Some(2), ""),
            "{script}: {done:?}"
        );
        assert!(
            words.iter().all(|w| done.err.contains(w)),
            "{script}: {}",
            done.err
        );
    }
}

#[test]
fn tables_personalities_and_regions_that_do_not_exist() {
    if common::no_tool() {
        return;
    }
    let place = place();
    place.write("bad.toml", "name = 1\n");
    place.write("list", "# comment\n\nprog.c:1\nprog.c:77\n");
    for script in [
        "parascan cc --latency nonsense -c prog.c",
        "parascan-cc --parascan-latency=bad.toml -c prog.c",
        "PARASCAN_LATENCY=nonsense parascan-cc -c prog.c",
        "parascan latencies --latency bad.toml",
        "parascan plan --personality nonsense parascan.prof",
        "parascan plan --personality bad.toml parascan.prof",
    ] {
        fails(&place, script, 78, &[]);
    }
    assert!(!place.path("prog.o").exists());
    fails(
        &place,
        "parascan plan --exclude nonsense parascan.prof",
        81,
        &["nonsense", "parascan regions"],
    );
    fails(
        &place,
        "parascan plan --exclude prog.c:9 parascan.prof",
        81,
        &["prog.c:9"],
    );
    fails(
        &place,
        "parascan plan --exclude-file list parascan.prof",
        81,
        &["prog.c:77"],
    );
    fails(
        &place,
        "parascan plan --exclude-file missing parascan.prof",
        66,
        &["missing"],
    );
}

#[test]
fn effort_and_types() {
    if common::no_tool() {
        return;
    }
    let place = place();
    for (options, words) in [
        ("effort --team 0", &["--team", "1 or more"][..]),
        ("effort --serial 0.5", &["serial", "1 or more"]),
        ("effort --min-speedup=-1", &["min-speedup", "0 per cent"]),
        ("types --p-dlp 0", &["p-dlp"]),
        ("types --f-min 2", &["f-min", "0 to 1"]),
        ("types --tolerance 1", &["tolerance"]),
        ("types --agreement nan", &["agreement"]),
    ] {
        fails(
            &place,
            &format!("parascan {options} parascan.prof"),
            2,
            words,
        );
    }
    for option in ["--done", "--exclude"] {
        let script = format!("parascan effort {option} prog.c:77 parascan.prof");
        fails(&place, &script, 81, &["prog.c:77"]);
    }
    fails(
        &place,
        "parascan effort missing.prof",
        66,
        &["missing.prof"],
    );
    fails(&place, "parascan types prog.c", 65, &["prog.c"]);
    let drawing = "mkdir -p d.svg; test -p f.svg || mkfifo f.svg; parascan effort parascan.prof -o";
    let named = |file: &str| format!("{drawing} {file}");
    fails(&place, &named("d.svg"), 86, &["d.svg is a directory"]);
    fails(&place, &named("f.svg"), 86, &["f.svg is a pipe"]);
    fails(&place, &named("no/e.svg"), 73, &["no/e.svg"]);
    for name in ["e.txt", "e", "/dev/null"] {
        fails(&place, &named(name), 2, &[name, ".svg or .png"]);
    }
    let both = "parascan effort -o e.svg --format json";
    fails(&place, both, 2, &["--format", "cannot be used with"]);
    let done = place.sh("parascan effort -o e.svg && parascan effort -o e.png");
    assert_eq!(
        (done.code, done.out.as_str(), done.err.as_str()),
        (Some(0), "", "")
    );
    for (name, begin) in [("e.svg", &b"<svg"[..]), ("e.png", b"\x89PNG")] {
        let bytes = std::fs::read(place.path(name)).unwrap();
        assert!(bytes.starts_with(begin), "{name}");
    }
}

#[test]
fn reports() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let report = "mkdir -p d; test -p f || mkfifo f; parascan report";
    for (options, code, words) in [
        ("missing.prof", 66, &["missing.prof", "parascan record"][..]),
        ("prog.c", 65, &["prog.c"]),
        ("-o d parascan.prof", 86, &["d is a directory"]),
        ("-o f parascan.prof", 86, &["f is a pipe"]),
        ("-o /dev/null parascan.prof", 86, &["a device"]),
        ("-o no/r.html parascan.prof", 73, &["no/r.html", "-o FILE"]),
        ("--source-root no parascan.prof", 66, &["--source-root no"]),
        (
            "--source-root d --no-source parascan.prof",
            2,
            &["--no-source"],
        ),
        ("--cores 0 parascan.prof", 2, &["cores"]),
        ("--exclude nothing.c:1 parascan.prof", 81, &["nothing.c:1"]),
    ] {
        fails(&place, &format!("{report} {options}"), code, words);
    }
    assert!(!place.path("report.html").exists());
}

/// The report holds the source unless it is gone or unwanted, and says so.
#[test]
fn reports_and_their_sources() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let page = |script: &str| {
        let done = place.sh(&format!("{script} && cat report.html"));
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{script}");
        done.out
    };
    let text = "volatile int x;";
    assert!(page("parascan report parascan.prof").contains(text));
    let without = page("parascan report --no-source parascan.prof");
    assert!(!without.contains(text) && without.contains("not part of this report"));
    let changed = "touch -d '+1 hour' prog.c; parascan report parascan.prof";
    assert!(page(changed).contains("was changed after"));
    let gone = "mkdir -p elsewhere; mv prog.c elsewhere/; parascan report parascan.prof";
    let gone = page(gone);
    assert!(!gone.contains(text) && gone.contains("prog.c was not found; --source-root"));
    let found = page("parascan report --source-root elsewhere parascan.prof parascan.prof");
    assert!(found.contains(text));
    // What a profile calls a source is read only if its name is that of one.
    let secret = "ln -sf elsewhere/prog.c key; printf 'int main(void) { for (volatile int i = 0; i < 9; i++); }\n' > p.c; \
                  sed -i '1i # 1 \"key\"' p.c; parascan-cc p.c -o p && parascan record -o k.prof -- ./p && parascan report k.prof";
    let secret = page(secret);
    assert!(!secret.contains(text) && secret.contains("not that of a source file"));
}

/// Without the source lines are estimated; with it they are counted.
#[test]
fn effort_without_sources() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let lines = |script: &str| {
        let done = place.sh(script);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:?}");
        let counted = ["source", "span", "unknown"].into_iter();
        counted
            .filter(|how| done.out.contains(&format!("\"lines_counted\": \"{how}\"")))
            .collect::<Vec<_>>()
    };
    let effort = "parascan effort -o e.svg && parascan effort --format json";
    assert_eq!(lines(effort), ["source"]);
    assert_eq!(
        lines(&format!("rm prog.c; mkdir prog.c; {effort}")),
        ["span"]
    );
    let drawn = std::fs::read_to_string(place.path("e.svg")).expect("a drawing");
    assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"));
}

#[test]
fn profiles_that_are_none() {
    if common::no_tool() {
        return;
    }
    let place = place();
    fails(
        &place,
        "parascan plan missing.prof",
        66,
        &["missing.prof", "parascan record"],
    );
    fails(&place, "parascan plan .", 66, &["directory"]);
    fails(
        &place,
        "parascan plan prog",
        65,
        &["ELF", "parascan record"],
    );
    fails(&place, "parascan regions prog.c", 65, &["text"]);
    fails(
        &place,
        ": > empty; parascan plan empty",
        82,
        &["empty", "record"],
    );
    fails(
        &place,
        "parascan plan - < /dev/null",
        82,
        &["standard input"],
    );
    let bytes = std::fs::read(place.path("parascan.prof")).unwrap();
    let mut newer = bytes[..12].to_vec();
    newer[8] = 200;
    let checksum = crc32fast::hash(&newer);
    newer.extend(checksum.to_le_bytes());
    newer.extend(&bytes[16..]);
    place.write("newer", newer);
    fails(
        &place,
        "parascan plan newer",
        84,
        &["version 200", "update parascan"],
    );
    place.write("longer", [&bytes[..], b"x"].concat());
    fails(&place, "parascan plan longer", 65, &["follows the end"]);
    place.write(
        "other.c",
        "int main(void) { volatile int y = 0; while (y < 5) y++; return 0; }\n",
    );
    fails(
        &place,
        "parascan-cc other.c -o other && parascan record -o other.prof -- ./other; parascan plan parascan.prof other.prof",
        85,
        &["does not belong to the same program"],
    );
}

#[test]
fn profiles_cut_and_changed_anywhere() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let bytes = std::fs::read(place.path("parascan.prof")).unwrap();
    let script = "parascan plan damaged";
    for length in 1..bytes.len() {
        place.write("damaged", &bytes[..length]);
        let done = place.sh(script);
        assert_eq!(
            (done.code, done.err.lines().count(), done.out.as_str()),
            (Some(83), 1, ""),
            "{length}: {done:?}"
        );
    }
    for place_of_bit in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place_of_bit] ^= 1 << (place_of_bit % 8);
        place.write("damaged", changed);
        let done = place.sh(script);
        let code = done.code.unwrap();
        assert!(matches!(code, 65 | 83), "byte {place_of_bit}: {done:?}");
        assert_eq!(
            (done.err.lines().count(), done.out.as_str()),
            (1, ""),
            "byte {place_of_bit}: {done:?}"
        );
    }
}

#[test]
fn runs_that_outlast_the_clocks() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    place.write("long.c", "volatile unsigned d = 1; int main(void) { unsigned x = 1u << 31; for (int i = 0; i < 3000000; i++) x = x / d + 1; return x == 0; }\n");
    let script = "parascan latencies --format toml | sed 's/^int_div = .*/int_div = 1000/' > slow.toml; parascan cc --exact --latency slow.toml -O1 long.c -o exact && parascan record -- ./exact; c=$?; ls *.prof; exit $c";
    let done = place.sh(script);
    assert_eq!((done.code, done.out.as_str()), (Some(80), ""), "{done:?}");
    assert!(done.err.contains("without --parascan-exact"), "{done:?}");
    // With native versions clocks have no end, even where all of the run is asked for.
    let script = "parascan cc --latency slow.toml -O1 long.c -o long && parascan record OPTION -- ./long && ls *.prof && parascan regions parascan.prof";
    for (option, said) in [("", false), ("--exact", true)] {
        let done = place.sh(&script.replace("OPTION", option));
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.out.contains("parascan.prof"), "{done:?}");
        assert_eq!(done.err.contains("too long for clocks"), said, "{done:?}");
    }
}

#[test]
fn readers_that_go_away_and_full_outputs() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let done = place
        .sh("{ parascan regions --format json parascan.prof; echo $? >&2; } | true; sleep 0.2");
    assert!(matches!(done.err.as_str(), "141\n" | "0\n"), "{done:?}");
    fails(
        &place,
        "parascan plan parascan.prof > /dev/full",
        74,
        &["standard output"],
    );
}

#[test]
fn charts_that_cannot_be_drawn() {
    if common::no_tool() {
        return;
    }
    let place = place();
    for (options, code, words) in [
        ("-o chart.pdf", 2, [".svg", ".png"]),
        ("-o .", 2, [".svg", ".png"]),
        ("-o missing/chart.svg", 73, ["missing/chart.svg", "-o FILE"]),
        ("--min-work 101", 2, ["--min-work", "100"]),
        ("--serial-below 0.5", 2, ["--serial-below", "1 or more"]),
        ("--max-boxes 0", 2, ["--max-boxes", "boxes"]),
    ] {
        fails(&place, &format!("parascan chart {options}"), code, &words);
    }
}
