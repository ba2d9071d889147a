// What the C++ shim offers to the Rust part of the pass: the LLVM analyses that the C API lacks.
//
// Begin with plugin.cpp, which hooks into clang's pipeline; analysis.h is what the other files share. All files are
// compiled as one unit, since LLVM's headers take most of the time, so names of static functions must differ.
#pragma once
#include <llvm-c/Types.h>
#include <stdint.h>

extern "C" {

struct PsAnalysis; // analyses of one function, valid until the function is changed

struct PsLoop {
  LLVMBasicBlockRef header, preheader, latch; // preheader or latch null: not in simplified form
  int32_t parent;                             // index of the enclosing loop, or -1
  uint32_t depth;                             // 1 for outermost
  uint32_t line, column, end_line;            // 0 when unknown
  uint32_t dedicated_exits;                   // whether exit blocks have predecessors in the loop only
};

// One header phi that is an affine induction variable, with the chain of updates that leads back to it.
struct PsInduction {
  uint32_t loop;
  LLVMValueRef phi;
  LLVMValueRef updates[4]; // null-terminated unless full
  int32_t stated;          // the variable of a `do` of Fortran
};

// Entry points, in Rust.
void ps_pass_prepare(LLVMModuleRef module);
void ps_pass_run(LLVMModuleRef module, void *analyses);
void ps_pass_vectorized(LLVMModuleRef module);

// Marks the instructions of loop headers with the loop's place in the source, which branches may lose before the
// analysis.
void ps_mark_loops(LLVMModuleRef module);
void ps_unmark_loops(LLVMModuleRef module);

// Gives loops a property that says where they come from; behind the optimizer, tells of each that is left in native
// code, or vectorized anywhere: symbol of its function, line, column, and whether it is vectorized.
void ps_mark_origins(LLVMModuleRef module);
typedef void (*PsTellVectorized)(void *context, const char *name, size_t length, uint32_t line, uint32_t column, int32_t vectorized);
void ps_tell_vectorized(LLVMModuleRef module, void *context, PsTellVectorized tell);

// Analyses.
PsAnalysis *ps_analyze(void *analyses, LLVMValueRef function);
void ps_analysis_free(PsAnalysis *);
uint32_t ps_loop_count(PsAnalysis *); // outer loops before inner ones
void ps_loop(PsAnalysis *, uint32_t index, PsLoop *out);
uint32_t ps_loop_blocks(PsAnalysis *, uint32_t index, LLVMBasicBlockRef *out, uint32_t cap);
uint32_t ps_loop_exits(PsAnalysis *, uint32_t index, LLVMBasicBlockRef *out, uint32_t cap);
// Exiting blocks whose branch tests an affine recurrence of the loop against an invariant value.
uint32_t ps_loop_counted_exits(PsAnalysis *, uint32_t index, LLVMBasicBlockRef *out, uint32_t cap);
// Loads of a counted exit's bound, if that lies in memory that the loop may write.
uint32_t ps_bound_loads(PsAnalysis *, uint32_t index, LLVMBasicBlockRef block, LLVMValueRef *out, uint32_t cap);
// Whether a function is one of Fortran.
int32_t ps_is_fortran(LLVMValueRef function);
uint32_t ps_inductions(PsAnalysis *, PsInduction *out, uint32_t cap);
// Accesses of loop `index` to the object that `load` and `store` update, or UINT32_MAX if that is no reduction. See
// analysis.cpp.
uint32_t ps_other_accesses(PsAnalysis *, uint32_t index, LLVMValueRef load, LLVMValueRef store, const LLVMValueRef *family,
                           uint32_t members, LLVMValueRef *out, uint32_t cap);
// Whether two loads read the same address (by ScalarEvolution).
int32_t ps_same_load(PsAnalysis *, LLVMValueRef a, LLVMValueRef b);
// Whether two addresses are the same (by ScalarEvolution).
int32_t ps_same_address(PsAnalysis *, LLVMValueRef a, LLVMValueRef b);
// Whether an address is the same in every iteration of the loop, wherever it is computed.
int32_t ps_constant_address(PsAnalysis *, uint32_t index, LLVMValueRef address);
// Whether at most one iteration of each instance of a loop comes to a block: it compares the loop's index with what
// stays the same.
int32_t ps_once(struct PsAnalysis *, uint32_t loop, LLVMBasicBlockRef block);
// Whether the address is invariant in the loop.
int32_t ps_invariant(PsAnalysis *, uint32_t index, LLVMValueRef value);
// Whether the address steps affinely in every loop from `inner` out to `outer`, so that no two iterations share it.
int32_t ps_steps_everywhere(PsAnalysis *, uint32_t inner, uint32_t outer, LLVMValueRef address);
// Whether the address is an affine recurrence of this very loop.
int32_t ps_steps_apart(PsAnalysis *, uint32_t index, LLVMValueRef store);
// Constant number of iterations, 0 when unknown.
uint32_t ps_constant_trips(PsAnalysis *, uint32_t index);
// Whether two memory instructions never touch the same bytes, in whatever iterations.
int32_t ps_never_alias(PsAnalysis *, LLVMValueRef a, LLVMValueRef b);
// 0 no alias, 1 may, 2 must alias, for two memory instructions within one iteration.
int32_t ps_alias(PsAnalysis *, LLVMValueRef a, LLVMValueRef b);

// Facts (facts.cpp).
// What an address is a constant number of bytes (*offset) behind.
LLVMValueRef ps_constant_base(LLVMModuleRef module, LLVMValueRef address, int64_t *offset);
int32_t ps_strict_access(LLVMValueRef load_or_store); // has a TBAA type other than char
int32_t ps_strict_copy(LLVMValueRef copy);            // all fields of what is copied have one
int32_t ps_reads_vtable(LLVMValueRef instruction);    // loads the pointer to a table of virtual functions, or from that
                                                      // table
// Whether the integer variable that a value is of, or the elements of the one an address is of, are signed in the
// source; -1: not known.
int32_t ps_is_signed(LLVMValueRef value);
// Member of the structure to which the pointer leads that `pointer` loads from a global variable.
uint32_t ps_member_through(LLVMValueRef address, LLVMValueRef pointer, char *out, uint32_t cap);
// Of a value, or of what lies at an address, as a function reaches it: `at`, or that of the instruction `at`.
uint32_t ps_variable_name(LLVMValueRef value, LLVMValueRef at, char *out, uint32_t cap);
// Variables that hold a value, one a line, those of functions inlined here last.
uint32_t ps_declared_line(LLVMValueRef slot);
// The one global variable of a function's module with this name in the source that is declared on this line, or null.
LLVMValueRef ps_global_named(LLVMValueRef function, const char *name, uint32_t length, uint32_t line);
// In Rust: whether a function of this name is the library's and keeps none of the addresses that it gets.
int32_t ps_keeps_nothing(const char *name, size_t length);
uint32_t ps_variable_names(LLVMValueRef value, char *out, uint32_t cap);
// Whether all that a loop writes to the function's variables of this name it writes in memory.
int32_t ps_shows(struct PsAnalysis *, uint32_t loop, const char *name, uint32_t length);
// What a function (as above) finds at an address that a variable holds or lies at, or at a part of it; with & behind it
// if a reference lies there.
uint32_t ps_place_name(LLVMValueRef address, LLVMValueRef at, int32_t inlined, char *out, uint32_t cap);
uint32_t ps_block_max_line(LLVMBasicBlockRef block);
int32_t ps_is_tail_must(LLVMValueRef call);
int32_t ps_returns_twice(LLVMValueRef call);
// Whether a variable is the module's own and keeps what it begins with, so that the optimizer takes it for a constant:
// as long as no address of it is in code of ours.
LLVMBool ps_is_only_read(LLVMValueRef global);

// Stack slots of variables that are declared in the body of a loop.
uint32_t ps_declared_inside(struct PsAnalysis *, uint32_t loop, LLVMValueRef *out, uint32_t cap);

struct PsRange {
  LLVMValueRef access, start, stride; // a load or store; its address in the first iteration; bytes to that in the next
                                      // (64 bits)
  uint32_t conditional;               // some iterations may do without
};
// What a loop loads in every iteration from where it stores nothing (addresses of arrays, bounds) its other
// instructions take from a load in front of it, so that addresses and the number of iterations can be known there. The
// loads in the loop stay.
void ps_load_before(LLVMValueRef function, void *analyses);
// Accesses of an innermost loop at addresses that follow from the first iteration's, in the order of the program, but
// for those that others of the loop may meet; 0 where there are none in every iteration. Puts their first addresses (64
// bits) and the number of iterations (64 bits) at the end of the preheader. `alone`: the loop reports nothing else than
// these and its iterations.
uint32_t ps_ranges(struct PsAnalysis *, uint32_t loop, LLVMValueRef *count, uint32_t *alone, struct PsRange *out, uint32_t cap);

// How an address moves from an iteration of a loop to the next, ordered by how little is known.
enum PsStepKind {
  PS_SAME,      // it does not
  PS_BY,        // by so many bytes
  PS_MOVES,     // by a number of bytes that is not constant
  PS_IRREGULAR, // as something that was loaded says, or in another way that follows from nothing
};
struct PsStep {
  uint32_t kind;
  int64_t by;
};
#define PS_STREAM_LOOPS 8
// Loads and stores of a loop that start from the same address and move alike.
struct PsStream {
  LLVMValueRef access; // the first of them
  LLVMValueRef base;   // what their addresses start from
  uint32_t bytes;      // of each
  uint32_t reads, writes;
  uint32_t loops; // of which the steps are: the loop itself, then those around it
  struct PsStep steps[PS_STREAM_LOOPS];
};
// Of a loop without those inside it, in the order of the program; accesses that never move are left out, and what finds
// no room.
uint32_t ps_streams(struct PsAnalysis *, uint32_t loop, struct PsStream *out, uint32_t cap);
// Whether a loop, or one inside it, may write to the function's own frame at places that other iterations write to as
// well, or to that of a function that it calls.
int32_t ps_writes_to_frame(struct PsAnalysis *, uint32_t loop);

// An internal copy of a function with label tables of its own; null if they cannot be copied.
LLVMValueRef ps_clone_body(LLVMValueRef function);
// `parascan_abi::deps::AccessReport`.
struct PsReport {
  uint32_t site, bytes;
  int32_t offset;
  uint16_t how;
  uint8_t base, last;
};
// The module's reports; `tell` takes one more of them.
struct PsReports {
  LLVMValueRef table;
  uint32_t count;
  void *context;
  void (*tell)(void *context, const struct PsReport *);
};
// The function reports accesses and iterations only while the 32-bit `idle` is 0, and those of `calls` only where the
// 32-bit value of the same index in `known` is 0. Accesses that come together (`__ps_deps_access`) are one call, of
// which the table has what is known.
void ps_guard_reports(LLVMValueRef function, LLVMValueRef idle, const LLVMValueRef *calls, const LLVMValueRef *known, uint32_t count,
                      struct PsReports *reports);
// At its entry, the function calls `other`, of the same type, in place of itself if the 32-bit `mode` is not 0.
void ps_choose_body(LLVMValueRef function, LLVMValueRef mode, LLVMValueRef other);

// Native versions of functions, and copies that go on in their middle. See versions.cpp.
typedef void (*PsTellPlace)(void *context, uint32_t index, uint32_t way, const LLVMValueRef *live, const uint8_t *here, uint32_t count);
struct PsBuffer { // where the number of a place and values lie meanwhile
  LLVMValueRef state;
  uint64_t number, offset, size;
  uint64_t native, depth; // `native`: not 0 while functions run their native versions; `depth` is `new_thread` in
                          // threads that the runtime has not seen
  int64_t new_thread;
};
// The function becomes that choice and nothing else, and its body a function of its own, which is called if that is 0.
void ps_choose_version(LLVMValueRef function, const struct PsBuffer *where, LLVMValueRef native);
struct PsCount { // counter number `counter` counts how often...
  uint32_t kind; // 0: the function is called; 1: control leaves `block`; 2: comes to it; 3: comes to it, the header of
                 // a loop that is never left but by its exits; 4: comes to `instruction`
  uint32_t counter;
  uint32_t ahead; // of kind 3: the counter that tells how many checks the last instance was; UINT32_MAX: none
  LLVMBasicBlockRef block;
  LLVMValueRef instruction;
};
struct PsSite { // while a call goes on, the regions of this list are open
  LLVMValueRef call, list;
};
struct PsCounters {
  LLVMValueRef first; // of all of the module
  const struct PsCount *list;
  uint64_t count;
  const struct PsSite *sites;
  uint64_t site_count;
  uint64_t unseen; // checks that a loop without an instance so far counts for (counting.cpp)
};
// How far versions of a function can go on for each other: it has but one; they are chosen where it is called; in its
// middle as well (division.cpp).
enum PsDivision { PsNever, PsAtEntry, PsAnywhere };
int32_t ps_division(LLVMValueRef function);
void ps_prepare_versions(LLVMValueRef function);
void ps_mark_folded(LLVMValueRef function);
LLVMValueRef ps_versions(LLVMValueRef function, const LLVMBasicBlockRef *chains, const uint32_t *counts,
                         const LLVMBasicBlockRef *looks, uint32_t count, LLVMValueRef left, LLVMValueRef turn, LLVMValueRef turn_before,
                         const PsBuffer *where, int32_t at_entry, const PsCounters *counters,
                         LLVMValueRef *on, void *context, PsTellPlace tell);
// Tells the runtime of the calls of a function's tracked version. See sites.cpp.
void ps_label_tracked(LLVMValueRef function);
void ps_mark_written(LLVMValueRef function, LLVMBool alone);
void ps_near(LLVMModuleRef module);
LLVMValueRef ps_enter_helper(LLVMModuleRef module);
void ps_go_on(LLVMValueRef end, LLVMValueRef to, uint32_t number, const PsBuffer *where, const LLVMValueRef *live, const uint8_t *here,
              uint32_t count, LLVMValueRef resumed);
void ps_ways_in(LLVMValueRef function, LLVMValueRef take, LLVMValueRef behind, LLVMValueRef which, const LLVMValueRef *ends,
                const LLVMValueRef *live, const uint32_t *live_counts, uint32_t count, const uint32_t *numbers, const uint32_t *of,
                const LLVMBasicBlockRef *chains, const uint32_t *counts, uint32_t place_count, const PsBuffer *where);

// What loops do with the variables of the source, before preparation; lists that live as long as the handle. See
// source.cpp.
struct PsSource;
struct PsText {
  const char *start; // not terminated
  uint32_t length;
};
struct PsList {
  const void *start;
  uint32_t length;
};
struct PsSourceBlock {
  uint32_t unwinding; // whether an exception enters it
  uint32_t line;      // first source line in it, 0 when none
  uint32_t catches;   // whether exceptions are caught there
};
struct PsSourceVariable {
  PsText name, type;              // type: name of a structure or class
  uint32_t line;                  // of the declaration
  uint32_t shape;                 // 0 scalar, 1 pointer or reference, 2 array, 3 structure, class or union
  uint32_t global, artificial, constant, is_volatile, is_restrict;
  uint32_t is_integer;            // 1, or 2 without a sign
  uint32_t local_static;          // a global that is declared in a function
  uint32_t wide;                  // a complex number or integer of more than 64 bits
  uint32_t unusable;              // a global that no clause can name: a member of a class, of a template, of a union
                                  // without a name; in templates and lambdas
  uint32_t parts;                 // types of the numbers and pointers that a local consists of: bits, see `bit` in
                                  // types.cpp
  uint32_t uncopied;              // of a C++ class of which clauses may not be able to make objects, copy or assign
                                  // them
  uint32_t infinite;              // a number: 1 set to an infinite constant, 2 not so, 3 other functions set it to what
                                  // is not constant
  uint32_t unshared;              // a global whose address no one but its own loads and stores in this module can have
  uint32_t alone;                 // such a global that this function alone uses, of which there is one activation at a
                                  // time
  uint32_t is_reference;
  uint32_t dummy;                 // a dummy argument of Fortran: it lies in its caller's memory
  uint32_t target;                // of a pointer or reference: 1 it leads to a number that clauses reduce, 3 a
                                  // structure that can be copied
  uint64_t bytes, elements;       // 0 when not known
  uint32_t allocated;             // a local pointer: its function takes the memory to which it leads in this block;
                                  // UINT32_MAX: not so
  uint32_t length;                // the variable that says of how many elements that is, UINT32_MAX: none
  uint64_t target_bytes;          // of what such a pointer leads to
  int64_t length_offset;          // added to that
};
enum { PS_READ, PS_WRITE, PS_ESCAPE, PS_CALL, PS_LIFETIME, PS_THREAD_LOCAL, PS_ALLOCA, PS_NAMELESS };
struct PsSourceAccess {
  PsText name;                    // PS_CALL, PS_ESCAPE into one: the function, empty when not known; PS_THREAD_LOCAL:
                                  // the variable
  PsText member;                  // of a structure, where it is exactly one number; of a call through a pointer `*`
                                  // and the variable that has it; `=` of a call that becomes a part of this function
                                  // (accessors.cpp); of another one of a function of the program with a mangled name:
                                  // that; of inline assembly: these words
  uint32_t block, kind, line;     // in the order of execution within a block
  uint32_t variable;              // UINT32_MAX: none that has a name
  uint32_t pointee;               // through the pointer that the variable holds
  uint32_t temporary, library, declared, no_return;
  uint32_t inlined;               // what it does may be done in its caller's registers
  uint32_t accessor;              // a small function that only reads, and gives back a number
  uint32_t constant;              // PS_WRITE: of a finite constant
  uint32_t kept;                  // a function of the program that may keep or give back the address; PS_READ of a
                                  // pointer to memory that is `allocated`: something else may lead there as well
  uint32_t followed;              // PS_READ of a pointer: it is used for nothing but to access what it leads to
  uint32_t type;                  // 0, or accesses of other such types lie elsewhere
  uint32_t parts;                 // of what types it may be: bits as in PsSourceVariable
  uint32_t first_step, steps;     // subscripts that are not constant
  uint32_t way;                   // the variable from which pointers in members lead there, UINT32_MAX: none, or
                                  // another way
  int64_t offset;                 // in the variable, -1 when not constant
  uint64_t bytes;                 // 0 when not known
};
struct PsSourceStep {
  uint32_t variable; // UINT32_MAX: another expression
  uint32_t bounded;  // whether it is a subscript of an array of known length, not of a pointer
  uint64_t stride; // bytes
  int64_t offset;
  uint64_t divisor;             // 0: nothing is known of the rest, which is `Fold` in analysis.h
  uint64_t modulus;
  uint32_t first, inner, outer; // in the list of members: pairs of variables and factors, then variables
};
struct PsSourceLoop {
  PsText file, directory;
  uint32_t header, line, column, end_line, end_column;
  uint32_t first_block, blocks;   // in the list of members
  uint32_t first_inside, inside;  // the same: variables declared in the loop
  uint32_t index;                 // variable that goes through so many consecutive numbers before the loop ends,
                                  // UINT32_MAX: none
  uint64_t trips;
};
struct PsSourceLists {
  PsList edges, blocks, variables, accesses, steps, loops, members; // edges: pairs of block numbers; members: uint32_t
};
PsSource *ps_source(LLVMValueRef function, PsSourceLists *out);
void ps_source_free(PsSource *);
// Of a function of the library: lines of the program's calls that lead to it, each with the symbol of the function that
// it stands in ("17 main\n"); nothing where they do not fit.
uint32_t ps_callers(LLVMValueRef function, char *out, uint32_t cap);
// Whether a module has an infinite number anywhere (infinities.cpp).
uint32_t ps_has_infinite(LLVMModuleRef module);

// Changes.
void ps_promote_allocas(LLVMValueRef function, LLVMValueRef *allocas, uint32_t count);
void ps_append_ctor(LLVMModuleRef module, LLVMValueRef function, int32_t priority);
void ps_append_dtor(LLVMModuleRef module, LLVMValueRef function, int32_t priority);
void ps_strip_debug(LLVMModuleRef module);
void ps_strip_lines(LLVMValueRef function);
void ps_strip_memory_attributes(LLVMModuleRef module);
void ps_add_scope_metadata(LLVMModuleRef module, LLVMValueRef inst, uint32_t scope, int32_t own);
int32_t ps_is_presplit_coroutine(LLVMValueRef function);
void ps_verify(LLVMModuleRef module);
// An internal copy of a function.
LLVMValueRef ps_clone_internal(LLVMValueRef function);
// Splits the block before `before` and inserts an unlikely `if (condition) {}`; returns the inner block's terminator.
LLVMValueRef ps_split_if(LLVMValueRef condition, LLVMValueRef before);
// The same for a likely `if (condition) {} else {}`, with both terminators.
void ps_split_if_else(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef ends[2]);
}
