//! What an ELF file asks of the dynamic linker, and what it offers.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSymbol, elf};

/// A program or library of 64 bits.
#[derive(Debug)]
pub struct ElfFile<'a>(ElfFile64<'a, Endianness>);

/// Libraries that a file needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linking {
    /// Their names.
    pub needed: Vec<OsString>,
    /// Lists of folders to look for them in, as the file has them: separated by colons, with `$ORIGIN`.
    pub folders: Vec<OsString>,
}

impl<'a> ElfFile<'a> {
    /// Reads an ELF file from its bytes; `None` if they are none.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        ElfFile64::parse(bytes).ok().map(Self)
    }

    /// Whether it is for this kind of machine.
    pub fn is_x86_64(&self) -> bool {
        self.0.elf_header().e_machine(self.0.endian()) == elf::EM_X86_64
    }

    /// Whether it has a section of this name.
    pub fn has_section(&self, name: &str) -> bool {
        self.0.section_by_name(name).is_some()
    }

    /// Whether a dynamic linker is to load it: no program that is linked statically.
    pub fn has_interpreter(&self) -> bool {
        let endian = self.0.endian();
        let mut segments = self.0.elf_program_headers().iter();
        segments.any(|segment| segment.p_type(endian) == elf::PT_INTERP)
    }

    /// Whether others find a symbol of this name in it.
    pub fn offers(&self, symbol: &str) -> bool {
        let mut symbols = self.0.dynamic_symbols();
        symbols.any(|s| s.is_definition() && s.name() == Ok(symbol))
    }

    /// The libraries that it needs; `None` where its sections do not tell.
    pub fn linking(&self) -> Option<Linking> {
        let (endian, bytes) = (self.0.endian(), self.0.data());
        let sections = self.0.elf_section_table();
        let Some((entries, index)) = sections.dynamic(endian, bytes).ok()? else {
            // Without sections nothing is known; with them, it is linked statically.
            let mut sections = sections.iter();
            let code = sections.any(|section| section.sh_type(endian) == elf::SHT_PROGBITS);
            return code.then(Linking::default);
        };
        let strings = sections.strings(endian, bytes, index).ok()?;
        let named = |tag| {
            entries
                .iter()
                .filter(move |entry| entry.tag(endian) == tag)
                .filter_map(|entry| entry.string(endian, strings).ok())
                .map(|name| OsStr::from_bytes(name).to_owned())
        };
        Some(Linking {
            needed: named(elf::DT_NEEDED).collect(),
            folders: named(elf::DT_RPATH).chain(named(elf::DT_RUNPATH)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Files;
    use crate::files::Fixtures;

    #[test]
    fn programs_say_what_they_need() {
        let files = Fixtures::all();
        let bytes = files.map(Path::new("/shapes/program")).unwrap();
        let program = ElfFile::parse(bytes).unwrap();
        assert!(program.is_x86_64() && program.has_interpreter());
        assert!(program.has_section(".text") && !program.has_section("ps_sites"));
        let linking = Linking {
            needed: vec!["libroom.so.1".into()],
            folders: vec!["$ORIGIN/lib:/rooms".into()],
        };
        assert_eq!(program.linking(), Some(linking));
    }

    #[test]
    fn libraries_say_what_they_offer() {
        let files = Fixtures::all();
        let bytes = files.map(Path::new("/shapes/whole.so")).unwrap();
        let library = ElfFile::parse(bytes).unwrap();
        assert!(library.offers("area") && !library.offers("room") && !library.offers("hidden"));
        assert!(!library.has_interpreter());
        assert_eq!(library.linking(), Some(Linking::default()));
    }

    #[test]
    fn other_files_are_none() {
        assert!(ElfFile::parse(b"#!/bin/sh\n").is_none());
        assert!(ElfFile::parse(b"").is_none());
    }
}
