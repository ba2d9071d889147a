//! The functions over ranges, compiled twice: for every x86-64, and with AVX2, where a record fits one register.

use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::sync::atomic::{AtomicU8, Ordering};

use parascan_abi::Time;

/// Whether AVX2 is there: not known yet, no, yes.
static AVX2: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

/// Whether the processor has AVX2, and the system keeps its registers.
#[inline(always)]
pub(crate) fn avx2() -> bool {
    match AVX2.load(Ordering::Relaxed) {
        UNKNOWN => detect(),
        known => known == PRESENT,
    }
}

#[cold]
fn detect() -> bool {
    const OSXSAVE_AVX: u32 = 1 << 27 | 1 << 28;
    const AVX2_BIT: u32 = 1 << 5;
    let present = __cpuid(0).eax >= 7
        && __cpuid(1).ecx & OSXSAVE_AVX == OSXSAVE_AVX
        && __cpuid_count(7, 0).ebx & AVX2_BIT != 0
        && {
            let enabled: u32;
            // SAFETY: OSXSAVE says that the instruction exists.
            unsafe {
                asm!("xgetbv", in("ecx") 0, out("eax") enabled, out("edx") _, options(nomem, nostack));
            }
            // The system saves XMM and YMM registers.
            enabled & 6 == 6
        };
    AVX2.store(if present { PRESENT } else { ABSENT }, Ordering::Relaxed);
    present
}

macro_rules! dispatched {
    ($(#[$doc:meta])* $name:ident, $wide:ident = $module:ident :: $inner:ident ($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        #[target_feature(enable = "avx2")]
        fn $wide($($arg: $type),*) $(-> $result)? {
            super::$module::$inner($($arg),*)
        }

        $(#[$doc])*
        pub(crate) fn $name($($arg: $type),*) $(-> $result)? {
            if avx2() {
                // SAFETY: the processor has AVX2.
                unsafe { $wide($($arg),*) }
            } else {
                super::$module::$inner($($arg),*)
            }
        }
    };
}

dispatched! {
    /// Copies the times of `n` bytes with `memmove` semantics: t(dst byte) = max(t(src byte), `floor`) + `latency`.
    /// Returns the maximum of those.
    copy, copy_wide = copy::copy(dst: u64, src: u64, n: u64, floor: Time, latency: u32) -> Time
}
dispatched! {
    /// Gives `n` bytes at `address` one time.
    store, store_wide = write::store(address: u64, n: u64, time: Time)
}
dispatched! {
    /// Maximum of `time` and the times of `n` bytes at `address`.
    load, load_wide = read::load(address: u64, n: u64, time: Time) -> Time
}
dispatched! {
    /// Bits, as in [`State::carried`](parascan_abi::State::carried), of reading `n` bytes at `address` where `base`
    /// (which must be valid) are the bases of the open instances.
    seen, seen_wide = seen::seen(address: u64, n: u64, base: *const Time) -> u32
}
