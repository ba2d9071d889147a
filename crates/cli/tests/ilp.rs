//! `parascan ilp` on real programs: they behave as they always do, and the figures are those that a reader of the code
//! works out.

mod common;

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

/// On a terminal that the program does not print to, a line says how much was read, and is gone before the results.
#[test]
fn long_runs_say_how_far_they_have_come() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    let done = place.sh("script -qec 'parascan ilp -- sleep 4 > out' typescript");
    assert_eq!(done.code, Some(0), "{done:?}");
    let line = done.out.rfind("MB of trace read");
    let results = done.out.find("Instruction-level parallelism");
    assert!(line.is_some() && line < results, "{done:?}");
    let quiet = place.sh("parascan ilp -- sleep 4");
    assert!(!quiet.err.contains("of trace read"), "{quiet:?}");
}

#[test]
fn routines_are_measured_from_their_own_entry() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "", "./prog", 7);
    let dot = routine(&all, "dot");
    assert_eq!(dot["calls"], 3);
    // One addition after the other, 1000 times in each of 3 calls, and a few steps before and after.
    let steps = dot["critical_path"].as_u64().unwrap();
    assert!((3000..3060).contains(&steps), "{steps}");
    let walk = routine(&all, "walk");
    let steps = walk["critical_path"].as_u64().unwrap();
    assert!((500..510).contains(&steps), "{steps}");
    assert_eq!(dot["line"], 6, "{dot}");
    let (operations, critical_path) = whole(&all);
    assert!(critical_path < operations);
    let main = routine(&all, "main")["operations"].as_u64().unwrap();
    assert!(main <= operations && main > dot["operations"].as_u64().unwrap());
}

#[test]
fn a_routine_may_match_several_patterns() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--routine dot --routine 'd*' --routine dot";
    let all = json(&place, options, "./prog", 7);
    assert_eq!(routine(&all, "dot")["calls"], 3);
}

/// A pattern has room for 1,024 routines: that more of them ran is said in every format.
#[test]
fn routines_beyond_those_measured_are_told() {
    if common::no_tool() {
        return;
    }
    let functions: String = (0..1030)
        .map(|k| {
            format!("__attribute__((noinline)) int part{k}(int x) {{ return 3 * x + {k}; }}\n")
        })
        .collect();
    let calls: String = (0..1030)
        .map(|k| format!("    x = part{k}(x);\n"))
        .collect();
    let place = compiled(
        &format!("{functions}int main(int x, char **v) {{\n{calls}    return x == 0;\n}}\n"),
        "-O1",
    );
    let note = "--routine part* matches 6 routines more than the 1024 that were met first";
    for format in ["text", "json", "csv"] {
        let command = format!("parascan ilp --format {format} -o out --routine 'part*' -- ./prog");
        assert_eq!(place.sh(&command).code, Some(0));
        let text = std::fs::read_to_string(place.path("out")).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(note), "{format}: {text}");
    }
    // Two patterns have room for all.
    let all = json(&place, "--routine 'part?' --routine 'part*'", "./prog", 0);
    assert_eq!(
        all["notes"].as_array().unwrap().len(),
        0,
        "{}",
        all["notes"]
    );
    assert_eq!(
        figures(&all, 0, 0)["routines"].as_array().unwrap().len(),
        1030
    );
}

