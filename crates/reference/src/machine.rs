//! The interpreter: executes a prepared program and times every operation on the clocks of all open regions.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use parascan_formats::latency::LatencyTable;
use parascan_formats::module::RegionKind;
use parascan_formats::prepared::{PreparedModule, Rule};
use parascan_formats::profile;

use crate::carrier::{self, Origin, Origins};
use crate::clock::{Clock, Times};
use crate::dependence::{self, Carried, History, Scope};
use crate::intrinsic::{self, Class};
use crate::ir::{Callee, Constant, Function, Instruction, Module, Operand, Operation, Type};
use crate::memory::Memory;
use crate::plan::{Loop, Plan};
use crate::value::Value;
use crate::{compute, cost, ir};

/// Most instructions that a program may execute.
pub const LIMIT: u64 = 100_000_000;
/// Distance between the addresses of functions, which lie below all data.
const FUNCTION: u64 = 16;

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// What it printed.
    pub output: Vec<u8>,
    /// Work of the whole program.
    pub work: u64,
    /// Figures per chain of regions; entry 0 is the program, without figures.
    pub contexts: Vec<profile::Context>,
    /// By context: in how many instances of a loop there were dependences between iterations; none where it is no loop.
    pub carried: Vec<Carried<u64>>,
    /// Instructions executed.
    pub steps: u64,
}

/// `exit` was called.
#[derive(Debug)]
pub(crate) struct Exit(pub i32);

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit code {}", self.0)
    }
}

impl std::error::Error for Exit {}

/// A value and when it was produced.
pub(crate) type Timed = (Value, Times);

/// The state of the program.
pub(crate) struct Machine<'m> {
    module: &'m Module,
    plans: HashMap<usize, Plan>,
    pub(crate) table: &'m LatencyTable,
    pub(crate) memory: Memory,
    pub(crate) clock: Clock,
    globals: Vec<u64>,
    /// When functions with state of their own were last called, and who did.
    pub(crate) hidden: HashMap<&'static str, (Times, History)>,
    pub(crate) output: Vec<u8>,
    steps: u64,
}

/// An activation of a function.
struct Frame<'m> {
    function: &'m Function,
    /// Regions open around the function.
    outside: usize,
    arguments: Vec<Timed>,
    results: Vec<Option<Timed>>,
    /// Control time of each set of terminators.
    control: Vec<Times>,
    /// Times of reductions' bytes when their loops were entered, by store.
    initial: HashMap<usize, Times>,
    /// By loop: latest time of a bound in memory that this instance has tested.
    bounds: Vec<Times>,
    /// Times of the bytes that the loads of such bounds read last.
    bytes: HashMap<usize, Times>,
    /// Where the values of loops' carriers come from.
    origins: Origins,
    /// Stack slots.
    slots: Vec<u64>,
}

/// Executes a program from `main` on.
///
/// # Errors
/// The program does something that the interpreter does not know, or something undefined.
pub fn run(module: &Module, notes: &PreparedModule) -> Result<Outcome> {
    let mut machine = Machine {
        module,
        plans: HashMap::new(),
        table: &notes.module.latency,
        memory: Memory::default(),
        clock: Clock::default(),
        globals: Vec::new(),
        hidden: HashMap::new(),
        output: Vec::new(),
        steps: 0,
    };
    for prepared in &notes.functions {
        let index = module
            .functions
            .iter()
            .position(|f| f.name == prepared.name)
            .with_context(|| format!("no function {}", prepared.name))?;
        let plan = Plan::new(&module.functions[index], prepared)?;
        machine.plans.insert(index, plan);
    }
    machine.place_globals()?;
    let main = module
        .functions
        .iter()
        .position(|f| f.name == "main")
        .context("no function main")?;
    let arguments = match module.functions[main].parameter_types.len() {
        0 => Vec::new(),
        n => [Value::Int(1), Value::Pointer(0), Value::Pointer(0)][..n.min(3)]
            .iter()
            .map(|v| (v.clone(), Times::default()))
            .collect(),
    };
    let code = match machine.call(main, arguments, &Times::default()) {
        Ok((value, _)) => value.int()? as i32,
        Err(error) => match error.downcast_ref::<Exit>() {
            Some(exit) => exit.0,
            None => return Err(error),
        },
    };
    let (work, mut contexts, mut carried) = machine.clock.finish();
    let regions = &notes.module.regions;
    dependence::of_loops(&mut contexts, &mut carried, |region| {
        regions[region as usize].kind == RegionKind::Loop
    });
    Ok(Outcome {
        code: code & 0xff,
        output: machine.output,
        work,
        contexts,
        carried,
        steps: machine.steps,
    })
}

