//! The physical registers of a thread's lanes.

use super::lanes::{Lanes, Level};
use crate::model::PhysicalRegisters;
use crate::registers::{RegisterFile, files};

/// The files of all lanes that have any, each with its lane.
#[derive(Debug)]
pub struct LaneRegisterFiles<L>(Vec<(usize, RegisterFile<L>)>);

impl<L: Level> LaneRegisterFiles<L> {
    /// Files of each lane, all free.
    pub fn new(lanes: &[PhysicalRegisters]) -> Self {
        let of_lane = |(lane, registers): (usize, &PhysicalRegisters)| {
            files(*registers).map(move |file| (lane, file))
        };
        Self(lanes.iter().enumerate().flat_map(of_lane).collect())
    }

    /// Takes registers for an instance that writes so many of each kind, in the lanes of a mask: the firewall before
    /// it, moved to the retirements for which it waits.
    #[inline(always)]
    pub fn take<const N: usize>(
        &mut self,
        taken: [u32; 2],
        lanes: Lanes<L, N>,
        mut firewall: Lanes<L, N>,
    ) -> Lanes<L, N> {
        for (lane, file) in &mut self.0 {
            if lanes.0[*lane] != L::default()
                && let Some(retired) = file.take(taken)
            {
                firewall.0[*lane] = firewall.0[*lane].max(retired);
            }
        }
        firewall
    }

    /// The same instance was placed, and retires at these levels.
    #[inline(always)]
    pub fn keep<const N: usize>(
        &mut self,
        taken: [u32; 2],
        lanes: Lanes<L, N>,
        retires: Lanes<L, N>,
    ) {
        for (lane, file) in &mut self.0 {
            if lanes.0[*lane] != L::default() {
                file.keep(taken, retires.0[*lane]);
            }
        }
    }

    /// The same files with levels of 64 bits.
    pub fn convert(self) -> LaneRegisterFiles<u64> {
        let files = self.0.into_iter();
        LaneRegisterFiles(
            files
                .map(|(lane, file)| (lane, file.convert(Level::number)))
                .collect(),
        )
    }
}