#[test]
fn resources_are_enough() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--syscalls optimistic --no-routines";
    let all = json(&place, &format!("{options} --resources"), "./prog", 7);
    let result = figures(&all, 0, 0);
    let resources = &result["resources"];
    assert_eq!(resources["levels"], result["critical_path"]);
    assert_eq!(resources["all"]["operations"], result["operations"]);
    assert_eq!(result["values"], Value::Null);
    let classes = resources["classes"].as_array().unwrap();
    let enough = |needed: &Value| needed["units_100"].as_u64().unwrap();
    let units: Vec<String> = classes
        .iter()
        .map(|class| format!("{}={}", class["class"].as_str().unwrap(), enough(class)))
        .collect();
    let limited = |units: &str| {
        let all = json(&place, &format!("{options} --units {units}"), "./prog", 7);
        whole(&all)
    };
    assert_eq!(limited(&units.join(",")), whole(&all), "{units:?}");
    assert_eq!(limited(&enough(&resources["all"]).to_string()), whole(&all));
    let first = json(&place, &format!("{options} --resources=100"), "./prog", 7);
    let first = &figures(&first, 0, 0)["resources"];
    assert_eq!(first["levels"], 100);
    assert!(first["all"]["operations"].as_u64() < result["operations"].as_u64());
    let text = place.sh(&format!("parascan ilp {options} --resources=100 -- ./prog"));
    assert!(
        text.err.contains("Counted are the first 100 of"),
        "{}",
        text.err
    );
    refused(
        &place.sh("parascan ilp --resources=0 -- ./prog"),
        2,
        &["--resources", "at least 1"],
    );
}

#[test]
fn values_flow_to_who_reads_them() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--flow --no-routines", "./prog", 7);
    let flow = &figures(&all, 0, 0)["flow"];
    let reads = |from: &str, to: &str| -> u64 {
        let pairs = flow["routines"].as_array().unwrap().iter();
        let these = pairs.filter(|pair| pair["from"] == from && pair["to"] == to);
        these.map(|pair| pair["reads"].as_u64().unwrap()).sum()
    };
    // The 499 pointers that main writes are loaded once each; besides, the first pointer is an argument.
    let (given, taken) = (reads("main", "walk"), reads("walk", "main"));
    assert!((499..510).contains(&given), "{given}");
    // The result.
    assert!((1..5).contains(&taken), "{taken}");
    assert_eq!(reads("walk", "dot"), 0);
    let threads = flow["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 1);
    let text = place.sh("parascan ilp --flow --no-routines --top 3 -- ./prog");
    assert!(
        text.err.contains("in the routine that made the value."),
        "{}",
        text.err
    );
    assert!(text.err.contains("Read by"), "{}", text.err);
}

#[test]
fn one_run_is_enough() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let once = json(&place, "", "./prog", 7);
    let again = json(&place, "", "./prog", 7);
    assert_eq!(routine(&once, "dot"), routine(&again, "dot"));
    assert_eq!(routine(&once, "walk"), routine(&again, "walk"));
}

#[test]
fn routines_can_be_left_out() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let with = json(&place, "", "./prog", 7);
    let without = json(&place, "--no-routines", "./prog", 7);
    assert_eq!(whole(&without), whole(&with));
    routine(&with, "dot");
    assert_eq!(figures(&without, 0, 0)["routines"], Value::Array(vec![]));
    let done = place.sh("parascan ilp --no-routines --routine dot -- ./prog");
    refused(&done, 2, &["--no-routines", "--routine"]);
}

/// The examples of PerPI's section 3 as machine code.
const TABLES: &str = r#"
__asm__(".text\n"
"table3: mov -16(%rbp),%eax\n mov -20(%rbp),%edx\n add %eax,%edx\n mov -8(%rbp),%ebx\n add -12(%rbp),%ebx\n add %ebx,%edx\n ret\n"
"table4r: mov a(%rip),%rax\n mov b(%rip),%rcx\n add %rcx,%rax\n mov %rax,a(%rip)\n ret\n"
"table4c: mov b(%rip),%rcx\n add %rcx,a(%rip)\n ret\n"
"table5r: movd a(%rip),%xmm0\n movd b(%rip),%xmm1\n psubd %xmm1,%xmm0\n pabsd %xmm0,%xmm0\n movd %xmm0,x(%rip)\n ret\n"
"table5c: mov a(%rip),%rax\n mov b(%rip),%rbx\n mov %rbx,%rcx\n sub %rax,%rbx\n sub %rcx,%rax\n cmovge %rax,%rbx\n mov %rbx,x(%rip)\n ret\n"
".type table3,@function\n .type table4r,@function\n .type table4c,@function\n .type table5r,@function\n .type table5c,@function\n"
".data\n a: .quad 5\n b: .quad 7\n x: .quad 0\n");
int main(void) {
    __asm__ volatile("push %%rbx\n push %%rbp\n mov %%rsp,%%rbp\n sub $128,%%rsp\n call table3\n call table4r\n call table4c\n call table5r\n call table5c\n mov %%rbp,%%rsp\n pop %%rbp\n pop %%rbx" ::: "rax", "rcx", "rdx", "xmm0", "xmm1", "memory", "cc");
    return 0;
}
"#;

