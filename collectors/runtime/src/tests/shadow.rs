//! Shadow memory against a map of bytes.

use std::sync::{Mutex, MutexGuard, OnceLock};

use parascan_abi::shadow::{
    ADDRESS_MASK, FULL, HALVES, MARGIN, P1_BASE, P4_BASE, P8_BASE, SPLIT, TAG_BASE, V1, V4, V8,
    WHOLE,
};
use parascan_abi::{LANES, Time};
use proptest::prelude::*;

use crate::init::{Planes, map_planes};
use crate::shadow::{add, copy, forget, halve, load, max, open, seen, store};

/// Maps the planes once, and lets one test at a time use them.
fn planes() -> MutexGuard<'static, ()> {
    static MAPPED: OnceLock<()> = OnceLock::new();
    static ONE: Mutex<()> = Mutex::new(());
    MAPPED.get_or_init(|| assert!(map_planes() == Planes::Mapped));
    ONE.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What a byte was last written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenAs {
    /// By a loose access, a copy, or never: any access may read it.
    Any,
    Strict4,
    Strict8,
}

#[derive(Clone, Debug)]
enum Op {
    Strict {
        wide: bool,
        at: usize,
        time: u32,
    },
    Loose {
        at: usize,
        len: usize,
        time: u32,
    },
    /// A one-byte store as instrumented code does it inline.
    Byte {
        at: usize,
        time: u32,
    },
    /// A store of a half or a granule without a type as instrumented code does it inline.
    Untyped {
        wide: bool,
        at: usize,
        time: u32,
    },
    Copy {
        to: usize,
        from: usize,
        len: usize,
        time: u32,
        latency: u32,
    },
    Forget {
        at: usize,
        len: usize,
    },
    Open {
        at: usize,
    },
    /// A load of a granule without a type, which may make P8 valid.
    Whole {
        at: usize,
    },
}

const BYTES: usize = 96;

fn op() -> impl Strategy<Value = Op> {
    let span = || {
        (
            0..BYTES,
            prop_oneof![1..9_usize, Just(4), Just(8), 1..40_usize],
        )
    };
    prop_oneof![
        4 => (any::<bool>(), 0..BYTES, 0..1000_u32).prop_map(|(wide, at, time)| Op::Strict { wide, at, time }),
        3 => (span(), 0..1000_u32).prop_map(|((at, len), time)| Op::Loose { at, len, time }),
        2 => (0..BYTES, 0..1000_u32).prop_map(|(at, time)| Op::Byte { at, time }),
        4 => (span(), 0..BYTES, 0..8_usize, 0..1000_u32, 0..9_u32).prop_map(|((to, len), from, align, time, latency)| {
            // Half of the copies are aligned to each other, or off by a half.
            let from = match align { 0..3 => from / 8 * 8 + to % 8, 3..5 => from / 8 * 8 + (to + 4) % 8, _ => from };
            Op::Copy { to, from, len, time, latency }
        }),
        1 => span().prop_map(|(at, len)| Op::Forget { at, len }),
        1 => (0..BYTES).prop_map(|at| Op::Open { at }),
        1 => (0..BYTES).prop_map(|at| Op::Whole { at }),
        3 => (any::<bool>(), 0..BYTES, 0..1000_u32).prop_map(|(wide, at, time)| Op::Untyped { wide, at, time }),
    ]
}

/// A time whose lanes order differently.
fn time(x: u32) -> Time {
    Time(std::array::from_fn(|lane| match lane % 3 {
        0 => x,
        1 => 1000 - x,
        _ => x * 37 % 101,
    }))
}

fn record(base: u64, index: u64) -> *mut Time {
    (base + index * 32) as *mut Time
}

fn p8(address: u64) -> *mut Time {
    record(P8_BASE, (address & ADDRESS_MASK) / 8)
}

fn p4(address: u64) -> *mut Time {
    record(P4_BASE, (address & ADDRESS_MASK) / 4)
}

fn p1(address: u64) -> *mut Time {
    record(P1_BASE, address & ADDRESS_MASK)
}

fn tag(address: u64) -> *mut u8 {
    (TAG_BASE + (address & ADDRESS_MASK) / 4) as *mut u8
}

fn get<T: Copy>(place: *mut T) -> T {
    // SAFETY: the planes are mapped, and `planes` keeps other tests out.
    unsafe { *place }
}

fn set<T>(place: *mut T, value: T) {
    // SAFETY: as for `get`.
    unsafe { *place = value }
}

