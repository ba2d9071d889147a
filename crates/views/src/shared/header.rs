//! What stands above every result: where it comes from and what it does not know.

use parascan_analysis::model::{InputBursts, ProfileInput};
use parascan_formats::profile::{BlindSpot, Caveat, End};

use unicode_width::UnicodeWidthStr;

use crate::shared::names::ShortNames;
use crate::shared::style::{Style, TextTone, count, factor, grouped, percent, safe, shorten};

/// Fewer stretches of a run may miss what it does: with as many, the intervals of all programs that were tried held
/// (`docs/bursts.md`).
const ENOUGH: u64 = 12;
/// Most blind spots named.
const BLIND_SPOTS: usize = 8;

/// What stands above every result: of which program and runs it is, and what its figures do not know.
pub(crate) struct ResultHeader<'a> {
    /// `Plan` or the like.
    pub(crate) what: &'a str,
    pub(crate) program: &'a str,
    pub(crate) inputs: &'a [ProfileInput],
    pub(crate) work: u64,
    pub(crate) critical_path: u64,
    pub(crate) blind_spots: &'a [BlindSpot],
}

impl ResultHeader<'_> {
    pub(crate) fn text(&self, style: &Style) -> String {
        let title = format!("{} of {}{}", self.what, self.program(), mark(self.inputs));
        let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
        out += &self.commands(style);
        let totals = totals(self.work, self.critical_path, self.inputs);
        out += &style.paragraph(None, "", "  ", &totals);
        out + &self.details(style)
    }

    /// What has to stand above a long table, in three lines at 80 columns; the rest is [`ResultHeader::details`].
    pub(crate) fn brief(&self, style: &Style) -> String {
        let behind = mark(self.inputs);
        let columns = style.columns();
        let room = columns.saturating_sub(self.what.width() + " of ".len() + behind.len());
        let program = match self.inputs {
            [input] if !input.provenance.command.is_empty() => {
                shorten(&command(input), room.max(8))
            }
            _ => self.program(),
        };
        let title = format!("{} of {program}{behind}", self.what);
        let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
        if self.inputs.len() > 1 {
            out += &self.commands(style);
        }
        let totals = totals(self.work, self.critical_path, self.inputs);
        out += &style.paragraph(None, "", "  ", &totals);
        let remarks = remarks(self.inputs).len() as u64;
        let below = [
            (remarks, count(remarks, "note", "notes")),
            (
                self.blind_spots.len() as u64,
                count(self.blind_spots.len() as u64, "blind spot", "blind spots"),
            ),
        ];
        let below = below.into_iter().filter(|(number, _)| *number > 0);
        let below: Vec<String> = below.map(|(_, text)| text).collect();
        if !below.is_empty() {
            let text = format!("See below the table: {}.", below.join(", "));
            out += &style.paragraph(Some(TextTone::Warning), "", "  ", &text);
        }
        out
    }

    /// How the figures came about, and what they do not know.
    pub(crate) fn details(&self, style: &Style) -> String {
        let mut out = String::new();
        let mut measured: Vec<String> = self.inputs.iter().map(measured).collect();
        measured.dedup();
        for line in measured {
            out += &style.paragraph(None, "", "  ", &line);
        }
        for remark in remarks(self.inputs) {
            out += &style.paragraph(Some(TextTone::Warning), "Note: ", "      ", &remark);
        }
        if !self.blind_spots.is_empty() {
            out += &style.paragraph(Some(TextTone::Warning), "", "  ", &blind(self.blind_spots));
        }
        out
    }

    fn program(&self) -> String {
        match self.program.is_empty() {
            true => "(unknown program)".to_owned(),
            false => safe(self.program),
        }
    }

    /// The commands that were recorded, a line each.
    fn commands(&self, style: &Style) -> String {
        let line = |input| style.paragraph(Some(TextTone::Dim), "  ", "    ", &command(input));
        self.inputs.iter().map(line).collect()
    }
}

/// A command, safe to print.
fn command(input: &ProfileInput) -> String {
    let words: Vec<String> = input.provenance.command.iter().map(|w| safe(w)).collect();
    words.join(" ")
}

/// What a title says of figures that are not of all of the run.
pub(crate) fn mark(inputs: &[ProfileInput]) -> &'static str {
    let partial = inputs.iter().any(ProfileInput::partial);
    let estimated = inputs.iter().any(ProfileInput::estimated);
    match (partial, estimated) {
        (false, false) => "",
        (true, false) => " (partial profile)",
        (false, true) => " (estimates)",
        (true, true) => " (partial profile, estimates)",
    }
}

