//! What the collector declares of OMPT, against LLVM's own header, where that is installed (Debian's `libomp-22-dev`).

use std::collections::BTreeMap;
use std::io::Write;
use std::mem::{offset_of, size_of};
use std::path::PathBuf;

use super::*;
use crate::ompt::{
    DispatchChunk, SET_IMPOSSIBLE, SetCallback, StartToolResult, dispatch as kinds, mutex, sync,
    task_flag, task_status, work as works,
};

/// What the header has.
struct Header {
    /// All text, with single blanks.
    text: String,
    /// Numbers of enumerations, by name.
    numbers: BTreeMap<String, i64>,
    /// The type and number of each event of the host, by name.
    events: BTreeMap<String, (String, i64)>,
}

impl Header {
    /// The header of the newest LLVM that has one; says so on the terminal if none has.
    fn find() -> Option<Self> {
        let entries = |folder: &str| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<(Vec<u32>, PathBuf)> = Vec::new();
        for llvm in entries("/usr/lib") {
            for clang in entries(&format!("{}/lib/clang", llvm.path().display())) {
                let header = clang.path().join("include/omp-tools.h");
                let version = clang.file_name().to_string_lossy().into_owned();
                let version = version.split('.').filter_map(|it| it.parse().ok());
                if header.is_file() {
                    found.push((version.collect(), header));
                }
            }
        }
        let Some((_, path)) = found.into_iter().max() else {
            // Not captured, as what `println!` prints is.
            let note = "NOT TRIED: there is no omp-tools.h (Debian's libomp-22-dev has one)\n";
            let _ = std::io::stderr().write_all(note.as_bytes());
            return None;
        };
        Some(Self::of(&std::fs::read_to_string(path).ok()?))
    }

    fn of(raw: &str) -> Self {
        let (mut numbers, mut events) = (BTreeMap::new(), BTreeMap::new());
        for line in raw.lines() {
            let words: Vec<&str> = line
                .split(|it: char| it.is_whitespace() || ",()".contains(it))
                .filter(|word| !word.is_empty())
                .collect();
            match words[..] {
                [name, "=", value] | [name, _, "=", value] => {
                    if let Some(value) = number(value) {
                        numbers.insert(name.to_owned(), value);
                    }
                }
                ["macro", event, callback, value, ..] => {
                    if let Some(value) = number(value) {
                        events.insert(event.to_owned(), (callback.to_owned(), value));
                    }
                }
                _ => {}
            }
        }
        let text = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            text,
            numbers,
            events,
        }
    }

    /// Types of a function type's parameters, in C.
    fn parameters(&self, function: &str) -> Vec<String> {
        let begin = format!("typedef void (*{function}) ( ");
        let at = self.text.find(&begin).map(|at| at + begin.len());
        let rest = &self.text[at.unwrap_or_else(|| panic!("no type {function}"))..];
        let list = &rest[..rest.find(" );").unwrap_or_default()];
        list.split(", ")
            .map(|parameter| {
                let name = parameter.rfind([' ', '*']).map_or(0, |at| at + 1);
                parameter[..name].trim().to_owned()
            })
            .collect()
    }
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A Rust type of a parameter, and the types of C that it may stand for.
trait Parameter {
    fn stands_for(c: &str) -> bool;
}

impl Parameter for c_int {
    /// Enumerations of C without negative numbers are passed as integers of the same size.
    fn stands_for(c: &str) -> bool {
        let enumerations = [
            "ompt_thread_t",
            "ompt_scope_endpoint_t",
            "ompt_sync_region_t",
            "ompt_work_t",
            "ompt_dispatch_t",
            "ompt_mutex_t",
            "ompt_task_status_t",
        ];
        c == "int" || enumerations.contains(&c)
    }
}

impl Parameter for c_uint {
    fn stands_for(c: &str) -> bool {
        c == "unsigned int"
    }
}

impl Parameter for u64 {
    fn stands_for(c: &str) -> bool {
        matches!(c, "uint64_t" | "ompt_wait_id_t")
    }
}

impl Parameter for DataPointer {
    fn stands_for(c: &str) -> bool {
        c == "ompt_data_t *"
    }
}

impl Parameter for *const c_void {
    fn stands_for(c: &str) -> bool {
        matches!(c, "const void *" | "const ompt_frame_t *")
    }
}

impl Parameter for Data {
    fn stands_for(c: &str) -> bool {
        c == "ompt_data_t"
    }
}

/// A callback.
trait Signature {
    /// Its address, and whether it takes parameters of these types of C.
    fn compared(self, c: &[String]) -> (Callback, bool);
}