/// A loose load of 1, 4 or 8 bytes as instrumented code does it inline. That of 8 changes nothing here: making P8 valid
/// is an [`Op`] of its own.
fn inline_load(address: u64, size: usize) -> Time {
    let half = |address: u64| match get(tag(address)) {
        0 => get(p4(address)),
        t if t & V4 != 0 => get(p4(address)),
        _ => get(p8(address)),
    };
    match size {
        1 if get(tag(address)) & V1 != 0 => get(p1(address)),
        1 | 4 => half(address),
        _ if (get(tag(address)) | get(tag(address + 4))) & SPLIT == 0 => get(p8(address)),
        _ => max(half(address), half(address + 4)),
    }
}

struct Model {
    base: u64,
    times: [Time; BYTES],
    kinds: [WrittenAs; BYTES],
}

impl Model {
    fn most(&self, at: usize, len: usize) -> Time {
        self.times[at..at + len]
            .iter()
            .copied()
            .reduce(max)
            .unwrap_or_default()
    }

    fn write(&mut self, at: usize, len: usize, time: Time, kind: WrittenAs) {
        self.times[at..at + len].fill(time);
        self.kinds[at..at + len].fill(kind);
    }

    fn apply(&mut self, op: &Op) {
        let place = |at: usize| self.base + at as u64;
        match *op {
            Op::Strict {
                wide: true,
                at,
                time: x,
            } => {
                let at = at / 8 * 8;
                set(p8(place(at)), time(x));
                set(tag(place(at)), V8);
                set(tag(place(at) + 4), V8);
                self.write(at, 8, time(x), WrittenAs::Strict8);
            }
            Op::Strict {
                wide: false,
                at,
                time: x,
            } => {
                let at = at / 4 * 4;
                set(p4(place(at)), time(x));
                set(tag(place(at)), V4 | SPLIT);
                self.write(at, 4, time(x), WrittenAs::Strict4);
            }
            Op::Loose { at, len, time: x } => {
                let len = len.min(BYTES - at);
                store(place(at), len as u64, time(x));
                self.write(at, len, time(x), WrittenAs::Any);
            }
            Op::Untyped {
                wide: true,
                at,
                time: x,
            } => {
                let at = at / 8 * 8;
                set(p8(place(at)), time(x));
                for half in [place(at), place(at) + 4] {
                    set(p4(half), time(x));
                    set(tag(half), WHOLE);
                }
                self.write(at, 8, time(x), WrittenAs::Any);
            }
            Op::Untyped {
                wide: false,
                at,
                time: x,
            } => {
                let at = at / 4 * 4;
                let (address, other) = (place(at), place(at) ^ 4);
                if get(tag(other)) == V8 {
                    halve(address);
                }
                set(p4(address), time(x));
                set(p8(address), max(time(x), get(p4(other))));
                set(tag(address), HALVES);
                self.write(at, 4, time(x), WrittenAs::Any);
            }
            Op::Byte { at, time: x } => {
                let address = place(at);
                open(address);
                set(p1(address), time(x));
                let half = |a: u64| {
                    (0..4)
                        .map(|i| get(p1(a / 4 * 4 + i)))
                        .reduce(max)
                        .unwrap_or_default()
                };
                set(p4(address), half(address));
                set(
                    p8(address),
                    max(get(p4(address / 8 * 8)), get(p4(address / 8 * 8 + 4))),
                );
                self.write(at, 1, time(x), WrittenAs::Any);
            }
            Op::Copy {
                to,
                from,
                len,
                time: x,
                latency,
            } => {
                let from = from.min(BYTES - 1);
                let len = len.min(BYTES - to).min(BYTES - from);
                let seen = copy(place(to), place(from), len as u64, time(x), latency);
                let moved: Vec<_> = self.times[from..from + len]
                    .iter()
                    .map(|&t| add(max(t, time(x)), latency))
                    .collect();
                assert_eq!(seen, moved.iter().copied().reduce(max).unwrap_or_default());
                self.times[to..to + len].copy_from_slice(&moved);
                self.kinds[to..to + len].fill(WrittenAs::Any);
            }
            Op::Forget { at, len } => {
                let len = len.min(BYTES - at);
                forget(place(at), len as u64);
                self.write(at, len, Time([0; LANES]), WrittenAs::Any);
            }
            Op::Open { at } => {
                open(place(at));
                let granule = place(at / 8 * 8);
                assert_eq!((get(tag(granule)), get(tag(granule + 4))), (FULL, FULL));
            }
            Op::Whole { at } => {
                let at = at / 8 * 8;
                halve(place(at));
                assert_eq!(get(p8(place(at))), self.most(at, 8), "made whole {at}");
            }
        }
    }

