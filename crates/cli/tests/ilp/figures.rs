//! What a reader of the code works out: routines, resources, flows of values, machine models.

use super::*;

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

/// As hand-written assembler often is: symbols without types and sizes.
const ASSEMBLER: &str = "
.globl _start, square, table
square:
    imul %rdi, %rdi
    lea 1(%rdi), %rax
    ret
_start:
    mov $100, %rbx
1:  mov %rbx, %rdi
    call square
    dec %rbx
    jnz 1b
    mov $60, %eax
    mov $3, %edi
    syscall
.data
table: .quad 1
";

#[test]
fn labels_of_assembler_are_routines() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    place.write("prog.s", ASSEMBLER);
    let done = place.sh("clang-22 -nostdlib -static prog.s -o prog");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let all = json(&place, "", "./prog", 3);
    let square = routine(&all, "square");
    assert_eq!(
        (&square["calls"], &square["operations"]),
        (&100.into(), &300.into())
    );
    assert_eq!(routine(&all, "_start")["operations"], 704);
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
