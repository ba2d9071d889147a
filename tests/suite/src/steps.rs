//! A program executed instruction by instruction under `ptrace`: slow, and right.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A stopped program.
#[derive(Debug)]
pub struct Stepper {
    pid: i32,
}

/// Extended state, in the processor's standard form: at most this long.
const STATE_BYTES: usize = 16384;

impl Stepper {
    /// Starts a program; it stands before its first instruction.
    ///
    /// # Errors
    /// It cannot be started or traced.
    pub fn start(program: &Path) -> io::Result<Self> {
        let name = CString::new(program.as_os_str().as_bytes())?;
        let words = [name.as_ptr(), std::ptr::null()];
        let none = [std::ptr::null()];
        // SAFETY: between fork and exec, only system calls; the strings live until then.
        unsafe {
            let pid = libc::fork();
            if pid < 0 {
                return Err(io::Error::last_os_error());
            }
            if pid == 0 {
                libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
                libc::execve(name.as_ptr(), words.as_ptr(), none.as_ptr());
                libc::_exit(127);
            }
            let stepper = Self { pid };
            stepper.wait()?;
            Ok(stepper)
        }
    }

    /// Waits for it; its exit code if it has ended.
    fn wait(&self) -> io::Result<Option<i32>> {
        let mut status = 0;
        // SAFETY: the process is this one's child.
        if unsafe { libc::waitpid(self.pid, &raw mut status, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
        if libc::WIFEXITED(status) {
            return Ok(Some(libc::WEXITSTATUS(status)));
        }
        if libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTRAP {
            return Ok(None);
        }
        Err(io::Error::other(format!(
            "unexpected wait status {status:#x}"
        )))
    }

    /// Executes one instruction, or one iteration of a repeated one; the exit code if that was the last.
    ///
    /// # Errors
    /// It was killed.
    pub fn step(&self) -> io::Result<Option<i32>> {
        // SAFETY: the process is stopped.
        if unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, self.pid, 0, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
        self.wait()
    }

    /// Its general registers.
    ///
    /// # Errors
    /// It is gone.
    pub fn registers(&self) -> io::Result<libc::user_regs_struct> {
        // SAFETY: a plain structure that the kernel fills in.
        unsafe {
            let mut registers: libc::user_regs_struct = std::mem::zeroed();
            if libc::ptrace(libc::PTRACE_GETREGS, self.pid, 0, &raw mut registers) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(registers)
        }
    }

    /// A vector register, 256 bits.
    ///
    /// # Errors
    /// It is gone.
    pub fn vector(&self, number: usize) -> io::Result<[u8; 32]> {
        const NT_X86_XSTATE: usize = 0x202;
        const LOW: usize = 160;
        let high = std::arch::x86_64::__cpuid_count(0xd, 2).ebx as usize;
        let mut state = vec![0_u8; STATE_BYTES];
        let mut area = libc::iovec {
            iov_base: state.as_mut_ptr().cast(),
            iov_len: state.len(),
        };
        // SAFETY: the kernel writes at most as much as the area has.
        if unsafe {
            libc::ptrace(
                libc::PTRACE_GETREGSET,
                self.pid,
                NT_X86_XSTATE,
                &raw mut area,
            )
        } < 0
        {
            return Err(io::Error::last_os_error());
        }
        let mut value = [0; 32];
        value[..16].copy_from_slice(&state[LOW + 16 * number..][..16]);
        // The upper halves are zero where the component is in its first state.
        if state[512] & 4 != 0 {
            value[16..].copy_from_slice(&state[high + 16 * number..][..16]);
        }
        Ok(value)
    }

    /// Bytes of its memory, as many as there are up to `bytes.len()`.
    ///
    /// # Errors
    /// There are none.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<usize> {
        use std::os::unix::fs::FileExt;
        std::fs::File::open(format!("/proc/{}/mem", self.pid))?.read_at(bytes, address)
    }
}
