//! What the engines found, with names and source lines, as the views take it.

use std::collections::{HashMap, HashSet};

use parascan_analysis::numbers;
use parascan_ddg::program::RoutineId;
use parascan_ddg::result::ModelFigures;
use parascan_ddg::stretch::{LoopCounts, Recording, RecordingEnd, Static, StaticId};
use parascan_formats::profile::End;
use parascan_trace::{Assembler, Finding, LoopHead, PER_PATTERN, View, WindowStart};
use parascan_views::ilp::{self as views, IlpReport, InstructionSite, StreamResults};

use super::command::{self, CommandPurpose};
use super::config::IlpConfig;
use super::open::OpenRequest;
use super::tasks::Tasks;
use crate::shell::quoted;

/// Most bins of a histogram: in up to so many steps each is looked at by itself.
const BINS: usize = 1 << 18;
/// Lines are looked up for so many routines.
const LINES: usize = 200;

/// How the stream came to its end.
#[derive(Clone, Debug)]
pub struct StreamEnd {
    /// The program's own end.
    pub end: End,
    /// Whether the stream stops before that without being asked to.
    pub cut: bool,
    /// What else a reader must know.
    pub notes: Vec<String>,
}

/// Puts together what the views show, out of what the engines found.
pub fn report(
    config: &IlpConfig,
    tasks: &Tasks,
    found: Vec<Finding>,
    assembler: &mut Assembler,
    program: String,
    command: Vec<String>,
    finished: StreamEnd,
) -> IlpReport {
    let mut figures = Vec::new();
    let mut recordings = Vec::new();
    for found in found {
        match found {
            Finding::Figures(views) => figures.push(views),
            Finding::Stretch { process, recording } => recordings.push((process, *recording)),
        }
    }
    let mut figures = figures.into_iter();
    let mut streams = streams(assembler, figures.next().unwrap_or_default(), !tasks.each);
    if tasks.each {
        streams.extend(self::streams(
            assembler,
            figures.next().unwrap_or_default(),
            false,
        ));
    }
    // Who reads only the first stream sees the first process.
    let mut notes = finished.notes;
    notes.extend(remarks(assembler));
    notes.extend(beyond(config, assembler.catalog.beyond()));
    let mut outcomes = streams.iter().flat_map(|stream| &stream.outcomes);
    if config.raw.scope.skip.is_some() && outcomes.all(|outcome| outcome.instructions == 0) {
        notes
            .push("The program ended before so many instructions as --skip leaves out.".to_owned());
    }
    if let Some(steps) = &config.raw.results.steps {
        let of_most = streams.iter().filter_map(|s| s.outcomes.get(config.focus));
        let longest = of_most.map(|outcome| outcome.critical_path).max();
        if config.wants_detail() && longest.unwrap_or(0) < *steps.start() {
            notes.push(format!(
                "There is no step {} of the run: its critical path has {} steps.",
                steps.start(),
                longest.unwrap_or(0)
            ));
        }
    }
    let mut stretches = Vec::new();
    let models = config.stretched.len();
    let several = recordings.len() > 1;
    for (number, (process, recording)) in recordings.into_iter().enumerate() {
        let model = &config.models[config.stretched[number % models]];
        let pattern = config.routines.get(number / models);
        if let RecordingEnd::NotReached { seen } = recording.ended {
            // That no routine of a pattern ran is an error of its own.
            if let Some(pattern) = pattern
                && seen > 0
                && number % models == 0
            {
                let call = config.raw.results.call;
                notes.push(format!(
                    "There is no call {call} of {pattern}: it was called {}.",
                    times(seen)
                ));
            }
            continue;
        }
        let no_room = recording.no_room;
        // That a line names no loop is an error of its own.
        let closed = match (
            &config.raw.results.open,
            recording.found,
            &recording.opened,
            assembler.opened.head(),
        ) {
            (Some(open), Some(found), None, Some(head)) => {
                Some(not_opened(open, config, found, head))
            }
            _ => None,
        };
        let stretch = stretch(config, assembler, recording, process, &model.name);
        notes.extend(closed.map(|note| match several {
            true => format!("{}: {note}", stretch.title),
            false => note,
        }));
        if no_room {
            notes.push(format!(
                "{}: there was no room for what each instruction depends on, so that the page opens no iterations of loops by itself; --limit makes the stretch shorter, and --open opens one.",
                stretch.title
            ));
        }
        stretches.push(stretch);
    }
    let wanted = with_lines(&streams);
    let partial = finished.cut || finished.end.partial() || assembler.anomalies.foreign > 0;
    IlpReport {
        program,
        command,
        again: command::words(CommandPurpose::Steps, std::env::args_os(), config),
        again_open: command::words(CommandPurpose::Open, std::env::args_os(), config),
        scope: scope(config, assembler),
        end: finished.end,
        partial,
        notes,
        models: config.models.clone(),
        focus: config.focus,
        streams,
        routines: assembler.catalog.names(|id| wanted.contains(&id)),
        stretches,
    }
}

