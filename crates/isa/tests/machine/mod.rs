//! One instruction at a time on the processor: a child process that is given a state, executes one instruction, and is
//! asked for its state.

pub mod generate;
pub mod place;
pub mod random;
pub mod state;
pub mod trial;

use std::io::Error;
use std::ptr;

use libc::{c_int, c_void, pid_t};

pub use random::Random;
pub use state::{Layout, State};

/// Where the instruction stands.
pub const CODE: u64 = 0x2000_0000;
/// Where its memory is: below 2 GiB, so that every kind of address reaches it.
pub const SCRATCH: u64 = 0x2001_0000;
/// Bytes of memory.
pub const SCRATCH_SIZE: usize = 0x1000;
const PAGE: usize = 0x1000;
const NT_PRFPREG_XSTATE: usize = 0x202;

/// A child under `ptrace` that shares the code page and the memory with this process.
pub struct Machine {
    child: pid_t,
    /// Where parts of the extended state are.
    layout: Layout,
    buffer: Vec<u8>,
    registers: libc::user_regs_struct,
}

/// The signal an instruction ended with instead of being executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub c_int);

impl Machine {
    /// Maps code and memory and starts the child.
    pub fn start() -> Result<Self, Error> {
        map(
            CODE,
            PAGE,
            libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
        )?;
        map(SCRATCH, SCRATCH_SIZE, libc::PROT_READ | libc::PROT_WRITE)?;
        // SAFETY: the child calls nothing but functions that are safe after a fork of a process with threads.
        let child = unsafe { libc::fork() };
        match child {
            -1 => return Err(Error::last_os_error()),
            0 => {
                // SAFETY: as above; the child stops itself and never gets further on its own.
                unsafe {
                    libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
                    libc::raise(libc::SIGSTOP);
                    libc::_exit(1);
                }
            }
            _ => {}
        }
        let mut machine = Self {
            child,
            layout: Layout::of_processor(),
            buffer: vec![0; 0x4000],
            // SAFETY: a structure of integers.
            registers: unsafe { std::mem::zeroed() },
        };
        if machine.wait()? != libc::SIGSTOP {
            return Err(Error::other("the child did not stop"));
        }
        machine.trace(libc::PTRACE_SETOPTIONS, 0, libc::PTRACE_O_EXITKILL as usize)?;
        let registers: *mut libc::user_regs_struct = &raw mut machine.registers;
        machine.trace(libc::PTRACE_GETREGS, 0, registers as usize)?;
        let size = machine.extended(libc::PTRACE_GETREGSET, machine.buffer.len())?;
        machine.buffer.truncate(size);
        machine.layout.limit(&machine.buffer);
        Ok(machine)
    }

    /// Number of vector registers and whether they have 512 bits.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Executes the instruction in `code` from `state`.
    pub fn run(&mut self, code: &[u8], state: &State) -> Result<State, Fault> {
        // SAFETY: both regions were mapped by `start` with these sizes, and only this process (the child stands still)
        // uses them.
        unsafe {
            ptr::copy_nonoverlapping(code.as_ptr(), CODE as *mut u8, code.len());
            ptr::copy_nonoverlapping(state.memory.as_ptr(), SCRATCH as *mut u8, SCRATCH_SIZE);
        }
        state.store_registers(&mut self.registers);
        self.registers.rip = CODE;
        self.registers.orig_rax = u64::MAX;
        state.store_extended(&self.layout, &mut self.buffer);
        let registers = &raw mut self.registers as usize;
        self.must(libc::PTRACE_SETREGS, 0, registers);
        let size = self.buffer.len();
        self.extended(libc::PTRACE_SETREGSET, size)
            .expect("the state can be set");
        self.must(libc::PTRACE_SINGLESTEP, 0, 0);
        let signal = self.wait().expect("the child stops");
        if signal != libc::SIGTRAP {
            return Err(Fault(signal));
        }
        self.must(libc::PTRACE_GETREGS, 0, registers);
        self.extended(libc::PTRACE_GETREGSET, size)
            .expect("the state can be read");
        let mut memory = vec![0; SCRATCH_SIZE];
        // SAFETY: as above.
        unsafe {
            ptr::copy_nonoverlapping(SCRATCH as *const u8, memory.as_mut_ptr(), SCRATCH_SIZE);
        }
        Ok(State::load(
            &self.layout,
            &self.registers,
            &self.buffer,
            memory,
        ))
    }

    /// Waits until the child stops and returns the signal.
    fn wait(&self) -> Result<c_int, Error> {
        let mut status = 0;
        // SAFETY: `status` is valid for the call.
        if unsafe { libc::waitpid(self.child, &raw mut status, 0) } == -1 {
            return Err(Error::last_os_error());
        }
        if libc::WIFSTOPPED(status) {
            Ok(libc::WSTOPSIG(status))
        } else {
            Err(Error::other("the child ended"))
        }
    }

    fn trace(&self, request: libc::c_uint, address: usize, data: usize) -> Result<(), Error> {
        // SAFETY: `data` is what `request` demands; pointers among it point to live fields of this object.
        let result = unsafe {
            libc::ptrace(
                request,
                self.child,
                address as *mut c_void,
                data as *mut c_void,
            )
        };
        if result == -1 {
            return Err(Error::last_os_error());
        }
        Ok(())
    }

    fn must(&self, request: libc::c_uint, address: usize, data: usize) {
        self.trace(request, address, data)
            .expect("the child can be controlled");
    }

    /// Gets or sets the extended state through the buffer; returns its size.
    fn extended(&mut self, request: libc::c_uint, size: usize) -> Result<usize, Error> {
        let mut vector = libc::iovec {
            iov_base: self.buffer.as_mut_ptr().cast(),
            iov_len: size,
        };
        let data = &raw mut vector as usize;
        self.trace(request, NT_PRFPREG_XSTATE, data)?;
        Ok(vector.iov_len)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let mut status = 0;
        // SAFETY: the child is this object's own and was not waited for; the regions are not used any more.
        unsafe {
            libc::kill(self.child, libc::SIGKILL);
            libc::waitpid(self.child, &raw mut status, 0);
            libc::munmap(CODE as *mut c_void, PAGE);
            libc::munmap(SCRATCH as *mut c_void, SCRATCH_SIZE);
        }
    }
}

/// Maps shared memory at a fixed address.
fn map(address: u64, size: usize, protection: c_int) -> Result<(), Error> {
    // SAFETY: without replacing anything that is mapped there.
    let result = unsafe {
        libc::mmap(
            address as *mut c_void,
            size,
            protection,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
            -1,
            0,
        )
    };
    if result == libc::MAP_FAILED {
        return Err(Error::last_os_error());
    }
    Ok(())
}
