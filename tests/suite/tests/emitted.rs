//! What the pass makes of accesses: the code that stays, seen in the optimizer's output.

use anyhow::Context as _;
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup, Tool, suite_dir};

/// A source text as the optimizer leaves it.
fn module(source: &str, options: &[&str]) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("source.c");
    std::fs::write(&path, source)?;
    let mut driver = Tool::find()?.driver(&path);
    driver.args(["-O2", "-S", "-emit-llvm", "-o", "-"]);
    Ok(run(driver.args(options).arg(&path), LIMIT)?.text())
}

/// A function of a source text as the optimizer leaves it, tracked code alone.
fn emitted(source: &str, name: &str) -> anyhow::Result<String> {
    let text = module(source, &["--parascan-exact"])?;
    let head = format!("@{name}(");
    let function = text
        .split("\ndefine ")
        .find(|part| part.split('\n').next().is_some_and(|l| l.contains(&head)));
    let function = function.with_context(|| format!("no {name} in {text}"))?;
    Ok(function.split("\n}").next().unwrap_or_default().to_owned())
}

/// Loads of tags.
fn tags(function: &str) -> usize {
    let loads = |ty: &str| function.matches(&format!("= load {ty}, ptr")).count();
    loads("i8") + loads("i16")
}

/// Nothing follows the order of random hashes, so that builds can be compared.
#[test]
fn the_same_source_gives_the_same_object() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let source = suite_dir().join("../../bench/programs/bfs.c");
    let object = setup.path("bfs.o");
    let build = || -> anyhow::Result<Vec<u8>> {
        setup.tool.compile(&source, &["-O1", "-g", "-c"], &object)?;
        Ok(std::fs::read(&object)?)
    };
    let first = build()?;
    for _ in 0..3 {
        anyhow::ensure!(build()? == first, "two builds differ");
    }
    Ok(())
}

#[test]
fn pointers_to_characters_are_pointers() -> anyhow::Result<()> {
    let source = "struct s { unsigned char *bytes; };\n\
                  unsigned char *strict(struct s *s) { return s->bytes; }\n\
                  union u { unsigned char *bytes; long number; };\n\
                  long loose(union u *u) { return u->number; }\n";
    assert_eq!(tags(&emitted(source, "strict")?), 0);
    assert_ne!(tags(&emitted(source, "loose")?), 0);
    Ok(())
}

#[test]
fn fields_are_found_from_their_structure() -> anyhow::Result<()> {
    let source = "struct s { int a, b, c, d, e; };\n\
                  int sum(struct s *s) { return s->a + s->b + s->c + s->d + s->e; }\n";
    let function = emitted(source, "sum")?;
    let masks = function.matches(" = and i64 ").count();
    assert_eq!(masks, 1, "one address for five fields:\n{function}");
    Ok(())
}

#[test]
fn rare_calls_keep_registers() -> anyhow::Result<()> {
    let function = emitted("void set(char *p) { *p = 1; }\n", "set")?;
    let call = "call preserve_allcc void @__ps_open_kept(";
    if std::is_x86_feature_detected!("avx2") {
        assert!(function.contains(call), "{function}");
    } else {
        eprintln!("NOT TESTED: this processor has no AVX2");
        assert!(!function.contains(call), "{function}");
    }
    Ok(())
}

#[test]
fn accesses_that_come_together_are_one_report() -> anyhow::Result<()> {
    let source = "struct s { int a, b, c, d, e, f, g; };\n\
                  int sum(struct s *s) { return s->a + s->b + s->c + s->d + s->e + s->f + s->g; }\n\
                  void one(int *a, int *b, int *c, int *d) { *a = *b + *c + *d; }\n\
                  void two(int *a, int *b, int *c, int *d, int *e, int *f) { *a = *b + *c + *d + *e + *f; }\n";
    let calls = |name: &str| -> anyhow::Result<usize> {
        let function = emitted(source, &format!("{name}.deps"))?;
        Ok(function.matches("@__ps_deps_reports(").count())
    };
    assert_eq!(calls("sum")?, 1, "seven fields of one structure");
    assert_eq!(calls("one")?, 1, "four places");
    assert_eq!(calls("two")?, 2, "six places, of which five fit");
    Ok(())
}

#[test]
fn executables_reach_the_runtime_without_a_table() -> anyhow::Result<()> {
    let source =
        "int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n";
    let near = |options: &[&str]| -> anyhow::Result<bool> {
        let text = module(source, options)?;
        let counter = text.lines().find(|l| l.starts_with("@__ps_left ="));
        let counter = counter.context("no counter of looks")?;
        assert!(counter.contains(" external "), "{counter}");
        Ok(counter.contains("dso_local"))
    };
    assert!(near(&["-fPIE"])?);
    assert!(near(&["-fno-pic"])?);
    assert!(!near(&["-fPIC"])?);
    Ok(())
}

