//! Models and tables of latencies in TOML; `docs/ilp-models.md` is for who writes them.

use parascan_isa::InstructionClass;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::spelling::{class, class_names, parse};
use super::{Latency, MachineModel, PhysicalRegisters, TextForm, Units};
use crate::error::ModelError;

const KEYS: &str = "name, base, rename, window, syscalls, latency, units, physical-registers, branches, indirect, returns, memory, stack-pointer, induction, count";

/// The text of a file, to say where something stands in it.
struct ModelText<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'a> ModelText<'a> {
    /// The file, and the line of a byte.
    fn place(&self, byte: usize) -> String {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        format!("{:?}, line {line}", self.name)
    }

    fn place_of<T>(&self, spanned: &Spanned<T>) -> String {
        self.place(spanned.span().start)
    }

    fn table(&self) -> Result<DeTable<'a>, ModelError> {
        DeTable::parse(self.text)
            .map(Spanned::into_inner)
            .map_err(|error| {
                ModelError::new(
                    self.place(error.span().map_or(0, |span| span.start)),
                    error.message().escape_debug().to_string(),
                    "docs/ilp-models.md shows how a file is written",
                )
            })
    }

    fn unknown_key(&self, key: &Spanned<DeString<'_>>, known: &str) -> ModelError {
        ModelError::new(
            self.place_of(key),
            format!("{:?} is not known", key.get_ref()),
            format!("write one of: {known}"),
        )
    }

    /// The text of a string or number.
    fn text<'v>(&self, value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, ModelError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text),
            DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str()),
            other => Err(ModelError::new(
                self.place_of(value),
                format!("there is a value of type {}", other.type_str()),
                "write a string, or a number in digits",
            )),
        }
    }

    fn parse<T: TextForm>(&self, value: &Spanned<DeValue<'_>>) -> Result<T, ModelError> {
        parse(&self.place_of(value), self.text(value)?)
    }

    fn number<T: std::str::FromStr>(
        &self,
        value: &Spanned<DeValue<'_>>,
        largest: u32,
    ) -> Result<T, ModelError> {
        self.text(value)?.parse().map_err(|_| {
            ModelError::new(
                self.place_of(value),
                "this is no such number",
                format!("write a whole number from 0 to {largest}"),
            )
        })
    }

    /// A name of `names`, looked up.
    fn lookup<T>(
        &self,
        value: &Spanned<DeValue<'_>>,
        names: &[&str],
        find: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ModelError> {
        let text = self.text(value)?;
        find(text).ok_or_else(|| {
            ModelError::new(
                self.place_of(value),
                format!("{text:?} is not known"),
                format!("write one of: {}", names.join(", ")),
            )
        })
    }

    fn latency(
        &self,
        value: &Spanned<DeValue<'_>>,
        model: &MachineModel,
    ) -> Result<Latency, ModelError> {
        if let DeValue::Table(table) = value.get_ref() {
            self.latency_table(table, &model.name, &model.latency)
        } else {
            self.lookup(value, &Latency::TABLES, Latency::table)
        }
    }

    /// A table of steps by class; classes that are not in it are as in its `base`, or else as in `other`.
    fn latency_table(
        &self,
        table: &DeTable<'_>,
        name: &str,
        other: &Latency,
    ) -> Result<Latency, ModelError> {
        let mut latency = match table.get("base") {
            Some(base) => self.lookup(base, &Latency::TABLES, Latency::table)?,
            None => other.clone(),
        };
        name.clone_into(&mut latency.name);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "base" => {}
                "load-adds" => {
                    latency.load_adds = value.get_ref().as_bool().ok_or_else(|| {
                        ModelError::new(
                            self.place_of(value),
                            "load-adds is neither true nor false",
                            "write true or false",
                        )
                    })?;
                }
                _ => {
                    let class = self.class(key, "base, load-adds, ")?;
                    latency.steps[class as usize] = self.number(value, u16::MAX.into())?;
                }
            }
        }
        Ok(latency)
    }

    fn class(
        &self,
        key: &Spanned<DeString<'_>>,
        also: &str,
    ) -> Result<InstructionClass, ModelError> {
        class(key.get_ref())
            .ok_or_else(|| self.unknown_key(key, &format!("{also}{}", class_names())))
    }

    fn units(&self, value: &Spanned<DeValue<'_>>) -> Result<Units, ModelError> {
        let DeValue::Table(table) = value.get_ref() else {
            return self.parse(value);
        };
        let mut counts = Box::new([None; InstructionClass::ALL.len()]);
        for (key, value) in table {
            let class = self.class(key, "")?;
            counts[class as usize] = Some(self.number(value, u32::MAX)?);
        }
        Ok(Units::ByClass(counts))
    }

    fn physical_registers(
        &self,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<PhysicalRegisters, ModelError> {
        let DeValue::Table(table) = value.get_ref() else {
            return self.parse(value);
        };
        let (mut general, mut vector) = (None, None);
        for (key, value) in table {
            let count = match key.get_ref().as_ref() {
                "general" => &mut general,
                "vector" => &mut vector,
                _ => return Err(self.unknown_key(key, "general, vector")),
            };
            *count = Some(self.number(value, u32::MAX)?);
        }
        Ok(PhysicalRegisters::ByKind { general, vector })
    }
}