#[test]
fn facts_i1_to_i3_as_machine_code() {
    if common::no_tool() {
        return;
    }
    let place = compiled(TABLES, "-O1 -mno-red-zone -no-pie");
    for (name, operations, steps) in [
        ("table3", 6, 3),
        ("table4r", 4, 3),
        ("table4c", 2, 2),
        ("table5r", 5, 4),
        ("table5c", 7, 5),
    ] {
        let options = format!("--from {name} --count {operations}");
        let all = json(&place, &options, "./prog", 0);
        assert_eq!(whole(&all), (operations, steps), "{name}");
    }
}

#[test]
fn chains_and_graph_say_why() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--routine dot --call 2 --chains 2 --histogram dot.svg --graph dot.dot --report r.html --plots plots";
    let all = json(&place, options, "./prog", 7);
    let stretch = &all["stretches"][0];
    assert_eq!(stretch["title"], "dot, call 2");
    let chains = stretch["chains"].as_array().unwrap();
    assert_eq!(chains.len(), 2);
    let text = chains[0].to_string();
    assert!(text.contains("addsd") && text.contains("xmm"), "{text}");
    assert!(text.contains("999"), "{text}");
    let file = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert!(file("dot.svg").starts_with("<svg") || file("dot.svg").starts_with("<?xml"));
    assert!(file("dot.dot").starts_with("digraph"));
    assert!(file("dot.dot").contains("addsd"));
    assert!(file("r.html").contains("dot"));
    assert!(place.path("plots").read_dir().unwrap().count() > 0);
    // Only what was asked for is among the routines.
    let routines = figures(&all, 0, 0)["routines"].as_array().unwrap();
    assert_eq!(routines.len(), 1);
}

#[test]
fn windows_and_renaming_have_the_papers_order() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--window 4,16,64,1k,all", "./prog", 7);
    let parallelism = |all: &Value, model| {
        let figures = figures(all, 0, model);
        figures["operations"].as_f64().unwrap() / figures["critical_path"].as_f64().unwrap()
    };
    for wider in 1..5 {
        assert!(parallelism(&all, wider - 1) <= parallelism(&all, wider));
    }
    assert!(parallelism(&all, 0) <= 4.0);
    let renamed = json(&place, "--rename none,regs,regs+stack,all", "./prog", 7);
    for more in 1..4 {
        assert!(parallelism(&renamed, more - 1) <= parallelism(&renamed, more));
    }
    assert!(parallelism(&renamed, 0) < parallelism(&renamed, 3));
    let calls = json(&place, "--syscalls conservative,optimistic", "./prog", 7);
    assert!(parallelism(&calls, 0) <= parallelism(&calls, 1));
}