    fn check(&self, from: usize, len: usize) {
        let place = |at: usize| self.base + at as u64;
        assert_eq!(
            load(place(from), len as u64, Time([0; LANES])),
            self.most(from, len)
        );
        // Lanes that a byte's time exceeds the base in, plus one: of all bytes.
        let base = time(400);
        let bit = |t: &Time| {
            let exceeding = (0..LANES).filter(|&lane| t.0[lane] > base.0[lane]);
            exceeding.map(|lane| 1u32 << lane).sum::<u32>() + 1
        };
        assert_eq!(
            seen(place(from), len as u64, &raw const base),
            self.times[from..from + len]
                .iter()
                .map(bit)
                .fold(0, |all, bit| all | bit)
        );
        for at in 0..BYTES {
            assert_eq!(
                load(place(at), 1, Time([0; LANES])),
                self.times[at],
                "byte {at}"
            );
            assert_eq!(
                inline_load(place(at), 1),
                self.times[at],
                "byte {at} inline"
            );
        }
        for at in (0..BYTES).step_by(4) {
            assert_eq!(inline_load(place(at), 4), self.most(at, 4), "half {at}");
            if !self.kinds[at..at + 4].contains(&WrittenAs::Strict8) {
                assert_eq!(get(p4(place(at))), self.most(at, 4), "strict half {at}");
            }
        }
        for at in (0..BYTES).step_by(8) {
            let tags = tags_of(place(at));
            if (tags[0] | tags[1]) & SPLIT == 0 {
                assert_eq!(tags[0], tags[1], "tags of one granule {at}");
                let times = &self.times[at..at + 8];
                assert!(
                    times.iter().all(|t| *t == get(p8(place(at)))),
                    "one time {at}"
                );
            }
            assert_eq!(inline_load(place(at), 8), self.most(at, 8), "granule {at}");
            if !self.kinds[at..at + 8].contains(&WrittenAs::Strict4) {
                assert_eq!(get(p8(place(at))), self.most(at, 8), "strict granule {at}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn shadow_equals_byte_map(
        ops in prop::collection::vec((op(), 0..BYTES, 0..BYTES), 1..30),
    ) {
        let _lock = planes();
        // What earlier cases left in the planes must not matter.
        let base = 0x12_3456_0000;
        forget(base, BYTES as u64);
        let mut model = Model { base, times: [Time([0; LANES]); BYTES], kinds: [WrittenAs::Any; BYTES] };
        for (op, from, len) in &ops {
            model.apply(op);
            model.check(*from, (*len).min(BYTES - from));
        }
    }
}

#[test]
fn large_ranges_are_forgotten_to_the_byte() {
    let _lock = planes();
    let base = 0x22_0000_0000_u64;
    let n = 1 << 18;
    for (from, len) in [
        (0, n),
        (1, n - 2),
        (16 * 1024 - 4, n / 2),
        (5, 1 << 16),
        (3, 100),
    ] {
        store(base, n, time(7));
        open(base + 8 * 1024);
        forget(base + from, len);
        for at in (0..n)
            .filter(|at| at % 977 == 0 || at.abs_diff(from) < 9 || at.abs_diff(from + len) < 9)
        {
            let expected = if (from..from + len).contains(&at) {
                Time([0; LANES])
            } else {
                time(7)
            };
            assert_eq!(
                load(base + at, 1, Time([0; LANES])),
                expected,
                "{from} {len} {at}"
            );
        }
    }
}

#[test]
fn large_copies_equal_byte_copies() {
    let _lock = planes();
    let base = 0x32_0000_0000_u64;
    for (to, from) in [
        (40_000, 0),
        (0, 40_000),
        (40_001, 3),
        (4, 40_000),
        (0, 9),
        (9, 0),
        (0, 4),
        (4, 0),
        (8, 0),
        (0, 8),
    ] {
        let n = 5000_u64;
        forget(base, 1 << 17);
        for at in 0..n {
            store(base + from + at, 1, time((at * 7 % 1000) as u32));
        }
        let seen = copy(base + to, base + from, n, time(3), 5);
        let mut most = Time([0; LANES]);
        for at in 0..n {
            let expected = add(max(time((at * 7 % 1000) as u32), time(3)), 5);
            assert_eq!(
                load(base + to + at, 1, Time([0; LANES])),
                expected,
                "{to} {from} {at}"
            );
            most = max(most, expected);
        }
        assert_eq!(seen, most);
    }
}

unsafe extern "C" {
    fn __ps_open_kept(address: u64);
    fn __ps_halve_kept(address: u64);
    fn __ps_seen_kept(address: u64, n: u64, base: *const Time) -> u32;
}

/// Vector registers, then rax, rcx, r8, r9, r10, rdi, rsi and rdx.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
struct Registers {
    ymm: [[u64; 4]; 16],
    whole: [u64; 8],
}

/// Calls a function with these registers, arguments among them; what they are afterwards.
#[cfg(target_arch = "x86_64")]
fn registers_after(function: *const (), before: &Registers) -> Registers {
    let mut after = before.clone();
    // SAFETY: the function follows the C convention; the registers that it or this code changes are named.
    unsafe {
        core::arch::asm!(
            ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
            "vmovaps ymm\\n, [r12 + \\n * 32]",
            ".endr",
            "mov rax, [r12 + 512]",
            "mov rcx, [r12 + 520]",
            "mov r8, [r12 + 528]",
            "mov r9, [r12 + 536]",
            "mov r10, [r12 + 544]",
            "mov rdi, [r12 + 552]",
            "mov rsi, [r12 + 560]",
            "mov rdx, [r12 + 568]",
            "call r14",
            ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
            "vmovaps [r12 + \\n * 32], ymm\\n",
            ".endr",
            "mov [r12 + 512], rax",
            "mov [r12 + 520], rcx",
            "mov [r12 + 528], r8",
            "mov [r12 + 536], r9",
            "mov [r12 + 544], r10",
            "mov [r12 + 552], rdi",
            "mov [r12 + 560], rsi",
            "mov [r12 + 568], rdx",
            "vzeroupper",
            in("r12") &raw mut after,
            in("r14") function,
            clobber_abi("C"),
        );
    }
    after
}

/// What rarely runs is called with live times in all registers, of which the compiler moves none away.
#[test]
fn rare_calls_keep_all_registers() {
    if !std::is_x86_feature_detected!("avx") {
        eprintln!("NOT TESTED: this processor has no AVX");
        return;
    }
    let _lock = planes();
    let base = 0x31_0000_0000_u64;
    store(base, 8, time(7));
    let bases = Time([3; LANES]);
    let number = |n: usize| 0x0123_4567_89ab_cdef_u64.wrapping_mul(n as u64 * 2 + 3);
    let mut before = Registers {
        ymm: std::array::from_fn(|r| std::array::from_fn(|n| number(4 * r + n))),
        whole: std::array::from_fn(|r| number(64 + r)),
    };
    before.whole[5] = base;
    assert_eq!(
        registers_after(__ps_open_kept as *const (), &before),
        before
    );
    assert_eq!(tags_of(base), [FULL; 2], "it opens the granule");

    store(base, 8, time(7));
    assert_eq!(
        registers_after(__ps_halve_kept as *const (), &before),
        before
    );
    assert_eq!(tags_of(base), [HALVES; 2], "it halves the granule");

    before.whole[6] = 8;
    before.whole[7] = &raw const bases as u64;
    let mut after = registers_after(__ps_seen_kept as *const (), &before);
    let found = after.whole[0] as u32;
    assert_eq!(found, seen(base, 8, &raw const bases));
    assert_ne!(found, 0, "7 is later than 3");
    after.whole[0] = before.whole[0];
    assert_eq!(after, before);
}

/// Both tags of a granule.
fn tags_of(address: u64) -> [u8; 2] {
    // SAFETY: the planes are mapped.
    unsafe { [*tag(address), *tag(address + 4)] }
}

/// The fields of a structure on both sides of a multiple of 2^40 are looked for beyond the planes' ends.
#[test]
fn planes_have_margins() {
    let _lock = planes();
    let end = ADDRESS_MASK + 1;
    for (base, scale) in [(P8_BASE, 4), (P4_BASE, 8)] {
        for at in [base - MARGIN * scale, base + (end + MARGIN) * scale - 32] {
            // SAFETY: mapped, which is what is tested.
            unsafe { *(at as *mut Time) = time(1) };
        }
    }
    for at in [TAG_BASE - MARGIN / 4, TAG_BASE + (end + MARGIN) / 4 - 1] {
        // SAFETY: as above.
        unsafe { *(at as *mut u8) = 0 };
    }
}
