//! One page with everything: tables and drawings written here, so that it needs its script only for choices and
//! filters.

use std::fmt::Write;

use minijinja::context;
use parascan_analysis::phases::conclusions::Loss;
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::figures::Summary;
use parascan_analysis::phases::over::Over;
use parascan_analysis::phases::{How, Phases, naming};
use parascan_formats::omp::{Class, Construct};

use super::excerpt::excerpt;
use super::plots::{self, Heat, Measure};
use super::{conclusions, dark, flow_svg, graph, words};
use crate::Source;
use crate::shared::html::{self, HtmlPage, markup};
use crate::shared::style::{count, escaped, grouped, percent, safe};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Most plots of regions, and most layers drawn.
const PLOTS: usize = 16;
const LAYERS: usize = 40;
/// Share of the time of all threads from which on a layer is open at first.
const OPEN: f64 = 0.1;
/// Outliers shown at once.
const OUTLIERS: usize = 10;
/// Most rows of a table.
const ROWS: usize = 5000;

/// The page. `sources` are files that regions with losses lie in, as far as they were looked for.
pub fn phases_html(result: &Phases, sources: &[Source]) -> String {
    let mut body = String::new();
    summary(result, &mut body);
    losses(result, sources, &mut body);
    phases(result, &mut body);
    outliers(result, &mut body);
    drawings(result, &mut body);
    flow(result, &mut body);
    loops(result, &mut body);
    regions(result, &mut body);
    let style = format!(
        "{}{}{}{STYLE}{}{}",
        html::STYLE,
        flow_svg::STYLE,
        plots::STYLE,
        dark::page(flow_svg::DARK),
        dark::page(plots::DARK)
    );
    HtmlPage {
        template: PAGE,
        title: "parascan phases",
        style: &style,
        script: &[SCRIPT, html::THEME_SCRIPT],
    }
    .filled(context!(program => words::program(result), body => markup(body)))
}

fn section(out: &mut String, id: &str, title: &str, inside: &str) {
    let _ = writeln!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\"><h2 id=\"{id}-title\">{title}</h2>{inside}</section>"
    );
}

/// A table; columns whose name ends with `#` hold numbers. Cells are HTML.
fn table(id: &str, name: &str, columns: &[&str], rows: &[(bool, Vec<String>)]) -> String {
    let is_number: Vec<bool> = columns.iter().map(|c| c.ends_with('#')).collect();
    let class = |at: usize| {
        if is_number[at] {
            " class=\"number\""
        } else {
            ""
        }
    };
    let mut out = format!(
        "<div class=\"scroll tall auto\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\"><table id=\"{id}\" aria-label=\"{name}\"><thead><tr>"
    );
    for (at, column) in columns.iter().enumerate() {
        let _ = write!(
            out,
            "<th scope=\"col\"{}>{}</th>",
            class(at),
            column.trim_end_matches('#')
        );
    }
    out += "</tr></thead><tbody>";
    for (chosen, cells) in rows.iter().take(ROWS) {
        out += if *chosen {
            "<tr class=\"chosen\">"
        } else {
            "<tr>"
        };
        for (at, cell) in cells.iter().enumerate() {
            let _ = write!(out, "<td{}>{cell}</td>", class(at));
        }
        out += "</tr>";
    }
    out += "</tbody></table></div>";
    if rows.len() > ROWS {
        let _ = write!(
            out,
            "<p class=\"quiet\">and {} more; --format csv has all.</p>",
            rows.len() - ROWS
        );
    }
    out
}

fn paragraph(out: &mut String, class: &str, text: &str) {
    let _ = write!(out, "<p class=\"{class}\">{}</p>", escaped(text));
}

