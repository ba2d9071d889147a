//! The interpreter: executes a prepared program and times every operation on the clocks of all open regions.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use parascan_formats::latency::LatencyTable;
use parascan_formats::module::RegionKind;
use parascan_formats::prepared::{PreparedModule, PreparedRule};
use parascan_formats::profile;

use crate::carrier::{self, Origin, Origins};
use crate::clock::{Clock, ProductionTimes};
use crate::dependence::{self, CarriedKinds, History, ReductionRead};
use crate::ir;
use crate::ir::{Constant, Function, LinkedProgram, Operand, Operation, Type};
use crate::memory::Memory;
use crate::plan::{MeasuredFunction, RegionLoop};
use crate::value::Value;

mod operations;

use operations::operand_type;

/// Most instructions that a program may execute.
pub const LIMIT: u64 = 100_000_000;
/// Distance between the addresses of functions, which lie below all data.
const FUNCTION: u64 = 16;

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Exit code.
    pub code: i32,
    /// What it printed.
    pub output: Vec<u8>,
    /// Work of the whole program.
    pub work: u64,
    /// Figures per chain of regions; entry 0 is the program, without figures.
    pub contexts: Vec<profile::Context>,
    /// By context: in how many instances of a loop there were dependences between iterations; none where it is no loop.
    pub carried: Vec<CarriedKinds<u64>>,
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
pub(crate) type Timed = (Value, ProductionTimes);

/// The state of the program.
pub(crate) struct Interpreter<'m> {
    module: &'m LinkedProgram,
    plans: HashMap<usize, MeasuredFunction>,
    pub(crate) table: &'m LatencyTable,
    pub(crate) memory: Memory,
    pub(crate) clock: Clock,
    globals: Vec<u64>,
    /// When functions with state of their own were last called, and who did.
    pub(crate) hidden: HashMap<&'static str, (ProductionTimes, History)>,
    pub(crate) output: Vec<u8>,
    steps: u64,
}

/// An activation of a function.
struct Activation<'m> {
    function: &'m Function,
    /// Regions open around the function.
    outside: usize,
    arguments: Vec<Timed>,
    results: Vec<Option<Timed>>,
    /// Control time of each set of terminators.
    control: Vec<ProductionTimes>,
    /// Times of reductions' bytes when their loops were entered, by store.
    initial: HashMap<usize, ProductionTimes>,
    /// By loop: latest time of a bound in memory that this instance has tested.
    bounds: Vec<ProductionTimes>,
    /// Times of the bytes that the loads of such bounds read last.
    bytes: HashMap<usize, ProductionTimes>,
    /// Where the values of loops' carriers come from.
    origins: Origins,
    /// Stack slots.
    slots: Vec<u64>,
}

