//! What memory the kernel reads and writes for a system call, from its arguments and result (the system's manual
//! pages).

use parascan_abi::trace::{ACCESS_READ as READ, ACCESS_WRITE as WRITE};

/// A call that has returned.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub number: u32,
    pub arguments: [u64; 6],
    pub result: u64,
}

/// `exit`, `exit_group`, `execve`, `execveat` and `rt_sigreturn`: they do not return, or not here.
pub const NO_RETURN: [u32; 5] = [60, 231, 59, 322, 15];
/// Return from a signal handler.
pub const SIGRETURN: u32 = 15;

/// Longest path that the kernel reads.
const PATH_MAX: u64 = 4096;

impl Call {
    /// Whether a thread may wait in it for long.
    pub fn may_wait(number: u32) -> bool {
        matches!(
            number,
            0 | 1 | 7 | 19 | 20 | 23 | 34 | 35 | 42..=47 | 61 | 128 | 130 | 202 | 219 | 230 | 232 | 240..=243 | 247
                | 270 | 271 | 281 | 288 | 299 | 307 | 441 | 449
        )
    }

    /// Calls `found` with access, address and length of each piece of memory. False if the call is not known.
    pub fn effects(&self, found: &mut impl FnMut(u8, u64, u64)) -> bool {
        let [a, b, c, d, e, _] = self.arguments;
        let result = self.result;
        if (result as i64) < 0 && (result as i64) >= -4095 {
            // What a failed call looked at constrains nothing.
            return true;
        }
        let mut add = |access: u8, address: u64, length: u64| {
            if address != 0 && length != 0 {
                found(access, address, length);
            }
        };
        match self.number {
            0 | 17 => add(WRITE, b, result),
            1 | 18 => add(READ, b, result),
            19 | 295 | 327 => vector(&mut add, WRITE, b, c, result),
            20 | 296 | 328 => vector(&mut add, READ, b, c, result),
            // Paths in the first argument.
            2 | 21 | 76 | 80 | 83 | 84 | 85 | 87 | 90 | 92 | 94 | 161 => path(&mut add, a),
            82 | 86 | 88 => {
                path(&mut add, a);
                path(&mut add, b);
            }
            // In the second.
            257 | 258 | 260 | 263 | 268 | 269 | 439 | 437 => path(&mut add, b),
            264 | 265 | 316 => {
                path(&mut add, b);
                path(&mut add, d);
            }
            280 => {
                path(&mut add, b);
                add(READ, c, 32);
            }
            4 | 6 => {
                path(&mut add, a);
                add(WRITE, b, 144);
            }
            5 => add(WRITE, b, 144),
            262 => {
                path(&mut add, b);
                add(WRITE, c, 144);
            }
            332 => {
                path(&mut add, b);
                add(WRITE, e, 256);
            }
            137 => {
                path(&mut add, a);
                add(WRITE, b, 120);
            }
            138 => add(WRITE, b, 120),
            89 => {
                path(&mut add, a);
                add(WRITE, b, result);
            }
            267 => {
                path(&mut add, b);
                add(WRITE, c, result);
            }
            79 => add(WRITE, a, result),
            78 | 217 => add(WRITE, b, result),
            318 => add(WRITE, a, result),
            7 | 271 => {
                add(READ, a, 8 * b);
                add(WRITE, a, 8 * b);
            }
            23 | 270 => {
                for set in [b, c, d] {
                    add(READ, set, a.div_ceil(8));
                    add(WRITE, set, a.div_ceil(8));
                }
            }
            232 | 281 => add(WRITE, b, 12 * result),
            233 => add(READ, d, 12),
            13 => {
                add(READ, b, 32);
                add(WRITE, c, 32);
            }
            14 => {
                add(READ, b, d);
                add(WRITE, c, d);
            }
            16 => return control(&mut add, b, c),
            22 | 293 => add(WRITE, a, 8),
            53 => add(WRITE, d, 8),
            42 | 49 => add(READ, b, c),
            44 => {
                add(READ, b, c);
                add(READ, e, self.arguments[5]);
            }
            45 => add(WRITE, b, result),
            46 | 47 => {
                let access = if self.number == 46 { READ } else { WRITE };
                add(READ, b, 56);
                // SAFETY: the kernel has just read this structure (struct msghdr) from there.
                let (list, count) = unsafe { (peek(b + 16), peek(b + 24)) };
                vector(&mut add, access, list, count, result);
            }
            43 | 51 | 52 | 288 => {
                if c != 0 {
                    // SAFETY: the kernel has just written the length there.
                    add(WRITE, b, unsafe { peek(c) } & 0xffff_ffff);
                    add(WRITE, c, 4);
                }
            }
            54 => add(READ, d, e),
            55 => {
                // SAFETY: as above.
                add(WRITE, d, unsafe { peek(e) } & 0xffff_ffff);
                add(WRITE, e, 4);
            }
            35 => {
                add(READ, a, 16);
            }
            230 => add(READ, c, 16),
            36 => add(WRITE, b, 32),
            38 => {
                add(READ, b, 32);
                add(WRITE, c, 32);
            }
            96 | 228 | 229 => add(WRITE, if self.number == 96 { a } else { b }, 16),
            97 => add(WRITE, b, 16),
            302 => {
                add(READ, c, 16);
                add(WRITE, d, 16);
            }
            98 => add(WRITE, b, 144),
            61 => {
                add(WRITE, b, 4);
                add(WRITE, d, 144);
            }
            63 => add(WRITE, a, 390),
            99 => add(WRITE, a, 112),
            100 => add(WRITE, a, 32),
            115 => add(WRITE, b, 4 * result),
            118 | 120 => {
                for word in [a, b, c] {
                    add(WRITE, word, 4);
                }
            }
            131 => {
                add(READ, a, 24);
                add(WRITE, b, 24);
            }
            201 => add(WRITE, a, 8),
            202 => add(READ, a, 4),
            204 => add(WRITE, c, result),
            309 => {
                add(WRITE, a, 4);
                add(WRITE, b, 4);
            }
            435 => add(READ, a, b),
            158 => {
                if matches!(a, 0x1003 | 0x1004) {
                    add(WRITE, b, 8);
                }
            }
            // No memory of the program's, or only mappings.
            3
            | 8..=12
            | 24
            | 25
            | 28
            | 32..=34
            | 37
            | 39
            | 41
            | 48
            | 50
            | 56..=58
            | 62
            | 72..=75
            | 77
            | 81
            | 91
            | 93
            | 95
            | 102
            | 104..=114
            | 116
            | 117
            | 119
            | 121..=124
            | 141
            | 157
            | 186
            | 200
            | 218
            | 221
            | 234
            | 273
            | 284
            | 285
            | 290
            | 291
            | 292
            | 334
            | 436
            | 425 => {}
            _ => return false,
        }
        true
    }
}

