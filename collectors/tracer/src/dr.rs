//! The part of DynamoRIO's interface that the tracer uses (11.90; `dr_api.h`, `drmgr.h`, `drreg.h`), declared by hand.

use core::ffi::{c_char, c_int, c_uint, c_void};

/// What DynamoRIO passes around for a thread.
pub type DrContext = *mut c_void;
/// A list of instructions.
pub type List = *mut c_void;
/// A register's number.
pub type Register = u16;
/// An address in the program.
pub type Pc = *mut u8;
/// A lock.
pub type Mutex = *mut c_void;

/// An instruction (`instr_t`), never looked into.
#[derive(Debug)]
#[repr(C)]
pub struct Instr([u8; 0]);

/// A pointer to an instruction.
pub type InstrPtr = *mut Instr;

/// An operand (`opnd_t`): two words, passed by value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Operand([u64; 2]);

/// Machine state (`dr_mcontext_t`).
#[derive(Debug)]
#[repr(C, align(8))]
pub struct MachineContext {
    pub size: usize,
    pub flags: u32,
    pub rdi: u64,
    pub rsi: u64,
    pub rbp: u64,
    pub rsp: u64,
    pub rbx: u64,
    pub rdx: u64,
    pub rcx: u64,
    pub rax: u64,
    pub r8: [u64; 8],
    pub rflags: u64,
    pub pc: Pc,
    padding: [u8; 48],
    /// ZMM registers.
    pub simd: [[u8; 64]; 32],
    /// Mask registers.
    pub masks: [u64; 8],
}

const _: () = assert!(
    size_of::<MachineContext>() == 2320
        && core::mem::offset_of!(MachineContext, rflags) == 144
        && core::mem::offset_of!(MachineContext, simd) == 208
        && core::mem::offset_of!(MachineContext, masks) == 2256
);

impl MachineContext {
    /// In [`MachineContext::flags`]: general registers only.
    pub const INTEGER: u32 = 1;

    /// Empty, for [`dr_get_mcontext`] with everything.
    pub const fn new() -> Self {
        Self {
            size: size_of::<Self>(),
            flags: 7,
            rdi: 0,
            rsi: 0,
            rbp: 0,
            rsp: 0,
            rbx: 0,
            rdx: 0,
            rcx: 0,
            rax: 0,
            r8: [0; 8],
            rflags: 0,
            pc: core::ptr::null_mut(),
            padding: [0; 48],
            simd: [[0; 64]; 32],
            masks: [0; 8],
        }
    }
}

/// `dr_siginfo_t`, as far as it is used.
#[derive(Debug)]
#[repr(C)]
pub struct SigInfo {
    pub signal: c_int,
    pub context: DrContext,
    pub machine: *mut MachineContext,
    pub raw: *mut MachineContext,
    pub raw_valid: bool,
}

/// `dr_kernel_xfer_info_t`.
#[derive(Debug)]
#[repr(C)]
pub struct Transfer {
    pub kind: c_uint,
    pub source: *const MachineContext,
    pub target: Pc,
    pub target_rsp: u64,
    pub signal: c_int,
}

pub const TRANSFER_SIGNAL: c_uint = 0;
pub const TRANSFER_SIGNAL_RETURN: c_uint = 1;

/// `module_data_t`.
#[derive(Debug)]
#[repr(C)]
pub struct ModuleData {
    pub start: Pc,
    pub end: Pc,
    pub entry: Pc,
    pub flags: c_uint,
    pub names: [*const c_char; 3],
    pub path: *const c_char,
    pub contiguous: bool,
    pub segments: c_uint,
    pub segment_list: *mut c_void,
    pub timestamp: usize,
    pub preferred: Pc,
}

const _: () = assert!(
    size_of::<ModuleData>() == 96
        && core::mem::offset_of!(ModuleData, path) == 56
        && core::mem::offset_of!(ModuleData, segments) == 68
        && core::mem::offset_of!(ModuleData, preferred) == 88
);

/// `drreg_options_t`.
#[derive(Debug)]
#[repr(C)]
pub struct RegOptions {
    pub size: usize,
    pub slots: c_uint,
    pub conservative: bool,
    pub error: *const c_void,
    pub do_not_sum: bool,
}

/// `drvector_t`.
#[derive(Debug)]
#[repr(C, align(8))]
pub struct Vector([u8; 40]);

impl Vector {
    /// An empty vector, to be given to [`drreg_init_and_fill_vector`].
    pub const fn new() -> Self {
        Self([0; 40])
    }
}

