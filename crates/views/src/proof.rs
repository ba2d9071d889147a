//! What the plan was seen to bring.

use parascan_analysis::costs::ExpectedRange;
use parascan_analysis::proof::{Proof, Races, Speedup, Variant, VariantEntries, Verdict};
use serde::Serialize;

use crate::shared::csv::document;
use crate::shared::json::{self, VERSION};
use crate::shared::style::{Style, TextTone, count, safe, speedup};
use crate::shared::table::{Cell, FramedTable};

const FORMAT: &str = "parascan-proof";

/// The table, and what follows from it.
pub fn proof_text(proof: &Proof, style: &Style) -> String {
    let title = format!("What the plan brings in {}", safe(&proof.command.join(" ")));
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
    let sheet = proof_sheet(proof);
    out += &style.paragraph(None, "", "  ", &sheet.before);
    out.push('\n');
    if !sheet.rows.is_empty() {
        out += &sheet.layout(style, |_, text| {
            Cell::from(text.to_owned()).toned(tone(text))
        });
        out.push('\n');
    }
    let (last, others) = sheet.after.split_last().expect("there is a conclusion");
    for text in others {
        out += &style.paragraph(Some(TextTone::Warning), "", "  ", text);
    }
    out + &style.paragraph(None, "", "", last)
}

/// The same in parts; behind the table the conclusion is last.
pub(crate) fn proof_sheet(proof: &Proof) -> FramedTable {
    let mut after = Vec::new();
    for variant in &proof.variants {
        let name = name(variant);
        after.push(match proof.verdict(variant) {
            Verdict::Keep => continue,
            Verdict::Together(why) => {
                format!("{name}: keep with the others, though alone {}", safe(&why))
            }
            Verdict::Drop(why) => format!("{name}: drop, because {}", safe(&why)),
            Verdict::Unsure(why) => format!("{name}: nobody can tell, {}", safe(&why)),
        });
    }
    for variant in &proof.variants {
        if let Some(Races::Unchecked(why)) = &variant.races {
            let name = name(variant);
            after.push(format!("{name}: not checked for races: {}", safe(why)));
        }
    }
    if let Some(what) = &proof.nondeterministic {
        after.push(format!(
            "Two runs of the serial program differ ({}), so that nobody can say whether the results of a parallel one are right: \
             name with --compare what has to be equal, or take out what differs (times, addresses, random numbers).",
            safe(what)
        ));
    }
    after.push(match proof.variants.is_empty() {
        true => "No entry of the plan has code that could be tried.".to_owned(),
        false => conclusion(proof),
    });
    let (titles, numbers): (Vec<String>, Vec<bool>) = columns(proof).into_iter().unzip();
    let goes = |title: &String| match title.as_str() {
        "Range" => 3,
        "Expected" => 2,
        "Where" => 1,
        _ => 0,
    };
    FramedTable {
        before: runs(proof),
        goes: titles.iter().map(goes).collect(),
        titles,
        numbers,
        rows: proof
            .variants
            .iter()
            .map(|variant| row(proof, variant))
            .collect(),
        after,
    }
}

