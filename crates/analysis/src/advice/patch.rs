//! Lines around a loop, where no directive alone would do.

use parascan_formats::module::Operator;
use parascan_formats::source::{
    BestValue, Form, IndexedExtremum, LoopSource, Reduced, ReducedArray, Sharing, SharingDoubt,
};
use serde::Serialize;

use super::words;

/// Lines to put in front of a loop and behind it; the loop itself stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Patch {
    /// Lines in front of the loop's first one.
    pub before: Vec<String>,
    /// The loop's last line.
    pub last_line: u32,
    /// Lines behind that.
    pub after: Vec<String>,
}

/// The minima and maxima of a loop for which there can be a patch: lines can be added behind it.
pub(super) fn settled(source: &LoopSource) -> &[IndexedExtremum] {
    match source.last_line {
        0 => &[],
        _ => &source.best,
    }
}

/// What a loop reduces that clauses name, or for which there can be a patch.
pub(super) fn reduced(source: &LoopSource) -> impl Iterator<Item = &Reduced> {
    let all = source.reduced.iter();
    all.filter(|r| r.is_number() || source.last_line != 0)
}

/// Lines around a loop with these clauses; none if they do not fit there.
///
/// Every thread keeps what is reduced in variables of its own, and all are put together when it is done. Of a structure
/// that is a copy in which what is reduced begins with what changes nothing; of one that a pointer or reference leads
/// to, another of that name leads to the copy. The index of a loop without iterations is what the loop's first part
/// sets.
///
/// Of an array, as long as the source says, every thread has a copy on the heap: its stack may be too small.
///
/// Of a minimum or maximum with what is kept beside it, every thread keeps that of the iterations from one number to
/// another in order (`schedule(static)`), so that it has the first of equal ones. Of two threads the better value
/// counts, of equal ones the one that was found first. A thread that found none has what stood there before the loop,
/// which is worse than all that was found. Where the position is kept alone, the values are computed from that anew:
/// nothing in the loop changes what they are computed from. So the result is that of the serial loop, to the bit:
/// nothing is computed, and values that compare with nothing (NaN) replace nothing in either.
pub(super) fn around(source: &LoopSource, clauses: &[String]) -> Option<Patch> {
    let index = source.variables.iter().find(|v| {
        let after = v.sharing == Sharing::Unknown(SharingDoubt::IndexAfter);
        after && source.index.as_ref() == Some(&v.name)
    });
    if source.last_line == 0 || index.is_some() && source.start.is_empty() {
        return None;
    }
    let best = settled(source);
    let records: Vec<&Reduced> = reduced(source).filter(|r| !r.is_number()).collect();
    let mut before = vec!["{".to_owned()];
    before.extend(index.map(|index| format!("    {} = {};", index.name, source.start)));
    let mut after = Vec::new();
    let arrays: Vec<&ReducedArray> = arrays(source).collect();
    if best.is_empty() && records.is_empty() && arrays.is_empty() {
        before.push(directive("    #pragma omp parallel for", clauses));
    } else {
        let team = in_team(source, (best, &records, &arrays), clauses);
        // A loop without iterations may have a pointer that leads nowhere.
        let pointers = records.iter().filter(|r| r.form == Form::Pointer);
        let pointers: Vec<&str> = pointers.map(|r| r.name.as_str()).collect();
        if pointers.is_empty() {
            before.extend(team.0);
            after.extend(team.1);
        } else {
            let deeper = |lines: Vec<String>| lines.into_iter().map(|l| format!("    {l}"));
            before.push(format!("    if ({}) {{", pointers.join(" && ")));
            before.extend(deeper(team.0));
            after.extend(deeper(team.1));
            after.push("    }".to_owned());
        }
    }
    after.push("}".to_owned());
    Some(Patch {
        before,
        last_line: source.last_line,
        after,
    })
}

fn directive(words: &str, clauses: &[String]) -> String {
    let words = [words.to_owned()].into_iter();
    let all: Vec<String> = words.chain(clauses.iter().cloned()).collect();
    all.join(" ")
}

/// The name of what all threads put together.
fn shared(name: &str) -> String {
    format!("parascan_{name}")
}

