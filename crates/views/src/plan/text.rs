//! The plan for people.

use parascan_analysis::advice::Patch;
use parascan_analysis::class::Class;
use parascan_analysis::costs::Expected;
use parascan_analysis::personality::{Algorithm, Kind};
use parascan_analysis::plan::{Outlook, Plan, Reason, Rejected, Target};
use parascan_analysis::regions::{Iterations, RegionFigures};
use parascan_formats::module::RegionKind;

use crate::shared::cells::{
    KIND, class_cell, coverage_cells, coverage_columns, estimated, self_parallelism_cells,
    self_parallelism_columns,
};
use crate::shared::header::Header;
use crate::shared::names::Names;
use crate::shared::style::{
    Style, Tone, continued, count, factor, grouped, percent, safe, speedup,
};
use crate::shared::table::{self, Cell};

/// Most regions left out that are listed one by one.
const LEFT_OUT: usize = 12;

/// The plan as text.
pub fn plan_text(plan: &Plan, style: &Style) -> String {
    let mut out = Header {
        what: "Parallelism plan",
        program: &plan.program,
        inputs: &plan.inputs,
        work: plan.work,
        critical_path: plan.critical_path,
        blind_spots: &plan.blind_spots,
    }
    .text(style);
    out += &style.paragraph(None, "", "  ", &rules(plan));
    out.push('\n');
    let rejected = plan.rejected.iter().map(|rejected| &rejected.region);
    let all = plan.entries.iter().chain(rejected);
    let names = Names::new(all.map(|region| own_code(region).1));
    if plan.entries.is_empty() {
        out += &style.paragraph(None, "", "", &nothing(plan));
    } else {
        out += &ranking(plan, &names, style);
        out.push('\n');
        out += &what_to_write(plan, &names, style);
        out.push('\n');
        out += &summary(plan, style);
    }
    if !plan.rejected.is_empty() {
        out.push('\n');
        out += &left_out(&plan.rejected, &names, style);
    }
    out
}

/// Why a plan is empty.
pub(crate) fn nothing(plan: &Plan) -> String {
    let name = safe(&plan.personality.name);
    let nothing = match &plan.outlook {
        None => format!("No region meets the thresholds of personality `{name}`."),
        Some(outlook) => format!(
            "No region meets the thresholds of personality `{name}` and pays {}; `--ideal` shows what dependences alone would allow.",
            match outlook.target {
                Target::Threads => format!("for its threads {}", on(outlook)),
                Target::Vectors(_) | Target::Device(_) => on(outlook),
            }
        ),
    };
    let could_be_tasks = plan.rejected.iter().any(|rejected| {
        let task = rejected.region.class == Class::Task;
        task && matches!(rejected.reason, Reason::KindNotPlanned(_))
    });
    match could_be_tasks {
        true => format!(
            "{nothing} Calls may run side by side: `--personality tasks` plans functions, too."
        ),
        false => nothing,
    }
}

/// The thresholds applied.
pub(crate) fn rules(plan: &Plan) -> String {
    let personality = &plan.personality;
    let kind = |kind| personality.kinds.contains(&kind);
    let mut least = Vec::new();
    if kind(Kind::Loop) || kind(Kind::Doall) || kind(Kind::Innermost) {
        least.push(format!(
            "{}% by a DOALL loop",
            personality.min_speedup_doall
        ));
    }
    if kind(Kind::Loop) || kind(Kind::Doacross) {
        least.push(format!(
            "{}% by a DOACROSS loop",
            personality.min_speedup_doacross
        ));
    }
    if kind(Kind::Function) {
        least.push(format!("{}% by tasks", personality.min_speedup_task));
    }
    format!(
        "Personality {}: self-parallelism of {} or more, program faster by {}.",
        safe(&personality.name),
        personality.min_self_parallelism,
        least.join(", "),
    )
}