/// A string that the kernel has read.
fn path(add: &mut impl FnMut(u8, u64, u64), address: u64) {
    if address == 0 {
        return;
    }
    // SAFETY: the call succeeded, so the kernel has read the string up to its end.
    let length = unsafe {
        (0..PATH_MAX)
            .take_while(|at| *((address + at) as *const u8) != 0)
            .count() as u64
    };
    add(READ, address, length + 1);
}

/// The first `total` bytes of `count` pieces.
fn vector(add: &mut impl FnMut(u8, u64, u64), access: u8, list: u64, count: u64, total: u64) {
    let mut rest = total;
    let count = count.min(1024);
    if list == 0 {
        return;
    }
    add(READ, list, 16 * count);
    for piece in 0..count {
        if rest == 0 {
            return;
        }
        // SAFETY: the call succeeded, so the kernel has read this list.
        let (address, length) = unsafe { (peek(list + 16 * piece), peek(list + 16 * piece + 8)) };
        let length = length.min(rest);
        add(access, address, length);
        rest -= length;
    }
}

/// `ioctl`: most requests tell their size; the older ones of terminals, sockets and files do not.
fn control(add: &mut impl FnMut(u8, u64, u64), request: u64, address: u64) -> bool {
    match request & 0xffff_ffff {
        // TCGETS; TCSETS, TCSETSW, TCSETSF.
        0x5401 => add(WRITE, address, 36),
        0x5402..=0x5404 => add(READ, address, 36),
        // TIOCGWINSZ; TIOCSWINSZ.
        0x5413 => add(WRITE, address, 8),
        0x5414 => add(READ, address, 8),
        // TIOCGPGRP, TIOCOUTQ, FIONREAD, TIOCGSID; TIOCSPGRP, FIONBIO, FIOASYNC.
        0x540f | 0x5411 | 0x541b | 0x5429 => add(WRITE, address, 4),
        0x5410 | 0x5421 | 0x5452 => add(READ, address, 4),
        // TCSBRK, TCXONC, TCFLSH, TIOCEXCL, TIOCNXCL, TIOCSCTTY, TIOCNOTTY, TCSBRKP, FIONCLEX, FIOCLEX: no memory.
        0x5409..=0x540e | 0x5422 | 0x5425 | 0x5450 | 0x5451 => {}
        coded if coded >> 30 != 0 => {
            let size = coded >> 16 & 0x3fff;
            // Directions as the program sees them: 1 is into the kernel, 2 out of it.
            if coded >> 30 & 1 != 0 {
                add(READ, address, size);
            }
            if coded >> 30 & 2 != 0 {
                add(WRITE, address, size);
            }
        }
        _ => return false,
    }
    true
}

/// # Safety
/// There must be eight readable bytes.
unsafe fn peek(address: u64) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { (address as *const u64).read_unaligned() }
}
