//! `parascan calibrate`, and plans that count with what it measured.

mod common;

use common::WorkFolder;

/// A profile of a program with one parallel loop.
fn place() -> WorkFolder {
    let place = WorkFolder::new();
    place.write(
        "prog.c",
        "int main(void) {\n  static int a[100000];\n  for (int i = 0; i < 100000; i++)\n    a[i] = i * i + a[i];\n  return a[5] != 25;\n}\n",
    );
    let done = place.sh("parascan-cc -O1 prog.c -o prog && parascan record -o p.prof -- ./prog");
    assert_eq!(done.code, Some(0), "{}", done.err);
    place
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn measured_costs_are_kept_and_counted_with() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let plan = "PARASCAN_COSTS=kept/costs.toml parascan plan --format json p.prof";
    let before = json(&place.sh(plan).out);
    assert_eq!(before["machine"]["calibrated"], false);
    let done =
        place.sh("PARASCAN_COSTS=kept/costs.toml parascan calibrate --threads 2 --format json");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let found = json(&done.out);
    assert_eq!(found["measured"][0]["threads"], 2);
    assert!(found["measured"][0]["start_ns"].as_f64().unwrap() > 0.0);
    let after = json(&place.sh(plan).out);
    assert_eq!(after["machine"]["calibrated"], true);
    assert_eq!(after["personality"]["costs"], found["costs"]);
    // Not with those of another target, nor where nothing costs anything.
    let cilk = json(&place.sh(&format!("{plan} --personality cilk")).out);
    assert_eq!(cilk["machine"]["calibrated"], false);
    assert_eq!(cilk["personality"]["costs"]["fork_join_ns"], 500.0);
    let text = place
        .sh(&plan.replace("--format json", "--personality cilk"))
        .out;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("threads cost, the personality's own figures"),
        "{text}"
    );
    assert!(json(&place.sh(&format!("{plan} --ideal")).out)["machine"].is_null());
}

/// Loops of 100,000 iterations over arrays of 8 bytes an element: by hand 32 bytes an iteration on line 5 (two read,
/// one written, which counts twice), again and again; rows behind pointers on line 8, 2 x 8 bytes for each of 300 x 500
/// elements, and the 300 pointers; nothing that counts where the array fits (line 11), or where an index was loaded
/// (line 14), but that index.
#[test]
fn memory_holds_up_what_streams_through_it() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    place.write(
        "prog.c",
        "double a[100000], b[100000], c[100000], small[500], *rows[300], space[300][600];\nint at[100000];\nint main(void) {\n  for (int t = 0; t < 3; t++)\n    \
         for (int i = 0; i < 100000; i++) a[i] = b[i] + 3 * c[i] + t;\n  for (int i = 0; i < 300; i++) rows[i] = space[i];\n  for (int i = 0; i < 300; i++)\n    \
         for (int k = 0; k < 500; k++) rows[i][k] = k * i;\n  double s = 0;\n  for (int t = 0; t < 400; t++)\n    for (int i = 0; i < 500; i++) small[i] = i * t;\n  \
         for (int i = 0; i < 100000; i++) at[i] = (i * 31) % 100000;\n  double z = 0;\n  for (int i = 0; i < 100000; i++) z += a[at[i]];\n  \
         return z + small[3] + rows[7][5] + s < 0;\n}\n",
    );
    let done = place.sh(
        "parascan-cc -O1 prog.c -o prog && parascan record --exact -o p.prof -- ./prog && PARASCAN_COSTS=c.toml parascan calibrate",
    );
    assert_eq!(done.code, Some(0), "{}", done.err);
    let kept = std::fs::read_to_string(place.path("c.toml")).unwrap();
    let one_thread = kept.lines().find_map(|l| l.strip_prefix("one_thread = "));
    assert!(one_thread.unwrap().parse::<f64>().unwrap() > 0.1, "{kept}");
    // A machine with a small cache and with memory so slow that it decides. What threads cost is not what was measured
    // just now: on a busy machine that is so much that there are no entries.
    let (before, _) = kept.split_once("[costs]").unwrap();
    let with = |cache: u64| {
        let memory = "one_thread = 0.01\nthreads = 2\nall_threads = 0.012";
        let costs = "fork_join_ns = 2000.0\nfork_join_per_thread_ns = 250.0\nreduction_ns = 70.0\nordered_ns = 1400.0\ntask_ns = 500.0";
        format!(
            "{before}measured = []\n[costs]\n{costs}\n\n[memory]\ncache_bytes = {cache}\n{memory}\n"
        )
    };
    place.write("slow.toml", with(5000));
    let plan = |costs: &str| {
        let all = "--cores 2 --min-speedup-doall 0 --format json p.prof";
        json(
            &place
                .sh(&format!("PARASCAN_COSTS={costs} parascan plan {all}"))
                .out,
        )
    };
    let found = plan("slow.toml");
    let entries = found["plan"].as_array().unwrap();
    let of = |line: u64| {
        let entry = entries.iter().find(|e| e["line"] == line);
        entry.map(|e| {
            (
                e["memory"]["bytes"].as_f64(),
                e["memory"]["speedup"].as_f64(),
            )
        })
    };
    assert_eq!(of(5), Some((Some(3_200_000.0), Some(1.2))));
    assert_eq!(of(7), Some((Some(2_402_400.0), Some(1.2))));
    assert_eq!(of(10).or(of(11)), Some((None, None)));
    assert_eq!(of(12), Some((Some(800_000.0), Some(1.2))));
    assert_eq!(of(14), Some((Some(400_000.0), Some(1.2))));
    let hints = entries[0]["hints"].to_string();
    assert!(hints.contains("memory holds it up"), "{hints}");
    // Fast memory, or a cache for all of it: nothing to say.
    place.write("large.toml", with(50_000_000));
    let found = plan("large.toml");
    let entries = found["plan"].as_array().unwrap();
    assert!(entries.iter().all(|e| e["memory"].is_null()));
}

#[test]
fn costs_of_another_machine_do_not_count_and_bad_ones_are_refused() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let plan = "PARASCAN_COSTS=costs.toml parascan plan --format json p.prof";
    let good = "version = 1\nmachine = \"another\"\nmeasured = []\n[costs]\nfork_join_ns = 1.0\n";
    place.write("costs.toml", good);
    assert_eq!(json(&place.sh(plan).out)["machine"]["calibrated"], false);
    for bad in [
        "version = 2\nmachine = \"\"\nmeasured = []\n[costs]\n",
        "what",
        "",
    ] {
        place.write("costs.toml", bad);
        let done = place.sh(plan);
        assert_eq!(
            (done.code, done.out.as_str()),
            (Some(78), ""),
            "{bad}: {}",
            done.err
        );
        assert!(done.err.contains("parascan calibrate"), "{}", done.err);
    }
    let done = place.sh("PARASCAN_COSTS=. parascan calibrate");
    assert_eq!(done.code, Some(86), "{}", done.err);
    let done = place.sh("PARASCAN_COSTS=c.toml PARASCAN_CLANG=none parascan calibrate");
    assert_eq!(done.code, Some(69), "{}", done.err);
    assert!(!place.path("c.toml").exists());
    let done = place.sh("parascan calibrate --threads 1");
    assert_eq!(done.code, Some(2), "{}", done.err);
}