fn ranking(plan: &Plan, names: &Names, style: &Style) -> String {
    let estimated = estimated(&plan.entries);
    let mut columns = vec![
        table::number("#"),
        table::place("Where"),
        table::function("Function").goes(1),
        KIND,
    ];
    columns.extend(self_parallelism_columns(estimated));
    columns.extend(coverage_columns(estimated, 2));
    // What is expected stands where ideal plans have the ideal.
    if plan.outlook.is_some() {
        columns.push(table::number("Ideal").goes(3));
        columns.push(table::number("Expected"));
        columns.push(table::number("So far").goes(6));
    } else {
        columns.push(table::number("Alone"));
        columns.push(table::number("So far").goes(6));
        if plan.cores.is_some() {
            columns.push(table::number("On cores").goes(3));
        }
    }
    columns.push(table::number("Iterations").goes(7));
    let rows = plan.entries.iter().enumerate().map(|(index, entry)| {
        let (place, function) = own_code(entry);
        let rank = entry.rank.map_or_else(String::new, |rank| rank.to_string());
        let mut row: Vec<Cell> = vec![rank.into(), place.into(), names.of(function).into()];
        row.push(class_cell(entry));
        row.extend(self_parallelism_cells(entry, estimated));
        row.extend(coverage_cells(entry, estimated, style));
        row.push(speedup(entry.speedup).into());
        let so_far = entry.cumulative_speedup.map(speedup);
        match &plan.outlook {
            Some(outlook) => row.extend([&outlook.alone, &outlook.so_far].map(|list| {
                let one = list.get(index).map(|e| speedup(e.speedup));
                one.unwrap_or_default().into()
            })),
            None => {
                row.push(so_far.unwrap_or_default().into());
                if plan.cores.is_some() {
                    let on_cores = plan.on_cores.get(index).copied().map(speedup);
                    row.push(on_cores.unwrap_or_default().into());
                }
            }
        }
        let iterations = entry.iterations.as_ref();
        let iterations = iterations.map(|i| self::iterations(i, entry.instances));
        row.push(iterations.unwrap_or_default().into());
        row
    });
    table::layout(&columns, rows.collect(), style)
}

fn what_to_write(plan: &Plan, names: &Names, style: &Style) -> String {
    let mut out = style.paint(Tone::Heading, "What to write");
    out.push('\n');
    let digits = plan.entries.len().to_string().len();
    for (index, entry) in plan.entries.iter().enumerate() {
        let number = format!("{:>digits$}  ", entry.rank.unwrap_or(0));
        let indent = " ".repeat(digits + 2);
        let (place, function) = own_code(entry);
        out += &style.paragraph(
            None,
            &number,
            &indent,
            &format!("{place} in {}", names.of(function)),
        );
        // Written twice it would not compile.
        let told = plan.entries[..index].iter().find(|e| same_code(e, entry));
        if let Some(told) = told {
            let text = format!(
                "the code of {} does for this one too, another instance of the same loop",
                told.rank.unwrap_or(0)
            );
            let indent = format!("{indent}  ");
            out += &style.paragraph(None, &indent, &indent, &text);
        } else {
            if let Some(pragma) = &entry.pragma {
                out += &continued(style, &format!("{indent}  "), &safe(pragma));
            }
            if let Some(patch) = &entry.patch {
                out += &lines_around(style, &format!("{indent}  "), entry.line, patch);
            }
        }
        let reductions: Vec<String> = entry
            .reductions
            .iter()
            // Names and lines of a header are nobody's.
            .filter(|r| r.line != 0 && entry.caller.is_none())
            .map(|r| format!("`{}` by `{}` on line {}", safe(&r.name), r.operator, r.line))
            .collect();
        if !reductions.is_empty() {
            let text = format!("reduces {}", reductions.join(", "));
            out += &style.paragraph(
                None,
                &format!("{indent}  "),
                &format!("{indent}    "),
                &text,
            );
        }
        for hint in &entry.notes() {
            out += &style.paragraph(
                None,
                &format!("{indent}  - "),
                &format!("{indent}    "),
                &safe(hint),
            );
        }
        if entry.measured < 1.0 {
            let text = format!(
                "self-parallelism is known for {} of its work only; the rest counts as serial",
                percent(entry.measured)
            );
            out += &style.paragraph(
                Some(Tone::Warning),
                &format!("{indent}  - "),
                &format!("{indent}    "),
                &text,
            );
        }
    }
    out
}