impl MachineModel {
    /// The model that a file describes. `name` is the file's, for messages and for a model that gives itself none.
    ///
    /// # Errors
    /// No TOML, unknown keys or values, or a model that cannot be; with the line.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, ModelError> {
        let source = ModelText { name, text };
        let table = source.table()?;
        let mut model = match table.get("base") {
            Some(base) => source.lookup(base, &Self::PRESETS, Self::preset)?,
            None => Self::default(),
        };
        model.name = match table.get("name") {
            Some(given) => source.text(given)?.to_owned(),
            None => name.to_owned(),
        };
        for (key, value) in &table {
            match key.get_ref().as_ref() {
                "base" | "name" => {}
                "rename" => model.rename = source.parse(value)?,
                "window" => model.window = source.parse(value)?,
                "syscalls" => model.system_calls = source.parse(value)?,
                "latency" => model.latency = source.latency(value, &model)?,
                "units" => model.units = source.units(value)?,
                "physical-registers" => {
                    model.physical_registers = source.physical_registers(value)?;
                }
                "branches" => model.branches = source.parse(value)?,
                "indirect" => model.indirect = source.parse(value)?,
                "returns" => model.returns = source.parse(value)?,
                "memory" => model.memory = source.parse(value)?,
                "stack-pointer" => model.stack_pointer = source.parse(value)?,
                "induction" => model.induction = source.parse(value)?,
                "count" => model.count = source.parse(value)?,
                _ => return Err(source.unknown_key(key, KEYS)),
            }
        }
        model.check()?;
        Ok(model)
    }
}

impl Latency {
    /// The table that a file describes: `base`, `load-adds` and classes at its top level. `name` is the file's, and
    /// becomes the table's.
    ///
    /// # Errors
    /// No TOML, unknown keys or classes, or numbers that are none; with the line.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, ModelError> {
        let source = ModelText { name, text };
        source.latency_table(&source.table()?, name, &Self::unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Branches, Count, Rename};