/// Ever more registers to rename to, and kinds apart: a program on them is one on as many as wanted in the end.
#[test]
fn registers_to_rename_to_limit_what_overlaps() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let lists = "1,8,64,1000000000,unlimited,general=8,vector=1";
    let all = json(
        &place,
        &format!("--physical-registers {lists}"),
        "./prog",
        7,
    );
    let models = all["models"].as_array().unwrap();
    assert_eq!(models.len(), 6, "{models:?}");
    assert_eq!(models[1]["physical_registers"], 8);
    assert_eq!(models[4]["physical_registers"], Value::Null);
    assert_eq!(models[5]["physical_registers"]["vector"], 1);
    let path = |model: usize| figures(&all, 0, model)["critical_path"].as_u64().unwrap();
    let found: Vec<u64> = (0..6).map(path).collect();
    assert!(found[..5].is_sorted_by(|a, b| a >= b), "{found:?}");
    assert!(found[0] > 2 * found[2] && found[2] > found[4], "{found:?}");
    assert_eq!(found[3], found[4], "more than the program ever writes");
    assert!(found[5] > found[4], "{found:?}");
    assert_eq!(all["focus"]["model"], 4);
    // Of a stretch, too: that a register was not free is why something waited.
    let chains = json(
        &place,
        "--physical-registers 4 --routine scale --chains 1",
        "./prog",
        7,
    );
    assert!(
        chains["stretches"]
            .to_string()
            .contains("physical registers"),
        "{chains}"
    );
}

/// A function that calls itself twice, and loops whose counters alone are chains.
#[test]
fn neither_stack_pointer_nor_counters_make_anything_wait_where_the_model_says_so() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let path = |all: &Value, model: usize, name: &str| {
        let routines = figures(all, 0, model)["routines"].as_array().unwrap();
        let found = routines.iter().find(|routine| routine["name"] == name);
        found.unwrap()["critical_path"].as_u64().unwrap()
    };
    let all = json(&place, "--routines --induction chain,break", "./prog", 7);
    assert_eq!(all["models"][1]["induction"], "break");
    let [chain, broken] = [0, 1].map(|model| path(&all, model, "scale"));
    assert!(chain >= 1000 && broken < 30, "{chain} {broken}");
    // What the loop computes is a chain all the same.
    assert!(path(&all, 1, "dot") >= 3000);
    let calls = "#include <stdio.h>\n__attribute__((noinline)) long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n\
        int main(void) { printf(\"%ld\\n\", fib(15)); }\n";
    let place = compiled(calls, "-O1");
    let all = json(
        &place,
        "--routines --stack-pointer chain,engine",
        "./prog",
        0,
    );
    assert_eq!(all["models"][1]["stack_pointer"], "engine");
    let [chain, engine] = [0, 1].map(|model| path(&all, model, "fib"));
    assert!(4 * engine < chain, "{chain} {engine}");
}

/// Every step has its bar, and `--plots` alone draws all that there is.
#[test]
fn single_steps_and_all_plots() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let bars = |options: &str| {
        json(
            &place,
            &format!("--routine walk --histogram h.svg {options}"),
            "./prog",
            7,
        );
        let svg = std::fs::read_to_string(place.path("h.svg")).unwrap();
        svg.matches("<title>").count()
    };
    let (few, all) = (bars("--steps 3..7"), bars(""));
    assert!(few < all, "{few} {all}");
    let titles = std::fs::read_to_string(place.path("h.svg")).unwrap();
    assert!(titles.contains("walk"));
    json(&place, "--routine walk --plots plots", "./prog", 7);
    let drawn = std::fs::read_dir(place.path("plots")).unwrap();
    let drawn: Vec<String> = drawn
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in [
        "profile",
        "storage",
        "lifetimes",
        "sharing",
        "histogram-1",
        "graph-1",
    ] {
        assert!(drawn.contains(&format!("{name}.svg")), "{name}: {drawn:?}");
    }
}