fn summary(result: &Phases, out: &mut String) {
    let total = &result.total;
    let mut inside = String::from("<dl class=\"tiles\">");
    let mut tile = |name: &str, value: &str, more: &str| {
        let _ = write!(
            inside,
            "<div><dt>{name}</dt><dd>{}<small>{}</small></dd></div>",
            escaped(value),
            escaped(more)
        );
    };
    tile(
        "Wall time",
        &words::time(result.run.duration),
        &count(result.threads.into(), "thread", "threads"),
    );
    tile(
        "Phases",
        &grouped(result.phases().count() as u64),
        &count(
            result.outliers.len() as u64,
            "is unlike the others",
            "are unlike the others",
        ),
    );
    tile(
        "Parallel efficiency",
        &words::share(total.parallel_efficiency),
        &format!(
            "load balance {} × serialization {}",
            words::share(total.load_balance),
            words::share(total.serialization)
        ),
    );
    let lost: u64 = total.lost.iter().sum();
    let most = Class::ALL
        .into_iter()
        .max_by_key(|&c| total.lost[c as usize]);
    tile(
        "Overheads",
        &percent(total.part(lost)),
        &most.filter(|_| lost > 0).map_or(String::new(), |class| {
            format!(
                "mostly {} {}",
                words::class(class),
                percent(total.share(class))
            )
        }),
    );
    tile(
        "Outside parallel regions",
        &percent(total.part(total.idle)),
        "of the time of all threads",
    );
    inside += "</dl>";
    let command: Vec<String> = result.run.command.iter().map(|w| safe(w)).collect();
    paragraph(&mut inside, "quiet", &command.join(" "));
    if let Some(warning) = super::busy::warning(result) {
        paragraph(&mut inside, "note", &format!("Warning: {warning}"));
    }
    for remark in words::blind(result) {
        paragraph(&mut inside, "note", &remark);
    }
    if result.run.end.partial() {
        paragraph(&mut inside, "note", &words::end(result.run.end));
    }
    paragraph(&mut inside, "", &words::choice(result));
    if let Some(doubt) = words::doubt(result) {
        paragraph(&mut inside, "note", &doubt);
    }
    for line in words::paths(result) {
        paragraph(&mut inside, "quiet", &line);
    }
    section(out, "summary", "Summary", &inside);
}

/// What is lost most, and why.
fn losses(result: &Phases, sources: &[Source], out: &mut String) {
    let mut inside = String::new();
    if result.losses.is_empty() {
        paragraph(
            &mut inside,
            "",
            "Nothing takes 1% of the time of all threads.",
        );
    }
    if let Some(remark) = conclusions::caution(result) {
        paragraph(&mut inside, "note", &remark);
    }
    let list = |losses: &[Loss], start: usize| {
        let mut list = format!("<ol class=\"losses\" start=\"{start}\">");
        for loss in losses {
            let place = &result.tree.nodes[loss.node].place;
            let _ = write!(
                list,
                "<li>{}{}</li>",
                escaped(&conclusions::loss(result, loss)),
                excerpt(place, sources).unwrap_or_default()
            );
        }
        list + "</ol>"
    };
    let (first, others) = result
        .losses
        .split_at(result.losses.len().min(conclusions::SHOWN));
    if !first.is_empty() {
        inside += &list(first, 1);
    }
    if !others.is_empty() {
        let _ = write!(
            inside,
            "<details><summary>and {} more</summary>{}</details>",
            others.len(),
            list(others, first.len() + 1)
        );
    }
    section(out, "losses", "Where time is lost", &inside);
}

/// Where the time went, as a bar.
fn bar(summary: &Summary) -> String {
    let mut out = String::from("<div class=\"stackbar\">");
    let mut part = |class: &str, time: u64| {
        let _ = write!(
            out,
            "<i class=\"{class}\" style=\"width:{:.2}%\"></i>",
            (summary.part(time) * 100.0).min(100.0)
        );
    };
    part("kw", summary.work);
    for class in Class::ALL {
        part(
            &format!("k{}", class as usize),
            summary.lost[class as usize],
        );
    }
    out + "</div>"
}

