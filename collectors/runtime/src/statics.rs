//! Region instances that were folded at compile time: constant figures, and a constant tree of children below them.

use parascan_abi::State;
use parascan_abi::log::OpenRegion;
use parascan_abi::module::StaticDesc;

use crate::builder::ClosedChild;
use crate::regions::EndedInstance;
use crate::tracker::RegionTracker;

impl RegionTracker {
    /// `count` equal instances with constant children ran inside the innermost open one.
    ///
    /// # Safety
    /// The descriptor and everything it points to must be valid.
    pub(crate) unsafe fn statics(
        &mut self,
        state: &mut State,
        desc: &StaticDesc,
        cp: u64,
        work: u64,
        count: u64,
    ) {
        if count > 0 && self.boundary(state) {
            self.settle(state);
            // SAFETY: the caller vouches.
            unsafe { self.add_static(desc, cp, work, count, 1) };
        }
    }

    /// Adds `count` children to the innermost frame, which itself stands for `times` instances.
    ///
    /// # Safety
    /// As for [`RegionTracker::statics`].
    unsafe fn add_static(&mut self, desc: &StaticDesc, cp: u64, work: u64, count: u64, times: u64) {
        let open = self.open;
        let all = count.wrapping_mul(times);
        if self.folded != 0 || open >= self.options.max_depth {
            // SAFETY: as for this function.
            return unsafe { self.fold_static(desc, all, self.folded) };
        }
        // SAFETY: the caller vouches for the descriptor.
        let region = unsafe { &mut *desc.region };
        let Some(context) = self.context_of(region) else {
            // SAFETY: as for this function.
            return unsafe { self.fold_static(desc, all, self.folded) };
        };
        let mut instance = EndedInstance::childless(work, cp);
        if desc.child_count != 0 {
            // A frame that the log's header does not count: it lives only during this call.
            let outer = self.current;
            let frame = self.log.frames.at(open);
            frame.child_work = 0;
            frame.child_cp = 0;
            frame.child_cp_max = 0;
            frame.children = 0;
            frame.context = context;
            self.builders.open(open);
            self.open = open + 1;
            self.current = context;
            for i in 0..desc.child_count as usize {
                // SAFETY: the caller vouches for the list and the descriptors in it.
                unsafe {
                    let child = &*desc.children.add(i);
                    let below = &*child.desc;
                    self.add_static(below, below.cp, below.work, child.count, all);
                }
            }
            let OpenRegion {
                child_work,
                child_cp,
                child_cp_max,
                children,
                ..
            } = *self.log.frames.at(open);
            instance = EndedInstance {
                child_work,
                child_cp,
                child_cp_max,
                children,
                ..instance
            };
            self.open = open;
            self.current = outer;
        }
        if self.bursts.is_some() {
            return self.statics_with_bursts(context, &instance, count, all);
        }
        let child = ClosedChild {
            context,
            region: region.id,
            work,
            cp,
        };
        self.append_equal(child, &instance, count, all, desc.child_count == 0);
    }

    /// Notes `count` instances that are folded with all below them, under `above` folded regions.
    ///
    /// # Safety
    /// As for [`RegionTracker::statics`].
    unsafe fn fold_static(&mut self, desc: &StaticDesc, count: u64, above: u64) {
        self.note_folded(count, above);
        for i in 0..desc.child_count as usize {
            // SAFETY: the caller vouches for the list and the descriptors in it.
            unsafe {
                let child = &*desc.children.add(i);
                self.fold_static(&*child.desc, child.count.wrapping_mul(count), above + 1);
            }
        }
    }
}
