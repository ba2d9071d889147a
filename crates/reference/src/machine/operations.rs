//! What each operation does: its value, its time, and the memory that it reads and writes.

use anyhow::{Context, Result, bail};
use parascan_formats::prepared::PreparedRule;

use super::{Activation, FUNCTION, Interpreter, Timed};
use crate::clock::{Clock, ProductionTimes};
use crate::dependence::{History, ReductionRead};
use crate::intrinsic::{self, IntrinsicClass};
use crate::ir::{Callee, Constant, Function, IrInstruction, Operand, Operation, Type, TypeKind};
use crate::plan::MeasuredFunction;
use crate::value::Value;
use crate::{compute, cost};

impl<'m> Interpreter<'m> {
    /// Whether an operation is nothing at run time; its operands may be metadata.
    pub(super) fn is_nothing(&self, operation: &Operation) -> Result<bool> {
        let Operation::Call(callee) = operation else {
            return Ok(false);
        };
        Ok(match &callee.function {
            Operand::Constant(_, Constant::Function(f)) if self.module.functions[*f].intrinsic => {
                intrinsic::class(&self.module.functions[*f].name, self.table)?
                    == IntrinsicClass::Nothing
            }
            _ => false,
        })
    }

    pub(super) fn instruction(
        &mut self,
        plan: &MeasuredFunction,
        frame: &mut Activation<'m>,
        i: usize,
        control: &ProductionTimes,
    ) -> Result<Option<Timed>> {
        let f = frame.function;
        let instruction = &f.instructions[i];
        let callee = match &instruction.operation {
            Operation::Fence => return Ok(None),
            Operation::Alloca(ty) => {
                let count = self.operand(frame, &instruction.operands[0])?.0.int()? as u64;
                let address = self.memory.allocate(ty.size * count);
                frame.slots.push(address);
                return Ok(Some((Value::Pointer(address), ProductionTimes::default())));
            }
            operation if self.is_nothing(operation)? => return Ok(None),
            Operation::Call(callee) => Some(callee),
            _ => None,
        };
        let mut operands: Vec<Timed> = instruction
            .operands
            .iter()
            .map(|o| self.operand(frame, o))
            .collect::<Result<_>>()?;
        let watched = match plan.rules.get(&i) {
            None => [].as_slice(),
            Some(PreparedRule::KeptPosition { chain, phi }) => {
                for &n in chain {
                    operands[n as usize].1 = self.start_time(plan, frame, f.at(*phi));
                }
                [].as_slice()
            }
            Some(PreparedRule::WatchedLoad { scope }) => scope,
            Some(rule) => return self.ruled(plan, frame, i, rule, &operands, control),
        };
        if let Some(callee) = callee {
            return self.any_call(frame, callee, instruction, operands, control);
        }
        let times: Vec<&ProductionTimes> = operands.iter().map(|o| &o.1).collect();
        Ok(match &instruction.operation {
            Operation::Load => {
                let address = operands[0].0.address()?;
                let bytes = self.bytes_time(address, instruction.ty.stored)?;
                self.reads(address, instruction.ty.stored, None)?;
                for l in watched {
                    let depth = frame.outside + plan.depth(*l as usize);
                    self.watches(address, instruction.ty.stored, depth)?;
                }
                if plan.bounds.values().any(|b| b.loads.contains(&i)) {
                    frame.bytes.insert(i, bytes.clone());
                }
                let time = self
                    .clock
                    .operation(&[times[0], &bytes, control], self.table.load);
                Some((self.load(address, &instruction.ty)?, time))
            }
            Operation::Store => {
                let time = self
                    .clock
                    .operation(&[times[0], times[1], control], self.table.store);
                self.store(f, instruction, &operands, time)?;
                None
            }
            Operation::AtomicUpdate(_) | Operation::AtomicExchange => {
                Some(self.atomic(f, instruction, &operands, control)?)
            }
            operation => {
                let value = self.compute(f, instruction, &operands)?;
                let time = match cost::latency(operation, self.table) {
                    Some(latency) => {
                        let inputs: Vec<&ProductionTimes> =
                            times.into_iter().chain([control]).collect();
                        self.clock.operation(&inputs, latency)
                    }
                    None => self.clock.latest(&times),
                };
                Some((value, time))
            }
        })
    }