pub const OP_LABEL: c_int = 3;
pub const OP_CMP: c_int = 14;
pub const OP_JB_SHORT: c_int = 28;
pub const OP_JMP: c_int = 46;
pub const OP_JMP_IND: c_int = 48;
pub const OP_MOV_LD: c_int = 55;
pub const OP_MOV_ST: c_int = 56;
pub const OP_LEA: c_int = 61;
pub const OP_SAHF: c_int = 68;
pub const OP_LAHF: c_int = 69;
pub const OP_SETO: c_int = 168;
pub const OP_RDTSC: c_int = 105;
/// One more than the last opcode.
pub const OP_END: c_int = 1478;

pub const RAX: Register = 1;
pub const RCX: Register = 2;
pub const RDX: Register = 3;
pub const RBX: Register = 4;
pub const RSP: Register = 5;
pub const RBP: Register = 6;
pub const RSI: Register = 7;
pub const RDI: Register = 8;
/// `R9` to [`R15`] follow.
pub const R8: Register = 9;
pub const R15: Register = 16;
/// The 32-bit part of a 64-bit register has this much larger a number.
pub const TO_32: Register = 16;
pub const FS: Register = 153;
pub const GS: Register = 154;
pub const K0: Register = 316;
pub const K7: Register = 323;
pub const XMM0: Register = 77;
pub const YMM0: Register = 188;
pub const ZMM0: Register = 252;
pub const AL: Register = 49;

pub const SIZE_LEA: u8 = 1;
pub const SIZE_4: u8 = 4;
pub const SIZE_8: u8 = 6;

pub const PREFIX_LOCK: c_uint = 1;
pub const PREFIX_EVEX: c_uint = 0x10_0000;
/// `DR_EMIT_STORE_TRANSLATIONS`.
pub const STORE_TRANSLATIONS: c_uint = 1;
pub const READ: c_uint = 1;
pub const WRITE: c_uint = 2;
pub const EXECUTE: c_uint = 4;

pub type AnalysisEvent =
    unsafe extern "C" fn(DrContext, *mut c_void, List, bool, bool, *mut *mut c_void) -> c_uint;
pub type InsertEvent =
    unsafe extern "C" fn(DrContext, *mut c_void, List, InstrPtr, bool, bool, *mut c_void) -> c_uint;
pub type App2AppEvent = unsafe extern "C" fn(DrContext, *mut c_void, List, bool, bool) -> c_uint;

