//! Which regions are open where native versions of functions call others (`shim/sites.cpp` labels the calls).

use std::mem::offset_of;

use indexmap::IndexMap;
use parascan_abi::module::OpenRegions;

use super::innermost::InnermostRegion;
use super::unit::UnitState;
use super::{LoopVisibility, TrackedLoop};
use crate::analysis::NaturalLoop;
use crate::ir::{Linkage, Opcode, Value};
use crate::recognise::innermost;

const _: () = assert!(
    offset_of!(OpenRegions, regions) == 8,
    "lists mirror the ABI"
);

impl UnitState {
    /// The calls of a function, whose tracked code sees its loops so, each with the list of regions that are open while
    /// it goes on.
    pub fn add_sites(
        &mut self,
        f: Value,
        loops: &[NaturalLoop],
        sights: &[LoopVisibility],
    ) -> Vec<(Value, Value)> {
        let (module, types) = (self.module, self.types);
        let innermost = innermost(loops);
        let mut lists: IndexMap<InnermostRegion, Value> = IndexMap::new();
        let mut sites = Vec::new();
        for block in f.blocks() {
            let mut around = innermost.get(&block).copied();
            while let Some(l) = around.filter(|&l| sights[l] == LoopVisibility::Nothing) {
                around = loops[l].parent;
            }
            let around = match around {
                None => InnermostRegion::Function,
                Some(l) if sights[l] == LoopVisibility::Iterations => InnermostRegion::Iteration(l),
                Some(l) => InnermostRegion::Loop(l),
            };
            for call in block.instructions() {
                if matches!(call.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke) {
                    let list = lists.entry(around);
                    let list =
                        list.or_insert_with(|| module.global("__ps_around_later", types.i64));
                    sites.push((call, *list));
                }
            }
        }
        self.sites.functions.insert(f, lists);
        sites
    }

    /// Makes the lists of a function whose loops have these regions.
    pub(super) fn define_sites(&mut self, f: Value, tracked: &[TrackedLoop]) {
        let t = self.types;
        for (around, later) in self.sites.functions.swap_remove(&f).unwrap_or_default() {
            let of = |l: usize| tracked.iter().find(|t| t.index == l);
            let region = match around {
                InnermostRegion::Function => None,
                InnermostRegion::Loop(l) => of(l).map(|t| t.region),
                InnermostRegion::Iteration(l) => of(l).map(|t| t.iteration_region),
            };
            let mut next = Some(region.unwrap_or_else(|| self.region_of_function(f)));
            let mut chain = Vec::new();
            while let Some(region) = next {
                chain.insert(0, self.region(&t.builder(), region));
                next = self.facts.regions[region].parent.map(|p| p as usize);
            }
            let count = t.i64.int(chain.len() as u64);
            let fields = t.const_struct(&[count, t.ptr.const_array(&chain)]);
            let list = self.module.global("__ps_around", fields.ty());
            list.set_initializer(fields);
            list.set_linkage(Linkage::LLVMInternalLinkage);
            list.set_constant();
            later.replace_global(list);
        }
    }
}
