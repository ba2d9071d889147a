//! What DynamoRIO reports: processes, threads, modules, system calls, signals.

use alloc::boxed::Box;
use core::ffi::{c_int, c_uint};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

use parascan_abi::trace::{
    KERNEL, SIGNAL, SIGNAL_RETURN, SYSCALL, SYSCALL_NO_RETURN, SYSCALL_UNKNOWN, THREAD_EXIT, head,
    narrow,
};

use crate::dr::{self, DrContext, ModuleData, SigInfo, Transfer};
use crate::kernel::{self, Call};
use crate::options::TracerOptions;
use crate::start::{self, recording};
use crate::thread::{self, Thread, current};
use crate::{brk, close_range, define, emit, gate, itself, local, process, ring, segment, sys};

static FOLLOW: AtomicBool = AtomicBool::new(false);

/// Below the stack pointer the kernel leaves so many bytes alone.
const RED_ZONE: u64 = 128;

/// Asks for all events.
///
/// # Safety
/// Once, when the client is loaded.
pub unsafe fn register(options: TracerOptions) {
    FOLLOW.store(options.follow, Relaxed);
    // SAFETY: as DynamoRIO documents.
    unsafe {
        assert!(dr::drmgr_init() && emit::init(), "drmgr");
        gate::init();
        thread::init();
        define::begin(false);
        let first = process::number() == 0;
        start::init(options.from.filter(|_| first));
        dr::dr_register_exit_event(process_exit);
        dr::dr_register_fork_init_event(forked);
        dr::dr_register_filter_syscall_event(every_call);
        dr::drmgr_register_thread_init_event(thread_init);
        dr::drmgr_register_thread_exit_event(thread_exit);
        dr::drmgr_register_pre_syscall_event(before_call);
        dr::drmgr_register_post_syscall_event(after_call);
        dr::drmgr_register_module_load_event(module_loaded);
        dr::drmgr_register_module_unload_event(module_unloaded);
        dr::drmgr_register_signal_event(signal);
        dr::drmgr_register_kernel_xfer_event(transfer);
    }
}

unsafe extern "C" fn thread_init(context: DrContext) {
    // SAFETY: in the new thread, whose words are its own.
    unsafe {
        Thread::begin(context, local::slots());
    }
}

unsafe extern "C" fn thread_exit(context: DrContext) {
    // SAFETY: the thread is over; its `Thread` is used for the last time.
    let mut thread = unsafe { Box::from_raw(core::ptr::from_mut(current(context))) };
    if sys::pid() != process::pid() {
        // In a process that was just forked DynamoRIO ends the threads that stayed behind. They run on in the other
        // process, and their chunks are the other's.
        return;
    }
    thread.leave();
    thread::ALIVE.fetch_sub(1, Relaxed);
}

unsafe extern "C" fn process_exit() {
    define::end();
}

unsafe extern "C" fn forked(context: DrContext) {
    if !FOLLOW.load(Relaxed) {
        ring::silence();
    }
    // SAFETY: the child has one thread, this one.
    unsafe { current(context).forked() };
    define::begin(true);
}

unsafe extern "C" fn module_loaded(_context: DrContext, module: *const ModuleData, _loaded: bool) {
    // SAFETY: DynamoRIO's data.
    define::module(unsafe { &*module }, false);
}

unsafe extern "C" fn module_unloaded(_context: DrContext, module: *const ModuleData) {
    // SAFETY: DynamoRIO's data.
    define::module(unsafe { &*module }, true);
}

unsafe extern "C" fn every_call(_context: DrContext, _number: c_int) -> bool {
    true
}

unsafe extern "C" fn before_call(context: DrContext, number: c_int) -> bool {
    // SAFETY: in the event in which arguments may be asked for and changed.
    unsafe {
        record_call(context, number as u32);
        current(context).changed = itself::before(context, number)
            .or_else(|| close_range::before(context, number))
            .or_else(|| brk::before(context, number))
            .or_else(|| segment::before(context, number));
    }
    true
}