impl<'m> Machine<'m> {
    fn place_globals(&mut self) -> Result<()> {
        for global in &self.module.globals {
            let size = if global.initial.is_some() {
                global.ty.size
            } else {
                0
            };
            let address = self.memory.allocate(size);
            self.globals.push(address);
        }
        for (global, &address) in self.module.globals.iter().zip(&self.globals) {
            let Some(initial) = &global.initial else {
                continue;
            };
            if global.name.starts_with("llvm.") {
                continue;
            }
            let value = self.constant(&global.ty, initial)?;
            let (bytes, _) = self.memory.write(address, global.ty.size)?;
            value.write(&global.ty, bytes)?;
        }
        Ok(())
    }

    fn constant(&self, ty: &Type, constant: &Constant) -> Result<Value> {
        let number = |address: u64| match ty.kind {
            ir::TypeKind::Int(bits) => Value::Int(crate::value::truncate(address.into(), bits)),
            _ => Value::Pointer(address),
        };
        Ok(match constant {
            Constant::Int(v) if ty.kind == ir::TypeKind::Pointer => Value::Pointer(*v as u64),
            Constant::Int(v) => Value::Int(*v),
            Constant::Real(v) if ty.kind == ir::TypeKind::Float => Value::Float(*v as f32),
            Constant::Real(v) => Value::Double(*v),
            Constant::Zero => Value::zero(ty)?,
            Constant::Global(g, offset) => number(self.globals[*g].wrapping_add(*offset)),
            Constant::Function(f) => number((*f as u64 + 1) * FUNCTION),
            Constant::Aggregate(parts) => Value::Parts(
                (0..)
                    .zip(parts)
                    .map(|(i, part)| {
                        let (_, ty) = ty.part(i).context("too many parts")?;
                        self.constant(ty, part)
                    })
                    .collect::<Result<_>>()?,
            ),
            Constant::Unknown(text) => bail!("constant {text}"),
        })
    }

    fn operand(&self, frame: &Frame<'m>, operand: &Operand) -> Result<Timed> {
        match operand {
            Operand::Constant(ty, c) => Ok((self.constant(ty, c)?, Times::default())),
            Operand::Parameter(n) => Ok(frame.arguments[*n].clone()),
            Operand::Result(n) => frame.results[*n]
                .clone()
                .with_context(|| format!("no value of {}", frame.function.instructions[*n].text)),
            Operand::Other => bail!("an operand that is not a value"),
        }
    }

    /// Time of an operand that need not have a value yet.
    fn time(&self, frame: &Frame<'m>, operand: &Operand) -> Times {
        match operand {
            Operand::Parameter(n) => frame.arguments[*n].1.clone(),
            Operand::Result(n) => frame.results[*n]
                .as_ref()
                .map(|r| r.1.clone())
                .unwrap_or_default(),
            Operand::Constant(..) | Operand::Other => Times::default(),
        }
    }

    /// Calls a function that is measured.
    fn call(&mut self, function: usize, arguments: Vec<Timed>, control: &Times) -> Result<Timed> {
        let plan = self
            .plans
            .get(&function)
            .with_context(|| format!("{} is not measured", self.module.functions[function].name))?
            .clone();
        let f = &self.module.functions[function];
        let mut frame = Frame {
            function: f,
            outside: self.clock.depth(),
            arguments,
            results: vec![None; f.instructions.len()],
            control: vec![control.clone(); plan.sets.len()],
            initial: HashMap::new(),
            bounds: vec![Times::default(); plan.loops.len()],
            bytes: HashMap::new(),
            origins: Origins::new(),
            slots: Vec::new(),
        };
        self.clock.enter(plan.region);
        let result = self.body(&plan, &mut frame);
        if result.is_ok() {
            self.clock.exit_to(frame.outside);
            for slot in frame.slots {
                self.memory.free(slot)?;
            }
        }
        result
    }

