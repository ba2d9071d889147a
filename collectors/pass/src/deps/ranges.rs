//! Accesses of an innermost loop that are known before it runs: one report for all of its iterations.
//!
//! The runtime takes it where iterations need not be told apart, and where the accesses meet element by element; else the loop reports
//! them one by one.

use std::mem::offset_of;

use parascan_abi::deps::{RANGE_UPDATES, Range};
use parascan_formats::evidence::Access;

use crate::analysis::{self, Analysis, Loop};
use crate::ir::{Opcode, Value};

use super::sites::{Reductions, Sites};
use super::{Reporter, access};

/// Reports them behind the loop's begin. Returns the number that is 0 where they are to be reported one by one; none where that is so
/// always.
pub(super) fn report(
    reporter: &mut Reporter<'_>,
    sites: &mut Sites,
    analysis: &Analysis,
    (index, l): (usize, &Loop),
    depth: usize,
    reductions: &Reductions,
) -> Option<Value> {
    let preheader = l.preheader?;
    let (count, mut all) = analysis.ranges(index)?;
    all.retain(|r| !access::is_of_no_concern(r.access));
    if all.is_empty() {
        return None;
    }
    let types = reporter.types;
    let (word, long) = (types.i32, types.i64);
    let fields = [long, long, long, word, word];
    let table = types.structure(&fields.repeat(all.len()));
    reporter
        .builder
        .before(reporter.depth.block().first_insertion());
    let table = reporter.builder.alloca(table);
    reporter.builder.before(preheader.terminator());
    let mut ranged = Vec::new();
    for (number, range) in all.iter().enumerate() {
        let i = range.access;
        let (kind, address, value) = if is_load(i) {
            (Access::Read, i.operand(0), i)
        } else {
            (Access::Write, i.operand(1), i.operand(0))
        };
        let name = analysis::expression(address);
        let site = sites.add(i, kind, name, 0, reductions.get(&i));
        let write = match (kind, reductions.get(&i).map_or(0, |r| r.levels)) {
            (Access::Read, 0) => 0,
            (Access::Read, _) => RANGE_UPDATES,
            (_, levels) => 1 + levels,
        };
        let fields = [
            (offset_of!(Range, address), range.start),
            (offset_of!(Range, stride), long.int(range.stride as u64)),
            (
                offset_of!(Range, bytes),
                long.int(reporter.unit.module.store_size(value.ty())),
            ),
            (offset_of!(Range, site), reporter.site(site)),
            (offset_of!(Range, write), word.int(write.into())),
        ];
        for (offset, value) in fields {
            let at = number * size_of::<Range>() + offset;
            let at = reporter.unit.offset(&reporter.builder, table, at);
            reporter.builder.store(value, at);
        }
        ranged.push((i, site));
    }
    let args = [
        reporter.depth(depth),
        table,
        long.int(all.len() as u64),
        count,
    ];
    let known = reporter.call_for("__ps_deps_ranges", word, &args);
    let with_known = ranged.into_iter().map(|(i, site)| (i, (site, known)));
    reporter.ranged.extend(with_known);
    Some(known)
}

fn is_load(i: Value) -> bool {
    i.opcode() == Opcode::LLVMLoad
}