/// Steps of the whole run one by one, and the command in the page that shows some of them.
#[test]
fn steps_of_the_whole_run_one_by_one() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let detail = |options: &str| {
        let all = json(&place, options, "./prog", 7);
        all["graphs"][0]["results"][0]["detail"].clone()
    };
    assert!(detail("").is_null());
    assert!(
        detail("--report page.html").is_null(),
        "all steps are for the page"
    );
    let sums = |found: &Value| {
        let bins = found["bins"].as_array().unwrap().iter();
        let sum = |bin: &Value| -> u64 {
            let counts = bin.as_array().unwrap().iter();
            counts.map(|n| n.as_u64().unwrap()).sum()
        };
        bins.map(sum).collect::<Vec<u64>>()
    };
    let few = detail("--steps 100..299");
    assert_eq!(few["steps"], serde_json::json!([100, 299]));
    assert_eq!(few["levels_per_bin"], 1);
    let few = sums(&few);
    assert_eq!(few.len(), 200);
    let some = sums(&detail("--steps 201..299"));
    assert_eq!(few[101..], some, "the same steps");
    // All of them: as many as there are operations, in the bins that JSON has room for.
    let all = json(&place, "--steps 1..99999999999", "./prog", 7);
    let result = &all["graphs"][0]["results"][0];
    let path = result["critical_path"].as_u64().unwrap();
    assert_eq!(result["detail"]["steps"], serde_json::json!([1, path]));
    let operations = result["operations"].as_u64().unwrap();
    assert_eq!(sums(&result["detail"]).iter().sum::<u64>(), operations);
    // Where there are none, that is said.
    let all = json(&place, "--steps 99999999998..99999999999", "./prog", 7);
    let notes = all["notes"].to_string();
    assert!(
        notes.contains(&format!("critical path has {path} steps")),
        "{notes}"
    );
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    let words = r#""again":["parascan","ilp","--steps",null,"--report","page-steps.html""#;
    assert!(page.contains(words) && page.contains(r#""--","./prog"]"#));
}

/// The seventh node of a list, and what it has to do with the others.
#[test]
fn an_iteration_of_a_loop_is_opened() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let stretch = |options: &str| {
        let options = format!("--routine walk --graph g.dot --nodes 40 {options}");
        let all = json(&place, &options, "./prog", 7);
        (all["stretches"][0].clone(), all["notes"].to_string())
    };
    let (plain, _) = stretch("");
    assert!(plain["opened"].is_null());
    let nodes = plain["graph"]["nodes"].as_array().unwrap();
    let of_loop = || nodes.iter().filter(|node| node["instances"] == 500);
    let address = |node: &Value| node["address"].as_u64().unwrap();
    let head = of_loop().map(address).min().unwrap();
    let length = of_loop().count();
    let opened = |iteration: u64| {
        let (stretch, notes) = stretch(&format!("--open {head:#x}:{iteration} --report r.html"));
        assert_eq!(stretch["graph"], plain["graph"], "{notes}");
        stretch["opened"].clone()
    };
    // What the next node's address is loaded from: the steps are those of a chain.
    let step = |graph: &Value| {
        let nodes = graph["nodes"].as_array().unwrap();
        let own: Vec<&Value> = nodes.iter().filter(|node| node["opened"] == true).collect();
        assert_eq!(own.len(), length, "{graph}");
        let rest = nodes.iter().filter(|node| node["instances"] == 499);
        assert_eq!(rest.count(), length, "{graph}");
        let at = |end: &Value| end.as_u64().unwrap() as usize;
        let edges = graph["edges"].as_array().unwrap().iter();
        let into = |edge: &&Value| {
            nodes[at(&edge["to"])]["opened"] == true && nodes[at(&edge["from"])]["opened"] == false
        };
        let out = |edge: &&Value| {
            nodes[at(&edge["from"])]["opened"] == true && nodes[at(&edge["to"])]["opened"] == false
        };
        let times = |edge: &Value| edge["count"].as_u64().unwrap();
        assert!(
            edges.clone().filter(into).count() >= 2,
            "the sum and the list"
        );
        assert!(edges.clone().filter(into).all(|edge| times(edge) == 1));
        assert!(edges.clone().filter(out).count() >= 2);
        let levels = own.iter().map(|node| node["first_level"].as_u64().unwrap());
        levels.max().unwrap()
    };
    let (seventh, eighth) = (opened(7), opened(8));
    assert_eq!(step(&seventh) + 1, step(&eighth));
    assert_eq!(
        seventh["title"],
        format!("iteration 7 of the loop at {head:#x}, entry 1")
    );
    let page = std::fs::read_to_string(place.path("r.html")).unwrap();
    assert!(page.contains("<details class=\"opened\"") && page.contains("iteration 8 of the loop"));
    // What there is not is said.
    let said = |options: &str| stretch(options).1;
    let notes = said(&format!("--open {head:#x}:501"));
    assert!(
        notes.contains("was entered 1 times") && notes.contains("had 500 iterations"),
        "{notes}"
    );
    let notes = said(&format!("--open {head:#x}:1 --entry 2"));
    assert!(notes.contains("no iteration 1 of entry 2"), "{notes}");
    let notes = said(&format!("--open libc.so.6:{head:#x}:1"));
    assert!(notes.contains("libc.so.6 was executed"), "{notes}");
}

