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

/// Every field is described.
#[test]
fn fields_are_documented() {
    fn fields(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    found.push(key.clone());
                    fields(value, found);
                }
            }
            serde_json::Value::Array(list) => list.iter().for_each(|value| fields(value, found)),
            _ => {}
        }
    }
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
        fields(&json, &mut found);
    }
    let (ranks, names) = two_ranks();
    let json: serde_json::Value = serde_json::from_str(&ranks_json(&ranks, &names)).unwrap();
    fields(&json, &mut found);
    for field in found {
        let named = [format!("`{field}`"), format!("\"{field}\":")];
        assert!(named.iter().any(|name| docs.contains(name)), "{field}");
    }
}
