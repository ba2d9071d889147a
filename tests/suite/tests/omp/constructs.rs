//! Constructs of OpenMP, counted by hand.

use super::*;

/// Executions by kind of everything in a run but the program itself.
fn by_kind(run: &Watched) -> BTreeMap<String, u64> {
    let kinds: BTreeSet<&str> = run.regions().filter_map(|r| r["kind"].as_str()).collect();
    let kinds = kinds.into_iter().filter(|&kind| kind != "program");
    kinds
        .map(|kind| (kind.to_owned(), run.executions(kind)))
        .collect()
}

/// A loop that becomes 200 tasks, which the runtime halves by tasks of its own first: all have its place.
#[test]
fn tasks_of_a_halved_loop_have_its_place() -> Result<()> {
    let setup = Setup::new()?;
    let run = watch(&setup, &build(&setup, "many_tasks.c")?, &[])?;
    let lines: Vec<_> = run
        .of_kind("task")
        .iter()
        .map(|r| r["line"].clone())
        .collect();
    assert_eq!(lines, [6]);
    assert!(run.executions("task") >= 200);
    Ok(())
}

/// Four rounds of every construct on two threads, counted by hand; nested regions have four threads, the last one has
/// one to four. Tasks are 1 + 10 + 8 in each round, locks one and two of each thread.
#[test]
fn constructs_are_shown_as_what_they_are() -> Result<()> {
    let everywhere = [
        ("parallel", 4 * (2 + 2 + 4) + 1 + 2 + 3 + 4),
        ("single", 4 * 2 * 2),
        ("critical", 4 * 2 * 2),
        ("lock", 4 * 2 * 3),
        ("ordered", 4 * 20),
        ("task", 4 * (1 + 10 + 8)),
        ("task_group", 4 * 2),
        ("task_loop", 4),
        ("task_wait", 4 * 4),
    ];
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, u64)]);
    let cases: [Case; 3] = [
        (
            "clang-22",
            "kinds.c",
            &[
                ("loop", 4 * 2 * 5),
                ("sections", 4 * 2),
                ("barrier", 4 * 2),
                ("masked", 4),
            ],
        ),
        // Sections are loops for flang, and its reductions are told.
        (
            "flang-22",
            "kinds.f90",
            &[
                ("loop", 4 * 2 * 6),
                ("barrier", 4 * 2),
                ("masked", 4),
                ("reduction", 4 * 2),
                ("implicit_barrier", 4 * 2 * 2),
            ],
        ),
        // What docs/omp.md says of gcc: no static loops, no master, sections are loops, and the explicit barrier
        // follows the guided loop. Ahead of it stands that of the static loop.
        (
            "gcc",
            "kinds.c",
            &[("loop", 4 * 2 * 4), ("implicit_barrier", 4 * 2)],
        ),
    ];
    let setup = Setup::new()?;
    for (compiler, source, own) in cases {
        // With less optimization gcc's debug information tells the lines of more calls.
        let optimized = if compiler == "gcc" { "-O2" } else { "-O1" };
        let program = compile(&setup, compiler, source, &[optimized])?;
        let run = watch(&setup, &program, &[])?;
        // 4 rounds of 2 threads in 4 kinds of exclusion, of 4 threads, and of 1 to 4.
        assert_eq!(run.output.trim(), "58", "{compiler}");
        // Nor does the runtime print anything for being watched.
        let errors = run.finished.errors();
        assert!(!errors.contains("OMP:"), "{compiler}: {errors}");
        let expected = everywhere.iter().chain(own);
        let expected: BTreeMap<String, u64> = expected.map(|&(k, n)| (k.to_owned(), n)).collect();
        assert_eq!(by_kind(&run), expected, "{compiler}");
        let dynamic = run.of_kind("parallel").into_iter().last();
        let threads = dynamic.and_then(|r| r["threads"].as_array());
        let mut threads: Vec<_> = threads
            .context("threads")?
            .iter()
            .filter_map(|t| t["executions"].as_u64())
            .collect();
        // Which of the inner teams' threads it takes is the runtime's choice.
        threads.sort_unstable();
        assert_eq!(threads, [1, 2, 3, 4], "{compiler}");
        // Each has its place in the source, also where the runtime tells none.
        for region in run.regions().filter(|r| r["kind"] != "program") {
            let file = region["file"].as_str().unwrap_or_default();
            assert!(file.ends_with(source), "{compiler}: {region}");
            assert!(region["line"].as_u64() > Some(0), "{compiler}: {region}");
        }
        // Regions of gcc's programs have the lines of their own directives. (Others have those of the calls, or begin
        // with the first statement.)
        if compiler == "gcc" {
            let text = std::fs::read_to_string(suite_dir().join("omp").join(source))?;
            let directive = |line: &&Value| {
                let number = line.as_u64().unwrap_or(0) as usize;
                let line = text.lines().nth(number.saturating_sub(1));
                line.is_some_and(|line| line.contains("omp parallel"))
            };
            let regions = run.of_kind("parallel");
            let lines: Vec<&Value> = regions.iter().map(|r| &r["line"]).collect();
            assert!(lines.iter().all(directive), "{compiler}: {lines:?}");
        }
        let tasks: BTreeSet<_> = run
            .of_kind("task_wait")
            .iter()
            .map(|r| r["function"].to_string())
            .collect();
        let function = if source == "kinds.c" {
            "\"fibonacci\""
        } else {
            "\"kinds_of::fibonacci\""
        };
        assert_eq!(tasks, BTreeSet::from([function.to_owned()]), "{compiler}");
    }
    Ok(())
}

/// Of one section, the first thread gets it; of five, it gets two and each of the three others one.
#[test]
fn sections_are_counted_by_thread() -> Result<()> {
    let setup = Setup::new()?;
    let program = compile(&setup, "clang-22", "sections.c", &["-O1"])?;
    let run = watch(&setup, &program, &[])?;
    let given = |region: &Value| -> Vec<u64> {
        let threads = region["threads"].as_array().into_iter().flatten();
        threads.filter_map(|t| t["iterations"].as_u64()).collect()
    };
    let of_sections = run.of_kind("sections");
    let given: Vec<_> = of_sections.iter().map(|r| given(r)).collect();
    assert_eq!(given, [[10, 0, 0, 0], [20, 10, 10, 10]]);
    let losses = run.result["losses"].as_array().context("losses")?;
    let few = losses.iter().find(|l| l["kind"] == "few_sections");
    let text = few.context("few_sections")?["text"].to_string();
    assert!(text.contains("has 1 section for 4 threads"), "{text}");
    Ok(())
}
