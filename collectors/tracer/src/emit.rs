//! The code that records a block: its head and words go to where the thread's next record belongs, then that place
//! moves on.

use alloc::boxed::Box;
use core::ffi::{c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicPtr};

use parascan_abi::trace::block_head;

use crate::dr::{self, DrContext, InstrPtr, List, Operand, Register, Vector, load, store};
use crate::local::{LIMIT, NEXT, SAVE};
use crate::plan::{self, BlockPlan, InstructionPlan, Store, WordSource};
use crate::{define, dynamic, encode, environment, evex, gate, local, segment, start};

/// The program's first block was built.
static STARTED: AtomicBool = AtomicBool::new(false);

/// For each register what drreg is told so that it gives out this one.
static ONE: [AtomicPtr<Vector>; dr::R15 as usize + 1] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; dr::R15 as usize + 1];

/// Makes [`ONE`].
///
/// # Safety
/// Once, when drreg is there.
unsafe fn init_vectors() {
    for register in dr::RAX..=dr::R15 {
        let mut vector = Box::new(Vector::new());
        // SAFETY: the vector has its place, where it stays.
        unsafe {
            must(dr::drreg_init_and_fill_vector(&raw mut *vector, false));
            must(dr::drreg_set_vector_entry(&raw mut *vector, register, true));
        }
        ONE[usize::from(register)].store(Box::into_raw(vector), Relaxed);
    }
}

/// Reserves what generated code needs. False if it cannot be had.
///
/// # Safety
/// Once, before any thread starts.
pub unsafe fn init() -> bool {
    let options = dr::RegOptions {
        size: size_of::<dr::RegOptions>(),
        // The place in the chunk, two for sums, flags, and for each another that holds the program's value meanwhile.
        slots: 8,
        conservative: false,
        error: core::ptr::null(),
        do_not_sum: false,
    };
    // SAFETY: the arguments are local.
    unsafe {
        if !local::reserve() || dr::drreg_init(&raw const options) != 0 {
            return false;
        }
        init_vectors();
        dr::drmgr_register_bb_app2app_event(truncate, core::ptr::null())
            && dr::drmgr_register_bb_instrumentation_event(analyse, insert, core::ptr::null())
            && dr::drmgr_register_bb_instru2instru_event(encode::block, core::ptr::null())
    }
}

unsafe extern "C" fn truncate(
    context: DrContext,
    _tag: *mut c_void,
    list: List,
    _trace: bool,
    _again: bool,
) -> c_uint {
    // SAFETY: in the phase for it.
    unsafe {
        evex::mark(context, list);
        segment::leave_out(list);
        if start::recording() {
            plan::truncate(context, list);
        }
    }
    dr::STORE_TRANSLATIONS
}

unsafe extern "C" fn analyse(
    context: DrContext,
    _tag: *mut c_void,
    list: List,
    _trace: bool,
    _again: bool,
    plan: *mut *mut c_void,
) -> c_uint {
    // SAFETY: DynamoRIO hands over a list and a place for the plan.
    unsafe {
        *plan = core::ptr::null_mut();
        if !STARTED.swap(true, Relaxed) {
            let first = dr::instrlist_first_app(list);
            let callee = environment::clean as *const () as *const c_void;
            dr::dr_insert_clean_call(context, list, first, callee, false, 0);
        }
        if !start::recording() {
            start::wait_for(context, list);
        } else if let Some(mut own) = BlockPlan::new(context, list) {
            own.block = define::block(&own);
            *plan = Box::into_raw(own).cast();
        }
    }
    dr::STORE_TRANSLATIONS
}

unsafe extern "C" fn insert(
    context: DrContext,
    _tag: *mut c_void,
    list: List,
    instr: InstrPtr,
    _trace: bool,
    _again: bool,
    plan: *mut c_void,
) -> c_uint {
    if plan.is_null() {
        return 0;
    }
    // SAFETY: the plan is the one made for this block, until its last instruction.
    unsafe {
        if !dr::instr_is_app(instr) {
            return 0;
        }
        let plan = plan.cast::<BlockPlan>();
        let mut code = InsertionPoint {
            context,
            list,
            at: instr,
            pointer: (*plan).pointer,
        };
        let position = (*plan).emitted;
        let last = position + 1 == (*plan).steps.len();
        (*plan).emitted += 1;
        if position == 0 {
            code.begin((*plan).block);
        }
        let plan_steps = &(*plan).steps;
        let step = &plan_steps[position];
        for store in &step.stores {
            code.word(store);
        }
        let words = i32::from((*plan).words);
        if last {
            code.end(words);
        }
        code.after(step, if last { words } else { 0 });
        if last {
            drop(Box::from_raw(plan));
        }
    }
    0
}

/// A place in a block where code is inserted.
struct InsertionPoint {
    context: DrContext,
    list: List,
    at: InstrPtr,
    /// Holds the place in the chunk.
    pointer: Register,
}