fn phases(result: &Phases, out: &mut String) {
    let columns = [
        if result.intervals.is_some() {
            "Slice#"
        } else {
            "Phase#"
        },
        "From#",
        "Time#",
        "Iterations#",
        "",
        "Work#",
        "Sync.#",
        "Limited#",
        "Mgmt.#",
        "Imbal.#",
        "Outside#",
        "Par. eff.#",
        "Balance#",
        "Serial.#",
    ];
    let rows: Vec<(bool, Vec<String>)> = result
        .phases()
        .map(|(number, piece)| {
            let summary = piece.summary(result.threads);
            let mut row = vec![
                words::numbers(result, &[(number, piece)]).1,
                words::time(piece.time.start),
                words::time(piece.wall()),
                grouped(piece.iterations),
                bar(&summary),
                percent(summary.part(summary.work)),
            ];
            row.extend(Class::ALL.map(|class| percent(summary.share(class))));
            row.extend([
                percent(summary.part(summary.idle)),
                words::share(summary.parallel_efficiency),
                words::share(summary.load_balance),
                words::share(summary.serialization),
            ]);
            (result.outliers.iter().any(|o| o.phase == number), row)
        })
        .collect();
    let mut inside = String::new();
    if rows.is_empty() {
        paragraph(&mut inside, "", "There are none.");
    } else {
        inside += "<p class=\"quiet\">Shares of the time of all threads. Bars: work, synchronization, limited parallelism, thread management, imbalance. Marked rows are unlike the others.</p>";
        inside += &table("phase-table", "Phases", &columns, &rows);
        if let Some(remark) = words::tail(&result.pieces) {
            paragraph(&mut inside, "quiet", remark);
        }
    }
    let title = match result.intervals {
        Some(_) => "Slices of time",
        None => "Phases",
    };
    section(out, "phases", title, &inside);
}

fn outliers(result: &Phases, out: &mut String) {
    let mut inside = String::new();
    if result.intervals.is_some() {
        paragraph(&mut inside, "", "Slices of time are not compared.");
    } else if result.outliers.is_empty() {
        paragraph(&mut inside, "", "No phase is unlike the others.");
    }
    for outlier in result.outliers.iter().take(OUTLIERS) {
        paragraph(&mut inside, "", &words::outlier(result, outlier));
    }
    if result.outliers.len() > OUTLIERS {
        let more = result.outliers.len() - OUTLIERS;
        let _ = write!(inside, "<details><summary>and {more} more</summary>");
        for outlier in result.outliers.iter().skip(OUTLIERS).take(ROWS) {
            paragraph(&mut inside, "", &words::outlier(result, outlier));
        }
        inside += "</details>";
    }
    section(out, "outliers", "Phases unlike the others", &inside);
}

/// A choice of drawings.
fn choice(id: &str, label: &str, class: &str, drawings: &[(String, String)]) -> String {
    let mut out = String::new();
    if drawings.len() > 1 {
        let _ = write!(
            out,
            "<div class=\"controls\"><label>{label} <select data-shows=\"{id}\">"
        );
        for (name, _) in drawings {
            let _ = write!(out, "<option>{}</option>", escaped(name));
        }
        out += "</select></label></div>";
    }
    let _ = write!(out, "<div id=\"{id}\">");
    for (_, drawing) in drawings {
        let _ = write!(
            out,
            "<div class=\"chart {class}\" tabindex=\"0\">{drawing}</div>"
        );
    }
    out + "</div>"
}