#[test]
fn native_versions_count_in_memory_and_begin_innermost_loops_where_they_are_fetched_whole()
-> anyhow::Result<()> {
    let source = "void visit(int *front, int *target, int *level, int *next, int size, int degree) {\n\
                  int found = 0;\n\
                  for (int f = 0; f < size; f++)\n\
                  for (int e = front[f] * degree; e < (front[f] + 1) * degree; e++)\n\
                  if (level[target[e]] < 0) next[found++] = target[e];\n\
                  }\n";
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("source.c");
    std::fs::write(&path, source)?;
    let mut driver = Tool::find()?.driver(&path);
    let text = run(driver.args(["-O2", "-S", "-o", "-"]).arg(&path), LIMIT)?.text();
    for version in ["visit.native", "visit.native.on"] {
        let function = text.split(&format!("\n{version}:")).nth(1);
        let function = function.with_context(|| format!("no {version}"))?;
        let function = function.split(".cfi_endproc").next().unwrap_or_default();
        let counts: Vec<&str> = function
            .lines()
            .map(str::trim)
            .filter(|line| line.contains("__ps_counters"))
            .collect();
        // Iterations of both loops, instances of the inner one; whoever began the rest has counted it.
        assert!(counts.len() >= 3, "{function}");
        for line in counts {
            let adds = line.starts_with("inc") || line.starts_with("add");
            assert!(adds, "{version}: {line}");
        }
        assert!(function.contains(".p2align\t5"), "{function}");
    }
    Ok(())
}

/// Threads begin natively in functions of the types that libraries give them, where there are loops to stay in; which
/// native code counts relative to gs, so that each thread has its own.
#[test]
fn threads_begin_natively_and_count_for_themselves() -> anyhow::Result<()> {
    let source = "long total;\n\
                  void *worker(void *p) { long n = *(long *)p; for (long i = 0; i < n; i++) total += i; return 0; }\n\
                  void *starter(void *p) { return worker(p); }\n\
                  double sum(double *a, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }\n";
    let text = module(source, &[])?;
    let function = |name: &str| {
        let head = format!(" @{name}(");
        let mut functions = text.split("\ndefine ");
        let found = functions.find(|part| part.lines().next().is_some_and(|l| l.contains(&head)));
        found.map(|part| part.split("\n}").next().unwrap_or_default().to_owned())
    };
    for (name, begins) in [("worker", true), ("starter", false), ("sum", false)] {
        let text = function(name).with_context(|| format!("no {name}"))?;
        assert_eq!(text.contains("@__ps_begins("), begins, "{text}");
    }
    for line in text
        .lines()
        .filter(|line| line.contains("@__ps_left") || line.contains("@__ps_counters"))
    {
        assert!(line.contains("addrspace(256)"), "{line}");
    }
    Ok(())
}

/// Small kernels, as programs call them by pointers: native code looks in none whose loops are short and of constant
/// length, and reads no variable that keeps what it begins with.
#[test]
fn native_versions_of_kernels_neither_look_nor_read_constants() -> anyhow::Result<()> {
    let source = "#include <math.h>\n\
                  static double box = 10;\n\
                  static int calls = 3;\n\
                  double near(const double *a, const double *b, double *f) {\n\
                  double sum = 0;\n\
                  for (int k = 0; k < 3; k++) { double d = a[k] - b[k]; d -= box * rint(d / box); f[k] = d; sum += d * d; }\n\
                  return sqrt(sum);\n\
                  }\n\
                  double all(const double *a, const double *b, double *f) {\n\
                  double sum = calls++;\n\
                  for (int k = 0; k < 10; k++) sum += near(a + k, b, f);\n\
                  return sum;\n\
                  }\n";
    let text = module(source, &[])?;
    let native = |name: &str| -> anyhow::Result<String> {
        let head = format!("@{name}.native(");
        let mut functions = text.split("\ndefine ");
        let function =
            functions.find(|part| part.lines().next().is_some_and(|l| l.contains(&head)));
        let function = function.with_context(|| format!("no {head} in {text}"))?;
        Ok(function.split("\n}").next().unwrap_or_default().to_owned())
    };
    let (brief, long) = (native("near")?, native("all")?);
    assert!(
        !brief.contains("@__ps_left") && !brief.contains("@box"),
        "{brief}"
    );
    // One that calls other code may take long, and a variable that is written is none that keeps its value.
    assert!(
        long.contains("@__ps_left") && long.contains("@calls"),
        "{long}"
    );
    Ok(())
}

#[test]
fn what_chooses_between_versions_is_optimized_as_the_native_one() -> anyhow::Result<()> {
    let source =
        "int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n";
    let text = module(source, &[])?;
    let attributes = |name: &str| -> anyhow::Result<&str> {
        let head = format!("@{name}(");
        let line = text
            .lines()
            .find(|line| line.starts_with("define ") && line.contains(&head));
        let line = line.with_context(|| format!("no {name} in {text}"))?;
        let number = line.split(' ').find(|word| word.starts_with('#'));
        let group = format!("attributes {} = ", number.context("no attributes")?);
        let group = text.lines().find(|line| line.starts_with(&group));
        group.context("attributes that are not there")
    };
    let made_small = |name: &str| -> anyhow::Result<bool> {
        let attributes = attributes(name)?;
        let written = attributes.contains("\"parascan-written\"");
        assert_eq!(written, attributes.contains(" optsize "), "{attributes}");
        Ok(written)
    };
    assert!(made_small("sum.tracked")?);
    assert!(!made_small("sum")?);
    assert!(!made_small("sum.native")?);
    Ok(())
}