/// Work and critical path of the program, in a sentence.
pub(crate) fn totals(work: u64, critical_path: u64, inputs: &[ProfileInput]) -> String {
    let about = match inputs.iter().any(ProfileInput::estimated) {
        true => "about ",
        false => "",
    };
    let units = grouped(work);
    match total_parallelism(work, critical_path) {
        Some(total) => format!(
            "Work {about}{units} units, critical path {}: total parallelism {}.",
            grouped(critical_path),
            factor(total),
        ),
        None => format!("Work {about}{units} units; the critical path of all of it is not known."),
    }
}

/// What a reader of the figures must know of how they came about, in sentences.
pub(crate) fn remarks(inputs: &[ProfileInput]) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let which = if inputs.len() > 1 {
            format!("Profile {}: ", number + 1)
        } else {
            String::new()
        };
        if !input.without.is_empty() {
            remarks.push(format!(
                "{which}built without these dependences, which the program has: {}",
                safe(&input.without.join(", "))
            ));
        }
        if let Some(end) = ended(&input.end) {
            remarks.push(format!("{which}{end}"));
        }
        let bursts = input.bursts.filter(|bursts| !bursts.exact);
        remarks.extend(bursts.map(|b| format!("{which}{}", in_bursts(&b, input.work))));
        for caveat in input
            .caveats
            .iter()
            .filter(|c| **c != Caveat::Partial || !input.end.partial())
        {
            remarks.push(format!("{which}{}", caveat_text(caveat)));
        }
    }
    remarks
}

/// Work over critical path; 1 where nothing was done, none where the path is not known.
pub(crate) fn total_parallelism(work: u64, critical_path: u64) -> Option<f64> {
    match known_path(work, critical_path)? {
        0 => Some(1.0),
        path => Some(work as f64 / path as f64),
    }
}

/// The program's critical path. Every operation takes time: where there is work and no path, its depth was not tracked,
/// or the run was seen in parts only.
pub(crate) fn known_path(work: u64, critical_path: u64) -> Option<u64> {
    (critical_path > 0 || work == 0).then_some(critical_path)
}

/// Which depths were measured, with which latencies.
pub(crate) fn measured(input: &ProfileInput) -> String {
    let from = &input.provenance;
    let reached = from.depth_reached;
    let depths = match from.end_level {
        _ if reached == 0 => "No region was entered".to_owned(),
        _ if input.estimated() => format!(
            "{} deep; of each stretch 8 depths were measured",
            count(reached.into(), "region", "regions")
        ),
        None if from.first_level == 0 => format!(
            "All {} were measured",
            count(reached.into(), "depth", "depths")
        ),
        end => format!(
            "Depths {} to {} of {reached} were measured",
            from.first_level,
            end.unwrap_or(reached).saturating_sub(1),
        ),
    };
    let runs = count(from.runs.max(1).into(), "run", "runs");
    let latencies: Vec<String> = input.latencies.iter().map(|name| safe(name)).collect();
    if latencies.is_empty() {
        format!("{depths} in {runs}.")
    } else {
        format!("{depths} in {runs}; latencies: {}.", latencies.join(", "))
    }
}

/// What to say about a process that did not end by itself.
pub(crate) fn ended(end: &End) -> Option<String> {
    match end {
        End::Exited(0) => None,
        End::Exited(code) => Some(format!("the program ended with exit code {code}.")),
        End::Signalled(signal) => Some(format!(
            "the program was ended by signal {signal}; this profile covers what it did until then."
        )),
        End::Unknown => Some(
            "the program ended without telling; this profile covers what it did until it was last heard of.".to_owned(),
        ),
    }
}

/// A caveat's stable code.
pub(crate) fn caveat_code(caveat: &Caveat) -> &'static str {
    match caveat {
        Caveat::Threads(_) => "threads",
        Caveat::Folded { .. } => "folded",
        Caveat::TreeSummarised => "tree_summarised",
        Caveat::ContextsFull => "contexts_full",
        Caveat::LogFull => "log_full",
        Caveat::ForeignModule => "foreign_module",
        Caveat::ShadowAlias => "shadow_alias",
        Caveat::Partial => "partial",
        Caveat::RunsDiffer(_) => "runs_differ",
        Caveat::NotTracked(_) => "not_tracked",
        Caveat::ClocksFull { .. } => "clocks_full",
        Caveat::RunsVary { .. } => "runs_vary",
    }
}

