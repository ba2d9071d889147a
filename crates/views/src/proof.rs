//! What the plan was seen to bring.

use parascan_analysis::costs::Expected;
use parascan_analysis::proof::{Proof, Races, Speedup, Variant, Verdict, Which};
use serde::Serialize;

use crate::csv::document;
use crate::json::{VERSION, to_string};
use crate::style::{Style, Tone, count, safe, speedup};
use crate::table::{self, Column};

/// The table, and what follows from it.
pub fn proof_text(proof: &Proof, style: &Style) -> String {
    let mut out = style.paragraph(
        Some(Tone::Heading),
        "",
        "",
        &format!("What the plan brings in {}", safe(&proof.command.join(" "))),
    );
    out += &style.paragraph(None, "", "  ", &runs(proof));
    out.push('\n');
    if proof.variants.is_empty() {
        out += &style.paragraph(
            None,
            "",
            "",
            "No entry of the plan has code that could be tried.",
        );
        return out;
    }
    out += &rows(proof, style);
    out.push('\n');
    for variant in &proof.variants {
        let text = match proof.verdict(variant) {
            Verdict::Keep => continue,
            Verdict::Drop(why) => format!("{}: drop, because {}", name(variant), safe(&why)),
            Verdict::Unsure(why) => format!("{}: nobody can tell, {}", name(variant), safe(&why)),
        };
        out += &style.paragraph(Some(Tone::Warning), "", "  ", &text);
    }
    for variant in &proof.variants {
        if let Some(Races::Unchecked(why)) = &variant.races {
            let text = format!("{}: not checked for races: {}", name(variant), safe(why));
            out += &style.paragraph(Some(Tone::Warning), "", "  ", &text);
        }
    }
    if let Some(what) = &proof.nondeterministic {
        let text = format!(
            "Two runs of the serial program differ ({}), so that nobody can say whether the results of a parallel one are right: \
             name with --compare what has to be equal, or take out what differs (times, addresses, random numbers).",
            safe(what)
        );
        out += &style.paragraph(Some(Tone::Warning), "", "", &text);
    }
    out + &style.paragraph(None, "", "", &conclusion(proof))
}

/// How it was measured.
fn runs(proof: &Proof) -> String {
    let threads: Vec<String> = proof.threads.iter().map(u32::to_string).collect();
    let rounds = |v: &Variant| {
        proof
            .threads
            .iter()
            .filter_map(|&t| Some(v.speedup(t)?.rounds))
            .max()
    };
    let rounds = proof.variants.iter().filter_map(rounds).max().unwrap_or(0);
    let mut times = proof.serial.clone();
    times.sort_by(f64::total_cmp);
    let serial = match (times.first(), times.last()) {
        (Some(least), Some(most)) => format!(
            " The serial program takes {} to {} s.",
            seconds(*least),
            seconds(*most)
        ),
        _ => String::new(),
    };
    let mut text = format!(
        "{rounds} rounds on {} threads, each beside a serial run.{serial} Measured: the median, and the slowest and fastest round.",
        threads.join(", ")
    );
    if !proof.same_input {
        text += " What is expected is for the recorded input, which is another one.";
    }
    text
}

fn seconds(time: f64) -> String {
    match time {
        t if t < 0.1 => format!("{t:.4}"),
        t if t < 10.0 => format!("{t:.3}"),
        t => format!("{t:.1}"),
    }
}

fn rows(proof: &Proof, style: &Style) -> String {
    let mut columns: Vec<Column<'_>> = vec![
        table::name("Entry", usize::MAX),
        table::name("Where", 14),
        table::number("Expected"),
    ];
    let heads: Vec<String> = proof.threads.iter().map(|t| format!("On {t}")).collect();
    columns.extend(heads.iter().map(|head| table::number(head)));
    columns.push(table::number("Range"));
    columns.push(table::name("Results", usize::MAX));
    if proof.variants.iter().any(|v| v.races.is_some()) {
        columns.push(table::name("Races", usize::MAX));
    }
    columns.push(table::name("Verdict", usize::MAX));
    let most = proof.most_threads();
    let row = |variant: &Variant| {
        let mut row = vec![
            short_name(variant),
            safe(&variant.place),
            variant
                .expected
                .map_or_else(String::new, |e| speedup(e.speedup)),
        ];
        for &threads in &proof.threads {
            let measured = variant.speedup(threads);
            row.push(measured.map_or_else(|| "-".to_owned(), |s| times(s.speedup)));
        }
        let range = |s: Speedup| format!("{:.2}-{:.2}", s.least, s.most);
        row.push(variant.speedup(most).map_or_else(String::new, range));
        row.push(results(variant).to_owned());
        if proof.variants.iter().any(|v| v.races.is_some()) {
            row.push(races(variant).to_owned());
        }
        row.push(word(&proof.verdict(variant)).to_owned());
        row
    };
    table::layout(&columns, proof.variants.iter().map(row).collect(), style)
}

/// A measured speedup, with as many digits as it has.
fn times(speedup: f64) -> String {
    format!("{speedup:.2}x")
}

fn short_name(variant: &Variant) -> String {
    match variant.which {
        Which::Entry => variant
            .entries
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(","),
        Which::All => "all".to_owned(),
        Which::Kept => "kept".to_owned(),
    }
}

