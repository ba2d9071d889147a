//! Memory that becomes "never written": freed, unmapped, or out of scope.

use parascan_abi::shadow::{ADDRESS_MASK, P1_BASE, P4_BASE, P8_BASE, TAG_BASE};

use super::planes::{ZERO, set, split};
use super::write::store_part;
use crate::sys;

/// Ranges of at least this many bytes give their shadow pages back.
const LARGE: u64 = 1 << 16;
/// Program bytes whose tags fill a page; in the other planes they fill several.
const PAGE: u64 = 4096 * 4;

/// Bytes `address..address + n` become "never written".
pub(crate) fn forget(address: u64, n: u64) {
    let Some(end) = address.checked_add(n) else {
        return;
    };
    let inner = address.next_multiple_of(PAGE);
    let inner_end = end / PAGE * PAGE;
    // A range that wraps around the masked address space is cleared step by step.
    if n >= LARGE && inner < inner_end && (inner ^ (inner_end - 1)) & !ADDRESS_MASK == 0 {
        clear(address, inner - address);
        drop_pages(inner & ADDRESS_MASK, inner_end - inner);
        clear(inner_end, end - inner_end);
    } else {
        clear(address, n);
    }
}

/// All memory becomes "never written".
pub(crate) fn forget_all() {
    drop_pages(0, ADDRESS_MASK + 1);
}

/// Gives back the shadow pages of whole [`PAGE`]s.
fn drop_pages(start: u64, n: u64) {
    for (base, numerator, denominator) in [
        (TAG_BASE, 1, 4),
        (P8_BASE, 4, 1),
        (P4_BASE, 8, 1),
        (P1_BASE, 32, 1),
    ] {
        let len = n * numerator / denominator;
        // SAFETY: whole pages of the runtime's own planes; they read as zero afterwards.
        let _ = unsafe {
            sys::advise(
                base + start * numerator / denominator,
                len,
                sys::MADV_DONTNEED,
            )
        };
    }
}

/// Clears records and tags where the tags say that something was written.
fn clear(address: u64, n: u64) {
    split(
        address,
        n,
        &mut (),
        |(), granule, first, len| {
            if granule.tags() != [0; 2] {
                store_part(granule, first, len, ZERO);
            }
        },
        |(), granule| {
            if granule.tags() != [0; 2] {
                // P1 may keep what it has: nobody reads it without V1.
                set(granule.p8(), ZERO);
                set(granule.p4(0), ZERO);
                set(granule.p4(1), ZERO);
                granule.set_tags([0; 2]);
            }
        },
    );
}