/// The colour of what stands in a cell.
fn tone(text: &str) -> Option<TextTone> {
    match text {
        "keep" | "right" | "none seen" => Some(TextTone::Parallel),
        "unsure" | "unchecked" => Some(TextTone::Warning),
        "drop" | "wrong" | "found" | "not built" => Some(TextTone::Wrong),
        _ => None,
    }
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
        "{rounds} rounds on {}, each beside a serial run.{serial} Measured: the median, and the slowest and fastest round.",
        match &proof.threads[..] {
            [1] => "one thread".to_owned(),
            _ => format!("{} threads", threads.join(", ")),
        }
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

/// Titles, and whether numbers stand below.
fn columns(proof: &Proof) -> Vec<(String, bool)> {
    let races = are_looked_for(proof).then_some(("Races", false));
    let fixed = |title: (&str, bool)| (title.0.to_owned(), title.1);
    let first = [("Entry", false), ("Where", false), ("Expected", true)];
    let threads = proof.threads.iter().map(|t| (format!("On {t}"), true));
    let last = [("Range", true), ("Results", false)].into_iter();
    let last = last.chain(races).chain([("Verdict", false)]);
    let first = first.into_iter().map(fixed);
    first.chain(threads).chain(last.map(fixed)).collect()
}

fn are_looked_for(proof: &Proof) -> bool {
    proof.variants.iter().any(|v| v.races.is_some())
}

fn row(proof: &Proof, variant: &Variant) -> Vec<String> {
    let expected = variant.expected.map(|e| speedup(e.speedup));
    let mut row = vec![
        short_name(variant),
        safe(&variant.place),
        expected.unwrap_or_default(),
    ];
    for &threads in &proof.threads {
        let measured = variant.speedup(threads);
        row.push(measured.map_or_else(|| "-".to_owned(), |s| times(s.speedup)));
    }
    let range = |s: Speedup| format!("{:.2}-{:.2}", s.least, s.most);
    let most = variant.speedup(proof.most_threads());
    row.push(most.map_or_else(String::new, range));
    row.push(results(variant).to_owned());
    if are_looked_for(proof) {
        row.push(races(variant).to_owned());
    }
    row.push(word(&proof.verdict(variant)).to_owned());
    row
}

/// A measured speedup, with as many digits as it has.
fn times(speedup: f64) -> String {
    format!("{speedup:.2}x")
}

fn short_name(variant: &Variant) -> String {
    match variant.which {
        VariantEntries::Entry => variant
            .entries
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(","),
        VariantEntries::All => "all".to_owned(),
        VariantEntries::Kept => "paying".to_owned(),
        VariantEntries::Right => "right".to_owned(),
    }
}

fn name(variant: &Variant) -> String {
    match variant.which {
        VariantEntries::Entry => {
            format!("entry {} ({})", short_name(variant), safe(&variant.place))
        }
        VariantEntries::All => "all together".to_owned(),
        VariantEntries::Kept => "what pays alone, together".to_owned(),
        VariantEntries::Right => "all that is right, together".to_owned(),
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
        Verdict::Keep | Verdict::Together(_) => "keep",
        Verdict::Drop(_) => "drop",
        Verdict::Unsure(_) => "unsure",
    }
}

fn conclusion(proof: &Proof) -> String {
    let most = proof.most_threads();
    let kept = proof.kept();
    let Some(last) = proof.final_variant() else {
        return match kept.is_empty() {
            false => "What is kept alone does not hold together: there is no patch.".to_owned(),
            true => "Nothing is kept.".to_owned(),
        };
    };
    let entries = count(last.entries.len() as u64, "entry", "entries");
    let on = last.speedup(most).map_or_else(String::new, |s| {
        format!(
            ": the program runs {} as fast on {} ({:.2} to {:.2} in {} rounds)",
            times(s.speedup),
            count(most.into(), "thread", "threads"),
            s.least,
            s.most,
            s.rounds
        )
    });
    let paying = proof.variant_of(&kept);
    let alone = paying.filter(|v| v.entries != last.entries);
    let alone = alone.and_then(|v| v.speedup(most));
    let alone = alone.map_or_else(String::new, |s| {
        format!(" What pays by itself brings {} alone.", times(s.speedup))
    });
    let unchecked = match last.races {
        Some(Races::None) => "No race was seen in the checked run; other inputs may have some.",
        _ => "Races were not looked for; --race-input does.",
    };
    format!("Kept: {entries}{on}, with the results of the serial program.{alone} {unchecked}")
}

#[derive(Serialize)]
struct ProofJson<'a> {
    command: &'a [String],
    threads: &'a [u32],
    serial_seconds: &'a [f64],
    nondeterministic: Option<&'a str>,
    same_input: bool,
    variants: Vec<VariantJson<'a>>,
    proven: Vec<u32>,
    /// All of it, for `parascan report --proof`.
    raw: &'a Proof,
}

/// The proof in a JSON document of [`proof_json`]; none if it is no such document.
pub fn proof_from_json(text: &str) -> Option<Proof> {
    let mut document: serde_json::Value = serde_json::from_str(text).ok()?;
    let known = document["format"] == FORMAT && document["version"] == VERSION;
    known.then(|| serde_json::from_value(document["raw"].take()).ok())?
}

#[derive(Serialize)]
struct VariantJson<'a> {
    which: VariantEntries,
    entries: &'a [u32],
    place: &'a str,
    expected: Option<ExpectedRange>,
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

/// What a proof found of each variant of the plan, as JSON.
pub fn proof_json(proof: &Proof) -> String {
    let variant = |variant: &'_ Variant| {
        let of = |&threads: &u32| {
            let speedup = variant.speedup(threads)?;
            Some(MeasuredJson { threads, speedup })
        };
        proof.threads.iter().filter_map(of).collect::<Vec<_>>()
    };
    json::document(
        FORMAT,
        &ProofJson {
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
            raw: proof,
        },
    )
}

fn reason(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Keep => None,
        Verdict::Together(why) => Some(format!("with the others; alone {why}")),
        Verdict::Drop(why) | Verdict::Unsure(why) => Some(why),
    }
}

/// The proof as CSV, a row for each variant and number of threads.
pub fn proof_csv(proof: &Proof) -> String {
    let heads = [
        "which", "entries", "place", "expected", "threads", "speedup", "least", "most", "rounds",
        "results", "races", "verdict", "reason",
    ];
    let rows = proof.variants.iter().flat_map(|one| {
        proof.threads.iter().map(move |&threads| {
            let entries: Vec<String> = one.entries.iter().map(u32::to_string).collect();
            let which = match one.which {
                VariantEntries::Entry => "entry",
                VariantEntries::All => "all",
                VariantEntries::Kept => "kept",
                VariantEntries::Right => "right",
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