    /// The TOML examples of the documentation.
    fn examples() -> Vec<&'static str> {
        include_str!("../../../../docs/ilp-models.md")
            .split("```toml\n")
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap())
            .collect()
    }

    #[test]
    fn the_documentation_s_model_is_what_it_says() {
        let examples = examples();
        let model = MachineModel::from_toml("narrow.toml", examples[0]).unwrap();
        let mut expected = MachineModel::paragraph();
        expected.name = "narrow".to_owned();
        expected.rename = Rename {
            registers: true,
            stack: false,
            memory: false,
        };
        expected.window = Some(1000);
        expected.branches = Branches::Gshare {
            index_bits: 14,
            history: 12,
        };
        expected.indirect = TextForm::parse("last").unwrap();
        expected.returns = TextForm::parse("stack:16").unwrap();
        expected.count = Count::All;
        expected.latency = Latency::x86();
        expected.latency.name = "narrow".to_owned();
        expected.latency.steps[InstructionClass::Load as usize] = 3;
        expected.latency.load_adds = false;
        expected.units = TextForm::parse("float-add=2,load=1").unwrap();
        expected.physical_registers = TextForm::parse("general=180,vector=168").unwrap();
        assert_eq!(model, expected);
    }

    #[test]
    fn the_documentation_s_other_examples_are_read() {
        let examples = examples();
        let latency = Latency::from_toml("slow.toml", examples[1]).unwrap();
        assert_eq!(latency.name, "slow.toml");
        assert_eq!(latency.steps[InstructionClass::Load as usize], 200);
        assert_eq!(latency.steps[InstructionClass::Store as usize], 1);
        assert!(latency.load_adds);
        assert_eq!(examples.len(), 2);
    }

    #[test]
    fn the_documentation_has_every_class_and_key() {
        let text = include_str!("../../../../docs/ilp-models.md");
        let tables = Latency::TABLES.map(|name| Latency::table(name).unwrap());
        for class in InstructionClass::ALL {
            let [unit, paragraph, x86] = [0, 1, 2].map(|i: usize| tables[i].steps[class as usize]);
            let row = format!("| `{}` | {unit} | {paragraph} | {x86} |", class.name());
            assert!(text.contains(&row), "{row}");
        }
        for key in KEYS.split(", ") {
            assert!(text.contains(&format!("| `{key}` |")), "{key}");
        }
    }

    #[test]
    fn an_empty_file_is_the_default_under_its_own_name() {
        let model = MachineModel::from_toml("m.toml", "").unwrap();
        let expected = MachineModel {
            name: "m.toml".to_owned(),
            ..MachineModel::default()
        };
        assert_eq!(model, expected);
    }

    #[test]
    fn errors_say_where() {
        let message = |text| {
            MachineModel::from_toml("m.toml", text)
                .unwrap_err()
                .to_string()
        };
        for (text, start) in [
            (
                "\n\nwindoe = 3",
                "\"m.toml\", line 3: \"windoe\" is not known; write one of: name,",
            ),
            (
                "name = \"x\"\nwindow = \"x\"",
                "\"m.toml\", line 2: \"x\" is not understood; write a number",
            ),
            (
                "window = -3",
                "\"m.toml\", line 1: \"-3\" is not understood",
            ),
            (
                "window = 1.5",
                "\"m.toml\", line 1: there is a value of type float; write a string",
            ),
            (
                "window = 0x10",
                "\"m.toml\", line 1: there is a value of type integer; write a string, or a number in digits",
            ),
            (
                "[latency]\nlod = 3",
                "\"m.toml\", line 2: \"lod\" is not known; write one of: base, load-adds, integer,",
            ),
            (
                "[latency]\nload = 65536",
                "\"m.toml\", line 2: this is no such number; write a whole number from 0 to 65535",
            ),
            (
                "[latency]\nload-adds = 1",
                "\"m.toml\", line 2: load-adds is neither true nor false",
            ),
            (
                "latency = \"fast\"",
                "\"m.toml\", line 1: \"fast\" is not known; write one of: unit,",
            ),
            (
                "[units]\nload = -1",
                "\"m.toml\", line 2: this is no such number",
            ),
            (
                "[units]\nload = 0",
                "model \"m.toml\", units: with 0 units for load",
            ),
            (
                "[physical-registers]\nflags = 3",
                "\"m.toml\", line 2: \"flags\" is not known; write one of: general, vector",
            ),
            (
                "[physical-registers]\nvector = \"x\"",
                "\"m.toml\", line 2: this is no such number; write a whole number",
            ),
            (
                "physical-registers = 8\nrename = \"stack\"",
                "model \"m.toml\", physical-registers: registers are not renamed",
            ),
            (
                "base = \"\\u001b\"",
                "\"m.toml\", line 1: \"\\u{1b}\" is not known; write one of: perpi, paragraph",
            ),
            (
                "window = 1\nwindow = 2",
                "\"m.toml\", line 2: duplicate key",
            ),
            ("window = ", "\"m.toml\", line 1: "),
            ("name = \" \"", "model \" \", name: "),
        ] {
            let message = message(text);
            assert!(message.starts_with(start), "{text:?}: {message}");
            assert!(!message.contains('\n'), "{message:?}");
        }
    }
}
