//! Chains of functions and loops with their work: what all exports of stacks are made from.

use parascan_analysis::model::{Model, PROGRAM};
use parascan_formats::module::{RegionKind, RegionStatic};

use crate::shared::style::safe;

/// The frames of a program and the chains in which they were open.
#[derive(Debug)]
pub(crate) struct Stacks<'a> {
    /// Functions and loops; chains name them by index.
    pub(crate) frames: Vec<RegionFrame<'a>>,
    /// Chains, depth first: the parent before its children, each subtree without gaps. Entry 0 is the program, which
    /// has no frame.
    pub(crate) chains: Vec<RegionChain>,
}

/// A function or a loop.
#[derive(Debug)]
pub(crate) struct RegionFrame<'a> {
    /// What to call it, safe to show.
    pub(crate) name: String,
    /// Static facts.
    pub(crate) fixed: &'a RegionStatic,
    /// Where its compiler ran.
    pub(crate) directory: &'a str,
}

/// All instances of a function or loop under one chain of others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RegionChain {
    /// Enclosing chain; 0's is 0.
    pub(crate) parent: usize,
    /// Index into [`Model::nodes`].
    pub(crate) node: usize,
    /// Index into [`Stacks::frames`]; meaningless for entry 0.
    pub(crate) frame: usize,
    /// Frames around and including this one.
    pub(crate) depth: usize,
    /// Work in no function or loop inside. The sum over all chains is the program's work.
    pub(crate) own: u64,
    /// The same with everything inside.
    pub(crate) work: u64,
}

impl<'a> Stacks<'a> {
    /// All chains that did any work. Iterations are no frames: what they do, their loop does.
    pub(crate) fn new(model: &'a Model) -> Self {
        let mut own: Vec<u64> = model.nodes.iter().map(|node| node.sums.work).collect();
        for (index, node) in model.contexts().rev() {
            let parent = node.parent as usize;
            own[parent] = own[parent].saturating_sub(model.nodes[index].sums.work);
        }
        let mut frame_of: Vec<Option<usize>> = vec![None; model.regions.len()];
        let mut frames = Vec::new();
        let mut chains = vec![RegionChain {
            own: own[0],
            ..RegionChain::default()
        }];
        let mut place = vec![0usize; model.nodes.len()];
        for (index, node) in model.contexts() {
            let parent = place[node.parent as usize];
            let region = &model.regions[node.region as usize];
            if node.region == PROGRAM || region.fixed.kind == RegionKind::Iteration {
                place[index] = parent;
                chains[parent].own = chains[parent].own.saturating_add(own[index]);
                continue;
            }
            if node.sums.work == 0 {
                place[index] = parent;
                continue;
            }
            let frame = *frame_of[node.region as usize].get_or_insert_with(|| {
                frames.push(RegionFrame {
                    name: name(&region.fixed),
                    fixed: &region.fixed,
                    directory: &region.directory,
                });
                frames.len() - 1
            });
            place[index] = chains.len();
            chains.push(RegionChain {
                parent,
                node: index,
                frame,
                depth: chains[parent].depth + 1,
                own: own[index],
                work: 0,
            });
        }
        for index in (0..chains.len()).rev() {
            chains[index].work = chains[index].work.saturating_add(chains[index].own);
            if index > 0 {
                let (parent, work) = (chains[index].parent, chains[index].work);
                chains[parent].work = chains[parent].work.saturating_add(work);
            }
        }
        Self { frames, chains }
    }

    /// Opening and closing of frames in order, each with how much work was done before. Work of a chain's own follows
    /// that of the chains inside it.
    pub(crate) fn walk(&self, mut event: impl FnMut(StackEvent, &RegionChain)) {
        let mut open: Vec<usize> = vec![0];
        let mut at = 0u64;
        for index in 1..self.chains.len() {
            let chain = &self.chains[index];
            while open.last().is_some_and(|&top| top != chain.parent) {
                self.close(&mut open, &mut at, &mut event);
            }
            event(StackEvent::Open(at), chain);
            open.push(index);
        }
        while open.len() > 1 {
            self.close(&mut open, &mut at, &mut event);
        }
    }

    fn close(
        &self,
        open: &mut Vec<usize>,
        at: &mut u64,
        event: &mut impl FnMut(StackEvent, &RegionChain),
    ) {
        if let Some(index) = open.pop().filter(|&index| index > 0) {
            let chain = &self.chains[index];
            *at = at.saturating_add(chain.own);
            event(StackEvent::Close(*at), chain);
        }
    }
}

/// Beginning or end of a chain, with the work done before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StackEvent {
    Open(u64),
    Close(u64),
}

/// `main`, `loop in main, a.c:12`.
fn name(fixed: &RegionStatic) -> String {
    let function = if fixed.function.is_empty() {
        "(unknown function)"
    } else {
        &fixed.function
    };
    if fixed.kind == RegionKind::Function {
        return safe(function);
    }
    let file = fixed.file.rsplit('/').next().unwrap_or_default();
    match (file, fixed.line) {
        ("", 0) => format!("loop in {}", safe(function)),
        (_, 0) => format!("loop in {}, {}", safe(function), safe(file)),
        _ => format!("loop in {}, {}:{}", safe(function), safe(file), fixed.line),
    }
}
