//! What stops which loop, for people, as JSON and as CSV (`docs/json.md`).

use parascan_analysis::evidence::{CarriedDependence, FAR, LoopFacts, Object, Remedy, SourcePlace};
use parascan_analysis::explain::{
    CallPaths, Explained, Explanations, LeftOutCost, WithoutDependences,
};
use parascan_formats::evidence::{DependenceKind, SiteAccess};
use serde::Serialize;

use crate::shared::csv::document;
use crate::shared::figures::{class_in_words, coverage, own_code};
use crate::shared::json::{self, PlaceJson, ProfileJson, profiles};
use crate::shared::names;
use crate::shared::style::{Style, TextTone, factor, grouped, percent, safe};

/// Most dependences listed of a loop.
const LISTED: usize = 12;

/// Explanations for people.
pub fn explain_text(all: &Explanations, style: &Style) -> String {
    let title = format!("What stops the loops of {}", safe(&all.program));
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
    if !all.observed {
        out += &style.paragraph(
            Some(TextTone::Warning),
            "Note: ",
            "      ",
            "this profile has no evidence; `parascan explain parascan.prof -- ./program input` collects it, and so does `parascan record --explain`",
        );
    }
    if !all.unseen.is_empty() {
        let names: Vec<String> = all.unseen.iter().map(|n| safe(n)).collect();
        let text = format!(
            "not looked into, because they are too large (more than 12,000 instructions: take their loops out into functions of their \
             own) or of a kind that cannot be: {}",
            names.join(", ")
        );
        out += &style.paragraph(Some(TextTone::Warning), "Note: ", "      ", &text);
    }
    if all.loops.is_empty() {
        out += "\nNo loop to explain.\n";
    }
    for one in &all.loops {
        out.push('\n');
        out += &explained(one, style);
    }
    out
}

fn explained(one: &Explained, style: &Style) -> String {
    let region = &one.region;
    let (place, function) = own_code(region);
    let heading = format!(
        "{place}  {}  {}  coverage {}",
        names::short(function),
        class_in_words(region),
        coverage(region)
    );
    let mut out = style.paragraph(Some(TextTone::Heading), "", "  ", &heading);
    if region.caller.is_some() {
        let text = format!(
            "A loop in the system's headers ({}), to which lines belong that stand below without a file.",
            safe(&region.id)
        );
        out += &style.paragraph(None, "  ", "    ", &text);
    }
    let Some(facts) = &one.facts else {
        out += &style.paragraph(None, "  ", "  ", "Not observed.");
        return out;
    };
    let verdict = match (&region.blocking, facts.blocking().next()) {
        // Nothing but control: the sentence that the plan has.
        (Some(why), None) => format!("In {}, {}.", seen(facts), safe(why)),
        _ => verdict(facts),
    };
    out += &style.paragraph(None, "  ", "  ", &verdict);
    if !facts.unseen.is_empty() {
        let names: Vec<String> = facts.unseen.iter().map(|n| names::short(n)).collect();
        let text = format!(
            "Nothing is known of what these do, which it calls: {}.",
            names.join(", ")
        );
        out += &style.paragraph(Some(TextTone::Warning), "  ", "    ", &text);
    }
    let shown = facts.dependences.iter().filter(|c| worth_showing(c));
    for (index, c) in shown.clone().enumerate() {
        if index == LISTED {
            let more = format!("... and {} more", shown.count() - LISTED);
            out += &style.paragraph(Some(TextTone::Dim), "  ", "  ", &more);
            break;
        }
        out += &dependence(c, &region.function, style);
    }
    for paths in &one.paths {
        out += &ways(paths, style);
    }
    for cost in &one.costs {
        out += &style.paragraph(None, "  ", "    ", &costs(cost));
    }
    if let Some(hint) = hint(one, facts) {
        out += &style.paragraph(Some(TextTone::Dim), "  ", "    ", &hint);
    }
    if let Some(without) = &one.without {
        out += &style.paragraph(None, "  ", "    ", &what_if(without));
    }
    let objects: Vec<String> = facts.objects.iter().filter_map(sharing).collect();
    if !objects.is_empty() {
        let text = format!("In memory: {}.", objects.join("; "));
        out += &style.paragraph(None, "  ", "    ", &text);
    }
    out
}

