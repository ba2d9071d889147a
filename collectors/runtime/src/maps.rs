//! Do any two mappings of the process share their shadow?

use parascan_abi::shadow::{ADDRESS_MASK, P1_BASE};

use crate::sys;

/// Room to grow that is checked too: the heap upward, the area of mappings downward.
const MARGIN: u64 = 64 << 30;
/// Addresses from here up belong to mappings and the stack, those below to the program and its heap.
const HIGH: u64 = 0x7000_0000_0000;
/// End of user space.
const USER_END: u64 = 1 << 47;
/// Most mappings looked at; programs have some hundreds at start.
const CAPACITY: usize = 4096;

/// Reads `start-end` in hexadecimal from the head of a line of `/proc/self/maps`.
fn range(line: &[u8]) -> Option<(u64, u64)> {
    let mut ends = [0_u64; 2];
    let mut which = 0;
    for &byte in line {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'-' if which == 0 => {
                which = 1;
                continue;
            }
            b' ' if which == 1 => return Some((ends[0], ends[1])),
            _ => return None,
        };
        ends[which] = ends[which] << 4 | u64::from(digit);
    }
    None
}

/// Of a line of `/proc/self/maps` that is about shared memory: offset in its file, and inode.
fn shared(line: &[u8]) -> Option<(u64, u64)> {
    let mut words = line.split(|&byte| byte == b' ').skip(1);
    let flags = words.next()?;
    let number = |word: &[u8], base: u64| {
        word.iter().try_fold(0_u64, |all, &byte| {
            let digit = (byte as char).to_digit(base as u32)?;
            all.checked_mul(base)?.checked_add(digit.into())
        })
    };
    let offset = number(words.next()?, 16)?;
    let inode = number(words.nth(1)?, 10)?;
    flags.ends_with(b"s").then_some((offset, inode))
}

/// Calls `found` with start, length and offset of every mapping of a file, by its inode, that is shared.
pub(crate) fn of_file(wanted: u64, mut found: impl FnMut(u64, u64, u64)) {
    let _ = lines(|line| {
        if let (Some((start, end)), Some((offset, inode))) = (range(line), shared(line))
            && inode == wanted
        {
            found(start, end - start, offset);
        }
    });
}

/// Calls `found` with every mapping.
fn each(mut found: impl FnMut(u64, u64)) -> Option<()> {
    lines(|line| {
        if let Some((start, end)) = range(line) {
            found(start, end);
        }
    })
}

/// Calls `found` with the head of every line of `/proc/self/maps`.
fn lines(mut found: impl FnMut(&[u8])) -> Option<()> {
    let file = sys::File::open(b"/proc/self/maps\0", sys::O_RDONLY, 0).ok()?;
    let mut buffer = [0_u8; 4096];
    // Only the head of each line is of interest.
    let mut line = [0_u8; 96];
    let mut len = 0;
    loop {
        let n = file.read(&mut buffer).ok()?;
        if n == 0 {
            return Some(());
        }
        for &byte in &buffer[..n] {
            if byte == b'\n' {
                found(&line[..len]);
                len = 0;
            } else if len < line.len() {
                line[len] = byte;
                len += 1;
            }
        }
    }
}

/// Whether two of `ranges`, taken modulo the shadow's address bits, overlap. Ranges are sorted by address and disjoint.
fn overlap(ranges: &mut [(u64, u64)]) -> bool {
    // The last range of the program grows up, the first of the mappings grows down.
    if let Some(last) = ranges.iter_mut().rfind(|r| r.0 < HIGH) {
        last.1 += MARGIN;
    }
    if let Some(first) = ranges.iter_mut().find(|r| r.0 >= HIGH) {
        first.0 -= MARGIN;
    }
    let shares = |a: (u64, u64), b: (u64, u64)| {
        let distance = b.0.wrapping_sub(a.0) & ADDRESS_MASK;
        distance < a.1 - a.0 || (a.0.wrapping_sub(b.0) & ADDRESS_MASK) < b.1 - b.0
    };
    ranges.iter().any(|r| r.1 - r.0 > ADDRESS_MASK)
        || ranges
            .iter()
            .enumerate()
            .any(|(i, &a)| ranges[..i].iter().any(|&b| shares(a, b)))
}

/// Whether any two mappings share their shadow, now or after growth. The runtime's own do not count: `log`, and what it
/// has at fixed addresses, before `shadow_end`.
pub(crate) fn alias(log: u64, shadow_end: u64) -> bool {
    let Ok(memory) = sys::map_anonymous((CAPACITY * 16) as u64) else {
        return false;
    };
    // SAFETY: freshly mapped zeros of that size.
    let ranges = unsafe { core::slice::from_raw_parts_mut(memory.cast::<(u64, u64)>(), CAPACITY) };
    let mut n = 0;
    let read = each(|start, end| {
        let own = start < shadow_end && end > P1_BASE || start == log;
        if !own && start < USER_END && n < CAPACITY {
            ranges[n] = (start, end);
            n += 1;
        }
    });
    // Without /proc nothing can be said; the layout without randomization is known to be good.
    let result = read.is_some() && overlap(&mut ranges[..n]);
    // SAFETY: the slice is not used any more.
    unsafe { sys::unmap(memory, (CAPACITY * 16) as u64) };
    result
}

#[cfg(test)]
mod tests {
    use super::{overlap, range, shared};

    #[test]
    fn reads_a_line() {
        assert_eq!(
            range(b"7ffff7fc1000-7ffff7fc5000 r--p 0"),
            Some((0x7fff_f7fc_1000, 0x7fff_f7fc_5000))
        );
        assert_eq!(range(b"garbage"), None);
    }

    #[test]
    fn reads_what_is_shared() {
        let line = b"7ffff7fc1000-7ffff7fc5000 rw-s 00400000 08:01 4711      /tmp/log.1";
        assert_eq!(shared(line), Some((0x40_0000, 4711)));
        assert_eq!(
            shared(b"7ffff7fc1000-7ffff7fc5000 rw-p 00400000 08:01 4711 "),
            None
        );
        assert_eq!(shared(b"garbage"), None);
    }

    #[test]
    fn usual_layouts_do_not_alias() {
        let pie = &mut [
            (0x5555_5555_4000, 0x5555_5557_0000),
            (0x7fff_f7d0_0000, 0x7fff_f7ff_f000),
            (0x7fff_fffd_e000, 0x7fff_ffff_f000),
        ];
        assert!(!overlap(pie));
        let fixed = &mut [(0x40_0000, 0x50_0000), (0x7fff_f7d0_0000, 0x7fff_f7ff_f000)];
        assert!(!overlap(fixed));
    }

    #[test]
    fn equal_low_bits_alias() {
        assert!(overlap(&mut [
            (0x5512_3456_0000, 0x5512_3457_0000),
            (0x7f12_3456_8000, 0x7f12_3457_8000)
        ]));
        // Only the heap's growth reaches the mappings' shadow.
        assert!(overlap(&mut [
            (0x5510_0000_0000, 0x5510_0001_0000),
            (0x7f18_0000_0000, 0x7f18_0001_0000)
        ]));
    }
}