/// The page has iterations of the loop by itself; each is what `--open` shows of it.
#[test]
fn the_page_offers_iterations_of_loops() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--routine walk --nodes 40 --report r.html";
    let all = json(&place, options, "./prog", 7);
    let loops = all["stretches"][0]["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 1, "{loops:?}");
    let found = &loops[0];
    let counts = [
        "entries",
        "first_iterations",
        "longest_entry",
        "longest_iterations",
    ];
    assert_eq!(
        counts.map(|name| found[name].as_u64()),
        [1, 500, 1, 500].map(Some)
    );
    assert_eq!(found["routine"], "walk");
    let open = found["open"].as_str().unwrap().to_owned();
    assert_eq!(open, format!("{:#x}", found["address"].as_u64().unwrap()));
    let opened = found["opened"].as_array().unwrap().iter();
    let mut iterations: Vec<u64> = opened.map(|it| it["iteration"].as_u64().unwrap()).collect();
    iterations.sort_unstable();
    let powers = [1, 2, 4, 8, 16, 32, 64, 128, 256, 498, 499, 500];
    assert!(
        powers.iter().all(|it| iterations.contains(it)),
        "{iterations:?}"
    );
    let page = std::fs::read_to_string(place.path("r.html")).unwrap();
    let drawing = |iteration: u64| {
        let start = format!("data-loop=\"0\" data-entry=\"1\" data-iteration=\"{iteration}\"");
        let (_, rest) = page.split_once(&start).unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        rest.split_once("</template>").unwrap().0.to_owned()
    };
    // The command that the page gives, with the iteration in its place.
    assert!(page.contains(
        "\"again_open\":[\"parascan\",\"ilp\",\"--open\",null,\"--report\",\"r-open.html\","
    ));
    for iteration in [1, 64, 500] {
        json(
            &place,
            &format!("{options} --open {open}:{iteration}"),
            "./prog",
            7,
        );
        let page = std::fs::read_to_string(place.path("r.html")).unwrap();
        let asked = page.split_once("<details class=\"opened\"").unwrap().1;
        assert!(asked.contains(&drawing(iteration)), "{iteration}");
    }
}

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

#[test]
fn a_part_of_the_run() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--skip 1000 --count 500", "./prog", 7);
    assert_eq!(whole(&all).0, 500);
    let from_dot = json(&place, "--from dot", "./prog", 7);
    let from_start = json(&place, "--from start", "./prog", 7);
    let from_main = json(&place, "", "./prog", 7);
    assert!(whole(&from_dot).0 < whole(&from_main).0);
    assert!(whole(&from_main).0 < whole(&from_start).0);
}

