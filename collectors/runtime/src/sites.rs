//! Where native versions call, and what a look at the stack finds of them: see `callers.rs`.

use core::ffi::c_void;

use parascan_abi::module::{CallSite, ModuleDesc, OpenRegions};

use crate::tls::weak;

/// Most linked files with sites.
const IMAGES: usize = 64;
/// Of a deeper stack so many native frames count, from the outermost on: what is deeper than the greatest depth is left
/// out anyway.
const KEPT: usize = 64;
/// Of a stack with more frames the callers are not known.
const FRAMES: u32 = 1 << 13;

/// The sites of what was linked together.
#[derive(Clone, Copy)]
struct SiteImage {
    first: *const CallSite,
    count: usize,
    /// Whether they are in the order of their labels.
    sorted: bool,
}

impl SiteImage {
    fn site(&self, index: usize) -> *const CallSite {
        self.first.wrapping_add(index)
    }

    fn label(&self, index: usize) -> usize {
        let site = self.site(index);
        // SAFETY: `index` is below `count`.
        (site as usize).wrapping_add_signed(unsafe { (*site).label } as isize)
    }

    /// The last site with a label from `start` on and before `end`.
    fn last_within(&self, start: usize, end: usize) -> Option<*const CallSite> {
        let found = if self.sorted {
            let (mut low, mut high) = (0, self.count);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.label(middle) < end {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low.checked_sub(1)
        } else {
            let before = (0..self.count).filter(|&index| self.label(index) < end);
            before.max_by_key(|&index| self.label(index))
        };
        let found = found.filter(|&index| self.label(index) >= start);
        found.map(|index| self.site(index))
    }
}

/// What is known of calls, and the look at the stack that goes on.
pub(crate) struct Callers {
    images: [SiteImage; IMAGES],
    count: usize,
    /// End of the frame of the function that was called.
    from: usize,
    frames: u32,
    /// What the last frames have open, at their number modulo `KEPT`.
    found: [*const OpenRegions; KEPT],
    native: usize,
}

type Accessor = unsafe extern "C" fn(*mut c_void) -> usize;

/// The unwinder's answer to go on.
const GO_ON: i32 = 0;
/// The one to stop (`_URC_NORMAL_STOP`).
pub(crate) const STOP: i32 = 4;

impl Callers {
    pub(crate) const fn new() -> Self {
        Self {
            images: [SiteImage {
                first: core::ptr::null(),
                count: 0,
                sorted: true,
            }; IMAGES],
            count: 0,
            from: 0,
            frames: 0,
            found: [core::ptr::null(); KEPT],
            native: 0,
        }
    }

    /// Whether there are native versions whose calls could be found.
    pub(crate) fn has_sites(&self) -> bool {
        self.count > 0
    }

    /// A look at the stack begins; the function's frame ends at `end`.
    pub(crate) fn look_from(&mut self, end: usize) {
        self.from = end;
        self.frames = 0;
        self.native = 0;
    }

    /// Whether the look that is over found all native callers.
    pub(crate) fn are_known(&self) -> bool {
        self.frames < FRAMES
    }

    /// Notes the sites of a module.
    ///
    /// # Safety
    /// The descriptor's sites must be such as long as this is used.
    pub(crate) unsafe fn add(&mut self, module: &ModuleDesc) {
        let (first, end) = (module.sites, module.sites_end);
        let count = (end as usize).saturating_sub(first as usize) / size_of::<CallSite>();
        let known = self.images[..self.count].iter().any(|i| i.first == first);
        if known || count == 0 || self.count == IMAGES {
            return;
        }
        let mut image = SiteImage {
            first,
            count,
            sorted: true,
        };
        image.sorted = (1..count).all(|index| image.label(index - 1) <= image.label(index));
        self.images[self.count] = image;
        self.count += 1;
    }

    /// Forgets the sites of a module whose linked file is about to go.
    pub(crate) fn remove(&mut self, module: &ModuleDesc) {
        let known = self.images[..self.count].iter();
        if let Some(index) = known
            .map(|i| i.first)
            .position(|first| first == module.sites)
        {
            self.count -= 1;
            self.images.swap(index, self.count);
        }
    }

    /// Looks at a frame; answers the unwinder.
    ///
    /// # Safety
    /// `context` must be the unwinder's.
    pub(crate) unsafe fn frame(&mut self, context: *mut c_void) -> i32 {
        self.frames += 1;
        if self.frames >= FRAMES {
            return STOP;
        }
        let accessors = [
            weak!("_Unwind_GetIP"),
            weak!("_Unwind_GetRegionStart"),
            weak!("_Unwind_GetCFA"),
        ];
        if accessors.iter().any(|f| f.is_null()) {
            self.frames = FRAMES;
            return STOP;
        }
        // What the unwinder calls a frame's address is the end of the frame that it called.
        // SAFETY: these are the platform's functions of these names (Itanium C++ ABI, exception handling, 1.5); the
        // caller vouches for the context.
        let [address, start, end] =
            accessors.map(|f| unsafe { core::mem::transmute::<*mut c_void, Accessor>(f)(context) });
        if end < self.from || start == 0 {
            return GO_ON;
        }
        let images = &self.images[..self.count];
        let Some(site) = images.iter().find_map(|i| i.last_within(start, address)) else {
            return GO_ON;
        };
        // SAFETY: a site of a registered module.
        let (place, open) = unsafe { (&raw const (*site).open, (*site).open) };
        match open {
            CallSite::CHANGE => GO_ON,
            CallSite::TRACKED => STOP,
            offset => {
                let list = place.cast::<OpenRegions>();
                self.found[self.native % KEPT] = list.wrapping_byte_offset(offset as isize);
                self.native += 1;
                GO_ON
            }
        }
    }

    /// The list of the `index`-th frame, from the outermost on that is kept.
    pub(crate) fn open(&self, index: usize) -> Option<*const OpenRegions> {
        let kept = self.native.min(KEPT);
        let from_end = index.checked_add(1).filter(|&n| n <= kept)?;
        Some(self.found[(self.native - from_end) % KEPT])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sites whose labels are at these offsets from the first one.
    fn sites(labels: &[usize]) -> Vec<CallSite> {
        let mut sites: Vec<CallSite> = (labels.iter())
            .map(|_| CallSite {
                label: 0,
                open: CallSite::TRACKED,
            })
            .collect();
        let first = sites.as_ptr() as usize;
        for (index, (site, label)) in sites.iter_mut().zip(labels).enumerate() {
            site.label = (label.wrapping_sub(index * size_of::<CallSite>())) as i32;
            assert_eq!(
                first + index * size_of::<CallSite>(),
                &raw const *site as usize
            );
        }
        sites
    }

    #[test]
    fn the_last_label_of_the_function_counts() {
        for labels in [[10, 20, 50, 70], [50, 10, 70, 20]] {
            let sites = sites(&labels);
            let first = sites.as_ptr();
            let base = first as usize;
            let image = SiteImage {
                first,
                count: sites.len(),
                sorted: labels.is_sorted(),
            };
            let found = |start: usize, end: usize| {
                let site = image.last_within(base + start, base + end)?;
                Some(labels[(site as usize - base) / size_of::<CallSite>()])
            };
            assert_eq!(found(0, 21), Some(20));
            assert_eq!(found(0, 20), Some(10));
            assert_eq!(found(30, 51), Some(50));
            assert_eq!(found(51, 70), None);
            assert_eq!(found(0, 10), None);
            assert_eq!(found(0, 1000), Some(70));
        }
    }
}
