//! The program as plain data: LLVM IR without LLVM, as far as the interpreter understands it.

use std::rc::Rc;

pub use llvm_sys::{
    LLVMAtomicRMWBinOp as AtomicOperation, LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate,
};

/// A shared type.
pub type TypeRef = Rc<Type>;

/// A type and its layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What values of it are.
    pub kind: TypeKind,
    /// Distance between array elements, in bytes.
    pub size: u64,
    /// Bytes that a load or store touches.
    pub stored: u64,
}

/// What a type of the program is, as far as the interpreter needs to know.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// No value.
    Void,
    /// Integer of so many bits, at most 128.
    Int(u32),
    /// 32-bit floating point.
    Float,
    /// 64-bit floating point.
    Double,
    /// Pointer.
    Pointer,
    /// Array or vector: element and length.
    Sequence(TypeRef, u64),
    /// Structure: offset and type of each field.
    Structure(Vec<(u64, TypeRef)>),
    /// Something that the interpreter cannot hold, as LLVM prints it.
    Other(String),
}

/// A value that is known before the program runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Integer.
    Int(u128),
    /// Floating point; a 32-bit one is exact in 64.
    Real(f64),
    /// All zero, or null, or not defined.
    Zero,
    /// Address within a global variable.
    Global(usize, u64),
    /// Address of a function.
    Function(usize),
    /// Elements or fields.
    Aggregate(Vec<Constant>),
    /// Not understood, as LLVM prints it.
    Unknown(String),
}

/// What an instruction takes: the result of another, an argument, a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A constant of a type.
    Constant(TypeRef, Constant),
    /// Parameter by number.
    Parameter(usize),
    /// Result of an instruction, by its number in the function.
    Result(usize),
    /// Metadata, inline assembly and the like.
    Other,
}

/// What an instruction does. Operands are in [`IrInstruction::operands`] unless stated.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Integer or floating-point arithmetic of two operands.
    Binary(Opcode),
    /// Floating-point negation.
    Negate,
    /// Integer or pointer compare.
    CompareInt(IntPredicate),
    /// Floating-point compare.
    CompareReal(RealPredicate),
    /// Conversion.
    Cast(Opcode),
    /// Address arithmetic over elements of a type: base and indices.
    Address(TypeRef),
    /// Stack slot of a type: number of elements.
    Alloca(TypeRef),
    /// Read of memory.
    Load,
    /// Write of memory: value, address.
    Store,
    /// Atomic update: address, value.
    AtomicUpdate(AtomicOperation),
    /// Atomic compare and exchange: address, expected, new.
    AtomicExchange,
    /// Nothing at run time.
    Fence,
    /// Condition, then, else.
    Select,
    /// Freeze.
    Freeze,
    /// Value of a part, by positions.
    Extract(Vec<u32>),
    /// Aggregate with a part replaced, by positions.
    Insert(Vec<u32>),
    /// Vector, position.
    ExtractElement,
    /// Vector, value, position.
    InsertElement,
    /// Two vectors shuffled; -1 is undefined.
    Shuffle(Vec<i32>),
    /// One operand per predecessor block.
    Phi(Vec<usize>),
    /// Call; the operands are the arguments.
    Call(Callee),
    /// Unconditional branch.
    Jump(usize),
    /// Conditional branch: to the first block when the operand holds.
    Branch(usize, usize),
    /// Switch over the operand: default, cases.
    Switch(usize, Vec<(u128, usize)>),
    /// Return, with a value or without.
    Return,
    /// Never executed.
    Unreachable,
    /// Not understood.
    Other,
}

/// What a call leads to, and how its arguments are passed.
#[derive(Clone, Debug, PartialEq)]
pub struct Callee {
    /// What is called: a function, or a pointer to one.
    pub function: Operand,
    /// Arguments that are not variadic.
    pub fixed: usize,
    /// Types of arguments whose memory the callee gets a copy of.
    pub copies: Vec<Option<TypeRef>>,
}

/// One instruction of a function, with what the interpreter needs of it.
#[derive(Clone, Debug)]
pub struct IrInstruction {
    /// The operation, with what is special to it.
    pub operation: Operation,
    /// Type of its result.
    pub ty: TypeRef,
    /// What it takes, in LLVM's order.
    pub operands: Vec<Operand>,
    /// As LLVM prints it.
    pub text: String,
}

/// A basic block: its instructions' numbers in the function.
pub type Block = std::ops::Range<usize>;

/// A function of the prepared program, defined or only declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// Symbol name.
    pub name: String,
    /// Whether it is an intrinsic of LLVM.
    pub intrinsic: bool,
    /// Result type.
    pub result: TypeRef,
    /// Type of each parameter that is not variadic, in order.
    pub parameter_types: Vec<TypeRef>,
    /// Blocks, the entry first; none for a declaration.
    pub blocks: Vec<Block>,
    /// All instructions in order.
    pub instructions: Vec<IrInstruction>,
}

impl Function {
    /// Number of an instruction by block and position.
    pub fn at(&self, (block, index): (u32, u32)) -> usize {
        self.blocks[block as usize].start + index as usize
    }

    /// Blocks that may follow a block, without repetitions.
    pub fn successors(&self, block: usize) -> Vec<usize> {
        let mut all = match &self.terminator(block).operation {
            Operation::Jump(to) => vec![*to],
            Operation::Branch(yes, no) => vec![*yes, *no],
            Operation::Switch(default, cases) => std::iter::once(*default)
                .chain(cases.iter().map(|c| c.1))
                .collect(),
            _ => Vec::new(),
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Last instruction of a block.
    pub fn terminator(&self, block: usize) -> &IrInstruction {
        &self.instructions[self.blocks[block].end - 1]
    }

    /// Whether a block ends in a decision.
    pub fn decides(&self, block: usize) -> bool {
        matches!(
            self.terminator(block).operation,
            Operation::Branch(..) | Operation::Switch(..)
        )
    }
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Symbol name.
    pub name: String,
    /// Type of its content.
    pub ty: TypeRef,
    /// Initial value; None when it is defined elsewhere.
    pub initial: Option<Constant>,
}

/// The prepared program, linked into one.
#[derive(Clone, Debug, Default)]
pub struct LinkedProgram {
    /// All functions; operands name them by their place here.
    pub functions: Vec<Function>,
    /// Global variables.
    pub globals: Vec<Global>,
}

impl Type {
    /// Offset of a part of an aggregate and its type.
    pub fn part(&self, index: u64) -> Option<(u64, &TypeRef)> {
        match &self.kind {
            TypeKind::Sequence(element, _) => Some((index.wrapping_mul(element.size), element)),
            TypeKind::Structure(fields) => fields.get(index as usize).map(|f| (f.0, &f.1)),
            _ => None,
        }
    }

    /// Number of parts of an aggregate; 0 for anything else.
    pub fn parts(&self) -> usize {
        match &self.kind {
            TypeKind::Sequence(_, n) => *n as usize,
            TypeKind::Structure(fields) => fields.len(),
            _ => 0,
        }
    }
}