macro_rules! signature {
    ($($parameter:ident)+) => {
        impl<$($parameter: Parameter),+> Signature for extern "C" fn($($parameter),+) {
            fn compared(self, c: &[String]) -> (Callback, bool) {
                let mut rest = c.iter();
                let fits = $(rest.next().is_some_and(|it| $parameter::stands_for(it)))&&+;
                // SAFETY: function pointers have one representation; this one is only compared.
                let address = unsafe { std::mem::transmute::<Self, Callback>(self) };
                (address, fits && rest.next().is_none())
            }
        }
    };
}
signature!(A);
signature!(A B);
signature!(A B C);
signature!(A B C D);
signature!(A B C D E);
signature!(A B C D E F);

#[test]
fn callbacks_have_the_numbers_and_parameters_of_the_header() {
    let Some(header) = Header::find() else {
        return;
    };
    let mut checked = 0;
    macro_rules! check {
        ($($name:literal $number:ident $function:ident as $type:ty;)+) => {$(
            let (c_type, c_number) = &header.events[concat!("ompt_callback_", $name)];
            assert_eq!(*c_number, i64::from(event::$number), $name);
            assert_eq!(header.numbers[concat!("ompt_callback_", $name)], *c_number, $name);
            let parameters = header.parameters(c_type);
            let (address, fits) = ($function as $type).compared(&parameters);
            assert!(fits, "{}: {parameters:?}", $name);
            let mut all = ALL.iter();
            let registered = all.find(|(number, _)| *number == event::$number);
            assert!(registered.is_some_and(|(_, it)| *it as usize == address as usize), $name);
            checked += 1;
        )+};
    }
    check! {
        "thread_begin" THREAD_BEGIN thread_begin as extern "C" fn(_, _);
        "thread_end" THREAD_END thread_end as extern "C" fn(_);
        "parallel_begin" PARALLEL_BEGIN parallel_begin as extern "C" fn(_, _, _, _, _, _);
        "parallel_end" PARALLEL_END parallel_end as extern "C" fn(_, _, _, _);
        "task_create" TASK_CREATE task_create as extern "C" fn(_, _, _, _, _, _);
        "task_schedule" TASK_SCHEDULE task_schedule as extern "C" fn(_, _, _);
        "implicit_task" IMPLICIT_TASK implicit_task as extern "C" fn(_, _, _, _, _, _);
        "sync_region_wait" SYNC_REGION_WAIT sync_region_wait as extern "C" fn(_, _, _, _, _);
        "mutex_released" MUTEX_RELEASED mutex_released as extern "C" fn(_, _, _);
        "task_dependence" TASK_DEPENDENCE task_dependence as extern "C" fn(_, _);
        "work" WORK work as extern "C" fn(_, _, _, _, _, _);
        "masked" MASKED masked as extern "C" fn(_, _, _, _);
        "sync_region" SYNC_REGION sync_region as extern "C" fn(_, _, _, _, _);
        "mutex_acquire" MUTEX_ACQUIRE mutex_acquire as extern "C" fn(_, _, _, _, _);
        "mutex_acquired" MUTEX_ACQUIRED mutex_acquired as extern "C" fn(_, _, _);
        "nest_lock" NEST_LOCK nest_lock as extern "C" fn(_, _, _);
        "reduction" REDUCTION reduction as extern "C" fn(_, _, _, _, _);
        "dispatch" DISPATCH dispatch as extern "C" fn(_, _, _, _);
    }
    assert_eq!(checked, ALL.len());
}