fn drawings(result: &Phases, out: &mut String) {
    if result.phases().next().is_none() {
        for (id, title) in [
            ("overheads", "Overheads over time"),
            ("constructs", "Constructs over time"),
            ("counters", "Counters"),
        ] {
            section(out, id, title, "<p>There are no phases.</p>");
        }
        return;
    }
    let mut overheads = vec![(
        "whole program".to_owned(),
        plots::overheads(result, 0).inline(),
    )];
    let parallel = |node: &usize| result.tree.nodes[*node].place.construct == Construct::Parallel;
    for node in words::listed(result)
        .into_iter()
        .filter(parallel)
        .take(PLOTS)
    {
        overheads.push((
            words::node(result, node),
            plots::overheads(result, node).inline(),
        ));
    }
    let plot = choice("overhead-plots", "Of", "plotbox", &overheads);
    section(out, "overheads", "Overheads over time", &plot);
    let mut over_time = Vec::new();
    for node in words::listed(result).into_iter().take(PLOTS) {
        for measure in [Measure::Time(Over::Each), Measure::Count] {
            let plot = plots::over_time(result, node, measure);
            over_time.push((plot.title.clone(), plot.inline()));
        }
    }
    let shown = format!(
        "<p class=\"quiet\">The line is the mean of the threads, the band reaches from the least to the most.</p>{}",
        choice("construct-plots", "Region", "plotbox", &over_time)
    );
    section(out, "constructs", "Constructs over time", &shown);
    let of_all = |counter| Heat {
        node: None,
        counter,
    };
    let mut heat: Vec<(String, String)> = (0..result.counters.len().min(PLOTS))
        .map(|at| {
            (
                safe(&result.counters[at]),
                plots::heat(result, of_all(Some(at))).inline(),
            )
        })
        .collect();
    heat.push((
        "loop iterations handed out".to_owned(),
        plots::heat(result, of_all(None)).inline(),
    ));
    // Of the regions of most time, where their counters are known.
    for node in words::listed(result).into_iter().take(PLOTS / 4) {
        for at in (0..result.counters.len()).filter(|&at| result.counts_in_regions(at)) {
            let node = Some(node);
            let counter = Some(at);
            let plot = plots::heat(result, Heat { node, counter });
            heat.push((plot.title.clone(), plot.inline()));
        }
    }
    let shown = choice("heat-plots", "Counter", "plotbox", &heat);
    section(out, "counters", "Counters", &shown);
}

fn flow(result: &Phases, out: &mut String) {
    let mut nodes: Vec<usize> = result.tree.layers.iter().map(|l| l.node).collect();
    // Nothing takes more time than what is around it, so each layer's way from the program is there, too.
    nodes.sort_by_key(|&n| (std::cmp::Reverse(result.tree.nodes[n].inclusive), n));
    let left_out = nodes.len().saturating_sub(LAYERS);
    nodes.truncate(LAYERS);
    let mut shown = format!(
        "<div class=\"chart flowbox\">{}</div>\
         <p class=\"quiet\">A click on a box opens or closes what is inside it. Point at a box or an arrow for more.</p>\
         <div id=\"layers\">",
        flow_svg::legend_inline(result)
    );
    if nodes.is_empty() {
        shown += "<p>The program has no regions.</p>";
    } else {
        layer(result, 0, &nodes, &mut shown);
    }
    shown += "</div>";
    if left_out > 0 {
        let _ = write!(
            shown,
            "<p class=\"quiet\">{} not drawn here, each with less time than these: --cfg FILE.svg --layer NODE draws one.</p>",
            count(left_out as u64, "layer is", "layers are")
        );
    }
    let _ = write!(
        shown,
        "<details><summary>Layers inside each other, in one drawing</summary><div class=\"chart flowbox\" tabindex=\"0\">{}</div></details>",
        flow_svg::flow_inline(result)
    );
    section(out, "flow", "Control flow", &shown);
}

/// A layer's drawing, beside or above those of the layers inside it. Each is an element that opens and closes without
/// a script; `drawn` are the layers that the page has.
fn layer(result: &Phases, node: usize, drawn: &[usize], out: &mut String) {
    let share = graph::heat(result, node);
    let children = &result.tree.nodes[node].children;
    let open = |is: bool| if is { " open" } else { "" };
    let holds_phases = result
        .choice
        .as_ref()
        .filter(|choice| choice.how != How::Interval)
        .is_some_and(|choice| {
            let layer = choice.rule.layer;
            layer == node || result.tree.child_towards(node, layer).is_some()
        });
    // The address leads to what is inside the element: browsers open it for that.
    let _ = write!(
        out,
        "<details class=\"layer\"{}><summary>{}: {}, {} inside</summary><div class=\"beside\" id=\"{}\"><div class=\"chart flowbox\" tabindex=\"0\">{}</div>",
        open(node == 0 || holds_phases || share >= OPEN),
        escaped(&words::node(result, node)),
        percent(share),
        count(children.len() as u64, "region", "regions"),
        flow_svg::layer_id(node),
        flow_svg::layer_inline(result, node, false, &|n| drawn.contains(&n))
    );
    let mut inner: Vec<usize> = children
        .iter()
        .copied()
        .filter(|child| drawn.contains(child))
        .collect();
    inner.sort_by_key(|&n| (std::cmp::Reverse(result.tree.nodes[n].inclusive), n));
    let folded = graph::folded(result, node);
    if !inner.is_empty() || folded > 0 {
        *out += "<div class=\"inner\">";
        for child in inner {
            layer(result, child, drawn, out);
        }
        if folded > 0 {
            let _ = write!(
                out,
                "<details class=\"layer\"><summary>{} with all its regions, {folded} of them below {}%</summary><div class=\"chart flowbox\" tabindex=\"0\" id=\"{}\">{}</div></details>",
                escaped(&words::node(result, node)),
                graph::SMALL,
                flow_svg::all_id(node),
                flow_svg::layer_inline(result, node, true, &|n| drawn.contains(&n))
            );
        }
        *out += "</div>";
    }
    *out += "</div></details>";
}