    /// An instruction with a rule of its own.
    fn ruled(
        &mut self,
        plan: &MeasuredFunction,
        frame: &mut Activation<'m>,
        i: usize,
        rule: &PreparedRule,
        operands: &[Timed],
        control: &ProductionTimes,
    ) -> Result<Option<Timed>> {
        let f = frame.function;
        let instruction = &f.instructions[i];
        if let PreparedRule::ReductionLoad { scope, watching } = rule {
            let address = operands[0].0.address()?;
            let time = self.bytes_time(address, instruction.ty.stored)?;
            let scope = scope.map(|l| ReductionRead {
                depth: frame.outside + plan.depth(l as usize),
                watching: *watching,
            });
            self.reads(address, instruction.ty.stored, scope)?;
            self.clock.work(self.table.load);
            return Ok(Some((self.load(address, &instruction.ty)?, time)));
        }
        if let PreparedRule::ReductionStore { load, combine, .. } = rule {
            let (load, combine) = (f.at(*load), f.at(*combine));
            let (chain, latency) = match plan.rules.get(&combine) {
                // The comparison that the store waits for has added the rest.
                Some(PreparedRule::MemoryTest { chain, .. }) => (*chain, self.table.store),
                Some(PreparedRule::ReductionCombine { chain }) => {
                    let operation = self.latency(&f.instructions[combine])?;
                    (*chain, self.table.load + operation + self.table.store)
                }
                _ => bail!("a reduction that combines nothing"),
            };
            let mut others: Vec<ProductionTimes> = (0..)
                .zip(&f.instructions[combine].operands)
                .filter(|(n, _)| *n != chain)
                .map(|(_, o)| self.time(frame, o))
                .collect();
            others.extend(operands.iter().map(|o| o.1.clone()));
            others.push(control.clone());
            others.extend(frame.initial.get(&i).cloned());
            let others: Vec<&ProductionTimes> = others.iter().collect();
            let contribution = self.clock.span(&others, latency);
            self.clock.work(self.table.store);
            let chain = self.time(frame, &Operand::Result(load));
            let time = self.clock.span(&[&contribution, &chain], 0);
            self.store(f, instruction, operands, time)?;
            return Ok(None);
        }
        let value = match &instruction.operation {
            Operation::Call(callee) => {
                let name = self.intrinsic_name(callee)?;
                let values: Vec<Value> = operands.iter().map(|o| o.0.clone()).collect();
                intrinsic::compute(name, &instruction.ty, &values)?
            }
            _ => self.compute(f, instruction, operands)?,
        };
        let time = match rule {
            PreparedRule::InductionUpdate { phi } => self.time(frame, &Operand::Result(f.at(*phi))),
            PreparedRule::CountedTest => ProductionTimes::default(),
            PreparedRule::ReductionCombine { .. } => {
                self.clock.work(self.latency(instruction)?);
                ProductionTimes::default()
            }
            PreparedRule::Reduction { chain, phi } => {
                let latency = self.latency(instruction)?;
                let init = self.start_time(plan, frame, f.at(*phi));
                let on_chain = |n: usize| chain.contains(&(n as u32));
                let select = |wanted: bool| {
                    operands
                        .iter()
                        .enumerate()
                        .filter(move |(n, _)| on_chain(*n) == wanted)
                        .map(|(_, o)| &o.1)
                };
                let others: Vec<&ProductionTimes> = select(false).chain([control, &init]).collect();
                let contribution = self.clock.operation(&others, latency);
                let all: Vec<&ProductionTimes> = select(true).chain([&contribution]).collect();
                self.clock.span(&all, 0)
            }
            PreparedRule::ReductionTest { chain, phi } => {
                let latency = self.latency(instruction)?;
                let init = self.start_time(plan, frame, f.at(*phi));
                let other = &operands[1 - *chain as usize].1;
                self.clock.operation(&[other, &init, control], latency)
            }
            PreparedRule::MemoryTest { chain, store } => {
                let latency = self.latency(instruction)?;
                let other = &operands[1 - *chain as usize].1;
                let init = frame
                    .initial
                    .get(&f.at(*store))
                    .cloned()
                    .unwrap_or_default();
                self.clock.operation(&[other, &init, control], latency)
            }
            PreparedRule::InductionPhi
            | PreparedRule::KeptPosition { .. }
            | PreparedRule::ReductionLoad { .. }
            | PreparedRule::WatchedLoad { .. }
            | PreparedRule::ReductionStore { .. } => {
                bail!("a rule for another instruction")
            }
        };
        Ok(Some((value, time)))
    }

