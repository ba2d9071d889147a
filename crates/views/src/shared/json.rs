//! What JSON documents have in common: their first fields, profiles, and which region a row is of (`docs/json.md`).

use parascan_analysis::model::{InputBursts, ProfileInput, StaticRegion};
use parascan_analysis::regions::RegionFigures;
use parascan_formats::module::RegionKind;
use parascan_formats::profile::End;
use serde::Serialize;

use crate::shared::header::{caveat_code, caveat_text, known_path, total_parallelism};

/// Version of the JSON documents; fields may be added without a new one.
pub(crate) const VERSION: u32 = 1;

/// A document of this format: which it is, then the fields of the body.
pub(crate) fn document(format: &'static str, body: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct JsonDocument<'a, T> {
        format: &'static str,
        version: u32,
        #[serde(flatten)]
        body: &'a T,
    }
    to_string(&JsonDocument {
        format,
        version: VERSION,
        body,
    })
}

/// Indented JSON with an end of line.
pub(crate) fn to_string(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("plain data becomes JSON");
    text.push('\n');
    text
}

/// What is known of the whole program: the first fields of most documents.
#[derive(Serialize)]
pub(crate) struct Totals<'a> {
    program: &'a str,
    profiles: Vec<ProfileJson<'a>>,
    work: u64,
    critical_path: Option<u64>,
    total_parallelism: Option<f64>,
}

impl<'a> Totals<'a> {
    /// Of a program with the profiles it was measured in, its work and its critical path (0: not known), both in units
    /// of the latency table.
    pub(crate) fn new(
        program: &'a str,
        inputs: &'a [ProfileInput],
        work: u64,
        critical_path: u64,
    ) -> Self {
        Self {
            program,
            profiles: profiles(inputs),
            work,
            critical_path: known_path(work, critical_path),
            total_parallelism: total_parallelism(work, critical_path),
        }
    }
}

/// A profile that figures come from.
#[derive(Serialize)]
pub(crate) struct ProfileJson<'a> {
    command: &'a [String],
    directory: &'a str,
    started: u64,
    duration_ms: u64,
    runs: u32,
    first_level: u32,
    end_level: Option<u32>,
    depth_reached: u32,
    machine: &'a str,
    parascan: &'a str,
    latencies: &'a [String],
    work: u64,
    critical_path: u64,
    exit_code: Option<i32>,
    signal: Option<i32>,
    partial: bool,
    bursts: Option<InputBursts>,
    caveats: Vec<CaveatJson>,
}

#[derive(Serialize)]
struct CaveatJson {
    code: &'static str,
    text: String,
}

/// The profiles, in order.
pub(crate) fn profiles(inputs: &[ProfileInput]) -> Vec<ProfileJson<'_>> {
    let one = |input: &'_ ProfileInput| {
        let (exit_code, signal) = match input.end {
            End::Exited(code) => (Some(code), None),
            End::Signalled(signal) => (None, Some(signal)),
            End::Unknown => (None, None),
        };
        (exit_code, signal)
    };
    inputs
        .iter()
        .map(|input| {
            let (exit_code, signal) = one(input);
            let from = &input.provenance;
            ProfileJson {
                command: &from.command,
                directory: &from.directory,
                started: from.started,
                duration_ms: from.duration_ms,
                runs: from.runs,
                first_level: from.first_level,
                end_level: from.end_level,
                depth_reached: from.depth_reached,
                machine: &from.machine,
                parascan: &from.parascan,
                latencies: &input.latencies,
                work: input.work,
                critical_path: input.critical_path,
                exit_code,
                signal,
                partial: input.partial(),
                bursts: input.bursts,
                caveats: input
                    .caveats
                    .iter()
                    .map(|caveat| CaveatJson {
                        code: caveat_code(caveat),
                        text: caveat_text(caveat),
                    })
                    .collect(),
            }
        })
        .collect()
}

/// What tells a region from all others: its id, and its place in the source.
#[derive(Serialize)]
pub(crate) struct RegionNameJson<'a> {
    id: &'a str,
    kind: RegionKind,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    function: &'a str,
}

impl<'a> From<&'a RegionFigures> for RegionNameJson<'a> {
    fn from(row: &'a RegionFigures) -> Self {
        Self {
            id: &row.id,
            kind: row.kind,
            file: &row.file,
            line: row.line,
            column: row.column,
            end_line: row.end_line,
            function: &row.function,
        }
    }
}

impl<'a> From<&'a StaticRegion> for RegionNameJson<'a> {
    fn from(region: &'a StaticRegion) -> Self {
        Self {
            id: &region.id,
            kind: region.fixed.kind,
            file: &region.fixed.file,
            line: region.fixed.line,
            column: region.fixed.column,
            end_line: region.fixed.end_line,
            function: &region.fixed.function,
        }
    }
}

/// Which region it is, and how much of the program.
#[derive(Serialize)]
pub(crate) struct PlaceJson<'a> {
    letter: Option<&'a str>,
    #[serde(flatten)]
    name: RegionNameJson<'a>,
    class: &'static str,
    coverage: f64,
    coverage_error: Option<f64>,
    total_parallelism: Option<f64>,
}

impl<'a> From<&'a RegionFigures> for PlaceJson<'a> {
    fn from(row: &'a RegionFigures) -> Self {
        Self {
            letter: row.letter.as_deref(),
            name: row.into(),
            class: row.class.name(),
            coverage: row.coverage,
            coverage_error: row.sample.map(|sample| sample.coverage_error),
            total_parallelism: row.total_parallelism,
        }
    }
}