unsafe extern "C" {
    pub fn dr_get_options(client: c_uint) -> *const c_char;
    #[cfg(panic = "abort")]
    pub fn dr_fprintf(file: c_int, format: *const c_char, ...) -> c_int;
    #[cfg(panic = "abort")]
    pub fn dr_abort() -> !;
    pub fn dr_global_alloc(size: usize) -> *mut c_void;
    pub fn dr_global_free(block: *mut c_void, size: usize);
    pub fn dr_nonheap_alloc(size: usize, protection: c_uint) -> *mut c_void;
    pub fn dr_memory_protect(base: *mut c_void, size: usize, protection: c_uint) -> bool;
    pub fn dr_mutex_create() -> Mutex;
    pub fn dr_mutex_lock(mutex: Mutex);
    pub fn dr_mutex_unlock(mutex: Mutex);
    pub fn dr_get_current_drcontext() -> DrContext;
    pub fn dr_mark_safe_to_suspend(context: DrContext, enter: bool) -> bool;
    pub fn dr_get_main_module() -> *mut ModuleData;
    pub fn dr_free_module_data(module: *mut ModuleData);
    pub fn dr_get_mcontext(context: DrContext, machine: *mut MachineContext) -> bool;
    pub fn dr_mcontext_zmm_fields_valid() -> bool;
    pub fn dr_flush_region(start: Pc, size: usize) -> bool;
    pub fn dr_redirect_execution(machine: *mut MachineContext) -> bool;
    pub fn dr_raw_tls_calloc(
        segment: *mut Register,
        offset: *mut c_uint,
        slots: c_uint,
        alignment: c_uint,
    ) -> bool;
    pub fn dr_raw_tls_opnd(context: DrContext, segment: Register, offset: c_uint) -> Operand;
    pub fn dr_get_dr_segment_base(segment: Register) -> *mut c_void;
    pub fn dr_insert_get_seg_base(
        context: DrContext,
        list: List,
        at: InstrPtr,
        segment: Register,
        to: Register,
    ) -> bool;
    pub fn dr_insert_clean_call(
        context: DrContext,
        list: List,
        at: InstrPtr,
        callee: *const c_void,
        save_floats: bool,
        arguments: c_uint,
        ...
    );
    pub fn dr_query_memory(
        pc: Pc,
        base: *mut Pc,
        size: *mut usize,
        protection: *mut c_uint,
    ) -> bool;
    pub fn dr_set_mcontext(context: DrContext, machine: *mut MachineContext) -> bool;
    pub fn dr_safe_read(
        base: *const c_void,
        size: usize,
        to: *mut c_void,
        read: *mut usize,
    ) -> bool;
    pub fn dr_syscall_get_param(context: DrContext, number: c_int) -> u64;
    pub fn dr_syscall_set_param(context: DrContext, number: c_int, value: u64);
    pub fn dr_syscall_get_result(context: DrContext) -> u64;
    pub fn dr_syscall_set_result(context: DrContext, value: u64);
    pub fn dr_register_filter_syscall_event(event: unsafe extern "C" fn(DrContext, c_int) -> bool);
    pub fn dr_register_exit_event(event: unsafe extern "C" fn());
    pub fn dr_register_fork_init_event(event: unsafe extern "C" fn(DrContext));

    pub fn decode_opcode_name(opcode: c_int) -> *const c_char;
    pub fn instr_destroy(context: DrContext, instr: InstrPtr);
    pub fn instr_length(context: DrContext, instr: InstrPtr) -> c_int;
    pub fn instr_get_app_pc(instr: InstrPtr) -> Pc;
    pub fn instr_get_opcode(instr: InstrPtr) -> c_int;
    pub fn instr_get_prefix_flag(instr: InstrPtr, prefix: c_uint) -> bool;
    pub fn instr_set_prefix_flag(instr: InstrPtr, prefix: c_uint) -> InstrPtr;
    pub fn instr_is_app(instr: InstrPtr) -> bool;
    pub fn instr_is_nop(instr: InstrPtr) -> bool;
    pub fn instr_num_srcs(instr: InstrPtr) -> c_int;
    pub fn instr_num_dsts(instr: InstrPtr) -> c_int;
    pub fn instr_get_src(instr: InstrPtr, number: c_uint) -> Operand;
    pub fn instr_get_dst(instr: InstrPtr, number: c_uint) -> Operand;
    pub fn instr_set_src(instr: InstrPtr, number: c_uint, operand: Operand);
    pub fn instr_set_dst(instr: InstrPtr, number: c_uint, operand: Operand);
    pub fn instr_raw_bits_valid(instr: InstrPtr) -> bool;
    pub fn instr_set_raw_bits(instr: InstrPtr, bytes: *mut u8, length: c_uint);
    pub fn instr_get_next(instr: InstrPtr) -> InstrPtr;
    pub fn instr_get_next_app(instr: InstrPtr) -> InstrPtr;
    pub fn instr_create_0dst_0src(context: DrContext, opcode: c_int) -> InstrPtr;
    pub fn instr_create_0dst_1src(context: DrContext, opcode: c_int, source: Operand) -> InstrPtr;
    pub fn instr_create_0dst_2src(
        context: DrContext,
        opcode: c_int,
        first: Operand,
        second: Operand,
    ) -> InstrPtr;
    pub fn instr_create_1dst_1src(
        context: DrContext,
        opcode: c_int,
        to: Operand,
        from: Operand,
    ) -> InstrPtr;
    pub fn instr_create_2dst_0src(
        context: DrContext,
        opcode: c_int,
        first: Operand,
        second: Operand,
    ) -> InstrPtr;
    pub fn instrlist_create(context: DrContext) -> List;
    pub fn instrlist_clear_and_destroy(context: DrContext, list: List);
    pub fn instrlist_encode(context: DrContext, list: List, to: *mut u8, labels: bool) -> *mut u8;
    pub fn instrlist_first(list: List) -> InstrPtr;
    pub fn instrlist_first_app(list: List) -> InstrPtr;
    pub fn instrlist_remove(list: List, instr: InstrPtr);
    pub fn instrlist_meta_preinsert(list: List, at: InstrPtr, instr: InstrPtr);
    pub fn instrlist_meta_postinsert(list: List, at: InstrPtr, instr: InstrPtr);
    pub fn instrlist_meta_append(list: List, instr: InstrPtr);
    pub fn reg_to_pointer_sized(register: Register) -> Register;
    pub fn opnd_create_reg(register: Register) -> Operand;
    pub fn opnd_create_immed_int(value: isize, size: u8) -> Operand;
    pub fn opnd_create_pc(pc: Pc) -> Operand;
    pub fn opnd_create_instr(instr: InstrPtr) -> Operand;
    pub fn opnd_create_base_disp(
        base: Register,
        index: Register,
        scale: c_int,
        displacement: c_int,
        size: u8,
    ) -> Operand;
    pub fn opnd_is_memory_reference(operand: Operand) -> bool;
    pub fn opnd_is_base_disp(operand: Operand) -> bool;
    pub fn opnd_is_far_base_disp(operand: Operand) -> bool;
    pub fn opnd_is_far_rel_addr(operand: Operand) -> bool;
    pub fn opnd_create_rel_addr(address: *mut c_void, size: u8) -> Operand;
    pub fn opnd_is_immed_int(operand: Operand) -> bool;
    pub fn opnd_is_reg(operand: Operand) -> bool;
    pub fn opnd_is_vsib(operand: Operand) -> bool;
    pub fn opnd_get_reg(operand: Operand) -> Register;
    pub fn opnd_get_base(operand: Operand) -> Register;
    pub fn opnd_get_index(operand: Operand) -> Register;
    pub fn opnd_get_scale(operand: Operand) -> c_int;
    pub fn opnd_get_disp(operand: Operand) -> c_int;
    pub fn opnd_get_segment(operand: Operand) -> Register;
    pub fn opnd_get_immed_int(operand: Operand) -> isize;
    pub fn opnd_get_addr(operand: Operand) -> *mut c_void;
    pub fn opnd_get_size(operand: Operand) -> u8;
    pub fn opnd_size_in_bytes(size: u8) -> c_uint;
    pub fn opnd_same(one: Operand, other: Operand) -> bool;

    pub fn drmgr_init() -> bool;
    pub fn drmgr_register_tls_field() -> c_int;
    pub fn drmgr_get_tls_field(context: DrContext, field: c_int) -> *mut c_void;
    pub fn drmgr_set_tls_field(context: DrContext, field: c_int, value: *mut c_void) -> bool;
    pub fn drmgr_register_thread_init_event(event: unsafe extern "C" fn(DrContext)) -> bool;
    pub fn drmgr_register_thread_exit_event(event: unsafe extern "C" fn(DrContext)) -> bool;
    pub fn drmgr_register_pre_syscall_event(
        event: unsafe extern "C" fn(DrContext, c_int) -> bool,
    ) -> bool;
    pub fn drmgr_register_post_syscall_event(event: unsafe extern "C" fn(DrContext, c_int))
    -> bool;
    pub fn drmgr_register_module_load_event(
        event: unsafe extern "C" fn(DrContext, *const ModuleData, bool),
    ) -> bool;
    pub fn drmgr_register_module_unload_event(
        event: unsafe extern "C" fn(DrContext, *const ModuleData),
    ) -> bool;
    pub fn drmgr_register_signal_event(
        event: unsafe extern "C" fn(DrContext, *mut SigInfo) -> c_uint,
    ) -> bool;
    pub fn drmgr_register_kernel_xfer_event(
        event: unsafe extern "C" fn(DrContext, *const Transfer),
    ) -> bool;
    pub fn drmgr_register_bb_app2app_event(event: App2AppEvent, priority: *const c_void) -> bool;
    pub fn drmgr_register_bb_instrumentation_event(
        analysis: AnalysisEvent,
        insert: InsertEvent,
        priority: *const c_void,
    ) -> bool;
    pub fn drmgr_register_bb_instru2instru_event(
        event: App2AppEvent,
        priority: *const c_void,
    ) -> bool;
    pub fn drreg_init(options: *const RegOptions) -> c_uint;
    pub fn drreg_init_and_fill_vector(vector: *mut Vector, allowed: bool) -> c_uint;
    pub fn drreg_set_vector_entry(vector: *mut Vector, register: Register, allowed: bool)
    -> c_uint;
    pub fn drreg_reserve_register(
        context: DrContext,
        list: List,
        at: InstrPtr,
        allowed: *const Vector,
        register: *mut Register,
    ) -> c_uint;
    pub fn drreg_unreserve_register(
        context: DrContext,
        list: List,
        at: InstrPtr,
        register: Register,
    ) -> c_uint;
    pub fn drreg_reserve_aflags(context: DrContext, list: List, at: InstrPtr) -> c_uint;
    pub fn drreg_unreserve_aflags(context: DrContext, list: List, at: InstrPtr) -> c_uint;
    pub fn drreg_get_app_value(
        context: DrContext,
        list: List,
        at: InstrPtr,
        register: Register,
        to: Register,
    ) -> c_uint;
}

/// `mov [to], register`: `XINST_CREATE_store`, a macro there.
pub unsafe fn store(context: DrContext, to: Operand, register: Register) -> InstrPtr {
    // SAFETY: the caller has a context.
    unsafe { instr_create_1dst_1src(context, OP_MOV_ST, to, opnd_create_reg(register)) }
}

/// `mov register, [from]`: `XINST_CREATE_load`, a macro there.
pub unsafe fn load(context: DrContext, register: Register, from: Operand) -> InstrPtr {
    // SAFETY: the caller has a context.
    unsafe { instr_create_1dst_1src(context, OP_MOV_LD, opnd_create_reg(register), from) }
}