    fn body(&mut self, plan: &Plan, frame: &mut Frame<'m>) -> Result<Timed> {
        let mut block = 0;
        // The edge on which the block was entered: predecessor and control time.
        let mut from: Option<(usize, Times)> = None;
        loop {
            let control = self.control(plan, frame, block);
            let range = frame.function.blocks[block].clone();
            self.phis(plan, frame, block, from.as_ref())?;
            for i in range.clone() {
                let instruction = &frame.function.instructions[i];
                if matches!(instruction.operation, Operation::Phi(_)) {
                    continue;
                }
                self.steps += 1;
                ensure!(self.steps <= LIMIT, "the program runs too long");
                self.uses(plan, frame, block, i)?;
                if i == range.end - 1 {
                    break;
                }
                let result = self
                    .instruction(plan, frame, i, &control)
                    .with_context(|| format!("in {}: {}", frame.function.name, instruction.text))?;
                frame.results[i] = result;
                self.passes_on(plan, frame, block, i)?;
            }
            let terminator = frame.function.terminator(block);
            let next = match &terminator.operation {
                Operation::Return => {
                    return match terminator.operands.first() {
                        Some(value) => {
                            let (value, time) = self.operand(frame, value)?;
                            Ok((value, self.clock.latest(&[&time, &control])))
                        }
                        None => Ok((Value::Int(0), Times::default())),
                    };
                }
                Operation::Jump(to) => *to,
                Operation::Branch(yes, no) => {
                    match self.operand(frame, &terminator.operands[0])?.0.int()? {
                        0 => *no,
                        _ => *yes,
                    }
                }
                Operation::Switch(default, cases) => {
                    let value = self.operand(frame, &terminator.operands[0])?.0.int()?;
                    cases
                        .iter()
                        .find(|c| c.0 == value)
                        .map_or(*default, |c| c.1)
                }
                _ => bail!("in {}: {}", frame.function.name, terminator.text),
            };
            let mut edge = control.clone();
            if let Some(bound) = plan.bounds.get(&block) {
                let read = bound.loads.iter().filter_map(|load| frame.bytes.get(load));
                let tested = &mut frame.bounds[bound.of];
                *tested = self
                    .clock
                    .latest(&read.chain([&*tested]).collect::<Vec<_>>());
                edge = self.clock.latest(&[&control, &*tested]);
            }
            if plan.decides[block] {
                let condition = self.time(frame, &terminator.operands[0]);
                edge = self.clock.latest(&[&condition, &control]);
                for (s, set) in plan.sets.iter().enumerate() {
                    if set.contains(&block) {
                        frame.control[s] = edge.clone();
                    }
                }
            }
            self.follow(plan, frame, block, next, &control)?;
            from = Some((block, edge));
            block = next;
        }
    }

    /// Control time of a block.
    fn control(&self, plan: &Plan, frame: &Frame<'m>, block: usize) -> Times {
        let bounds = plan.around(block).map(|l| &frame.bounds[l]);
        let decided = &frame.control[plan.set_of[block]];
        self.clock
            .latest(&bounds.chain([decided]).collect::<Vec<_>>())
    }

    /// Notes which loops have a carried dependence because instruction `i` uses a value from an earlier iteration.
    fn uses(&mut self, plan: &Plan, frame: &Frame<'m>, block: usize, i: usize) -> Result<()> {
        let instruction = &frame.function.instructions[i];
        if self.is_nothing(&instruction.operation)? {
            return Ok(());
        }
        for l in plan.around(block) {
            let web = &plan.loops[l].web;
            let earlier = carrier::used(&instruction.operation, &instruction.operands)
                .iter()
                .any(|o| web.origin(l, o, &frame.origins) == Origin::Earlier);
            if earlier {
                self.clock.carried(frame.outside + plan.depth(l)).flow = true;
            }
        }
        Ok(())
    }

    /// Where the value of a select or freeze comes from that has just been executed.
    fn passes_on(&self, plan: &Plan, frame: &mut Frame<'m>, block: usize, i: usize) -> Result<()> {
        let instruction = &frame.function.instructions[i];
        let chosen = match instruction.operation {
            Operation::Freeze => &instruction.operands[0],
            Operation::Select => {
                let condition = self.operand(frame, &instruction.operands[0])?.0;
                &instruction.operands[if condition.int()? == 0 { 2 } else { 1 }]
            }
            _ => return Ok(()),
        };
        for l in plan
            .around(block)
            .filter(|&l| plan.loops[l].web.contains(i))
        {
            let origin = plan.loops[l].web.taken(l, i, chosen, false, &frame.origins);
            frame.origins.insert((l, i), origin);
        }
        Ok(())
    }

