//! The way back into the code cache by which signals come that were blocked: as the kernel returns from a handler.
//!
//! DynamoRIO keeps a signal that comes outside of the code cache until the thread leaves it, which a loop that is all
//! there never does. One that comes inside makes it unlink the block. So signals that come while a thread waits for the
//! reader are blocked until it is back: `rt_sigreturn` jumps into the block and unblocks them in one, so that they come
//! there.

use alloc::boxed::Box;
use core::arch::naked_asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};

use crate::dr::{self, DrContext, List, Operand};
use crate::local::{self, BACK, SAVE};
use crate::sys;

/// What `rt_sigreturn` reads, behind the processor's extended state (`XSAVE`).
#[repr(C, align(64))]
struct Frame {
    state: [u8; STATE],
    /// Goes on from [`enter`]'s code.
    code: u64,
    /// Parts of the state that are saved.
    parts: u64,
    /// Flags are pushed at its end.
    room: [u64; 14],
    /// `struct ucontext` of the kernel.
    context: UserContext,
}

const STATE: usize = 3072;
const CODE: usize = STATE;
const PARTS: usize = STATE + 8;
const CONTEXT: usize = STATE + 128;
/// Where `struct sigcontext` has the registers: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags.
const REGISTERS: usize = CONTEXT + 40;
const RBX: usize = REGISTERS + 11 * 8;
const RAX: usize = REGISTERS + 13 * 8;

#[repr(C)]
struct UserContext {
    flags: u64,
    link: u64,
    stack: sys::SignalStack,
    registers: [u64; 16],
    rip: u64,
    rflags: u64,
    segments: [u16; 4],
    fault: [u64; 4],
    state: u64,
    reserved: [u64; 8],
    mask: sys::SignalSet,
}

const _: () = assert!(
    core::mem::offset_of!(Frame, code) == CODE
        && core::mem::offset_of!(Frame, parts) == PARTS
        && core::mem::offset_of!(Frame, context) == CONTEXT
        && core::mem::offset_of!(UserContext, registers) == 40
        && size_of::<UserContext>() == 304
);

/// Tile registers (AMX): they are too large for a frame, and the kernel knows of more permissions than the processor.
const TILES: u64 = 3 << 17;

/// A thread's frame, made when it is first needed.
#[derive(Debug)]
pub struct Resumption {
    /// With room to align it: DynamoRIO's heap aligns to 8 bytes.
    memory: Box<[u64]>,
}

impl Resumption {
    /// None where the processor's state cannot be saved.
    pub fn new() -> Option<Self> {
        let (parts, size) = parts()?;
        let words = (size_of::<Frame>() + align_of::<Frame>()) / 8;
        let mut own = Self {
            memory: core::iter::repeat_n(0, words).collect(),
        };
        let frame = own.frame();
        // What `XSAVE` leaves to software, as the kernel writes it: see `struct _fpx_sw_bytes`.
        const FIRST: u32 = 0x4650_5853;
        const LAST: u32 = 0x4650_5845;
        let end = size as usize;
        frame.state[464..468].copy_from_slice(&FIRST.to_le_bytes());
        frame.state[468..472].copy_from_slice(&(size + 4).to_le_bytes());
        frame.state[472..480].copy_from_slice(&parts.to_le_bytes());
        frame.state[480..484].copy_from_slice(&size.to_le_bytes());
        frame.state[end..end + 4].copy_from_slice(&LAST.to_le_bytes());
        frame.code = leave as *const () as u64;
        frame.parts = parts;
        // The state is extended; the stack segment is there, and is to be used.
        frame.context.flags = 7;
        frame.context.segments = [0x33, 0, 0, 0x2b];
        frame.context.state = (&raw const frame.state) as u64;
        Some(own)
    }

    fn frame(&mut self) -> &mut Frame {
        let start = self.memory.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for the frame and its alignment, and all zeros are a frame.
        unsafe {
            let frame = start.add(start.align_offset(align_of::<Frame>()));
            &mut *frame.cast::<Frame>()
        }
    }