fn loops(result: &Phases, out: &mut String) {
    let chosen = match result.choice.as_ref().map(|c| c.how) {
        Some(How::Loop(index)) => Some(index),
        _ => None,
    };
    let rows: Vec<(bool, Vec<String>)> = result
        .candidates
        .iter()
        .enumerate()
        .map(|(index, one)| {
            let verdict = if chosen == Some(index) {
                "chosen"
            } else {
                words::verdict(one)
            };
            let reading = match (&one.rule.start, one.found.partial) {
                (Start::Period { .. }, _) => " (where its sequence of regions begins anew)",
                (_, true) => " (rarest returns only)",
                (_, false) => "",
            };
            let row = vec![
                escaped(&format!(
                    "{}{reading}",
                    words::node(result, one.found.header)
                )),
                escaped(&words::node(result, one.layer)),
                grouped(one.found.trips()),
                grouped(one.found.entries),
                percent(one.covered),
                format!("{:.2}", one.regularity),
                format!("{:.3}", one.score),
                verdict.to_owned(),
            ];
            (chosen == Some(index), row)
        })
        .collect();
    let columns = [
        "Begins at",
        "Inside",
        "Iterations#",
        "Entries#",
        "Covered#",
        "Regular#",
        "Score#",
        "As phases",
    ];
    let inside = if rows.is_empty() {
        "<p>The control flow of the initial thread has no loop over regions.</p>".to_owned()
    } else {
        table("loop-table", "Loops", &columns, &rows)
    };
    section(out, "loops", "Loops in the control flow", &inside);
}

fn regions(result: &Phases, out: &mut String) {
    let all = result.tree.nodes[0].inclusive.max(1) as f64;
    let rows: Vec<(bool, Vec<String>)> = words::listed(result)
        .into_iter()
        .map(|node| {
            let one = &result.tree.nodes[node];
            let own = words::figures(result, node);
            let mut row = vec![
                naming::id(node),
                escaped(&words::title(result, node)),
                escaped(&safe(naming::function(&one.place))),
                escaped(&one.parent.map_or(String::new(), naming::id)),
                words::executions(result, node),
                words::time(one.inclusive),
                percent(one.inclusive as f64 / all),
            ];
            row.extend(Class::ALL.map(|class| words::time(own.lost(class))));
            (false, row)
        })
        .collect();
    let columns = [
        "Id",
        "Region",
        "Function",
        "Inside",
        "Executions",
        "Time#",
        "Share#",
        "Sync.#",
        "Limited#",
        "Mgmt.#",
        "Imbal.#",
    ];
    let mut inside = String::from(
        "<div class=\"controls\"><label>Filter <input type=\"search\" data-filters=\"region-table\" autocomplete=\"off\" spellcheck=\"false\"></label></div>",
    );
    inside += &table("region-table", "Regions", &columns, &rows);
    inside += "<p class=\"quiet\">Time of all threads with everything inside; overheads are the region’s own.</p>";
    section(out, "regions", "Regions", &inside);
}
