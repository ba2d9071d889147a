//! Phases as JSON, CSV and DOT, and ranks side by side.

use super::*;

#[test]
fn as_data() {
    let result = result("output");
    assert_snapshot!("phases_csv", phases_csv(&result));
    assert_snapshot!("phases_dot", flow_dot(&result, Extent::default()));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    assert_eq!(json["format"], "parascan-phases");
    let parts = json["parts"].as_array().unwrap();
    let phases = parts.iter().filter(|p| !p["phase"].is_null()).count();
    assert_eq!(phases, 24);
    // Fact P4: the parts add up to the whole run, also in what is printed.
    let sum = |key: &str| parts.iter().map(|p| p[key].as_u64().unwrap()).sum::<u64>();
    for key in ["wall", "work"] {
        assert_eq!(sum(key), json["total"][key].as_u64().unwrap());
    }
    for class in 0..4 {
        let lost = |of: &serde_json::Value| of["lost"][class].as_u64().unwrap();
        assert_eq!(parts.iter().map(lost).sum::<u64>(), lost(&json["total"]));
    }
    let slow = &json["outliers"][1];
    assert_eq!(slow["phase"], 20);
    assert_eq!(slow["causes"][0]["thread"], 1);
    assert_eq!(slow["causes"][0]["what"], "work");
}

/// Two processes of a run as text, JSON and CSV.
fn two_ranks() -> (parascan_analysis::phases::ranks::Ranks, Vec<String>) {
    let mut other = recording("output");
    // The other process has half of the time.
    for snapshot in &mut other.snapshots {
        snapshot.time /= 2;
        for part in &mut snapshot.parts {
            part.figures.time = part.figures.time.map(|time| time / 2);
        }
    }
    other.run.duration /= 2;
    let names = vec!["rank.0.omp".to_owned(), "rank.1.omp".to_owned()];
    let recordings = [recording("output"), other];
    let named: Vec<(String, Recording)> = names.iter().cloned().zip(recordings).collect();
    (ranks(&named, &PhaseOptions::default()).unwrap(), names)
}