/// Whether two loops have the same code to write at the same place: instances of a template, of a function in a header.
fn same_code(a: &RegionFigures, b: &RegionFigures) -> bool {
    (a.pragma.is_some() || a.patch.is_some())
        && (&a.file, a.line, a.column) == (&b.file, b.line, b.column)
        && (&a.pragma, &a.patch) == (&b.pragma, &b.patch)
}

/// A patch: what to write in front of a loop and behind it.
fn lines_around(style: &Style, indent: &str, first_line: u32, patch: &Patch) -> String {
    let mut out = String::new();
    let places = [
        (format!("in front of line {first_line}:"), &patch.before),
        (format!("behind line {}:", patch.last_line), &patch.after),
    ];
    for (place, lines) in places {
        out += &style.paragraph(None, indent, indent, &place);
        for line in lines {
            let text = line.trim_start();
            let inner = " ".repeat(line.len() - text.len());
            out += &continued(style, &format!("{indent}  {inner}"), &safe(text));
        }
    }
    out
}

fn summary(plan: &Plan, style: &Style) -> String {
    let mut text = match &plan.outlook {
        Some(outlook) => expectation(plan, outlook),
        None => ideal(plan),
    };
    if !plan.optimal && plan.personality.algorithm == Algorithm::Dynamic {
        text += " The search for the best choice was cut short; there may be a better one.";
    }
    if let Some(more) = to_settle(plan) {
        text += " ";
        text += more;
    }
    style.paragraph(None, "", "", &text)
}

/// What to do where entries have no code because nobody looked at their accesses.
pub(crate) fn to_settle(plan: &Plan) -> Option<&'static str> {
    (!plan.observed && plan.entries.iter().any(unsettled)).then_some(
        "Where something has to be looked at first, `parascan explain` with this profile runs the program once more, \
         looks at every access, and names what stops a loop or settles it.",
    )
}

/// Speedups on processors without end.
fn ideal(plan: &Plan) -> String {
    let mut text = format!(
        "With all of them the program would run {} as fast",
        speedup(plan.speedup)
    );
    if let (Some(cores), Some(on_cores)) = (plan.cores, plan.speedup_on_cores) {
        text += &format!(", on {cores} cores {}", speedup(on_cores));
    }
    text + ". Speedups are ideal: no overhead, no limit by memory or by the number of processors, and one run of the \
            program stands for all."
}

/// Speedups on the machine that the plan is for.
fn expectation(plan: &Plan, outlook: &Outlook) -> String {
    let mut text = format!(
        "With all of them the program is expected to run {} as fast {} ({});{} ideal {}.",
        speedup(outlook.all.speedup),
        on(outlook),
        range(&outlook.all),
        match outlook.curve[..] {
            [] => String::new(),
            _ => format!(" on {};", curve(outlook)),
        },
        speedup(plan.speedup)
    );
    text += &format!(" {}", limits(outlook));
    text
}

/// What runs the regions: `on 2 cores`.
pub(crate) fn on(outlook: &Outlook) -> String {
    match outlook.target {
        Target::Threads => format!("on {} cores", outlook.machine.cores),
        Target::Vectors(bytes) => format!("with vectors of {bytes} bytes"),
        Target::Device(device) => {
            format!(
                "with a device {} times as fast as a core",
                factor(device.faster)
            )
        }
    }
}

/// `1.60x to 1.97x`.
pub(crate) fn range(expected: &Expected) -> String {
    format!("{} to {}", speedup(expected.least), speedup(expected.most))
}