/// The lines of a team of threads in front of the loop and behind it, without the outermost brackets.
fn in_team(
    source: &LoopSource,
    (best, records, arrays): (&[IndexedExtremum], &[&Reduced], &[&ReducedArray]),
    clauses: &[String],
) -> (Vec<String>, Vec<String>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let kept: Vec<&str> = best.iter().flat_map(IndexedExtremum::names).collect();
    let mut own: Vec<&str> = kept.clone();
    for name in &kept {
        before.push(format!("    __typeof__({name}) {} = {name};", shared(name)));
    }
    for record in records {
        let object = object(record);
        let all = shared(&record.name);
        before.push(format!("    __typeof__({object}) {all} = {object};"));
        if record.form == Form::Named {
            own.push(&record.name);
        }
    }
    for ReducedArray { name, .. } in arrays {
        before.push(format!(
            "    __typeof__(*{name}) *{} = {name};",
            shared(name)
        ));
    }
    let copies = match own[..] {
        [] => String::new(),
        _ => format!(" firstprivate({})", own.join(",")),
    };
    before.push(format!("    #pragma omp parallel{copies}"));
    before.push("    {".to_owned());
    let led = || records.iter().filter(|r| r.form != Form::Named);
    // An array's name is its address, whatever a class makes of `&`.
    for record in led() {
        let (name, object) = (&record.name, object(record));
        before.push(match record.form {
            Form::Pointer => {
                format!("        __typeof__({object}) parascan_own_{name}[1] = {{{object}}};")
            }
            _ => format!("        __typeof__({object}) parascan_own_{name} = {object};"),
        });
    }
    for record in led() {
        let name = &record.name;
        before.push(match record.form {
            Form::Pointer => {
                format!("        __typeof__(parascan_own_{name}[0]) *{name} = parascan_own_{name};")
            }
            _ => format!("        __typeof__(parascan_own_{name}) &{name} = parascan_own_{name};"),
        });
    }
    for array in arrays {
        copy(array, &mut before);
    }
    let members: Vec<Member> = records.iter().flat_map(|r| members(r)).collect();
    for Member { own, operator, .. } in &members {
        if let Some(neutral) = neutral(*operator) {
            before.push(format!("        {own} = {neutral};"));
        }
    }
    let schedule = if best.is_empty() {
        ""
    } else {
        " schedule(static)"
    };
    let words = format!("        #pragma omp for{schedule} nowait");
    before.push(directive(&words, clauses));
    after.push("        #pragma omp critical".to_owned());
    after.push("        {".to_owned());
    for best in best {
        better(source, best, &mut after);
    }
    for Member { own, all, operator } in &members {
        after.push(match operator {
            Operator::Min => format!("            if ({own} < {all}) {all} = {own};"),
            Operator::Max => format!("            if ({own} > {all}) {all} = {own};"),
            _ => format!("            {all} {}= {own};", operator.openmp()),
        });
    }
    for array in arrays {
        let ReducedArray { name, operator, .. } = array;
        let (all, at) = (shared(name), format!("parascan_at_{name}"));
        after.push(format!("            {}", each(array)));
        let update = format!("{all}[{at}] {}= {name}[{at}];", operator.openmp());
        after.push(format!("                {update}"));
    }
    after.push("        }".to_owned());
    for ReducedArray { name, .. } in arrays {
        after.push(format!("        __builtin_free(parascan_own_{name});"));
    }
    after.push("    }".to_owned());
    for name in &kept {
        after.push(format!("    {name} = {};", shared(name)));
    }
    for Member { own, all, .. } in &members {
        after.push(format!("    {own} = {all};"));
    }
    (before, after)
}

/// Arrays of which threads have copies in lines around the loop.
fn arrays(source: &LoopSource) -> impl Iterator<Item = &ReducedArray> {
    let named = |a: &&ReducedArray| (1..=words::MOST).contains(&a.elements);
    source.arrays.iter().filter(move |a| !named(a))
}

/// Gives a thread a copy of an array, under its name, of elements that change nothing.
fn copy(array: &ReducedArray, before: &mut Vec<String>) {
    let ReducedArray { name, length, .. } = array;
    let own = format!("parascan_own_{name}");
    let neutral = neutral(array.operator).unwrap_or("0");
    before.push(format!(
        "        __typeof__(*{name}) *{own} = (__typeof__(*{name}) *)__builtin_malloc(({length}) * sizeof(*{name}));"
    ));
    before.push(format!("        {}", each(array)));
    before.push(format!(
        "            {own}[parascan_at_{name}] = {neutral};"
    ));
    before.push(format!("        __typeof__({own}[0]) *{name} = {own};"));
}

/// A loop over the elements of an array.
fn each(array: &ReducedArray) -> String {
    let (at, length) = (format!("parascan_at_{}", array.name), &array.length);
    format!("for (__typeof__(({length}) + 0) {at} = 0; {at} < {length}; {at}++)")
}

/// Takes a thread's own minimum or maximum, with what is kept beside it, where it is better than that of others.
fn better(source: &LoopSource, best: &IndexedExtremum, after: &mut Vec<String>) {
    let IndexedExtremum { position, .. } = best;
    let better = if best.is_minimum { "<" } else { ">" };
    let first = if source.descends { ">" } else { "<" };
    let earlier = shared(position);
    let value = best.value_with(position);
    let (others, found, end) = match &best.value {
        BestValue::Variable(value) => (shared(value), String::new(), ""),
        // At the position from before the loop there may be nothing, unless a thread found a better one.
        BestValue::At(_) => {
            let found = format!("{position} != {earlier} && (");
            (best.value_with(&earlier), found, ")")
        }
    };
    after.push(format!(
        "            if ({found}{value} {better} {others} ||"
    ));
    after.push(format!(
        "                ({value} == {others} && {position} {first} {earlier})){end} {{"
    ));
    for name in best.names() {
        after.push(format!("                {} = {name};", shared(name)));
    }
    after.push("            }".to_owned());
}

/// What a name leads to.
fn object(record: &Reduced) -> String {
    match record.form {
        Form::Pointer => format!("*{}", record.name),
        Form::Named | Form::Reference => record.name.clone(),
    }
}

/// A member that is reduced, as the loop names it and where all threads put theirs together.
struct Member {
    own: String,
    all: String,
    operator: Operator,
}

fn members(record: &Reduced) -> impl Iterator<Item = Member> {
    let all = record.members.iter();
    all.map(move |(name, operator)| Member {
        own: member(record, name),
        all: format!("{}.{name}", shared(&record.name)),
        operator: *operator,
    })
}

/// A member as the loop names it.
pub(super) fn member(record: &Reduced, name: &str) -> String {
    let sign = match record.form {
        Form::Pointer => "->",
        Form::Named | Form::Reference => ".",
    };
    format!("{}{sign}{name}", record.name)
}

/// What changes nothing; none where what was there before does not either.
fn neutral(operator: Operator) -> Option<&'static str> {
    match operator {
        Operator::Add | Operator::Or | Operator::Xor => Some("0"),
        Operator::Mul => Some("1"),
        Operator::And => Some("~0"),
        Operator::Min | Operator::Max => None,
    }
}