impl InsertionPoint {
    unsafe fn add(&self, instr: InstrPtr) {
        // SAFETY: the caller made the instruction.
        unsafe { dr::instrlist_meta_preinsert(self.list, self.at, instr) };
    }

    fn tls(&self, offset: u32) -> Operand {
        local::tls(self.context, offset)
    }

    unsafe fn memory(&self, base: Register, displacement: i32) -> Operand {
        // SAFETY: makes a value.
        unsafe { dr::opnd_create_base_disp(base, 0, 0, displacement, dr::SIZE_8) }
    }

    unsafe fn load(&self, register: Register, from: Operand) {
        // SAFETY: as the caller promises.
        unsafe { self.add(load(self.context, register, from)) };
    }

    unsafe fn store(&self, to: Operand, register: Register) {
        // SAFETY: as the caller promises.
        unsafe { self.add(store(self.context, to, register)) };
    }

    unsafe fn lea(
        &self,
        to: Register,
        base: Register,
        index: Register,
        scale: i32,
        displacement: i32,
    ) {
        // SAFETY: as the caller promises.
        unsafe {
            let from = dr::opnd_create_base_disp(base, index, scale, displacement, dr::SIZE_LEA);
            self.add(dr::instr_create_1dst_1src(
                self.context,
                dr::OP_LEA,
                dr::opnd_create_reg(to),
                from,
            ));
        }
    }

    /// A register of its own.
    unsafe fn any(&self) -> Register {
        // SAFETY: as the caller promises.
        unsafe { self.reserve(core::ptr::null()) }
    }

    /// This register, which the instruction does not use.
    unsafe fn only(&self, register: Register) -> Register {
        let vector = ONE[usize::from(register)].load(Relaxed);
        // SAFETY: as the caller promises.
        unsafe { self.reserve(vector) }
    }

    /// A register of its own, one of those allowed, or any.
    unsafe fn reserve(&self, allowed: *const Vector) -> Register {
        let mut register = 0;
        // SAFETY: registers in use are never given.
        unsafe {
            must(dr::drreg_reserve_register(
                self.context,
                self.list,
                self.at,
                allowed,
                &raw mut register,
            ));
        }
        register
    }

    unsafe fn release(&self, register: Register) {
        // SAFETY: the register was reserved.
        unsafe {
            must(dr::drreg_unreserve_register(
                self.context,
                self.list,
                self.at,
                register,
            ))
        };
    }

    /// Puts the program's value of a register into it.
    unsafe fn restore(&self, register: Register) {
        // SAFETY: the instrumentation phase, where this may be asked.
        unsafe {
            // `drreg_get_app_value` puts the value of a register that is in use back into itself, whatever other
            // register it is told.
            must(dr::drreg_get_app_value(
                self.context,
                self.list,
                self.at,
                register,
                register,
            ));
        }
    }

    /// Makes sure that there is room, and writes the head.
    unsafe fn begin(&mut self, block: u32) {
        // SAFETY: the instrumentation phase; every instruction is used once.
        unsafe {
            let context = self.context;
            must(dr::drreg_reserve_aflags(context, self.list, self.at));
            let pointer = self.only(self.pointer);
            self.load(pointer, self.tls(NEXT));
            let fine = dr::instr_create_0dst_0src(context, dr::OP_LABEL);
            self.add(dr::instr_create_0dst_2src(
                context,
                dr::OP_CMP,
                dr::opnd_create_reg(pointer),
                self.tls(LIMIT),
            ));
            self.add(dr::instr_create_0dst_1src(
                context,
                dr::OP_JB_SHORT,
                dr::opnd_create_instr(fine),
            ));
            self.add(encode::behind_jump(context, pointer));
            self.add(dr::instr_create_0dst_1src(
                context,
                dr::OP_JMP,
                dr::opnd_create_pc(gate::entry(pointer)),
            ));
            self.load(pointer, self.tls(NEXT));
            self.add(fine);
            must(dr::drreg_unreserve_aflags(context, self.list, self.at));
            let head = dr::opnd_create_immed_int(block_head(block) as isize, dr::SIZE_4);
            self.add(dr::instr_create_1dst_1src(
                context,
                dr::OP_MOV_ST,
                self.memory(pointer, 0),
                head,
            ));
        }
    }

    /// Moves the place on.
    unsafe fn end(&self, words: i32) {
        // SAFETY: as above.
        unsafe {
            self.lea(self.pointer, self.pointer, 0, 0, words * 8);
            self.store(self.tls(NEXT), self.pointer);
            self.release(self.pointer);
        }
    }