fn scope(config: &IlpConfig, assembler: &Assembler) -> String {
    let scope = &config.raw.scope;
    let mut text = match assembler.from() {
        Some(WindowStart::Function(name)) => format!("from {name}"),
        Some(WindowStart::Offset(offset)) => format!("from offset {offset:#x}"),
        None => "the whole run".to_owned(),
    };
    if assembler.from().is_some() && !assembler.has_started() {
        text += " (never reached)";
    }
    if let Some(skip) = scope.skip {
        let skipped = numbers::count(skip, "instruction", "instructions");
        text += &format!(", without the first {skipped}");
    }
    if let Some(count) = scope.count {
        let counted = numbers::count(count, "instruction", "instructions");
        text += &format!(", {counted} at most");
    }
    text
}

fn streams(
    assembler: &Assembler,
    views: Vec<(View, Vec<ModelFigures>)>,
    alone: bool,
) -> Vec<StreamResults> {
    let several = views
        .iter()
        .any(|(view, _)| view.process != views[0].0.process);
    views
        .into_iter()
        .map(|(view, outcomes)| {
            let threads = match view.thread {
                Some(thread) => format!("thread {}", thread.0),
                None => "all threads".to_owned(),
            };
            let name = if several || !alone && view.process != 0 {
                format!("{}, {threads}", process_name(assembler, view.process))
            } else {
                threads
            };
            StreamResults {
                name,
                whole: view.thread.is_none(),
                outcomes,
            }
        })
        .collect()
}

/// `process 1 (sort)`.
fn process_name(assembler: &Assembler, process: u32) -> String {
    let path = assembler
        .definitions()
        .process(process)
        .map(|process| String::from_utf8_lossy(&process.path).into_owned())
        .unwrap_or_default();
    let program = path.rsplit('/').next().unwrap_or_default();
    format!("process {process} ({program})")
}

/// The routines that did most, of each outcome.
fn with_lines(streams: &[StreamResults]) -> HashSet<RoutineId> {
    let mut wanted = HashSet::new();
    for outcome in streams.iter().flat_map(|stream| &stream.outcomes) {
        let mut routines: Vec<_> = outcome.routines.iter().collect();
        routines.sort_by_key(|routine| std::cmp::Reverse(routine.own_operations));
        wanted.extend(routines.iter().take(LINES).map(|routine| routine.routine));
    }
    wanted
}

/// Which patterns match more routines than can be measured, given how many for each.
fn beyond(config: &IlpConfig, beyond: &[u32]) -> Vec<String> {
    let patterns = config.routines.iter().zip(beyond);
    patterns
        .filter(|(_, more)| **more > 0)
        .map(|(pattern, more)| {
            format!(
                "--routine {pattern} matches {more} routines more than the {PER_PATTERN} that were met first, which alone were measured; \
                 without --routine all are."
            )
        })
        .collect()
}

/// `once`, `17 times`.
fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        _ => format!("{} times", numbers::grouped(number)),
    }
}

/// Why no iteration was opened.
fn not_opened(
    open: &OpenRequest,
    config: &IlpConfig,
    found: LoopCounts,
    head: &LoopHead,
) -> String {
    let (iteration, entry) = (open.iteration, config.raw.results.entry);
    let LoopHead { module, address } = head;
    if found.entries == 0 {
        let module = module.as_deref().unwrap_or("the program itself");
        return format!(
            "--open {address:#x}:{iteration}: no instruction at this address of {module} was executed in the stretch; the graph shows addresses under the pointer."
        );
    }
    format!(
        "--open {address:#x}:{iteration}: there is no iteration {iteration} of entry {entry} (--entry): the loop was entered {}, and that entry had {}{}.",
        times(found.entries),
        numbers::count(found.iterations, "iteration", "iterations"),
        if found.iterations >= iteration {
            ", none of its instructions in the steps shown"
        } else {
            ""
        },
    )
}