/// Expected speedups on other numbers of cores.
pub(crate) fn curve(outlook: &Outlook) -> String {
    let others = outlook
        .curve
        .iter()
        .filter(|(cores, _)| *cores != outlook.machine.cores);
    let others: Vec<String> = others
        .map(|(cores, expected)| format!("{cores}: {}", speedup(expected.speedup)))
        .collect();
    others.join(", ")
}

/// What expected figures are made of, and what is not in them.
pub(crate) fn limits(outlook: &Outlook) -> String {
    let rate = outlook.units_per_ns;
    let rate = match outlook.machine.serial_seconds {
        Some(_) if outlook.machine.recorded => format!(
            "at {} units of work in a nanosecond, as native code between bursts took",
            factor(rate)
        ),
        Some(_) => format!(
            "at the program's {} units of work in a nanosecond",
            factor(rate)
        ),
        None => format!(
            "at {} units of work in a nanosecond, a guess that may be ten times off (`--serial-time` gives the program's own time)",
            factor(rate)
        ),
    };
    let costs = match outlook.machine.calibrated {
        true => "what threads cost, measured on this machine",
        false => {
            "what threads cost, rounded published figures (`parascan calibrate` measures them)"
        }
    };
    let memory = match outlook.machine.memory {
        Some(_) => "what loops stream through memory, as fast as it was measured",
        None => "what loops stream through memory, as fast as a guess has it",
    };
    match outlook.target {
        Target::Threads => {}
        Target::Vectors(_) => {
            return format!(
                "Expected figures count so many elements at a time as a vector holds, a guess for those that are not side by side, {rate}, and \
                 {memory}; the range goes from nothing to all. One run of the program stands for all."
            );
        }
        Target::Device(_) => {
            return format!(
                "Expected figures are orders of magnitude: those of the personality for the device, what every instance copies, and work {rate}. \
                 Nothing was measured on a device. One run of the program stands for all."
            );
        }
    }
    format!(
        "Expected figures count {costs}, {rate}, {memory}, and the largest share of a core; not how caches are shared. One run of the program \
         stands for all."
    )
}

/// Whether a run that looks at every access could say more of a planned region.
fn unsettled(entry: &RegionFigures) -> bool {
    entry.kind == RegionKind::Loop && !entry.needs.is_empty()
}

