//! Functions of the C library: what they do, and their rows in the library table.

use anyhow::{Context, Result, bail};

use crate::clock::ProductionTimes;
use crate::ir::IrInstruction;
use crate::machine::{Exit, Interpreter, Timed};
use crate::print::format;
use crate::value::{Value, signed, truncate};

impl Interpreter<'_> {
    /// Calls a library function.
    pub(crate) fn library(
        &mut self,
        name: &str,
        instruction: &IrInstruction,
        operands: &[Timed],
        control: &ProductionTimes,
    ) -> Result<Option<Timed>> {
        let values: Vec<Value> = operands.iter().map(|o| o.0.clone()).collect();
        let mut inputs: Vec<ProductionTimes> = operands.iter().map(|o| o.1.clone()).collect();
        inputs.push(control.clone());
        let table = self.table;
        let length = |n: usize| -> Result<u64> { Ok(values[n].int()? as u64) };
        let at = |n: usize| values[n].address();
        let result = match name {
            "printf" | "puts" | "putchar" => {
                let printed = self.print(name, &values)?;
                let (before, mut history) = self.hidden.remove("stdio").unwrap_or_default();
                self.clock.read(&mut history, None);
                self.clock.write(&mut history);
                inputs.push(before);
                let time = self.operation(&inputs, table.external);
                self.hidden.insert("stdio", (time.clone(), history));
                (Value::Int(truncate(printed as u128, 32)), time)
            }
            "exit" => return Err(Exit(values[0].int()? as i32).into()),
            "malloc" => {
                let address = self.memory.allocate(length(0)?);
                let time = self.operation(&inputs, table.external);
                (Value::Pointer(address), time)
            }
            "calloc" => {
                let size = length(0)? * length(1)?;
                let address = self.memory.allocate(size);
                let time = self.operation(&inputs, table.external);
                self.memory.write(address, size)?.1.fill(time.clone());
                self.writes(address, size)?;
                (Value::Pointer(address), time)
            }
            "free" => {
                if at(0)? != 0 {
                    self.memory.free(at(0)?)?;
                }
                (Value::Int(0), self.operation(&inputs, table.external))
            }
            "memcpy" | "memmove" => {
                let latency = table.load + table.store;
                let ready = self.clock.latest(&inputs.iter().collect::<Vec<_>>());
                self.copy(at(0)?, at(1)?, length(2)?, |clock, t| {
                    clock.span(&[t, &ready], latency)
                })?;
                (values[0].clone(), self.operation(&inputs, latency))
            }
            "memset" => {
                let time = self.operation(&inputs, table.load + table.store);
                self.fill(&values, time.clone())?;
                (values[0].clone(), time)
            }
            "memcmp" => {
                let size = length(2)?;
                self.reads(at(0)?, size, None)?;
                self.reads(at(1)?, size, None)?;
                inputs.push(self.bytes_time(at(0)?, size)?);
                inputs.push(self.bytes_time(at(1)?, size)?);
                let (a, b) = (
                    self.memory.read(at(0)?, size)?.0,
                    self.memory.read(at(1)?, size)?.0,
                );
                let order = truncate((a.cmp(b) as i128).cast_unsigned(), 32);
                (Value::Int(order), self.operation(&inputs, table.external))
            }
            "strlen" => {
                let text = self.memory.string(at(0)?)?;
                self.reads(at(0)?, text.len() as u64 + 1, None)?;
                inputs.push(self.bytes_time(at(0)?, text.len() as u64 + 1)?);
                let n = Value::Int(text.len() as u128);
                (n, self.operation(&inputs, table.external))
            }
            "abs" | "labs" | "llabs" => {
                let bits = if name == "abs" { 32 } else { 64 };
                let v = signed(values[0].int()?, bits).unsigned_abs();
                (
                    Value::Int(truncate(v, bits)),
                    self.operation(&inputs, table.int_add),
                )
            }
            _ => {
                let (value, latency) = self
                    .mathematical(name, &values)?
                    .with_context(|| format!("library function {name}"))?;
                (Value::Double(value), self.operation(&inputs, latency))
            }
        };
        let _ = instruction;
        Ok(Some(result))
    }

    fn operation(&mut self, inputs: &[ProductionTimes], latency: u32) -> ProductionTimes {
        self.clock
            .operation(&inputs.iter().collect::<Vec<_>>(), latency)
    }

    /// Result and latency of a mathematical function.
    fn mathematical(&self, name: &str, values: &[Value]) -> Result<Option<(f64, u32)>> {
        let Some(Value::Double(a)) = values.first() else {
            return Ok(None);
        };
        let b = || values[1].real();
        let table = self.table;
        Ok(Some(match name {
            "sqrt" => (a.sqrt(), table.fp_sqrt),
            "fabs" => (a.abs(), table.fp_add),
            "floor" => (a.floor(), table.fp_add),
            "ceil" => (a.ceil(), table.fp_add),
            "fmin" => (a.min(b()?), table.fp_add),
            "fmax" => (a.max(b()?), table.fp_add),
            "sin" => (a.sin(), table.math),
            "cos" => (a.cos(), table.math),
            "exp" => (a.exp(), table.math),
            "log" => (a.ln(), table.math),
            "pow" => (a.powf(b()?), table.math),
            _ => return Ok(None),
        }))
    }

    fn print(&mut self, name: &str, values: &[Value]) -> Result<usize> {
        let text = match name {
            "printf" => {
                let layout = self.memory.string(values[0].address()?)?;
                format(&layout, &values[1..], &self.memory)?
            }
            "puts" => {
                let mut text = self.memory.string(values[0].address()?)?;
                text.push(b'\n');
                text
            }
            "putchar" => vec![values[0].int()? as u8],
            _ => bail!("library function {name}"),
        };
        self.output.extend(&text);
        Ok(if name == "putchar" {
            text[0].into()
        } else {
            text.len()
        })
    }
}