    /// Writes a word.
    unsafe fn word(&self, store: &Store) {
        // SAFETY: as above.
        unsafe {
            let to = self.memory(self.pointer, i32::from(store.word) * 8);
            match store.source {
                WordSource::Register(register) => {
                    self.restore(register);
                    self.store(to, register);
                }
                WordSource::Sum(operand) => {
                    let spare = self.any();
                    self.sum(spare, operand);
                    self.store(to, spare);
                    self.release(spare);
                }
                WordSource::Short(operand) => {
                    let spare = self.any();
                    self.short(spare, operand);
                    self.store(to, spare);
                    self.release(spare);
                }
                WordSource::Segment(segment, operand) => {
                    let spare = self.any();
                    dr::dr_insert_get_seg_base(self.context, self.list, self.at, segment, spare);
                    if let Some(operand) = operand {
                        let other = self.any();
                        self.sum(other, operand);
                        self.lea(spare, spare, other, 1, 0);
                        self.release(other);
                    }
                    self.store(to, spare);
                    self.release(spare);
                }
                WordSource::Time => {
                    let (low, high) = (self.only(dr::RAX), self.only(dr::RDX));
                    let half = |register| dr::opnd_create_reg(register + dr::TO_32);
                    self.add(dr::instr_create_2dst_0src(
                        self.context,
                        dr::OP_RDTSC,
                        half(dr::RDX),
                        half(dr::RAX),
                    ));
                    for (register, place) in [(low, 0), (high, 4)] {
                        let place = i32::from(store.word) * 8 + place;
                        let to = dr::opnd_create_base_disp(self.pointer, 0, 0, place, dr::SIZE_4);
                        self.add(dr::instr_create_1dst_1src(
                            self.context,
                            dr::OP_MOV_ST,
                            to,
                            half(register),
                        ));
                    }
                    self.release(high);
                    self.release(low);
                }
                WordSource::Dynamic(operand) => {
                    // The call sees the program's values of the registers that it looks at. The instruction reads them,
                    // so drreg has them; of the others it may have lost those that are dead here (a scratch register of
                    // an earlier instruction that the program writes before it reads it), and refuses them with
                    // `DRREG_ERROR_NO_APP_VALUE`. To ask for none but these is exact and takes no code for the others;
                    // `conservative` would have every block save registers that nobody reads.
                    for register in operand.registers() {
                        self.restore(register);
                    }
                    let argument = core::ptr::from_ref(operand) as isize;
                    dr::dr_insert_clean_call(
                        self.context,
                        self.list,
                        self.at,
                        dynamic::find as *const () as *const c_void,
                        false,
                        1,
                        dr::opnd_create_immed_int(argument, dr::SIZE_8),
                    );
                }
            }
        }
    }

    /// Base and index of an operand into a register.
    unsafe fn sum(&self, to: Register, operand: Operand) {
        // SAFETY: as above.
        unsafe {
            let (base, index) = (dr::opnd_get_base(operand), dr::opnd_get_index(operand));
            let scale = dr::opnd_get_scale(operand);
            for register in [base, index] {
                if register != 0 {
                    self.restore(register);
                }
            }
            self.lea(to, base, index, if index == 0 { 0 } else { scale }, 0);
        }
    }

    /// A 32-bit address into a register.
    unsafe fn short(&self, to: Register, operand: Operand) {
        // SAFETY: as above.
        unsafe {
            let part = |register: Register| {
                if register != 0 {
                    self.restore(register - dr::TO_32);
                }
                register
            };
            let (base, index) = (
                part(dr::opnd_get_base(operand)),
                part(dr::opnd_get_index(operand)),
            );
            let scale = if index == 0 {
                0
            } else {
                dr::opnd_get_scale(operand)
            };
            self.lea(
                to + dr::TO_32,
                base,
                index,
                scale,
                dr::opnd_get_disp(operand),
            );
        }
    }

    /// Writes the words of a repeated string instruction that are known after it. The place has moved on by `moved`
    /// words.
    unsafe fn after(&self, step: &InstructionPlan, moved: i32) {
        let Some(repeat) = step.repeat else { return };
        let first = (i32::from(repeat.word) + 1 - moved) * 8;
        let address = if repeat.by_rdi { dr::RDI } else { dr::RSI };
        // SAFETY: as above. Nothing of drreg's is used here: it has settled the program's registers for the instruction
        // and does not expect changes after it, so RAX is put back.
        unsafe {
            let context = self.context;
            let code = [
                store(context, self.tls(SAVE), dr::RAX),
                load(context, dr::RAX, self.tls(NEXT)),
                store(context, self.memory(dr::RAX, first), dr::RCX),
                store(context, self.memory(dr::RAX, first + 8), address),
                load(context, dr::RAX, self.tls(SAVE)),
            ];
            for instr in code.into_iter().rev() {
                dr::instrlist_meta_postinsert(self.list, self.at, instr);
            }
        }
    }
}

/// drreg refuses nothing that is asked here; if it does, going on would change the program.
#[track_caller]
fn must(status: c_uint) {
    assert!(status == 0, "drreg refuses with status {status}");
}