    /// Opens and closes regions on an edge. `control` is the control time of the block it comes from.
    fn follow(
        &mut self,
        plan: &Plan,
        frame: &mut Frame<'m>,
        from: usize,
        to: usize,
        control: &Times,
    ) -> Result<()> {
        for l in &plan.loops {
            if l.blocks.contains(&from) && !l.blocks.contains(&to) {
                // Outermost first: this closes what is inside as well.
                self.clock
                    .exit_to(frame.outside + plan.regions_open(l.header) - 2);
                break;
            }
        }
        let Some((index, l)) = plan.loops.iter().enumerate().find(|(_, l)| l.header == to) else {
            return Ok(());
        };
        let around = frame.outside + plan.regions_open(to);
        if l.blocks.contains(&from) {
            self.clock.exit_to(around - 1);
        } else {
            for (s, set) in plan.sets.iter().enumerate() {
                if set.iter().any(|b| l.blocks.contains(b)) {
                    frame.control[s] = control.clone();
                }
            }
            frame.bounds[index] = Times::default();
            for (&store, rule) in &plan.rules {
                let Rule::ReductionStore { init: Some(l), .. } = rule else {
                    continue;
                };
                if *l as usize == index {
                    let instruction = &frame.function.instructions[store];
                    let (address, _) = self.operand(frame, &instruction.operands[1])?;
                    let size = operand_type(frame.function, &instruction.operands[0])?.stored;
                    let time = self.bytes_time(address.address()?, size)?;
                    frame.initial.insert(store, time);
                }
            }
            self.clock.enter(l.region);
        }
        self.clock.enter(l.iteration);
        ensure!(
            self.clock.depth() == around,
            "regions of {} do not nest",
            frame.function.name
        );
        Ok(())
    }

    fn phis(
        &mut self,
        plan: &Plan,
        frame: &mut Frame<'m>,
        block: usize,
        from: Option<&(usize, Times)>,
    ) -> Result<()> {
        let mut new = Vec::new();
        let mut origins = Vec::new();
        for i in frame.function.blocks[block].clone() {
            let phi = &frame.function.instructions[i];
            let Operation::Phi(predecessors) = &phi.operation else {
                break;
            };
            let (before, edge) = from.context("a phi in the entry block")?;
            let n = predecessors
                .iter()
                .position(|p| p == before)
                .with_context(|| phi.text.clone())?;
            let (value, time) = self.operand(frame, &phi.operands[n])?;
            let time = match plan.rules.get(&i) {
                Some(Rule::InductionPhi) => self.start_time(plan, frame, i),
                _ => self.clock.latest(&[&time, edge]),
            };
            new.push((i, (value, time)));
            for l in plan
                .around(block)
                .filter(|&l| plan.loops[l].web.contains(i))
            {
                let Loop { web, blocks, .. } = &plan.loops[l];
                let entry = !blocks.contains(before);
                let origin = web.taken(l, i, &phi.operands[n], entry, &frame.origins);
                origins.push(((l, i), origin));
            }
        }
        frame.origins.extend(origins);
        for (i, result) in new {
            self.steps += 1;
            frame.results[i] = Some(result);
        }
        Ok(())
    }

    /// Time of a header phi's operand from outside of its loop.
    fn start_time(&self, plan: &Plan, frame: &Frame<'m>, phi: usize) -> Times {
        let f = frame.function;
        let Operation::Phi(predecessors) = &f.instructions[phi].operation else {
            return Times::default();
        };
        let block = f.blocks.iter().position(|b| b.contains(&phi));
        let Some(l) = block.and_then(|b| plan.innermost(b)) else {
            return Times::default();
        };
        predecessors
            .iter()
            .position(|p| !l.blocks.contains(p))
            .map(|n| self.time(frame, &f.instructions[phi].operands[n]))
            .unwrap_or_default()
    }

    /// Time of some bytes of memory.
    pub(crate) fn bytes_time(&self, address: u64, size: u64) -> Result<Times> {
        let (_, times) = self.memory.read(address, size)?;
        Ok(self.clock.latest(&times.iter().collect::<Vec<_>>()))
    }

    /// Bytes are read; see [`Clock::read`] about the scope.
    pub(crate) fn reads(&mut self, address: u64, size: u64, scope: Scope) -> Result<()> {
        for place in self.memory.histories(address, size)? {
            self.clock.read(place, scope);
        }
        Ok(())
    }

    /// Bytes are written.
    pub(crate) fn writes(&mut self, address: u64, size: u64) -> Result<()> {
        for place in self.memory.histories(address, size)? {
            self.clock.write(place);
        }
        Ok(())
    }