/// A caveat in words.
pub(crate) fn caveat_text(caveat: &Caveat) -> String {
    match caveat {
        Caveat::Threads(threads) => format!(
            "the program ran {} besides its first; only the first is measured.",
            count((*threads).into(), "thread", "threads")
        ),
        Caveat::Folded { entries, depth } => format!(
            "{} at depth {depth} or deeper {} counted in the region around (recursion).",
            count(*entries, "region", "regions"),
            if *entries == 1 { "is" } else { "are" },
        ),
        Caveat::TreeSummarised => {
            "the tree of region instances is summarised in places; no figure of a region is changed.".to_owned()
        }
        Caveat::ContextsFull => {
            "too many different chains of regions: the deepest ones are counted in the region around.".to_owned()
        }
        Caveat::LogFull => "the scratch file system was full: parts of the profile are missing.".to_owned(),
        Caveat::ForeignModule => {
            "a module built by another version of parascan was loaded; it is not measured.".to_owned()
        }
        Caveat::ShadowAlias => {
            "two memory mappings shared their shadow: times may be too long in places.".to_owned()
        }
        Caveat::Partial => "regions were open when the program ended; this profile is partial.".to_owned(),
        Caveat::RunsDiffer(what) => {
            format!("the runs put together here did not do the same: {}.", safe(what).trim_end_matches('.'))
        }
        Caveat::RunsVary { millionths } => runs_vary(*millionths),
        Caveat::ClocksFull { work, total, left_out } => clocks_full(*work, *total, *left_out),
        Caveat::NotTracked(depth) => format!(
            "depths from {depth} on were not tracked: self-parallelism is unknown there, and deeper regions count in those around them."
        ),
    }
}

/// The sentence that says that clocks were full, after how much of the run, and what that means
/// ([`Caveat::ClocksFull`]).
pub fn clocks_full(work: u64, total: Option<u64>, left_out: Option<u32>) -> String {
    let share = total.map_or_else(String::new, |total| {
        let share = work as f64 / total.max(1) as f64;
        format!(" ({} of the run)", percent(share))
    });
    let meaning = match left_out {
        None => "the figures are of this first part of the run only".to_owned(),
        Some(depth) => {
            format!("depths from {depth} on, which another run was to measure, are left out")
        }
    };
    format!(
        "the 32-bit clocks were full after {} units of work{share}: {meaning}. A build without \
         --parascan-exact, recorded with --exact and without --levels, is tracked to its end, in stretches.",
        grouped(work)
    )
}

/// The sentence that says that runs differed by little, and what that means ([`Caveat::RunsVary`]).
pub fn runs_vary(millionths: u32) -> String {
    let difference = if millionths == 0 {
        "in no region's work".to_owned()
    } else {
        format!("by up to {}% of the work", f64::from(millionths) / 1e4)
    };
    format!(
        "the runs put together here did nearly the same (they differ {difference}): figures of one region are of one run."
    )
}

/// That stretches of a run were tracked, how much of it, and what that means.
fn in_bursts(bursts: &InputBursts, work: u64) -> String {
    let stretches = match bursts.count {
        0 => "the beginning of the run was tracked".to_owned(),
        count => format!(
            "the beginning of the run and {} were tracked",
            self::count(count, "stretch of the rest", "stretches of the rest")
        ),
    };
    let share = percent((bursts.work as f64 / work.max(1) as f64).min(1.0));
    let few = if bursts.native && bursts.count < ENOUGH {
        " So few may have missed what the program does later: give it a longer run, or --overhead."
    } else {
        ""
    };
    let unseen = match bursts.unseen {
        0 => String::new(),
        unseen => format!(
            " {} ran in between alone: what they took is in no figure, also not in the work of the run.",
            count(unseen, "function or loop", "functions and loops")
        ),
    };
    let ended = if bursts.ended {
        " Clocks were full before the run ended: what came after counts, and was not looked at."
    } else {
        ""
    };
    format!(
        "{stretches}, {share} of its work. Figures with ~ or ± are estimates from that; regions of which it showed too little are unseen, which is \
         not serial.{unseen}{few}{ended}"
    )
}

fn blind(spots: &[BlindSpot]) -> String {
    let shown = spots.iter().take(BLIND_SPOTS);
    let names = ShortNames::new(shown.clone().map(|spot| spot.callee.as_str()));
    let named: Vec<String> = shown
        .map(|s| {
            format!(
                "{} ({})",
                names.of(&s.callee),
                count(s.calls, "call", "calls")
            )
        })
        .collect();
    let more = spots.len().saturating_sub(BLIND_SPOTS);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(
        "Blind spots: {}{more}. What these functions read and write in memory is not known; dependences through them are missing.",
        named.join(", ")
    )
}