#[test]
fn ranks_side_by_side() {
    let (result, names) = two_ranks();
    assert_snapshot!("ranks", ranks_text(&result, &names, &WIDE, 5));
    assert_snapshot!("ranks_narrow", ranks_text(&result, &names, &NARROW, 5));
    let narrow = Style::plain(60);
    let text = ranks_text(&result, &names, &narrow, 5);
    assert!(text.contains("--format json"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&ranks_json(&result, &names)).unwrap();
    assert_eq!(json["format"], "parascan-ranks");
    assert_eq!(json["ranks"][0]["longest_in"], 24);
    assert_eq!(json["phases"][19]["longest"], 0);
    assert!((json["imbalance"].as_f64().unwrap() - 4.0 / 3.0).abs() < 0.01);
    assert_eq!(ranks_csv(&result).lines().count(), 1 + 2 * 24);
}

/// Times of ranks on a busy machine are not the program's: that is said first, with an estimate of the imbalance
/// without it; so is which recording is partial.
#[test]
fn ranks_on_a_busy_machine_are_told_apart() {
    let run_of = |late: u64| {
        let mut run = RunBuilder::new(2);
        for _ in 0..8 {
            run.enter(0, Construct::Parallel, "step");
            run.spend(0, State::Work, 100_000 + late);
            run.figures(0, |figures| figures.no_processor += late);
            run.leave(0);
        }
        run.finish()
    };
    let side_by_side = |late: [u64; 2]| {
        let mut recordings = late.map(run_of);
        recordings[1].run.end = End::Signalled(9);
        let named: Vec<(String, Recording)> = ["a.omp", "b.omp"]
            .map(str::to_owned)
            .into_iter()
            .zip(recordings)
            .collect();
        ranks(&named, &PhaseOptions::default()).unwrap()
    };
    let names = ["a.omp".to_owned(), "b.omp".to_owned()];
    let said = |result: &_| {
        ranks_text(result, &names, &WIDE, 5)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let quiet = side_by_side([0, 0]);
    let text = said(&quiet);
    assert!(!text.contains("busy"), "{text}");
    assert!(
        text.contains("Note: Of rank 1 the recording is partial."),
        "{text}"
    );
    assert_eq!(quiet.without, None);
    // Rank 1 takes three times as long as rank 0, for two thirds of which it had no processor.
    let busy = side_by_side([0, 200_000]);
    assert!((busy.imbalance.unwrap() - 1.5).abs() < 1e-9);
    assert!((busy.without.unwrap() - 1.0).abs() < 1e-9);
    let text = said(&busy);
    let warning = "2 processes Warning: The machine was busy while rank 1 ran: all times include that of threads without a processor, and of waits for these. In rank 1 threads were ready to run but had no processor for 66.7% of the time. An estimate without what was seen of it: imbalance between ranks 1.000 (here 1.500).";
    assert!(text.contains(warning), "{text}");
    let json: serde_json::Value = serde_json::from_str(&ranks_json(&busy, &names)).unwrap();
    assert_eq!(json["ranks"][0]["busy"]["warn"], false);
    // Each row of the CSV says so, too, and how long the phase would have been.
    let csv = ranks_csv(&busy);
    let of_rank = |rank: &str| -> Vec<Vec<&str>> {
        let cells = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        cells.filter(|cells| cells[2] == rank).collect()
    };
    let column = |rows: &[Vec<&str>], name: &str| -> Vec<String> {
        let place = of_rank("rank")[0].iter().position(|title| *title == name);
        rows.iter()
            .map(|row| row[place.unwrap()].to_owned())
            .collect()
    };
    let (idle, late) = (of_rank("0"), of_rank("1"));
    assert!(column(&idle, "busy").iter().all(|busy| busy == "false"));
    assert!(column(&late, "busy").iter().all(|busy| busy == "true"));
    assert_eq!(column(&late, "undisturbed"), column(&idle, "wall"));
    assert_ne!(column(&late, "wall"), column(&idle, "wall"));
    assert_eq!(json["ranks"][1]["busy"]["no_processor"], 1_600_000);
    assert_eq!(json["without"], 1.0);
}

/// The time without a processor stands beside each part's figures in CSV, too; where the kernel does not tell it,
/// nothing.
#[test]
fn rows_have_the_time_without_a_processor() {
    let mut run = RunBuilder::new(2);
    for _ in 0..4 {
        run.enter(0, Construct::Parallel, "step");
        run.spend(0, State::Work, 100_000);
        run.figures(0, |figures| figures.no_processor += 30_000);
        run.leave(0);
    }
    let mut recording = run.finish();
    let column = |recording: &Recording| -> Vec<String> {
        let text = phases_csv(&phases(recording, &PhaseOptions::default()).unwrap());
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let at = rows
            .headers()
            .unwrap()
            .iter()
            .position(|h| h == "no_processor")
            .unwrap();
        rows.records()
            .map(|row| row.unwrap()[at].to_owned())
            .collect()
    };
    let told = column(&recording);
    let sum: u64 = told.iter().map(|cell| cell.parse::<u64>().unwrap()).sum();
    // Each thread's, and that of all.
    assert_eq!(sum, 2 * 4 * 30_000, "{told:?}");
    recording.blind.push(RecordingGap::NoSchedule);
    assert!(column(&recording).iter().all(String::is_empty));
}

/// Every field is described.
#[test]
fn fields_are_documented() {
    let docs = include_str!("../../../../docs/json.md");
    let mut found = Vec::new();
    let options = PhaseOptions {
        interval: Some(1_000_000),
        ..PhaseOptions::default()
    };
    let sliced = phases(&recording("output"), &options).unwrap();
    for result in [result("output"), sliced] {
        let mut json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
        // Names of blind spots say what they are.
        json.as_object_mut().unwrap().remove("blind_spots");
        field_names(&json, &[], &mut found);
    }
    let (ranks, names) = two_ranks();
    let json: serde_json::Value = serde_json::from_str(&ranks_json(&ranks, &names)).unwrap();
    field_names(&json, &[], &mut found);
    for field in found {
        let named = [format!("`{field}`"), format!("\"{field}\":")];
        assert!(named.iter().any(|name| docs.contains(name)), "{field}");
    }
}
