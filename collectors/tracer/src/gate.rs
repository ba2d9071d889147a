//! Where generated code goes when a chunk is full: a small piece of machine code for each register that can hold the
//! place in the chunk, which keeps the way back and calls [`renew`].

use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::Relaxed;

use crate::dr::{self, Register};
use crate::local::{self, BACK};
use crate::{resume, thread};

static GATES: [AtomicPtr<u8>; 17] = [const { AtomicPtr::new(core::ptr::null_mut()) }; 17];

/// Code of [`resume::enter`].
static ENTER: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

const SIZE: usize = 4096;

/// Entry for a register, which holds the address to go back to.
pub fn entry(register: Register) -> dr::Pc {
    GATES[usize::from(register)].load(Relaxed)
}

/// Makes the code.
///
/// # Safety
/// Once, before any block is built.
pub unsafe fn init() {
    // SAFETY: the code is written into memory of its own before anybody knows of it.
    unsafe {
        let context = dr::dr_get_current_drcontext();
        let protection = dr::READ | dr::WRITE | dr::EXECUTE;
        let memory = dr::dr_nonheap_alloc(SIZE, protection).cast::<u8>();
        let list = dr::instrlist_create(context);
        let back = || local::tls(context, BACK);
        dr::dr_insert_clean_call(
            context,
            list,
            core::ptr::null_mut(),
            renew as *const () as *const _,
            false,
            0,
        );
        dr::instrlist_meta_append(
            list,
            dr::instr_create_0dst_1src(context, dr::OP_JMP_IND, back()),
        );
        let mut end = dr::instrlist_encode(context, list, memory, false);
        dr::instrlist_clear_and_destroy(context, list);
        for register in dr::RAX..=dr::R15 {
            let list = dr::instrlist_create(context);
            dr::instrlist_meta_append(list, dr::store(context, back(), register));
            dr::instrlist_meta_append(
                list,
                dr::instr_create_0dst_1src(context, dr::OP_JMP, dr::opnd_create_pc(memory)),
            );
            GATES[usize::from(register)].store(end, Relaxed);
            end = dr::instrlist_encode(context, list, end, false);
            dr::instrlist_clear_and_destroy(context, list);
        }
        let list = dr::instrlist_create(context);
        resume::enter(context, list);
        ENTER.store(end, Relaxed);
        end = dr::instrlist_encode(context, list, end, false);
        dr::instrlist_clear_and_destroy(context, list);
        debug_assert!(end <= memory.add(SIZE));
        dr::dr_memory_protect(memory.cast(), SIZE, dr::READ | dr::EXECUTE);
    }
}

/// The running thread goes on with a new chunk.
unsafe extern "C" fn renew() {
    // SAFETY: called from generated code, where no event is under way.
    unsafe { thread::current(dr::dr_get_current_drcontext()).renew_in_block(ENTER.load(Relaxed)) };
}