    /// Where the way back to `rip` begins, at which these signals are blocked. None if it would lose something.
    pub fn prepare(&mut self, rip: u64, mask: sys::SignalSet) -> Option<*mut u8> {
        if tiles_in_use() {
            return None;
        }
        let stack = sys::signal_stack()?;
        let frame = self.frame();
        frame.context.stack = stack;
        frame.context.rip = rip;
        frame.context.mask = mask;
        Some((&raw mut *frame).cast())
    }
}

/// Parts of the state that are saved, and how long it is then.
fn parts() -> Option<(u64, u32)> {
    const ENABLED: u32 = 1 << 27;
    if __cpuid(1).ecx & ENABLED == 0 {
        return None;
    }
    let parts = control(0) & !TILES;
    let mut size = 576;
    for part in 2..63 {
        if parts & 1 << part != 0 {
            let place = __cpuid_count(0xd, part);
            size = size.max(place.ebx + place.eax);
        }
    }
    (size as usize + 4 <= STATE).then_some((parts, size))
}

/// Whether tile registers hold anything.
fn tiles_in_use() -> bool {
    control(0) & TILES != 0 && control(1) & TILES != 0
}

/// An extended control register: 0 has what is enabled, 1 what of that is in use.
fn control(number: u32) -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: only reads; register 0 is there where the system has enabled any, 1 on all processors with tiles.
    unsafe {
        core::arch::asm!("xgetbv", in("ecx") number, out("eax") low, out("edx") high,
            options(nomem, nostack));
    }
    u64::from(high) << 32 | u64::from(low)
}

/// Code that is entered with the registers of the block, the frame's address in [`SAVE`], [`BACK`] free.
///
/// # Safety
/// With a context.
pub unsafe fn enter(context: DrContext, list: List) {
    let at = |place: usize| -> Operand {
        // SAFETY: makes a value.
        unsafe { dr::opnd_create_base_disp(dr::RAX, 0, 0, place as i32, dr::SIZE_8) }
    };
    let tls = |offset| local::tls(context, offset);
    // SAFETY: every instruction is used once.
    unsafe {
        let jump = dr::instr_create_0dst_1src(context, dr::OP_JMP_IND, at(CODE));
        for instr in [
            dr::store(context, tls(BACK), dr::RAX),
            dr::load(context, dr::RAX, tls(SAVE)),
            dr::store(context, at(RBX), dr::RBX),
            dr::load(context, dr::RBX, tls(BACK)),
            dr::store(context, at(RAX), dr::RBX),
            jump,
        ] {
            dr::instrlist_meta_append(list, instr);
        }
    }
}

/// Saves all other registers, and returns as from a signal. The frame is at `rax`.
#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!(
        "mov [rax + {registers}], r8",
        "mov [rax + {registers} + 8], r9",
        "mov [rax + {registers} + 16], r10",
        "mov [rax + {registers} + 24], r11",
        "mov [rax + {registers} + 32], r12",
        "mov [rax + {registers} + 40], r13",
        "mov [rax + {registers} + 48], r14",
        "mov [rax + {registers} + 56], r15",
        "mov [rax + {registers} + 64], rdi",
        "mov [rax + {registers} + 72], rsi",
        "mov [rax + {registers} + 80], rbp",
        "mov [rax + {registers} + 96], rdx",
        "mov [rax + {registers} + 112], rcx",
        "mov [rax + {registers} + 120], rsp",
        "lea rsp, [rax + {context}]",
        "pushfq",
        "pop qword ptr [rax + {registers} + 136]",
        "mov rcx, rax",
        "mov eax, [rcx + {parts}]",
        "mov edx, [rcx + {parts} + 4]",
        "xsave64 [rcx]",
        "mov eax, 15",
        "syscall",
        "ud2",
        registers = const REGISTERS,
        context = const CONTEXT,
        parts = const PARTS,
    )
}