/// Records a call that is about to be made.
///
/// # Safety
/// In the event before a system call.
unsafe fn record_call(context: DrContext, number: u32) {
    if !recording() {
        return;
    }
    // SAFETY: in the event in which arguments may be asked for.
    unsafe {
        let thread = current(context);
        for (place, argument) in thread.arguments.iter_mut().enumerate() {
            *argument = dr::dr_syscall_get_param(context, place as c_int);
        }
        if kernel::NO_RETURN.contains(&number) {
            thread.put(&[
                head(SYSCALL, number, SYSCALL_NO_RETURN),
                narrow(thread.arguments[0]),
            ]);
            if number != kernel::SIGRETURN {
                thread.hand_over();
            }
        } else if thread::ALIVE.load(Relaxed) > 1 && Call::may_wait(number) {
            // Others should not have to wait for what this thread has done so far.
            thread.hand_over();
        }
    }
}

unsafe extern "C" fn after_call(context: DrContext, number: c_int) {
    // SAFETY: in the event in which registers may be changed.
    unsafe {
        if let Some(changed) = current(context).changed.take() {
            changed.after(context, number);
            brk::after(context, number, changed.value());
        }
    }
    if !recording() || number as u32 == kernel::SIGRETURN {
        return;
    }
    // SAFETY: in the event in which the result may be asked for.
    unsafe {
        let thread = current(context);
        let call = Call {
            number: number as u32,
            arguments: thread.arguments,
            result: dr::dr_syscall_get_result(context),
        };
        let mut pieces = [(0, 0, 0); 64];
        let mut count = 0;
        let known = call.effects(&mut |access, address, length| {
            if let Some(piece) = pieces.get_mut(count) {
                *piece = (access, address, length);
                count += 1;
            }
        });
        let flags = if known && count < pieces.len() {
            0
        } else {
            SYSCALL_UNKNOWN
        };
        thread.put(&[head(SYSCALL, call.number, flags), narrow(call.result)]);
        for &(access, address, length) in &pieces[..count] {
            thread.put(&[
                head(KERNEL, 0, access.into()),
                narrow(address),
                narrow(length),
            ]);
        }
        thread.stamp();
    }
}

unsafe extern "C" fn signal(context: DrContext, info: *mut SigInfo) -> c_uint {
    // SAFETY: DynamoRIO's data.
    unsafe {
        // Only a fault is reported with the state of the generated code; other signals wait for the end of a block.
        if recording() && (*info).raw_valid {
            let machine = &*(*info).machine;
            current(context).cut(machine.pc as u64, machine);
        }
    }
    const DELIVER: c_uint = 0;
    DELIVER
}

unsafe extern "C" fn transfer(context: DrContext, transfer: *const Transfer) {
    if !recording() {
        return;
    }
    // SAFETY: DynamoRIO's data.
    unsafe {
        let transfer = &*transfer;
        let to = narrow(transfer.target as u64);
        match transfer.kind {
            dr::TRANSFER_SIGNAL => {
                let (from, rsp) = transfer
                    .source
                    .as_ref()
                    .map_or((0, 0), |machine| (machine.pc as u64, machine.rsp));
                let frame = transfer.target_rsp;
                // On a stack of its own, the frame's size is not known.
                let length = rsp.saturating_sub(RED_ZONE).saturating_sub(frame);
                let length = if length < 1 << 16 { length } else { 0 };
                current(context).put(&[
                    head(SIGNAL, transfer.signal as u32, 0),
                    narrow(from),
                    to,
                    narrow(frame),
                    length,
                ]);
            }
            dr::TRANSFER_SIGNAL_RETURN => current(context).put(&[head(SIGNAL_RETURN, 0, 0), to]),
            _ => {}
        }
    }
}

impl Thread {
    /// Ends the stream.
    fn leave(&mut self) {
        if recording() {
            self.put(&[head(THREAD_EXIT, 0, 0)]);
        }
        self.hand_over();
    }
}
