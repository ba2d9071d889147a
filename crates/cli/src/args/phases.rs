//! The options of `parascan phases`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::Format;

pub(super) const HELP: &str = "\
Examples:
  parascan phases parascan.omp
  parascan phases --phase cg.c:77        phases begin where it is entered
  parascan phases --interval 1s --overheads o.svg
                                         slices of a second instead of phases
  parascan phases --cfg cfg.svg          the control-flow graph (or cfg.dot)
  parascan phases --cfg a.svg --layer R7 only what is directly inside R7
  parascan phases --overheads o.svg --heatmap h.svg --time R7=t.svg parascan.omp
  parascan phases --time R7:max=max.svg --time cg.c:77:T3=t3.svg
                                         time of the slowest thread, of thread 3
  parascan phases rank.0.omp rank.1.omp  processes of one run side by side
  parascan phases --report phases.html   everything in one page
  parascan phases --format json parascan.omp | jq '.outliers[].text'

A region is named by its id (R7), its place (cg.c:77), its name, or its kind and one of these
(\"loop cg.c:80\"). Phases are what the program's marks enclose, else the iterations of a loop over
regions; docs/phases.md says which. With --cfg, a plot or --report nothing is printed, unless
--format is given too.";

/// Arguments of `phases`.
#[derive(Debug, Args)]
pub struct PhasesArgs {
    /// Recording written by `parascan omp`; - is standard input. Several are processes of one run, by rank
    #[arg(default_value = "parascan.omp", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub recordings: Vec<PathBuf>,
    /// Begin a phase at each entry of this region
    #[arg(long, value_name = "NODE")]
    pub phase: Option<String>,
    /// Cut the run into slices of this length instead: 1s, 250ms, 100us, 0.5 (seconds)
    #[arg(long, value_name = "TIME", value_parser = interval, conflicts_with = "phase")]
    pub interval: Option<u64>,
    /// Draw the control-flow graph into this file; its name ends in .svg or .dot
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub cfg: Option<PathBuf>,
    /// Let --cfg draw only the layer of this region (R0 is the program)
    #[arg(long, value_name = "NODE", requires = "cfg")]
    pub layer: Option<String>,
    /// Let --cfg draw regions below 1% of the time of all threads as boxes of their own, too, instead of several as one
    #[arg(long, requires = "cfg")]
    pub small: bool,
    /// Draw the overheads over time, of all or in one region, into an SVG file (repeatable)
    #[arg(long, value_name = "[NODE=]FILE")]
    pub overheads: Vec<String>,
    /// Draw the time of a region in each phase into an SVG file: the threads' mean, least and most; with :sum, :min,
    /// :max or :T3 behind NODE, their sum, the least, the most or that of thread 3 (repeatable)
    #[arg(long, value_name = "NODE[:OF]=FILE")]
    pub time: Vec<String>,
    /// Draw how often a region ran in each phase into an SVG file; with :COUNTER behind NODE, what a counter counted
    /// there, by parascan omp --region-counters (repeatable)
    #[arg(long, value_name = "NODE[:COUNTER]=FILE")]
    pub count: Vec<String>,
    /// Draw rates of a counter, phases by threads, into an SVG file; `iterations` are loop iterations handed out;
    /// without COUNTER, the first one; with NODE, in that region only, by parascan omp --region-counters (repeatable)
    #[arg(long, value_name = "[[NODE:]COUNTER=]FILE")]
    pub heatmap: Vec<String>,
    /// Write everything as one HTML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Look for the sources that --report shows below DIR first (repeatable)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "report")]
    pub source_root: Vec<PathBuf>,
    /// Most rows of each table
    #[arg(long, value_name = "N", default_value_t = 25)]
    pub rows: usize,
    /// Let --format csv print a row for each phase, region and thread, instead of one for each phase and thread
    #[arg(long, requires = "format")]
    pub regions: bool,
    /// How to print (default: text)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
}

/// A length of time in nanoseconds: a number with `s`, `ms`, `us`, `µs` or `ns`, or of seconds.
fn interval(given: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 5] = [
        ("ms", 1e6),
        ("us", 1e3),
        ("µs", 1e3),
        ("ns", 1.0),
        ("s", 1e9),
    ];
    let with_unit = UNITS
        .iter()
        .find_map(|&(unit, length)| Some((given.strip_suffix(unit)?, length)));
    let (number, unit) = with_unit.unwrap_or((given, 1e9));
    let number: Option<f64> = number.trim_end().parse().ok();
    let nanoseconds = number.map(|number| (number * unit).round());
    match nanoseconds {
        // A century is long enough.
        Some(length @ 1.0..3.2e18) => Ok(length as u64),
        _ => Err("expected a length of time such as 1s, 250ms, 100us or 0.5 (seconds)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::interval;

    #[test]
    fn lengths_of_time() {
        for (given, length) in [
            ("1s", 1_000_000_000),
            ("250ms", 250_000_000),
            ("100us", 100_000),
            ("100µs", 100_000),
            ("1.5 s", 1_500_000_000),
            ("2", 2_000_000_000),
            ("0.5", 500_000_000),
            ("7ns", 7),
        ] {
            assert_eq!(interval(given), Ok(length), "{given}");
        }
        for given in ["", "s", "0", "0s", "-1s", "nan", "inf", "1e30", "1h", "ms5"] {
            assert!(interval(given).is_err(), "{given}");
        }
    }
}