    fn latency(&self, instruction: &IrInstruction) -> Result<u32> {
        let latency = match &instruction.operation {
            Operation::Call(callee) => {
                match intrinsic::class(self.intrinsic_name(callee)?, self.table)? {
                    IntrinsicClass::Computes(latency) => Some(latency),
                    _ => None,
                }
            }
            operation => cost::latency(operation, self.table),
        };
        latency.with_context(|| format!("{} has no latency", instruction.text))
    }

    fn intrinsic_name(&self, callee: &Callee) -> Result<&'m str> {
        match &callee.function {
            Operand::Constant(_, Constant::Function(f)) if self.module.functions[*f].intrinsic => {
                Ok(&self.module.functions[*f].name)
            }
            _ => bail!("a call of no intrinsic"),
        }
    }

    fn load(&self, address: u64, ty: &Type) -> Result<Value> {
        // Parts of a structure may read up to its padded end.
        let (bytes, _) = self.memory.read(address, ty.stored)?;
        let mut padded = bytes.to_vec();
        padded.resize(ty.size as usize, 0);
        Value::read(ty, &padded)
    }

    fn store(
        &mut self,
        f: &Function,
        instruction: &IrInstruction,
        operands: &[Timed],
        time: ProductionTimes,
    ) -> Result<()> {
        let ty = operand_type(f, &instruction.operands[0])?;
        self.put(operands[1].0.address()?, ty, &operands[0].0, time)
    }

    fn put(&mut self, address: u64, ty: &Type, value: &Value, time: ProductionTimes) -> Result<()> {
        let (bytes, times) = self.memory.write(address, ty.stored)?;
        let mut padded = bytes.to_vec();
        padded.resize(ty.size as usize, 0);
        value.write(ty, &mut padded)?;
        bytes.copy_from_slice(&padded[..ty.stored as usize]);
        times.fill(time);
        self.writes(address, ty.stored)
    }

    fn atomic(
        &mut self,
        f: &Function,
        instruction: &IrInstruction,
        operands: &[Timed],
        control: &ProductionTimes,
    ) -> Result<Timed> {
        let address = operands[0].0.address()?;
        let ty = operand_type(f, &instruction.operands[1])?;
        let bytes = self.bytes_time(address, ty.stored)?;
        self.reads(address, ty.stored, None)?;
        let inputs: Vec<&ProductionTimes> = operands
            .iter()
            .map(|o| &o.1)
            .chain([&bytes, control])
            .collect();
        let time = self.clock.operation(&inputs, self.table.atomic);
        let old = self.load(address, ty)?;
        let (new, result) = match &instruction.operation {
            Operation::AtomicUpdate(operation) => {
                let new = compute::atomic(*operation, ty, &old, &operands[1].0)?;
                (new, old)
            }
            _ => {
                let same = old == operands[1].0;
                let new = if same { &operands[2].0 } else { &old };
                let pair = vec![old.clone(), Value::Int(same.into())];
                (new.clone(), Value::Parts(pair))
            }
        };
        self.put(address, ty, &new, time.clone())?;
        Ok((result, time))
    }

    /// Result of an instruction that touches nothing but its operands.
    fn compute(
        &self,
        f: &Function,
        instruction: &IrInstruction,
        operands: &[Timed],
    ) -> Result<Value> {
        let v = |n: usize| &operands[n].0;
        let ty = |n: usize| operand_type(f, &instruction.operands[n]);
        Ok(match &instruction.operation {
            Operation::Binary(opcode) => compute::binary(*opcode, &instruction.ty, v(0), v(1))?,
            Operation::Negate => compute::negate(&instruction.ty, v(0))?,
            Operation::CompareInt(p) => compute::compare_int(*p, ty(0)?, v(0), v(1))?,
            Operation::CompareReal(p) => compute::compare_real(*p, ty(0)?, v(0), v(1))?,
            Operation::Cast(opcode) => compute::cast(*opcode, ty(0)?, &instruction.ty, v(0))?,
            Operation::Address(element) => {
                let indices = (1..operands.len())
                    .map(|n| match ty(n)?.kind {
                        TypeKind::Int(bits) => Ok((v(n).clone(), bits)),
                        _ => bail!("an index that is no integer"),
                    })
                    .collect::<Result<Vec<_>>>()?;
                compute::address(element, v(0), &indices)?
            }
            Operation::Select => match v(0).int()? {
                0 => v(2).clone(),
                _ => v(1).clone(),
            },
            Operation::Freeze => v(0).clone(),
            Operation::Extract(path) => {
                let mut at = v(0);
                for &n in path {
                    at = at.parts()?.get(n as usize).context("no such part")?;
                }
                at.clone()
            }
            Operation::Insert(path) => {
                let mut whole = v(0).clone();
                let mut at = &mut whole;
                for &n in path {
                    let Value::Parts(parts) = at else {
                        bail!("no such part");
                    };
                    at = parts.get_mut(n as usize).context("no such part")?;
                }
                *at = v(1).clone();
                whole
            }
            Operation::ExtractElement => {
                let n = v(1).int()? as usize;
                v(0).parts()?.get(n).context("no such element")?.clone()
            }
            Operation::InsertElement => {
                let mut parts = v(0).parts()?.to_vec();
                let n = v(2).int()? as usize;
                *parts.get_mut(n).context("no such element")? = v(1).clone();
                Value::Parts(parts)
            }
            Operation::Shuffle(mask) => {
                let all: Vec<&Value> = v(0).parts()?.iter().chain(v(1).parts()?).collect();
                let pick = |m: &i32| all[(*m).max(0) as usize].clone();
                Value::Parts(mask.iter().map(pick).collect())
            }
            _ => bail!("not understood"),
        })
    }

    fn any_call(
        &mut self,
        frame: &mut Activation<'m>,
        callee: &Callee,
        instruction: &IrInstruction,
        mut operands: Vec<Timed>,
        control: &ProductionTimes,
    ) -> Result<Option<Timed>> {
        let (target, _) = self.operand(frame, &callee.function)?;
        let target = target.address()?;
        let number = (target / FUNCTION).wrapping_sub(1) as usize;
        let module = self.module;
        let function = module
            .functions
            .get(number)
            .filter(|_| target.is_multiple_of(FUNCTION))
            .with_context(|| format!("{target:#x} is not a function"))?;
        if function.intrinsic {
            return self.intrinsic(&function.name, instruction, &operands, control);
        }
        if function.blocks.is_empty() {
            return self.library(&function.name, instruction, &operands, control);
        }
        operands.truncate(function.parameter_types.len());
        for (operand, copied) in operands.iter_mut().zip(&callee.copies) {
            let Some(ty) = copied else { continue };
            // The callee's own copy: bytes, times and who wrote them, at no cost. What reads it, reads what was written
            // there.
            let source = operand.0.address()?;
            let copy = self.memory.allocate(ty.size);
            frame.slots.push(copy);
            self.move_bytes(copy, source, ty.size, |_, time| time.clone())?;
            let written: Vec<History> = self
                .memory
                .histories(source, ty.size)?
                .iter()
                .map(History::handed_over)
                .collect();
            self.memory
                .histories(copy, ty.size)?
                .clone_from_slice(&written);
            *operand = (Value::Pointer(copy), ProductionTimes::default());
        }
        self.call(number, operands, control).map(Some)
    }

    /// Copies bytes: reads and writes them. The new times are made from the old ones.
    pub(crate) fn copy(
        &mut self,
        to: u64,
        from: u64,
        size: u64,
        time: impl FnMut(&mut Clock, &ProductionTimes) -> ProductionTimes,
    ) -> Result<()> {
        self.reads(from, size, None)?;
        self.move_bytes(to, from, size, time)?;
        self.writes(to, size)
    }

    /// Copies bytes and makes new times from the old ones.
    fn move_bytes(
        &mut self,
        to: u64,
        from: u64,
        size: u64,
        mut time: impl FnMut(&mut Clock, &ProductionTimes) -> ProductionTimes,
    ) -> Result<()> {
        let (bytes, times) = self.memory.read(from, size)?;
        let (bytes, times) = (bytes.to_vec(), times.to_vec());
        let new: Vec<ProductionTimes> = times.iter().map(|t| time(&mut self.clock, t)).collect();
        let (new_bytes, new_times) = self.memory.write(to, size)?;
        new_bytes.copy_from_slice(&bytes);
        new_times.clone_from_slice(&new);
        Ok(())
    }

    fn intrinsic(
        &mut self,
        name: &str,
        instruction: &IrInstruction,
        operands: &[Timed],
        control: &ProductionTimes,
    ) -> Result<Option<Timed>> {
        let mut inputs: Vec<&ProductionTimes> = operands.iter().map(|o| &o.1).collect();
        let values: Vec<Value> = operands.iter().map(|o| o.0.clone()).collect();
        let (load, store) = (self.table.load, self.table.store);
        Ok(match intrinsic::class(name, self.table)? {
            IntrinsicClass::Nothing => None,
            IntrinsicClass::Passes => {
                let value = intrinsic::compute(name, &instruction.ty, &values)?;
                Some((value, self.clock.latest(&inputs)))
            }
            IntrinsicClass::Computes(latency) => {
                let value = intrinsic::compute(name, &instruction.ty, &values)?;
                inputs.push(control);
                Some((value, self.clock.operation(&inputs, latency)))
            }
            IntrinsicClass::Copies => {
                inputs.push(control);
                let ready = self.clock.latest(&inputs);
                self.clock.work(load + store);
                let (to, from) = (values[0].address()?, values[1].address()?);
                self.copy(to, from, values[2].int()? as u64, |clock, t| {
                    clock.span(&[t, &ready], load + store)
                })?;
                None
            }
            IntrinsicClass::Fills => {
                inputs.push(control);
                let time = self.clock.operation(&inputs, store);
                self.fill(&values, time)?;
                None
            }
        })
    }

    /// `memset`: address, byte, length.
    pub(crate) fn fill(&mut self, values: &[Value], time: ProductionTimes) -> Result<()> {
        let (address, size) = (values[0].address()?, values[2].int()? as u64);
        let (bytes, times) = self.memory.write(address, size)?;
        bytes.fill(values[1].int()? as u8);
        times.fill(time);
        self.writes(address, size)
    }
}

/// As the program declares it. An error for what is neither constant, result nor parameter.
pub(super) fn operand_type<'f>(f: &'f Function, operand: &'f Operand) -> Result<&'f Type> {
    match operand {
        Operand::Constant(ty, _) => Ok(ty),
        Operand::Result(n) => Ok(&f.instructions[*n].ty),
        Operand::Parameter(n) => f
            .parameter_types
            .get(*n)
            .map(|t| &**t)
            .context("no such parameter"),
        Operand::Other => bail!("an operand without a type"),
    }
}
