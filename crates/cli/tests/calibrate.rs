//! `parascan calibrate`, and plans that count with what it measured.

mod common;

use common::Place;

/// A profile of a program with one parallel loop.
fn place() -> Place {
    let place = Place::new();
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
    assert!(json(&place.sh(&format!("{plan} --ideal")).out)["machine"].is_null());
}

#[test]
fn costs_of_another_machine_do_not_count_and_bad_ones_are_refused() {
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