fn costs(cost: &LeftOutCost) -> String {
    let names: Vec<String> = cost
        .names
        .iter()
        .map(|n| format!("`{}`", safe(n)))
        .collect();
    let names = names.join(" and ");
    let Some(share) = cost.share else {
        return format!(
            "What {names} costs is not known: the loop's critical path was not measured."
        );
    };
    if share == 0.0 {
        return format!("Without {names} alone its critical path is as long as before.");
    }
    let sp = cost
        .self_parallelism
        .map_or_else(|| "unknown".to_owned(), factor);
    format!(
        "{} of its critical path is {names} alone. Without: {}, self-parallelism {sp}, the program {}x as fast (from another run; \
         ideal).",
        percent(share),
        cost.class.name(),
        factor(cost.speedup)
    )
}

/// How to learn what one of several dependences costs.
fn hint(one: &Explained, facts: &LoopFacts) -> Option<String> {
    let mut names: Vec<&str> = facts.blocking().map(|c| c.name.as_str()).collect();
    names.retain(|n| !n.is_empty());
    names.sort_unstable();
    names.dedup();
    let waits = one.without.as_ref().is_some_and(|w| w.waiting > 0.0);
    (names.len() > 1 && waits && one.costs.is_empty()).then(|| {
        let file = std::path::Path::new(&*one.region.file).file_name();
        let file = file.map(|f| f.to_string_lossy()).unwrap_or_default();
        format!(
            "A build without one of them says what that costs alone: PARASCAN_WITHOUT='{}:{}:{}', `parascan record`, and then \
             `parascan explain --without` (docs/cli.md).",
            safe(&file),
            one.region.line,
            safe(names[0])
        )
    })
}

fn what_if(without: &WithoutDependences) -> String {
    if without.waiting == 0.0 {
        return "None of it costs time: every iteration has what it needs when it begins, so that the loop can be pipelined, or the \
                dependence peeled off."
            .to_owned();
    }
    format!(
        "Waiting for earlier iterations is {} of its critical path. If no iteration waited: {}, self-parallelism about {}, the \
         program about {:.2}x as fast (from the same run; ideal).",
        percent(without.waiting),
        without.class.name(),
        grouped(without.self_parallelism.round() as u64),
        without.speedup,
    )
}

/// Whether people want to read of it: locals in registers are private anyway unless a value is handed on.
fn worth_showing(c: &CarriedDependence) -> bool {
    c.kind == DependenceKind::Flow
        || !c.reduction && !matches!(c.access, SiteAccess::LocalWrite | SiteAccess::Hidden)
}

fn seen(facts: &LoopFacts) -> String {
    format!(
        "{} iteration{} of {} instance{}{}",
        grouped(facts.iterations),
        if facts.iterations == 1 { "" } else { "s" },
        grouped(facts.instances),
        if facts.instances == 1 { "" } else { "s" },
        if facts.is_part() {
            " (a part of the run)"
        } else {
            " on this input"
        }
    )
}

fn verdict(facts: &LoopFacts) -> String {
    let seen = seen(facts);
    match facts.blocking().count() {
        0 => format!("No iteration reads what an earlier one wrote, in {seen}."),
        1 => format!("One dependence stops it, in {seen}:"),
        n => format!("{n} dependences stop it, in {seen}:"),
    }
}

