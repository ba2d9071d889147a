//! A program executed instruction by instruction under `ptrace`: slow, and right.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
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
        Self::start_with(program, &[], None)
    }

    /// The same with an environment, `NAME=VALUE` each, and a file for its standard output and error.
    ///
    /// # Errors
    /// As before; a variable contains a zero byte.
    pub fn start_with(
        program: &Path,
        environment: &[&str],
        output: Option<&File>,
    ) -> io::Result<Self> {
        let name = CString::new(program.as_os_str().as_bytes())?;
        let words = [name.as_ptr(), std::ptr::null()];
        let variables = environment
            .iter()
            .map(|&variable| CString::new(variable))
            .collect::<Result<Vec<_>, _>>()?;
        let mut pointers: Vec<_> = variables.iter().map(|v| v.as_ptr()).collect();
        pointers.push(std::ptr::null());
        stay_here();
        // SAFETY: between fork and exec, only system calls; the strings live until then.
        unsafe {
            let pid = libc::fork();
            if pid < 0 {
                return Err(io::Error::last_os_error());
            }
            if pid == 0 {
                libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
                if let Some(file) = output {
                    libc::dup2(file.as_raw_fd(), 1);
                    libc::dup2(file.as_raw_fd(), 2);
                }
                libc::execve(name.as_ptr(), words.as_ptr(), pointers.as_ptr());
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

    /// Changes its general registers.
    ///
    /// # Errors
    /// It is gone.
    pub fn set_registers(&self, registers: &libc::user_regs_struct) -> io::Result<()> {
        // SAFETY: the kernel reads the structure.
        if unsafe { libc::ptrace(libc::PTRACE_SETREGS, self.pid, 0, &raw const *registers) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
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
        File::open(format!("/proc/{}/mem", self.pid))?.read_at(bytes, address)
    }
}

/// Keeps this thread, and the children that it starts from now on, on the processor that it is on: a step changes twice
/// from one to the other, and to wake another processor for that takes several times as long. Where that cannot be,
/// steps take longer.
fn stay_here() {
    let mut here = rustix::thread::CpuSet::new();
    here.set(rustix::thread::sched_getcpu());
    let _ = rustix::thread::sched_setaffinity(None, &here);
}