/// Loops, and functions with some parallelism, one by one; everything else is summed up.
fn left_out(rejected: &[Rejected], names: &Names, style: &Style) -> String {
    let mut out = style.paint(Tone::Heading, "Left out");
    out.push('\n');
    let (listed, mut rest): (Vec<&Rejected>, Vec<&Rejected>) = rejected.iter().partition(|one| {
        one.region.kind == RegionKind::Loop
            || one.region.class != Class::Serial
            || one.reason == Reason::Excluded
    });
    for Rejected { region, reason } in listed.iter().take(LEFT_OUT) {
        let (mut place, function) = own_code(region);
        if region.caller.is_some() {
            // Lines are those of the header.
            place = format!("{place} ({})", safe(&region.id));
        }
        let text = format!(
            "{place} {} ({}): {}",
            names.of(function),
            coverage(region),
            safe(&reason.explain(region)),
        );
        out += &style.paragraph(None, "  ", "    ", &text);
    }
    rest.extend(listed.iter().skip(LEFT_OUT));
    if rest.is_empty() {
        return out;
    }
    let mut counts: Vec<((&str, &str), u64)> = Vec::new();
    for one in &rest {
        let what = match one.region.kind {
            RegionKind::Loop => "loop",
            _ => "function",
        };
        let text = (what, one.reason.code());
        match counts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let counts: Vec<String> = counts
        .iter()
        .map(|&((what, code), n)| {
            let noun = count(n, what, &format!("{what}s"));
            format!("{noun} ({})", code.replace('_', " "))
        })
        .collect();
    let text = format!("and {}; `--format json` lists them", counts.join(", "));
    out + &style.paragraph(Some(Tone::Dim), "  ", "    ", &text)
}

/// Place and function of what somebody can change: of a region in a system header, those of the program's code that
/// leads there. The function has its whole name.
pub(crate) fn own_code(region: &RegionFigures) -> (String, &str) {
    match &region.caller {
        Some(caller) => (safe(&caller.place()), &caller.function),
        None => (place(region), &region.function),
    }
}

/// `file:first-last`.
pub(crate) fn place(region: &RegionFigures) -> String {
    let file = match region.id.split_once(':') {
        // Ids begin with the shortest name of the file that is not ambiguous.
        Some((file, _)) if !file.is_empty() => file,
        _ => region.file.as_str(),
    };
    let file = safe(file);
    let place = match (region.line, region.end_line) {
        (0, _) => format!("{file}:?"),
        (line, end) if end > line => format!("{file}:{line}-{end}"),
        (line, _) => format!("{file}:{line}"),
    };
    if region.shares_line {
        format!("{place} (column {})", region.column)
    } else {
        place
    }
}

/// The class in words, with what it belongs to.
pub(crate) fn kind(region: &RegionFigures) -> String {
    match region.class {
        Class::Doall => "DOALL",
        Class::DoallReduction => "DOALL, reduction",
        Class::Doacross => "DOACROSS",
        Class::Task => "TASK",
        Class::Serial if region.kind == RegionKind::Loop => "serial loop",
        Class::Serial => "serial",
        Class::Unseen if region.kind == RegionKind::Loop => "unseen loop",
        Class::Unseen => "unseen",
    }
    .to_owned()
}

/// Its letter, nothing where it has none.
pub(crate) fn letter(region: &RegionFigures) -> String {
    region.letter.as_deref().unwrap_or_default().to_owned()
}

/// Its coverage, with its interval where it is an estimate.
pub(crate) fn coverage(region: &RegionFigures) -> String {
    let share = coverage_alone(region);
    match region.sample {
        Some(sample) => format!("{share} ±{}", percent(sample.coverage_error)),
        None => share,
    }
}

/// Its coverage.
pub(crate) fn coverage_alone(region: &RegionFigures) -> String {
    percent(region.coverage)
}

/// Its self-parallelism, with `~` where it is an estimate, and its interval where that is more than a percent away.
pub(crate) fn self_parallelism(region: &RegionFigures) -> String {
    let number = self_parallelism_alone(region);
    match interval(region) {
        Some(interval) => format!("{number} ({interval})"),
        None => number,
    }
}

/// Its self-parallelism, with `~` where it is an estimate.
pub(crate) fn self_parallelism_alone(region: &RegionFigures) -> String {
    match (region.self_parallelism, region.sample) {
        (None, _) => "?".to_owned(),
        (Some(number), None) => factor(number),
        (Some(number), Some(_)) => format!("~{}", factor(number)),
    }
}

/// The interval of its self-parallelism: `9.80..15.5`, `?` where there is no bound; none where it is exact, or within a
/// percent.
pub(crate) fn interval(region: &RegionFigures) -> Option<String> {
    const NEAR: f64 = 0.01;
    let number = region.self_parallelism?;
    let (least, most) = region.sample?.self_parallelism?;
    let is_near = |end: f64| (end - number).abs() <= NEAR * number;
    let is_exact = is_near(least) && most.is_some_and(is_near);
    let most = most.map_or("?".to_owned(), factor);
    (!is_exact).then(|| format!("{}..{most}", factor(least)))
}

/// Iterations of one instance, `x` the number of instances.
pub(crate) fn iterations(iterations: &Iterations, instances: u64) -> String {
    let each = if iterations.min == iterations.max {
        grouped(iterations.max)
    } else {
        format!("~{}", factor_plain(iterations.mean))
    };
    if instances > 1 {
        format!("{each} x{}", grouped(instances))
    } else {
        each
    }
}

fn factor_plain(mean: f64) -> String {
    if mean >= 99.95 {
        grouped(mean.round() as u64)
    } else {
        format!("{mean:.1}")
    }
}
