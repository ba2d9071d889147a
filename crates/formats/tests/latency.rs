//! Latency tables: the presets, fact K11, and what a user is told about a bad table.

use parascan_formats::latency::{LatencyTable, PRESETS};

#[test]
fn presets_parse_and_bear_their_names() {
    for name in PRESETS {
        let table = LatencyTable::preset(name).unwrap();
        assert_eq!(table.name, name);
        assert!(!table.source.is_empty());
        assert!(table.rows().iter().all(|&(_, units)| units <= 1000));
    }
    assert_eq!(LatencyTable::preset("vax"), None);
    assert_eq!(LatencyTable::default().name, "x86");
    assert!(
        LatencyTable::preset("unit")
            .unwrap()
            .rows()
            .iter()
            .all(|&(_, units)| units == 1)
    );
}

/// K11: the cost table of Kremlin's own implementation.
#[test]
fn kremlin_costs_what_kremlin_costs() {
    let table = LatencyTable::preset("kremlin").unwrap();
    let rows = [
        ("int_add", 1),
        ("int_logic", 1),
        ("int_compare", 1),
        ("int_mul", 2),
        ("int_div", 10),
        ("fp_add", 2),
        ("fp_compare", 2),
        ("fp_mul", 5),
        // Not in its table: multiply and add; divide; nothing.
        ("fp_fma", 7),
        ("fp_div", 20),
        ("fp_sqrt", 20),
        ("fp_convert", 0),
        ("load", 4),
        ("store", 1),
        ("atomic", 6),
        ("select", 0),
        ("math", 0),
        ("external", 0),
    ];
    assert_eq!(table.rows(), rows);
}

/// A table's rows are its fields, in order: the profile format relies on it.
#[test]
fn rows_are_the_fields_in_order() {
    let mut table = serde_json::to_value(LatencyTable::default()).unwrap();
    let fields = table.as_object_mut().unwrap();
    for (units, (_, value)) in (1..).zip(fields.iter_mut().skip(2)) {
        *value = units.into();
    }
    let names: Vec<_> = fields.keys().skip(2).cloned().collect();
    let table: LatencyTable = serde_json::from_value(table).unwrap();
    let expected: Vec<_> = names.iter().map(String::as_str).zip(1..).collect();
    assert_eq!(table.rows().to_vec(), expected);
}

#[test]
fn bad_tables_are_explained() {
    let good = toml::to_string(&LatencyTable::default()).unwrap();
    assert_eq!(LatencyTable::parse(&good).unwrap(), LatencyTable::default());
    for (from, to, expected) in [
        (
            "load = 4",
            "load = 1001",
            "`load = 1001`: a latency is at most 1000",
        ),
        ("load = 4", "load = -4", "invalid value: integer `-4`"),
        ("load = 4", "load = 4.5", "invalid type: floating point"),
        ("load = 4", "", "missing field `load`"),
        ("load = 4", "load = 4\nlaod = 5", "unknown field `laod`"),
        ("load = 4", "load = 4\nload = 5", "duplicate key"),
        ("load = 4", "load 4", "key with no value"),
    ] {
        assert!(good.contains(from));
        let message = LatencyTable::parse(&good.replace(from, to)).unwrap_err();
        assert!(
            message.contains(expected),
            "{message}\nexpected: {expected}"
        );
        // With the line, where there is one to blame.
        assert!(
            message.contains("line") || message.contains("1001") || to.is_empty(),
            "{message}"
        );
    }
}