fn dependence(c: &CarriedDependence, function: &str, style: &Style) -> String {
    let tag = match c.kind {
        _ if c.reduction => "reduction",
        DependenceKind::Flow => "flow",
        DependenceKind::Anti => "anti",
        DependenceKind::Output => "output",
    };
    let mut text = safe(&c.sentence(function));
    if let Some(at) = &c.allocated {
        // Lines are those of the loop's file, where nothing else is said.
        let file = match at.file == c.sink.file {
            true => String::new(),
            false => format!("{}, ", safe(at.file.rsplit('/').next().unwrap_or_default())),
        };
        text += &format!(
            " (heap block of {file}line {}{})",
            at.line,
            if at.function == function {
                String::new()
            } else {
                format!(" in {}", names::short(&at.function))
            }
        );
    }
    let mut out = style.paragraph(None, &format!("  {tag:9} "), "            ", &text);
    for remedy in &c.remedies {
        out += &style.paragraph(
            Some(TextTone::Dim),
            "            -> ",
            "               ",
            &safe(&remedy.text),
        );
    }
    out
}

/// How a function is reached, unless the loop itself calls it and nobody else.
fn ways(paths: &CallPaths, style: &Style) -> String {
    let name = names::short(&paths.function);
    if paths.more == 0 && paths.ways.iter().all(|way| way.len() == 1) {
        return String::new();
    }
    let way = |way: &Vec<SourcePlace>| {
        let names: Vec<String> = way.iter().map(|p| names::short(&p.function)).collect();
        names.join(" > ")
    };
    let mut all: Vec<String> = paths.ways.iter().map(way).collect();
    if paths.more > 0 {
        all.push(format!("{} more ways", paths.more));
    }
    let text = format!("Calls on the way to {name}: {}.", all.join("; "));
    style.paragraph(Some(TextTone::Dim), "  ", "    ", &text)
}

fn sharing(object: &Object) -> Option<String> {
    use parascan_analysis::evidence::Sharing;
    let name = safe(&object.name);
    Some(match object.sharing {
        Sharing::Shared => return None,
        Sharing::Private => format!("{name} private"),
        Sharing::Firstprivate => format!("{name} firstprivate"),
        Sharing::Lastprivate => format!("{name} lastprivate"),
        Sharing::Reduction => format!("{name} reduction"),
        Sharing::Copy => format!("{name} read from a copy"),
        Sharing::Blocked => return None,
    })
}

#[derive(Serialize)]
struct ExplainJson<'a> {
    program: &'a str,
    profiles: Vec<ProfileJson<'a>>,
    observed: bool,
    unseen: &'a [String],
    loops: Vec<LoopJson<'a>>,
}

#[derive(Serialize)]
struct LoopJson<'a> {
    #[serde(flatten)]
    region: PlaceJson<'a>,
    evidence: Option<FactsJson<'a>>,
    call_paths: Vec<PathsJson<'a>>,
    without: Option<WithoutJson>,
    costs: Vec<CostJson<'a>>,
}

#[derive(Serialize)]
struct CostJson<'a> {
    names: &'a [String],
    share: Option<f64>,
    class: &'static str,
    self_parallelism: Option<f64>,
    speedup: f64,
}

#[derive(Serialize)]
struct PathsJson<'a> {
    function: &'a str,
    ways: &'a [Vec<SourcePlace>],
    more: usize,
}

#[derive(Serialize)]
struct WithoutJson {
    class: &'static str,
    waiting: f64,
    self_parallelism: f64,
    speedup: f64,
}

#[derive(Serialize)]
struct FactsJson<'a> {
    instances: u64,
    iterations: u64,
    partial: bool,
    blocking: usize,
    dependences: Vec<DependenceJson<'a>>,
    objects: &'a [Object],
}

#[derive(Serialize)]
struct DependenceJson<'a> {
    kind: DependenceKind,
    name: &'a str,
    blocks: bool,
    reduction: bool,
    source: &'a SourcePlace,
    sink: &'a SourcePlace,
    allocated: Option<&'a SourcePlace>,
    distance_min: u32,
    distance_max: Option<u32>,
    iterations: u64,
    share: f64,
    share_most: f64,
    instances: u64,
    last_iteration: u32,
    text: String,
    remedies: &'a [Remedy],
}

