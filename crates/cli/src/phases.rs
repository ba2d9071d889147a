//! `parascan phases`: iterative phases of an OpenMP run.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use parascan_analysis::phases::ranks::ranks;
use parascan_analysis::phases::thread_times::find_over;
use parascan_analysis::phases::{PhaseOptions, Phases, naming, phases};
use parascan_formats::omp::codec::{FileError, decode};
use parascan_formats::omp::{Location, Place, Recording};
use parascan_views::{
    Extent, HeatmapSubject, Measure, flow_dot, flow_svg, heat_svg, node_svg, overheads_svg,
    phase_regions_csv, phases_csv, phases_html, phases_json, phases_text, ranks_csv, ranks_json,
    ranks_text,
};

use crate::args::{self, Format};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::print;
use crate::sources::SourceFolders;

/// What `--heatmap` takes beside the names of counters: loop iterations handed out.
const ITERATIONS: &str = "iterations";

/// A drawing that was asked for, and where it goes.
enum RequestedDrawing<'a> {
    Flow { dot: bool },
    Overheads { node: Option<&'a str> },
    Time { node: &'a str },
    Count { node: &'a str },
    Heat { counter: Option<&'a str> },
    Page { places: &'a SourceFolders },
}

/// Prints the phases, or draws what is asked for.
pub fn run(raw: &args::PhasesArgs) -> Outcome<()> {
    let places = SourceFolders::new(&raw.source_root)?;
    let wanted = drawings(raw, &places)?;
    if raw.regions && (raw.format != Some(Format::Csv) || raw.recordings.len() > 1) {
        let text = "--regions is of --format csv and of one recording; JSON has the regions anyway";
        return Err(Failure::new(FailureKind::Usage, text.to_owned()));
    }
    let [recording] = raw.recordings.as_slice() else {
        return side_by_side(raw, wanted.is_empty());
    };
    let recording = read(recording)?;
    let options = PhaseOptions {
        phase: raw.phase.clone(),
        interval: raw.interval,
    };
    let result = phases(&recording, &options)?;
    drop(recording);
    let layer = raw.layer.as_deref().map(|given| find(&result, given));
    let layer = layer.transpose()?;
    let extent = Extent {
        node: layer.unwrap_or(0),
        one_layer: layer.is_some(),
        all: raw.small,
    };
    let drawn: Outcome<Vec<String>> = wanted
        .iter()
        .map(|(drawing, _)| draw(&result, drawing, extent))
        .collect();
    for ((_, output), text) in wanted.iter().zip(drawn?) {
        output.write(text.as_bytes())?;
    }
    match (raw.format, wanted.is_empty()) {
        (None, false) => Ok(()),
        (None | Some(Format::Text), _) => {
            print::out(&print::style().lay_out(|style| phases_text(&result, style, raw.rows)))
        }
        (Some(Format::Json), _) => print::out(&phases_json(&result)),
        (Some(Format::Csv), _) if raw.regions => print::out(&phase_regions_csv(&result)),
        (Some(Format::Csv), _) => print::out(&phases_csv(&result)),
    }
}

/// Prints the phases of several processes.
fn side_by_side(raw: &args::PhasesArgs, no_drawing: bool) -> Outcome<()> {
    if !no_drawing || raw.interval.is_some() {
        let text = "--cfg, plots, --report and --interval are of one recording; several are compared by their phases";
        return Err(Failure::new(FailureKind::Usage, text.to_owned()));
    }
    let mut recordings = Vec::with_capacity(raw.recordings.len());
    for path in &raw.recordings {
        recordings.push((path.display().to_string(), read(path)?));
    }
    let options = PhaseOptions {
        phase: raw.phase.clone(),
        interval: None,
    };
    let result = ranks(&recordings, &options)?;
    let names: Vec<String> = recordings.into_iter().map(|r| r.0).collect();
    print::out(&match raw.format {
        None | Some(Format::Text) => {
            print::style().lay_out(|style| ranks_text(&result, &names, style, raw.rows))
        }
        Some(Format::Json) => ranks_json(&result, &names),
        Some(Format::Csv) => ranks_csv(&result),
    })
}

/// Everything that is to be written, with the places checked before the work begins.
fn drawings<'a>(
    raw: &'a args::PhasesArgs,
    places: &'a SourceFolders,
) -> Outcome<Vec<(RequestedDrawing<'a>, OutputFile)>> {
    let mut all = Vec::new();
    if let Some(path) = &raw.cfg {
        let dot = match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => false,
            Some("dot" | "gv") => true,
            _ => {
                return Err(Failure::new(
                    FailureKind::Usage,
                    format!(
                        "--cfg {}: the name must end in .svg or .dot",
                        path.display()
                    ),
                ));
            }
        };
        all.push((
            RequestedDrawing::Flow { dot },
            OutputFile::check_for("--cfg FILE", path)?,
        ));
    }
    for one in &raw.overheads {
        let (node, path) = of_and_path(one);
        all.push((
            RequestedDrawing::Overheads { node },
            OutputFile::check_for("--overheads FILE", path)?,
        ));
    }
    let of_nodes = [("--time", &raw.time), ("--count", &raw.count)];
    for (option, given) in of_nodes {
        for one in given {
            let Some((node, path)) = one.split_once('=') else {
                return Err(Failure::new(
                    FailureKind::Usage,
                    format!("{option} {one}: expected NODE=FILE, as in {option} R3=r3.svg"),
                ));
            };
            let (drawing, usage) = match option {
                "--time" => (RequestedDrawing::Time { node }, "--time NODE=FILE"),
                _ => (RequestedDrawing::Count { node }, "--count NODE=FILE"),
            };
            all.push((drawing, OutputFile::check_for(usage, Path::new(path))?));
        }
    }
    for one in &raw.heatmap {
        let (counter, path) = of_and_path(one);
        let output = OutputFile::check_for("--heatmap FILE", path)?;
        all.push((RequestedDrawing::Heat { counter }, output));
    }
    if let Some(path) = &raw.report {
        let output = OutputFile::check_for("--report FILE", path)?;
        all.push((RequestedDrawing::Page { places }, output));
    }
    Ok(all)
}

/// `WHAT=FILE`, or `FILE` alone.
fn of_and_path(given: &str) -> (Option<&str>, &Path) {
    match given.split_once('=') {
        Some((what, path)) => (Some(what), Path::new(path)),
        None => (None, Path::new(given)),
    }
}

fn draw(result: &Phases, drawing: &RequestedDrawing, extent: Extent) -> Outcome<String> {
    Ok(match *drawing {
        RequestedDrawing::Flow { dot: false } => flow_svg(result, extent),
        RequestedDrawing::Flow { dot: true } => flow_dot(result, extent),
        RequestedDrawing::Overheads { node } => {
            let node = node.map_or(Ok(0), |given| find(result, given))?;
            overheads_svg(result, node)
        }
        RequestedDrawing::Time { node } => {
            let found = find_over(&result.tree, result.threads, node);
            let (node, over) = found?;
            node_svg(result, node, Measure::Time(over))
        }
        RequestedDrawing::Count { node: given } => match count_of(result, given)? {
            (node, None) => node_svg(result, node, Measure::Count),
            (node, Some(counter)) => node_svg(result, node, Measure::Counter(counter)),
        },
        RequestedDrawing::Heat { counter } => {
            let what = match counter {
                None => HeatmapSubject {
                    node: None,
                    counter: (!result.counters.is_empty()).then_some(0),
                },
                Some(given) => heat_of(result, given)?,
            };
            heat_svg(result, what)
        }
        RequestedDrawing::Page { places } => {
            let nodes = result
                .losses
                .iter()
                .map(|loss| &result.tree.nodes[loss.node]);
            let files: BTreeSet<&str> = nodes.filter_map(|node| file(&node.place)).collect();
            let sources = places.of_program(files.into_iter(), result.run.started);
            phases_html(result, &sources)
        }
    })
}

/// The file that a place lies in, where that is known.
fn file(place: &Place) -> Option<&str> {
    match &place.location {
        Location::Source { frame, .. } => Some(&frame.file),
        _ => None,
    }
}

fn find(result: &Phases, given: &str) -> Outcome<usize> {
    Ok(naming::find(&result.tree, given)?)
}

/// What `--heatmap` shows of `COUNTER` or `NODE:COUNTER`.
fn heat_of(result: &Phases, given: &str) -> Outcome<HeatmapSubject> {
    let counter = |name: &str| match name {
        ITERATIONS => Some(None),
        _ => counter_named(result, name).map(Some),
    };
    if let Some(counter) = counter(given) {
        let node = None;
        return Ok(HeatmapSubject { node, counter });
    }
    let Some((node, name)) = given.rsplit_once(':') else {
        return Err(no_counter(result, "--heatmap", given));
    };
    let Some(counter) = counter(name) else {
        return Err(no_counter(result, "--heatmap", name));
    };
    let node = find(result, node)?;
    if counter.is_some() {
        counts_in_regions(result, "--heatmap", given)?;
    }
    let node = Some(node);
    Ok(HeatmapSubject { node, counter })
}

/// What `--count` shows of `NODE` or `NODE:COUNTER`: names of nodes may have colons, too.
fn count_of(result: &Phases, given: &str) -> Outcome<(usize, Option<usize>)> {
    let whole = match find(result, given) {
        Ok(node) => return Ok((node, None)),
        Err(error) => error,
    };
    let Some((node, name)) = given.rsplit_once(':') else {
        return Err(whole);
    };
    let (Ok(node), counter) = (find(result, node), counter_named(result, name)) else {
        return Err(whole);
    };
    let Some(counter) = counter else {
        return Err(no_counter(result, "--count", name));
    };
    counts_in_regions(result, "--count", given)?;
    if result.counts_in_regions(counter) {
        return Ok((node, Some(counter)));
    }
    let text = format!("--count {given}: the machine that was recorded on does not have `{name}`");
    Err(Failure::new(FailureKind::NoSuchRegion, text))
}

fn counter_named(result: &Phases, name: &str) -> Option<usize> {
    result.counters.iter().position(|c| c == name)
}

fn no_counter(result: &Phases, option: &str, name: &str) -> Failure {
    let mut known: Vec<&str> = result.counters.iter().map(String::as_str).collect();
    if option == "--heatmap" {
        known.push(ITERATIONS);
    }
    let known = known.join(", ");
    let text = format!("{option}: the recording has no counter `{name}`; it has {known}");
    Failure::new(FailureKind::NoSuchRegion, text)
}

/// Whether counters were read at regions.
fn counts_in_regions(result: &Phases, option: &str, given: &str) -> Outcome<()> {
    if result.region_counters != 0 {
        return Ok(());
    }
    let text = format!(
        "{option} {given}: the recording has no counters of regions; record with parascan omp --region-counters"
    );
    Err(Failure::new(FailureKind::NoSuchRegion, text))
}

/// Reads a recording.
fn read(path: &Path) -> Outcome<Recording> {
    let (shown, bytes) = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        ("standard input".to_owned(), read.map(|_| bytes))
    } else {
        (path.display().to_string(), fs::read(path))
    };
    let bytes = bytes.map_err(|e| {
        let message = match e.kind() {
            io::ErrorKind::IsADirectory => {
                format!("{shown} is a directory; give the file that `parascan omp` wrote")
            }
            _ => format!("{shown}: {e}; `parascan omp` writes recordings"),
        };
        Failure::new(FailureKind::NoInput, message)
    })?;
    decode(&bytes).map_err(|e| {
        let kind = match e {
            FileError::Empty => FailureKind::EmptyProfile,
            FileError::Truncated { .. } => FailureKind::TruncatedProfile,
            FileError::TooNew(_) => FailureKind::NewerProfile,
            _ => FailureKind::BadProfile,
        };
        Failure::new(kind, format!("{shown}: {e}"))
    })
}
