//! Entries one by one: what is predicted of a region and what its directive brings (p-ray, table 4).

use std::fmt::Write as _;

use serde_json::Value;

use super::{Figures, line};

/// An entry of a plan that has code.
#[derive(Clone, Debug)]
pub struct PlanEntry {
    /// Where the region is, and how many lines it has.
    place: String,
    lines: u64,
    /// Units of work on the small input, and the share of all.
    work: u64,
    coverage: f64,
    self_parallelism: f64,
    class: String,
    /// Speedups of the whole program by this entry alone on two threads.
    expected: f64,
    measured: f64,
    kept: bool,
}

impl PlanEntry {
    /// The entry that a variant of a proof has alone, with the speedup that was measured; none where none was measured,
    /// or something is missing in the documents.
    pub(super) fn new(variant: &Value, plan: &Value, measured: Option<f64>) -> Option<Self> {
        let rank = variant["entries"].as_array()?.first()?;
        let region = plan["plan"]
            .as_array()?
            .iter()
            .find(|r| &r["rank"] == rank)?;
        let begins = u64::from(line(variant)?);
        Some(Self {
            place: variant["place"].as_str()?.to_owned(),
            lines: region["end_line"].as_u64()?.saturating_sub(begins) + 1,
            work: region["work"].as_u64()?,
            coverage: region["coverage"].as_f64()?,
            self_parallelism: region["self_parallelism"].as_f64()?,
            class: region["class"].as_str()?.to_owned(),
            expected: variant["expected"]["speedup"].as_f64()?,
            measured: measured?,
            kept: variant["verdict"] == "keep",
        })
    }
}

/// How often a region is faster if that makes the program so much faster; none where it cannot be told, as its share is
/// small beside noise.
fn of_region(coverage: f64, program: f64) -> Option<f64> {
    let left = 1.0 / program - (1.0 - coverage);
    (coverage >= 0.1 && left > 0.05 * coverage).then(|| coverage / left)
}

/// Markdown with a row for every entry that has code, by program and place in the plan.
pub(super) fn table(found: &[(&str, &Figures)]) -> String {
    let mut text = String::from(
        "\nEntries with code, in the order of the plans (p-ray, table 4). Work and coverage are of the small input; what the region itself gains is computed from its coverage \
         and the program's speedup, where it has a tenth of the work or more.\n\n\
         | program | region | lines | kind | work | coverage | self-parallelism | program, expected | measured | region, measured | kept |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, figures) in found {
        for entry in &figures.entries {
            let region = of_region(entry.coverage, entry.measured);
            let region = region.map_or_else(|| "-".to_owned(), |s| format!("{s:.2}"));
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {} | {} | {:.1}% | {:.0} | {:.2} | {:.2} | {region} | {} |",
                entry.place,
                entry.lines,
                entry.class,
                entry.work,
                100.0 * entry.coverage,
                entry.self_parallelism,
                entry.expected,
                entry.measured,
                if entry.kept { "yes" } else { "no" },
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::of_region;

    #[test]
    fn what_a_region_gains_follows_from_what_the_program_does() {
        // Half of the program in half of its time: three quarters are left.
        assert!((of_region(0.5, 4.0 / 3.0).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(of_region(0.05, 1.02), None);
        // Faster than if the region took no time: the large input has another share of it.
        assert_eq!(of_region(0.5, 2.5), None);
    }
}