/// The graph of a whole run has more instructions than anybody could read: its nodes are loops, those of the longest
/// chain first, each with its name; a click in the page offers their iterations.
#[test]
fn the_graph_of_a_whole_run_shows_its_loops() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--graph g.svg --report r.html";
    let all = json(&place, options, "./prog", 7);
    let stretch = &all["stretches"][0];
    let nodes = stretch["graph"]["nodes"].as_array().unwrap();
    assert!(nodes.len() <= 40, "{}", nodes.len());
    let steps = |node: &Value| node["group"]["steps"].as_u64().unwrap();
    let path = stretch["critical_path"].as_u64().unwrap();
    let shown: u64 = nodes.iter().map(steps).sum();
    // Three times a sum of a thousand: each value of y needs the sum before.
    let largest = nodes.iter().max_by_key(|node| steps(node)).unwrap();
    assert!(shown * 10 > path * 8, "{shown} of {path}");
    assert!(steps(largest) >= 3000, "{largest}");
    assert_eq!(largest["group"]["loop"], true, "{largest}");
    assert_eq!(largest["routine"], "dot", "{largest}");
    let drawing = std::fs::read_to_string(place.path("g.svg")).unwrap();
    assert!(!drawing.contains("class=\"node k"));
    let line = largest["line"].as_u64().unwrap();
    assert!(drawing.contains(&format!(">loop prog.c:{line}<")));
    assert!(drawing.contains("% of the chain ×"));
    json(&place, "--graph g.dot", "./prog", 7);
    let dot = std::fs::read_to_string(place.path("g.dot")).unwrap();
    assert!(
        dot.contains(&format!("label=\"dot\\nloop prog.c:{line}\\n")),
        "{dot}"
    );
    assert!(!dot.contains("rank=same"));
    let page = std::fs::read_to_string(place.path("r.html")).unwrap();
    let groups = page.split("<g data-loop=").skip(1);
    let offered = |group: &str| {
        group
            .split("</g>")
            .next()
            .unwrap()
            .contains("in dot, prog.c")
    };
    assert!(groups.into_iter().any(offered));
}

/// A place that the run never comes to: nothing is measured, which all that is said of it says, and no "whole run".
#[test]
fn a_start_that_is_never_reached_is_told() {
    if common::no_tool() {
        return;
    }
    let source = "\
        __attribute__((noinline)) int never(int x) { __asm__(\"\"); return x + 1; }\n\
        int main(int argc, char **argv) { return argc > 5 ? never(argc) : 7; }\n";
    let place = compiled(source, "-O1 -fPIE -pie");
    let symbol = |name: &str| -> u64 {
        let found = place.sh(&format!("nm prog | grep ' {name}$'")).out;
        u64::from_str_radix(&found[..16], 16).unwrap()
    };
    let offset = format!("{:#x}", symbol("never"));
    for from in ["never", &offset] {
        let done = place.sh(&format!("parascan ilp --from {from} -- ./prog"));
        refused(&done, 81, &[from, "(never reached)", "was never reached"]);
        assert!(!done.err.contains("of prog, the whole run"), "{}", done.err);
        let script = format!("parascan ilp --format json -o out.json --from {from} -- ./prog");
        assert_eq!(place.sh(&script).code, Some(81));
        let scope = &read(&place)["scope"];
        assert!(scope.to_string().contains("never reached"), "{scope}");
    }
    // A trace has the blocks of the run that was recorded, and measurement begins with a whole one.
    place.sh("parascan ilp --from start --save-trace t.trace -- ./prog");
    let saved = |from: &str| place.sh(&format!("parascan ilp --trace t.trace --from {from}"));
    refused(
        &saved("never"),
        81,
        &["never reached in what the trace has"],
    );
    refused(&saved("nowhere"), 81, &["has no function of that name"]);
    assert!(!saved("nowhere").out.contains("of prog, the whole run"));
    let second = place
        .sh("objdump -d --disassemble=main prog | sed -n '/<main>:/,$p' | sed -n '3s/:.*//p'")
        .out;
    let second = format!("0x{}", second.trim());
    let block = format!("begins at {:#x}", symbol("main"));
    refused(&saved(&second), 81, &["inside a block", &block]);
}