/// Executes a program from `main` on.
///
/// # Errors
/// The program does something that the interpreter does not know, or something undefined.
pub fn run(module: &LinkedProgram, notes: &PreparedModule) -> Result<Execution> {
    let mut machine = Interpreter {
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
        let plan = MeasuredFunction::new(module, &module.functions[index], prepared)?;
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
            .map(|v| (v.clone(), ProductionTimes::default()))
            .collect(),
    };
    let code = match machine.call(main, arguments, &ProductionTimes::default()) {
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
    Ok(Execution {
        code: code & 0xff,
        output: machine.output,
        work,
        contexts,
        carried,
        steps: machine.steps,
    })
}

impl<'m> Interpreter<'m> {
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

    fn operand(&self, frame: &Activation<'m>, operand: &Operand) -> Result<Timed> {
        match operand {
            Operand::Constant(ty, c) => Ok((self.constant(ty, c)?, ProductionTimes::default())),
            Operand::Parameter(n) => Ok(frame.arguments[*n].clone()),
            Operand::Result(n) => frame.results[*n]
                .clone()
                .with_context(|| format!("no value of {}", frame.function.instructions[*n].text)),
            Operand::Other => bail!("an operand that is not a value"),
        }
    }

    /// Time of an operand that need not have a value yet.
    fn time(&self, frame: &Activation<'m>, operand: &Operand) -> ProductionTimes {
        match operand {
            Operand::Parameter(n) => frame.arguments[*n].1.clone(),
            Operand::Result(n) => frame.results[*n]
                .as_ref()
                .map(|r| r.1.clone())
                .unwrap_or_default(),
            Operand::Constant(..) | Operand::Other => ProductionTimes::default(),
        }
    }

    /// Calls a function that is measured.
    fn call(
        &mut self,
        function: usize,
        arguments: Vec<Timed>,
        control: &ProductionTimes,
    ) -> Result<Timed> {
        let plan = self
            .plans
            .get(&function)
            .with_context(|| format!("{} is not measured", self.module.functions[function].name))?
            .clone();
        let f = &self.module.functions[function];
        let mut frame = Activation {
            function: f,
            outside: self.clock.depth(),
            arguments,
            results: vec![None; f.instructions.len()],
            control: vec![control.clone(); plan.sets.len()],
            initial: HashMap::new(),
            bounds: vec![ProductionTimes::default(); plan.loops.len()],
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

    fn body(&mut self, plan: &MeasuredFunction, frame: &mut Activation<'m>) -> Result<Timed> {
        let mut block = 0;
        // The edge on which the block was entered: predecessor and control time.
        let mut from: Option<(usize, ProductionTimes)> = None;
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
                        None => Ok((Value::Int(0), ProductionTimes::default())),
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
    fn control(
        &self,
        plan: &MeasuredFunction,
        frame: &Activation<'m>,
        block: usize,
    ) -> ProductionTimes {
        let bounds = plan.around(block).map(|l| &frame.bounds[l]);
        let decided = &frame.control[plan.set_of[block]];
        self.clock
            .latest(&bounds.chain([decided]).collect::<Vec<_>>())
    }

    /// Notes which loops have a carried dependence because instruction `i` uses a value from an earlier iteration.
    fn uses(
        &mut self,
        plan: &MeasuredFunction,
        frame: &Activation<'m>,
        block: usize,
        i: usize,
    ) -> Result<()> {
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
    fn passes_on(
        &self,
        plan: &MeasuredFunction,
        frame: &mut Activation<'m>,
        block: usize,
        i: usize,
    ) -> Result<()> {
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
        plan: &MeasuredFunction,
        frame: &mut Activation<'m>,
        from: usize,
        to: usize,
        control: &ProductionTimes,
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
            frame.bounds[index] = ProductionTimes::default();
            for (&store, rule) in &plan.rules {
                let PreparedRule::ReductionStore { init: Some(l), .. } = rule else {
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
        plan: &MeasuredFunction,
        frame: &mut Activation<'m>,
        block: usize,
        from: Option<&(usize, ProductionTimes)>,
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
                Some(PreparedRule::InductionPhi) => self.start_time(plan, frame, i),
                _ => self.clock.latest(&[&time, edge]),
            };
            new.push((i, (value, time)));
            for l in plan
                .around(block)
                .filter(|&l| plan.loops[l].web.contains(i))
            {
                let RegionLoop { web, blocks, .. } = &plan.loops[l];
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
    fn start_time(
        &self,
        plan: &MeasuredFunction,
        frame: &Activation<'m>,
        phi: usize,
    ) -> ProductionTimes {
        let f = frame.function;
        let Operation::Phi(predecessors) = &f.instructions[phi].operation else {
            return ProductionTimes::default();
        };
        let block = f.blocks.iter().position(|b| b.contains(&phi));
        let Some(l) = block.and_then(|b| plan.innermost(b)) else {
            return ProductionTimes::default();
        };
        predecessors
            .iter()
            .position(|p| !l.blocks.contains(p))
            .map(|n| self.time(frame, &f.instructions[phi].operands[n]))
            .unwrap_or_default()
    }

    /// Time of some bytes of memory.
    pub(crate) fn bytes_time(&self, address: u64, size: u64) -> Result<ProductionTimes> {
        let (_, times) = self.memory.read(address, size)?;
        Ok(self.clock.latest(&times.iter().collect::<Vec<_>>()))
    }

    /// Bytes are read; see [`Clock::read`] about the scope.
    pub(crate) fn reads(
        &mut self,
        address: u64,
        size: u64,
        scope: Option<ReductionRead>,
    ) -> Result<()> {
        for place in self.memory.histories(address, size)? {
            self.clock.read(place, scope);
        }
        Ok(())
    }

    /// Bytes are read that the loop at this depth reduces.
    pub(crate) fn watches(&mut self, address: u64, size: u64, depth: usize) -> Result<()> {
        for place in self.memory.histories(address, size)? {
            self.clock.watch(place, depth);
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
}