impl<'a> DependenceJson<'a> {
    fn of(c: &'a CarriedDependence, facts: &LoopFacts, function: &str) -> Self {
        Self {
            kind: c.kind,
            name: &c.name,
            blocks: c.blocks(),
            reduction: c.reduction,
            source: &c.source,
            sink: &c.sink,
            allocated: c.allocated.as_ref(),
            distance_min: c.least,
            distance_max: (c.most < FAR).then_some(c.most),
            iterations: c.iterations,
            share: c.share,
            share_most: c.share_most,
            instances: c.instances,
            last_iteration: c.last,
            text: facts.sentence(c, function),
            remedies: &c.remedies,
        }
    }
}

/// Explanations as JSON.
pub fn explain_json(all: &Explanations) -> String {
    let loops = all.loops.iter().map(|one| LoopJson {
        region: PlaceJson::from(&one.region),
        evidence: one.facts.as_ref().map(|facts| FactsJson {
            instances: facts.instances,
            iterations: facts.iterations,
            partial: facts.is_part(),
            blocking: facts.blocking().count(),
            dependences: facts
                .dependences
                .iter()
                .map(|c| DependenceJson::of(c, facts, &one.region.function))
                .collect(),
            objects: &facts.objects,
        }),
        call_paths: one
            .paths
            .iter()
            .map(|p| PathsJson {
                function: &p.function,
                ways: &p.ways,
                more: p.more,
            })
            .collect(),
        without: one.without.map(|w| WithoutJson {
            class: w.class.name(),
            waiting: w.waiting,
            self_parallelism: w.self_parallelism,
            speedup: w.speedup,
        }),
        costs: one
            .costs
            .iter()
            .map(|c| CostJson {
                names: &c.names,
                share: c.share,
                class: c.class.name(),
                self_parallelism: c.self_parallelism,
                speedup: c.speedup,
            })
            .collect(),
    });
    json::document(
        "parascan-explain",
        &ExplainJson {
            program: &all.program,
            profiles: profiles(&all.inputs),
            observed: all.observed,
            unseen: &all.unseen,
            loops: loops.collect(),
        },
    )
}

/// Dependences as CSV, one a line.
pub fn explain_csv(all: &Explanations) -> String {
    const COLUMNS: [&str; 16] = [
        "id",
        "kind",
        "name",
        "blocks",
        "reduction",
        "source_file",
        "source_line",
        "sink_file",
        "sink_line",
        "distance_min",
        "distance_max",
        "iterations",
        "share",
        "instances",
        "text",
        "remedies",
    ];
    let rows = all.loops.iter().flat_map(|one| {
        let facts = one.facts.iter();
        let all = facts.flat_map(|f| f.dependences.iter().map(move |c| (f, c)));
        all.map(|(f, c)| {
            let remedies: Vec<&str> = c.remedies.iter().map(|r| r.code).collect();
            vec![
                safe(&one.region.id),
                kind_name(c.kind).to_owned(),
                safe(&c.name),
                c.blocks().to_string(),
                c.reduction.to_string(),
                safe(&c.source.file),
                c.source.line.to_string(),
                safe(&c.sink.file),
                c.sink.line.to_string(),
                c.least.to_string(),
                if c.most < FAR {
                    c.most.to_string()
                } else {
                    String::new()
                },
                c.iterations.to_string(),
                c.share.to_string(),
                c.instances.to_string(),
                safe(&f.sentence(c, &one.region.function)),
                remedies.join(" "),
            ]
        })
    });
    document(COLUMNS.into_iter(), rows)
}

fn kind_name(kind: DependenceKind) -> &'static str {
    match kind {
        DependenceKind::Flow => "flow",
        DependenceKind::Anti => "anti",
        DependenceKind::Output => "output",
    }
}