#[test]
fn skip_and_count_are_exact() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--save-trace t.trace", "./prog", 7);
    let total = whole(&all).0;
    for skip in 1..40 {
        let read = |options: &str| -> u64 {
            let line =
                format!("parascan ilp --format json --trace t.trace --skip {skip} {options}");
            let found: Value = serde_json::from_str(&place.sh(&line).out).unwrap();
            whole(&found).0
        };
        assert_eq!((read(""), read("--count 3")), (total - skip, 3), "{skip}");
    }
    let options = "--format json --trace t.trace --skip 1k --count 2k";
    let found = place.sh(&format!("parascan ilp {options}")).out;
    assert_eq!(whole(&serde_json::from_str(&found).unwrap()).0, 2000);
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
fn details_are_of_the_least_limited_model_or_the_one_asked_for() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let models = "--window 16,all --rename none,all --routine walk --chains 1";
    let under = |all: &Value| -> Vec<String> {
        let stretches = all["stretches"].as_array().unwrap().iter();
        stretches
            .map(|s| s["model"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = json(&place, models, "./prog", 7);
    assert_eq!(all["focus"]["model"], 3);
    assert_eq!(under(&all), ["window=all rename=all"]);
    for focus in ["1", "'window=16 rename=none'"] {
        let all = json(&place, &format!("{models} --focus {focus}"), "./prog", 7);
        assert_eq!(
            (all["focus"]["model"].as_u64(), under(&all)),
            (Some(0), vec!["window=16 rename=none".to_owned()])
        );
    }
    let all = json(&place, &format!("{models} --focus all"), "./prog", 7);
    assert_eq!(under(&all).len(), 4);
    for focus in ["0", "5", "walk"] {
        let done = place.sh(&format!("parascan ilp {models} --focus {focus} -- ./prog"));
        refused(&done, 2, &["--focus", "window=16 rename=all"]);
    }
    let shown = place.sh(&format!("parascan ilp {models} -- ./prog")).err;
    assert!(
        shown.contains("Operations per step (model window=all rename=all)"),
        "{shown}"
    );
}

#[test]
fn a_skip_beyond_the_end_is_told() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--skip 9999999999", "./prog", 7);
    assert_eq!(whole(&all), (0, 0));
    assert!(all["notes"].to_string().contains("--skip"), "{all}");
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

/// Code and one message in which all of these stand.
fn refused(done: &CommandResult, code: i32, words: &[&str]) {
    assert_eq!(done.code, Some(code), "{done:?}");
    for word in words {
        assert!(done.err.contains(word), "{word}: {}", done.err);
    }
    assert!(!done.err.contains("panicked"), "{}", done.err);
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

#[test]
fn a_saved_trace_gives_the_same_figures() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let live = json(&place, "--save-trace t.trace", "./prog", 7);
    let done = place.sh("parascan ilp --format json --trace t.trace");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let saved: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(saved["graphs"], live["graphs"]);
    assert_eq!(saved["program"], live["program"]);
    assert_eq!(saved["exit_code"], 7);
    let other = place.sh("parascan ilp --format json --trace t.trace --window 16");
    let other: Value = serde_json::from_str(&other.out).unwrap();
    assert!(whole(&other).1 > whole(&live).1);
    // Cut off, it is read as far as it goes, and says so.
    let bytes = std::fs::read(place.path("t.trace")).unwrap();
    place.write("cut.trace", &bytes[..bytes.len() - 1]);
    let cut = place.sh("parascan ilp --format json --trace cut.trace");
    assert_eq!(cut.code, Some(0), "{cut:?}");
    let cut: Value = serde_json::from_str(&cut.out).unwrap();
    assert_eq!(cut["partial"], true);
    // Cut off before anything that was executed, there is nothing to say.
    for length in [12, 100, 3000] {
        place.write("cut.trace", &bytes[..length]);
        let cut = place.sh("parascan ilp --trace cut.trace");
        refused(&cut, 65, &["cut.trace", "cut off"]);
    }
    // Changed, it is refused, wherever that is.
    for part in 1..12 {
        let mut changed = bytes.clone();
        let at = bytes.len() * part / 12;
        changed[at] ^= 0x10;
        place.write("changed.trace", &changed);
        refused(
            &place.sh("parascan ilp --trace changed.trace"),
            65,
            &["changed.trace"],
        );
    }
}