#[test]
fn constants_are_those_of_the_header() {
    let Some(header) = Header::find() else {
        return;
    };
    let constants = [
        ("ompt_set_impossible", SET_IMPOSSIBLE),
        ("ompt_thread_worker", THREAD_WORKER),
        ("ompt_scope_begin", scope::BEGIN),
        ("ompt_scope_end", scope::END),
        ("ompt_scope_beginend", scope::BEGIN_END),
        ("ompt_sync_region_barrier", sync::BARRIER),
        ("ompt_sync_region_barrier_implicit", sync::BARRIER_IMPLICIT),
        ("ompt_sync_region_barrier_explicit", sync::BARRIER_EXPLICIT),
        (
            "ompt_sync_region_barrier_implementation",
            sync::BARRIER_IMPLEMENTATION,
        ),
        ("ompt_sync_region_taskwait", sync::TASKWAIT),
        ("ompt_sync_region_taskgroup", sync::TASKGROUP),
        (
            "ompt_sync_region_barrier_implicit_workshare",
            sync::BARRIER_WORKSHARE,
        ),
        (
            "ompt_sync_region_barrier_implicit_parallel",
            sync::BARRIER_PARALLEL,
        ),
        ("ompt_sync_region_barrier_teams", sync::BARRIER_TEAMS),
        ("ompt_work_sections", works::SECTIONS),
        ("ompt_work_single_executor", works::SINGLE_EXECUTOR),
        ("ompt_work_single_other", works::SINGLE_OTHER),
        ("ompt_work_workshare", works::WORKSHARE),
        ("ompt_work_distribute", works::DISTRIBUTE),
        ("ompt_work_taskloop", works::TASKLOOP),
        ("ompt_work_scope", works::SCOPE),
        ("ompt_dispatch_iteration", kinds::ITERATION),
        ("ompt_dispatch_section", kinds::SECTION),
        ("ompt_dispatch_ws_loop_chunk", kinds::LOOP_CHUNK),
        ("ompt_dispatch_taskloop_chunk", kinds::TASKLOOP_CHUNK),
        ("ompt_dispatch_distribute_chunk", kinds::DISTRIBUTE_CHUNK),
        ("ompt_mutex_lock", mutex::LOCK),
        ("ompt_mutex_nest_lock", mutex::NEST_LOCK),
        ("ompt_mutex_critical", mutex::CRITICAL),
        ("ompt_mutex_atomic", mutex::ATOMIC),
        ("ompt_mutex_ordered", mutex::ORDERED),
        ("ompt_task_explicit", task_flag::EXPLICIT),
        ("ompt_task_taskwait", task_flag::TASKWAIT),
        ("ompt_task_undeferred", task_flag::UNDEFERRED),
        ("ompt_task_complete", task_status::COMPLETE),
        ("ompt_task_cancel", task_status::CANCEL),
        ("ompt_task_detach", task_status::DETACH),
        ("ompt_task_early_fulfill", task_status::EARLY_FULFILL),
        ("ompt_task_late_fulfill", task_status::LATE_FULFILL),
        ("ompt_taskwait_complete", task_status::TASKWAIT_COMPLETE),
        ("ompt_parallel_league", PARALLEL_LEAGUE),
    ];
    for (name, own) in constants {
        assert_eq!(header.numbers.get(name), Some(&i64::from(own)), "{name}");
    }
    // The events are the other test's.
    let source = include_str!("../ompt.rs");
    let declared = source.matches(": c_int = ").count();
    assert_eq!(declared, constants.len() + ALL.len(), "one is not compared");
}

#[test]
fn structures_lie_as_in_the_header() {
    let Some(header) = Header::find() else {
        return;
    };
    for text in [
        "typedef union ompt_data_t { uint64_t value; void *ptr; } ompt_data_t;",
        "typedef struct ompt_dispatch_chunk_t { uint64_t start; uint64_t iterations; } ompt_dispatch_chunk_t;",
        "typedef struct ompt_start_tool_result_t { ompt_initialize_t initialize; ompt_finalize_t finalize; \
         ompt_data_t tool_data; } ompt_start_tool_result_t;",
        "typedef int (*ompt_initialize_t) ( ompt_function_lookup_t lookup, int initial_device_num, \
         ompt_data_t *tool_data );",
        "typedef void (*ompt_finalize_t) ( ompt_data_t *tool_data );",
        "typedef ompt_interface_fn_t (*ompt_function_lookup_t) ( const char *interface_function_name );",
        "typedef ompt_set_result_t (*ompt_set_callback_t) ( ompt_callbacks_t event, \
         ompt_callback_t callback );",
    ] {
        assert!(header.text.contains(text), "{text}");
    }
    assert_eq!(size_of::<Data>(), 8);
    assert_eq!(size_of::<DispatchChunk>(), 16);
    assert_eq!(offset_of!(DispatchChunk, start), 0);
    assert_eq!(offset_of!(DispatchChunk, iterations), 8);
    assert_eq!(size_of::<StartToolResult>(), 24);
    assert_eq!(offset_of!(StartToolResult, initialize), 0);
    assert_eq!(offset_of!(StartToolResult, finalize), 8);
    assert_eq!(offset_of!(StartToolResult, data), 16);
    let _: SetCallback = never;
}

/// Has the type of `ompt_set_callback`; an enumeration of C is passed and returned as an integer.
unsafe extern "C" fn never(_event: c_int, _callback: Callback) -> c_int {
    0
}
