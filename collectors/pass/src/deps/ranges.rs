//! Accesses of an innermost loop that are known before it runs: one report for all of its iterations.
//!
//! The runtime takes it where the accesses meet element by element; else the loop reports them one by one. Those that
//! only some iterations make it is told of, so that it can see whether they meet the others; they are reported where
//! they happen. Where the loop reports nothing else, its iterations need not be told apart.

use std::mem::offset_of;

use parascan_abi::deps::{AccessRange, RANGE_UPDATES, RANGES_ALONE, RANGES_TAKEN};
use parascan_formats::evidence::SiteAccess;

use crate::analysis::{self, Analysis, NaturalLoop};
use crate::ir::{Opcode, Value};

use super::sites::{Reductions, SiteTable};
use super::{Reporter, access};

/// Reports them behind the loop's begin. Returns the number that is 0 where iterations are to be reported; none where
/// they are always.
pub(super) fn report(
    reporter: &mut Reporter<'_>,
    sites: &mut SiteTable,
    analysis: &Analysis,
    (index, l): (usize, &NaturalLoop),
    depth: usize,
    reductions: &Reductions,
) -> Option<Value> {
    let preheader = l.preheader?;
    let mut found = analysis.ranges(index)?;
    let all = &mut found.all;
    all.retain(|r| !access::is_of_no_concern(r.access));
    if all.iter().all(|r| r.conditional) {
        return None;
    }
    let types = reporter.types;
    let (word, long) = (types.i32, types.i64);
    let fields = [long, long, word, word, word, word];
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
            (SiteAccess::Read, i.operand(0), i)
        } else {
            (SiteAccess::Write, i.operand(1), i.operand(0))
        };
        // Where it is reported it has a site of its own.
        let site = if range.conditional {
            word.zero()
        } else {
            let name = analysis::expression(address, i);
            let site = sites.add(i, kind, name, 0, reductions.get(&i));
            ranged.push((i, site));
            reporter.site(site)
        };
        let write = match (kind, reductions.get(&i).map_or(0, |r| r.levels)) {
            (SiteAccess::Read, 0) => 0,
            (SiteAccess::Read, _) => RANGE_UPDATES,
            (_, levels) => 1 + levels,
        };
        let fields = [
            (offset_of!(AccessRange, address), range.start),
            (offset_of!(AccessRange, stride), range.stride),
            (
                offset_of!(AccessRange, bytes),
                word.int(reporter.unit.module.store_size(value.ty())),
            ),
            (
                offset_of!(AccessRange, conditional),
                word.int(range.conditional.into()),
            ),
            (offset_of!(AccessRange, site), site),
            (offset_of!(AccessRange, write), word.int(write.into())),
        ];
        for (offset, value) in fields {
            let at = number * size_of::<AccessRange>() + offset;
            let at = reporter.unit.offset(&reporter.builder, table, at);
            reporter.builder.store(value, at);
        }
    }
    let args = [
        reporter.depth(depth),
        table,
        long.int(all.len() as u64),
        found.count,
        word.int(found.alone.into()),
    ];
    let result = reporter.call_for("__ps_deps_ranges", word, &args);
    let bit = |bit: u32| reporter.builder.and(result, word.int(bit.into()));
    let (taken, alone) = (bit(RANGES_TAKEN), bit(RANGES_ALONE));
    let with_taken = ranged.into_iter().map(|(i, site)| (i, (site, taken)));
    reporter.ranged.extend(with_taken);
    Some(alone)
}

fn is_load(i: Value) -> bool {
    i.opcode() == Opcode::LLVMLoad
}