fn name(variant: &Variant) -> String {
    match variant.which {
        Which::Entry => format!("entry {} ({})", short_name(variant), safe(&variant.place)),
        Which::All => "all together".to_owned(),
        Which::Kept => "what is kept, together".to_owned(),
    }
}

fn results(variant: &Variant) -> &'static str {
    match (&variant.unbuilt, variant.difference()) {
        (Some(_), _) => "not built",
        (_, Some(_)) => "wrong",
        _ if variant.runs.is_empty() => "",
        _ => "right",
    }
}

fn races(variant: &Variant) -> &'static str {
    match &variant.races {
        None => "",
        Some(Races::None) => "none seen",
        Some(Races::Found(_)) => "found",
        Some(Races::Unchecked(_)) => "unchecked",
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Keep => "keep",
        Verdict::Drop(_) => "drop",
        Verdict::Unsure(_) => "unsure",
    }
}

fn conclusion(proof: &Proof) -> String {
    let proven = proof.proven();
    let most = proof.most_threads();
    let last = proof.final_variant();
    let Some(last) = last.filter(|_| !proven.is_empty()) else {
        return match last {
            Some(_) => "What is kept alone does not hold together: there is no patch.".to_owned(),
            None => "Nothing is kept.".to_owned(),
        };
    };
    let entries = count(proven.len() as u64, "entry", "entries");
    let on = last.speedup(most).map_or_else(String::new, |s| {
        format!(
            ": the program runs {} as fast on {most} threads ({:.2} to {:.2} in {} rounds)",
            times(s.speedup),
            s.least,
            s.most,
            s.rounds
        )
    });
    let unchecked = match last.races {
        Some(Races::None) => "No race was seen in the checked run; other inputs may have some.",
        _ => "Races were not looked for; --race-input does.",
    };
    format!("Kept: {entries}{on}, with the results of the serial program. {unchecked}")
}

#[derive(Serialize)]
struct ProofJson<'a> {
    format: &'static str,
    version: u32,
    command: &'a [String],
    threads: &'a [u32],
    serial_seconds: &'a [f64],
    nondeterministic: Option<&'a str>,
    same_input: bool,
    variants: Vec<VariantJson<'a>>,
    proven: Vec<u32>,
}

#[derive(Serialize)]
struct VariantJson<'a> {
    which: Which,
    entries: &'a [u32],
    place: &'a str,
    expected: Option<Expected>,
    measured: Vec<MeasuredJson>,
    results: &'static str,
    difference: Option<&'a str>,
    unbuilt: Option<&'a str>,
    races: Option<&'a Races>,
    verdict: &'static str,
    reason: Option<String>,
}

#[derive(Serialize)]
struct MeasuredJson {
    threads: u32,
    #[serde(flatten)]
    speedup: Speedup,
}

/// The same as JSON.
pub fn proof_json(proof: &Proof) -> String {
    let variant = |variant: &'_ Variant| {
        let of = |&threads: &u32| {
            let speedup = variant.speedup(threads)?;
            Some(MeasuredJson { threads, speedup })
        };
        proof.threads.iter().filter_map(of).collect::<Vec<_>>()
    };
    to_string(&ProofJson {
        format: "parascan-proof",
        version: VERSION,
        command: &proof.command,
        threads: &proof.threads,
        serial_seconds: &proof.serial,
        nondeterministic: proof.nondeterministic.as_deref(),
        same_input: proof.same_input,
        variants: proof
            .variants
            .iter()
            .map(|one| {
                let verdict = proof.verdict(one);
                VariantJson {
                    which: one.which,
                    entries: &one.entries,
                    place: &one.place,
                    expected: one.expected,
                    measured: variant(one),
                    results: results(one),
                    difference: one.difference().map(|(_, what)| what),
                    unbuilt: one.unbuilt.as_deref(),
                    races: one.races.as_ref(),
                    verdict: word(&verdict),
                    reason: reason(verdict),
                }
            })
            .collect(),
        proven: proof.proven(),
    })
}

fn reason(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Keep => None,
        Verdict::Drop(why) | Verdict::Unsure(why) => Some(why),
    }
}

/// The same as CSV, a row for each variant and number of threads.
pub fn proof_csv(proof: &Proof) -> String {
    let heads = [
        "which", "entries", "place", "expected", "threads", "speedup", "least", "most", "rounds",
        "results", "races", "verdict", "reason",
    ];
    let rows = proof.variants.iter().flat_map(|one| {
        proof.threads.iter().map(move |&threads| {
            let entries: Vec<String> = one.entries.iter().map(u32::to_string).collect();
            let which = match one.which {
                Which::Entry => "entry",
                Which::All => "all",
                Which::Kept => "kept",
            };
            let measured = one.speedup(threads);
            let figure = |of: fn(&Speedup) -> f64| {
                measured
                    .as_ref()
                    .map_or_else(String::new, |s| of(s).to_string())
            };
            let verdict = proof.verdict(one);
            vec![
                which.to_owned(),
                entries.join(" "),
                one.place.clone(),
                one.expected
                    .map_or_else(String::new, |e| e.speedup.to_string()),
                threads.to_string(),
                figure(|s| s.speedup),
                figure(|s| s.least),
                figure(|s| s.most),
                measured.map_or_else(String::new, |s| s.rounds.to_string()),
                results(one).to_owned(),
                races(one).to_owned(),
                word(&verdict).to_owned(),
                reason(verdict).unwrap_or_default(),
            ]
        })
    });
    document(heads.into_iter(), rows)
}