    /// Whether an operation is nothing at run time; its operands may be metadata.
    fn is_nothing(&self, operation: &Operation) -> Result<bool> {
        let Operation::Call(callee) = operation else {
            return Ok(false);
        };
        Ok(match &callee.function {
            Operand::Constant(_, Constant::Function(f)) if self.module.functions[*f].intrinsic => {
                intrinsic::class(&self.module.functions[*f].name, self.table)? == Class::Nothing
            }
            _ => false,
        })
    }

    fn instruction(
        &mut self,
        plan: &Plan,
        frame: &mut Frame<'m>,
        i: usize,
        control: &Times,
    ) -> Result<Option<Timed>> {
        let f = frame.function;
        let instruction = &f.instructions[i];
        let callee = match &instruction.operation {
            Operation::Fence => return Ok(None),
            Operation::Alloca(ty) => {
                let count = self.operand(frame, &instruction.operands[0])?.0.int()? as u64;
                let address = self.memory.allocate(ty.size * count);
                frame.slots.push(address);
                return Ok(Some((Value::Pointer(address), Times::default())));
            }
            operation if self.is_nothing(operation)? => return Ok(None),
            Operation::Call(callee) => Some(callee),
            _ => None,
        };
        let operands: Vec<Timed> = instruction
            .operands
            .iter()
            .map(|o| self.operand(frame, o))
            .collect::<Result<_>>()?;
        if let Some(rule) = plan.rules.get(&i) {
            return self.ruled(plan, frame, i, rule, &operands, control);
        }
        if let Some(callee) = callee {
            return self.any_call(frame, callee, instruction, operands, control);
        }
        let times: Vec<&Times> = operands.iter().map(|o| &o.1).collect();
        Ok(match &instruction.operation {
            Operation::Load => {
                let address = operands[0].0.address()?;
                let bytes = self.bytes_time(address, instruction.ty.stored)?;
                self.reads(address, instruction.ty.stored, None)?;
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
                        let inputs: Vec<&Times> = times.into_iter().chain([control]).collect();
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
        plan: &Plan,
        frame: &mut Frame<'m>,
        i: usize,
        rule: &Rule,
        operands: &[Timed],
        control: &Times,
    ) -> Result<Option<Timed>> {
        let f = frame.function;
        let instruction = &f.instructions[i];
        if let Rule::ReductionLoad { scope } = rule {
            let address = operands[0].0.address()?;
            let time = self.bytes_time(address, instruction.ty.stored)?;
            let scope = scope.map(|l| frame.outside + plan.depth(l as usize));
            self.reads(address, instruction.ty.stored, scope)?;
            self.clock.work(self.table.load);
            return Ok(Some((self.load(address, &instruction.ty)?, time)));
        }
        if let Rule::ReductionStore { load, combine, .. } = rule {
            let (load, combine) = (f.at(*load), f.at(*combine));
            let latency =
                self.table.load + self.latency(&f.instructions[combine])? + self.table.store;
            let mut others: Vec<Times> = f.instructions[combine]
                .operands
                .iter()
                .filter(|o| **o != Operand::Result(load))
                .map(|o| self.time(frame, o))
                .collect();
            others.push(operands[1].1.clone());
            others.push(control.clone());
            others.extend(frame.initial.get(&i).cloned());
            let others: Vec<&Times> = others.iter().collect();
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
            Rule::InductionUpdate { phi } => self.time(frame, &Operand::Result(f.at(*phi))),
            Rule::CountedTest => Times::default(),
            Rule::ReductionCombine { .. } => {
                self.clock.work(self.latency(instruction)?);
                Times::default()
            }
            Rule::Reduction { chain, phi } => {
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
                let others: Vec<&Times> = select(false).chain([control, &init]).collect();
                let contribution = self.clock.operation(&others, latency);
                let all: Vec<&Times> = select(true).chain([&contribution]).collect();
                self.clock.span(&all, 0)
            }
            Rule::ReductionTest { chain, phi } => {
                let latency = self.latency(instruction)?;
                let init = self.start_time(plan, frame, f.at(*phi));
                let other = &operands[1 - *chain as usize].1;
                self.clock.operation(&[other, &init, control], latency)
            }
            Rule::MemoryTest { chain, store } => {
                let latency = self.latency(instruction)?;
                let other = &operands[1 - *chain as usize].1;
                let init = frame
                    .initial
                    .get(&f.at(*store))
                    .cloned()
                    .unwrap_or_default();
                self.clock.operation(&[other, &init, control], latency)
            }
            Rule::InductionPhi | Rule::ReductionLoad { .. } | Rule::ReductionStore { .. } => {
                bail!("a rule for another instruction")
            }
        };
        Ok(Some((value, time)))
    }

    fn latency(&self, instruction: &Instruction) -> Result<u32> {
        let latency = match &instruction.operation {
            Operation::Call(callee) => {
                match intrinsic::class(self.intrinsic_name(callee)?, self.table)? {
                    Class::Computes(latency) => Some(latency),
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
        instruction: &Instruction,
        operands: &[Timed],
        time: Times,
    ) -> Result<()> {
        let ty = operand_type(f, &instruction.operands[0])?;
        self.put(operands[1].0.address()?, ty, &operands[0].0, time)
    }

    fn put(&mut self, address: u64, ty: &Type, value: &Value, time: Times) -> Result<()> {
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
        instruction: &Instruction,
        operands: &[Timed],
        control: &Times,
    ) -> Result<Timed> {
        let address = operands[0].0.address()?;
        let ty = operand_type(f, &instruction.operands[1])?;
        let bytes = self.bytes_time(address, ty.stored)?;
        self.reads(address, ty.stored, None)?;
        let inputs: Vec<&Times> = operands
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
        instruction: &Instruction,
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
                        ir::TypeKind::Int(bits) => Ok((v(n).clone(), bits)),
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
        frame: &mut Frame<'m>,
        callee: &Callee,
        instruction: &Instruction,
        mut operands: Vec<Timed>,
        control: &Times,
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
            // The callee's own copy: bytes, times and who wrote them, at no cost. What reads it, reads what was written there.
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
            *operand = (Value::Pointer(copy), Times::default());
        }
        self.call(number, operands, control).map(Some)
    }

    /// Copies bytes: reads and writes them. The new times are made from the old ones.
    pub(crate) fn copy(
        &mut self,
        to: u64,
        from: u64,
        size: u64,
        time: impl FnMut(&mut Clock, &Times) -> Times,
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
        mut time: impl FnMut(&mut Clock, &Times) -> Times,
    ) -> Result<()> {
        let (bytes, times) = self.memory.read(from, size)?;
        let (bytes, times) = (bytes.to_vec(), times.to_vec());
        let new: Vec<Times> = times.iter().map(|t| time(&mut self.clock, t)).collect();
        let (new_bytes, new_times) = self.memory.write(to, size)?;
        new_bytes.copy_from_slice(&bytes);
        new_times.clone_from_slice(&new);
        Ok(())
    }

    fn intrinsic(
        &mut self,
        name: &str,
        instruction: &Instruction,
        operands: &[Timed],
        control: &Times,
    ) -> Result<Option<Timed>> {
        let mut inputs: Vec<&Times> = operands.iter().map(|o| &o.1).collect();
        let values: Vec<Value> = operands.iter().map(|o| o.0.clone()).collect();
        let (load, store) = (self.table.load, self.table.store);
        Ok(match intrinsic::class(name, self.table)? {
            Class::Nothing => None,
            Class::Passes => {
                let value = intrinsic::compute(name, &instruction.ty, &values)?;
                Some((value, self.clock.latest(&inputs)))
            }
            Class::Computes(latency) => {
                let value = intrinsic::compute(name, &instruction.ty, &values)?;
                inputs.push(control);
                Some((value, self.clock.operation(&inputs, latency)))
            }
            Class::Copies => {
                inputs.push(control);
                let ready = self.clock.latest(&inputs);
                self.clock.work(load + store);
                let (to, from) = (values[0].address()?, values[1].address()?);
                self.copy(to, from, values[2].int()? as u64, |clock, t| {
                    clock.span(&[t, &ready], load + store)
                })?;
                None
            }
            Class::Fills => {
                inputs.push(control);
                let time = self.clock.operation(&inputs, store);
                self.fill(&values, time)?;
                None
            }
        })
    }

    /// `memset`: address, byte, length.
    pub(crate) fn fill(&mut self, values: &[Value], time: Times) -> Result<()> {
        let (address, size) = (values[0].address()?, values[2].int()? as u64);
        let (bytes, times) = self.memory.write(address, size)?;
        bytes.fill(values[1].int()? as u8);
        times.fill(time);
        self.writes(address, size)
    }
}

/// Type of an operand.
fn operand_type<'f>(f: &'f Function, operand: &'f Operand) -> Result<&'f Type> {
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