/// What was odd about the stream.
fn remarks(assembler: &mut Assembler) -> Vec<String> {
    let mut notes = Vec::new();
    if assembler.is_stripped() {
        notes.push(
            "The program has no symbols: its functions are called by their addresses.".to_owned(),
        );
    }
    if assembler.goes_on_elsewhere() {
        notes.push(
            "The program executed another one in its place, which was not measured; --follow measures it, too.".to_owned(),
        );
    }
    let anomalies = &assembler.anomalies;
    if !anomalies.unknown_calls.is_empty() {
        let mut calls: Vec<_> = anomalies.unknown_calls.iter().collect();
        calls.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let shown: Vec<String> = calls
            .iter()
            .take(8)
            .map(|(number, count)| format!("{number} ({})", times(**count)))
            .collect();
        let more = if calls.len() > 8 { ", and others" } else { "" };
        notes.push(format!(
            "It is not known what memory these system calls read and wrote (numbers of x86-64): {}{more}.",
            shown.join(", ")
        ));
    }
    if anomalies.lost > 0 {
        notes.push(format!(
            "Records are missing in {}: there were more threads at a time than the trace can hold.",
            numbers::count(anomalies.lost, "place", "places")
        ));
    }
    if anomalies.foreign > 0 {
        notes.push(format!(
            "{} not understood and left out: the trace is damaged.",
            numbers::count(anomalies.foreign, "record was", "records were")
        ));
    }
    let (doubtful, first) = (
        anomalies.doubtful.len(),
        anomalies.doubtful.first().copied(),
    );
    if let Some((process, first)) = first {
        let (code_address, bytes) = assembler.instruction(process, first);
        notes.push(format!(
            "{} not understood in full, the first at {:#x} ({}); registers or memory operands may be missing there.",
            numbers::count(doubtful as u64, "instruction was", "instructions were"),
            code_address.address,
            parascan_isa::format(&bytes, code_address.address)
        ));
    }
    notes
}

fn stretch(
    config: &IlpConfig,
    assembler: &mut Assembler,
    mut recording: Recording,
    process: u32,
    model: &str,
) -> views::Stretch {
    let results = &config.raw.results;
    let steps = config.drawn_steps();
    let mut title = match recording.call {
        Some((_, routine)) => {
            format!("{}, call {}", assembler.catalog.name(routine), results.call)
        }
        None => "Whole run".to_owned(),
    };
    if config.raw.scope.follow {
        title += &format!(", {}", process_name(assembler, process));
    }
    let chains = recording.chains(results.chains.unwrap_or(0));
    let mut named: HashSet<StaticId> = HashSet::new();
    for chain in &chains {
        named.extend(chain.leaves.map(|leaves| leaves.statics));
        for segment in &chain.segments {
            named.extend(segment.instructions.iter().map(|(number, _)| *number));
        }
    }
    let of_loops = recording.loops.iter().flat_map(|it| &it.opened);
    let graphs = recording.graph.iter().chain(&recording.opened);
    for graph in graphs.chain(of_loops.map(|it| &it.graph)) {
        named.extend(graph.nodes.iter().map(|node| node.statics));
    }
    named.extend(recording.loops.iter().map(|it| it.head));
    let loop_of = loop_of(&recording, &named);
    let loops = std::mem::take(&mut recording.loops);
    let loops = loops.into_iter().map(|found| {
        let head = recording.statics[found.head.index()].address;
        let (address, _) = assembler.instruction(process, head);
        views::StretchLoop {
            name: quoted(assembler.loop_name(process, head)),
            end: address.address.wrapping_add(found.end - head),
            found,
        }
    });
    let loops = loops.collect();
    views::Stretch {
        title,
        model: model.to_owned(),
        instructions: recording.instances.len() as u64,
        operations: recording.operations(),
        critical_path: recording.critical_path().into(),
        stopped: recording.ended == RecordingEnd::AtLimit,
        steps: steps.map(|(first, last)| (first.into(), last.into())),
        histogram: config
            .wants_histograms()
            .then(|| recording.histogram(steps, BINS)),
        chains,
        sites: named
            .into_iter()
            .map(|number| {
                let facts = &recording.statics[number.index()];
                (number, site(assembler, process, facts))
            })
            .collect(),
        opened: recording.opened.map(|graph| views::OpenedStretch {
            title: views::opened_title(
                assembler.opened.head().map_or(0, |head| head.address),
                results.entry,
                results.open.as_ref().map_or(0, |open| open.iteration),
            ),
            graph,
        }),
        loops,
        loop_of,
        graph: recording.graph,
    }
}

/// The innermost loop that each of these instructions is part of.
fn loop_of(recording: &Recording, named: &HashSet<StaticId>) -> HashMap<StaticId, usize> {
    let address = |number: StaticId| recording.statics[number.index()].address;
    let loops = || recording.loops.iter().enumerate();
    let of = |number: &StaticId| {
        let around = loops().filter(|(_, it)| {
            let own = address(*number);
            address(it.head) <= own && own <= it.end
        });
        let innermost = around.min_by_key(|(_, it)| it.end - address(it.head));
        Some((*number, innermost?.0))
    };
    named.iter().filter_map(of).collect()
}

fn site(assembler: &mut Assembler, process: u32, facts: &Static) -> InstructionSite {
    let (code_address, bytes) = assembler.instruction(process, facts.address);
    InstructionSite {
        text: parascan_isa::format(&bytes, code_address.address),
        address: code_address.address,
        kind: facts.instruction.class.kind(),
        routine: assembler.catalog.name(facts.routine),
        place: assembler.catalog.line(code_address),
    }
}
