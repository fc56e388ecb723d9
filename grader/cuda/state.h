// The state of a launch: its tensors, the threads of the current block, their shared memory.
#pragma once
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

// report.py has the same numbers.
enum What { OUTSIDE = 1, NOWHERE, MISALIGNED, RACE, LEFT, APART, ABSENT, SOURCE, NOT_IN_MASK, BOUNDS, DIVISION, CRASH, TOO_MUCH, TRAP, GLOBAL, ENDLESS, OFF_THE_END };
enum Wait { RUNNING, BARRIER, WARP, DONE };
enum Access { LOAD, STORE, ATOMIC };
// cuda_on_cpu.h has the same numbers. ACTIVE has no mask: it meets the lanes that have come as far.
enum Shuffle { SYNC, TO, UP, DOWN, XOR, BALLOT, R_ADD, R_MAX, R_MIN, R_AND, R_OR, R_XOR, ACTIVE };
enum Atomic { A_ADD, A_SUB, A_MAX, A_MIN, A_EXCH, A_AND, A_OR, A_XOR, A_CAS };
enum Type { INT, UNSIGNED, FLOAT };
constexpr int MOST_THREADS = 1024, LANES = 32, STEPS_OF_A_WARP = 5, MOST_TENSORS = 6, MOST_CALLS = 256;
constexpr int MOST_SEGMENTS = 8;
constexpr size_t STACK_BYTES = 64 << 10, WINDOW = 64 << 20, MOST_SHARED = 48 << 10;
// Steps of a thread after which a loop cannot be one that ends: a few for each element, and some more. Steps are
// accesses and synchronisations. interpreter/hooks.py has the same numbers.
constexpr int64_t STEPS = 10000, STEPS_AN_ELEMENT = 8;

// host.py, report.py and banks.py read these structs: the same fields in the same order.
struct Event {
    int32_t what, access, tensor, block, thread, other, other_wait, spot, other_spot, size, other_access;
    int64_t offset;              // bytes of the access in its tensor; or the wrong index; bytes of shared memory; steps
    uint64_t code, other_code;   // addresses of the two instructions in the kernel's library; 0: unknown
};
struct Tensor {
    char* base;
    int64_t bytes, read, written;
    int64_t shared;  // stores to an element into which another block had stored
    int32_t* owner;  // for each element the block of its last store; before the first, one of these
};
enum { UNREAD = -1, NARROW = -2, WIDE = -3 };  // NARROW: never loaded with 16 bytes at once
struct Counts {
    int64_t barriers, blocks_storing, widest;
    int64_t shuffles;       // of a warp: lanes got a value of another one; a reduction of all lanes is worth five
    int64_t most_loads;     // words loaded from shared memory by one thread of one block, at most
    int64_t stored_again;   // stores to an element into which this block or another had stored
    int64_t most_read;      // bytes loaded from tensors by one thread of one block, at most
    int64_t narrow;         // elements of tensors that were loaded, and never with 16 bytes at once
    int64_t unstored, thread, block;  // of the first load of shared memory without a store in its block
    // How often a thread, and how often a warp, stored to shared memory between two synchronisations.
    int64_t thread_steps, warp_steps;
    int64_t most_atomics;   // atomics to one word of shared memory in one block, at most
    int64_t most_shuffles;  // shuffles of one warp of one block, at most
    int64_t clocks;         // readings of the clock
    int64_t atomics;        // of all threads
};
struct Open {  // what CUDA leaves open
    uint32_t unstored[2];  // what shared memory holds before a store, in turn
    int64_t clock, pace;   // the clock at the launch, and what it may go on between two readings
    int64_t order;         // draws the order in which the threads of a block get on; 0: by their numbers
};
struct Fiber {
    jmp_buf begin;          // where it begins with the next block
    jmp_buf left;           // where it goes on; a switch by setjmp needs no call of the system
    bool fresh;             // it never ran, or a fault has stopped its last launch
    char* stack;
    char* top;              // the end of what the kernel may store to
    int n_calls;            // of the kernel's functions that have not returned
    int wait, spot, what, operand, width, predicate;
    unsigned mask;
    uint64_t code;          // of its call, where the spot does not say
    char value[8];
    int64_t loads;          // words loaded from shared memory, in this block
    int64_t read;           // bytes loaded from tensors, in this block
    int64_t steps;          // accesses and readings of the clock, in this block
    uint32_t stored;        // its clock at its last store to shared memory
    uint32_t clock;         // logical clock: rises at every synchronisation
    uint32_t known[LANES];  // each lane's clock at its last synchronisation with this one, directly or through others
};
struct Return {  // of a call: the place on the stack, and what stands there
    uint64_t place, to;
};
struct Cell {  // four bytes of shared memory: thread, clock and instruction of the last store and of the last atomic
    struct By {
        int thread;
        uint32_t when;
        uint64_t code;
    } store, atomic;
    uint64_t loaded;  // the instruction of the last load
    uint32_t read;    // the highest clock of a load
    int64_t served;   // atomics in this block
};
struct Watched {  // one access to shared memory, for banks.py
    uint64_t code;
    int64_t offset;
    int32_t thread, size, access;
    uint32_t clock;
};

extern "C" {
Event event;
Tensor tensors[MOST_TENSORS];
Counts counts;
Open open_to;
// The accesses of the thread block that runs first, where somebody asks for them: room for most_watched.
Watched* watched;
int64_t n_watched, most_watched;
}

static Fiber* fibers;
static int n_threads, n_blocks, now, block, first_block, predicates;
static int turns[MOST_THREADS];  // the threads of a block in the order in which they get on
static jmp_buf scheduler;
static ucontext_t blank;
static sigjmp_buf failed;
static bool running, stored;
static int64_t most_steps;  // of a thread, in a block
static uint64_t module_begin, module_end;
static void (*kernel)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
static int64_t arguments[6];

static char* shared;
static size_t shared_bytes;
static Cell* cells;
static uint32_t* reads;  // for each cell and thread, the thread's clock at its last read; 0: none
static uint32_t met;     // the highest clock at the last synchronisation of the whole block
static uint32_t begun;   // the same, at the beginning of the block
static uint32_t warp_stored[MOST_THREADS / LANES];  // the clock at the last store of each warp to shared memory
static int64_t warp_shuffles[MOST_THREADS / LANES];  // of each warp, in this block
// Votes carry the bits of a number as well as a shuffle does: eight of them are a step of a warp, but no shuffle.
static int64_t warp_votes[MOST_THREADS / LANES];
constexpr int VOTES_OF_A_STEP = 8;
static struct Pending {
    int64_t cell;
    uint32_t was;
    Cell::By first;
    uint64_t code;
} pending[4];
static int n_pending;
static Return* calls;  // MOST_CALLS for each thread
struct Range {  // of addresses
    uint64_t from, to;
};
static Range readable[2 * MOST_SEGMENTS];  // of the kernel's library: its constants and variables
static int n_readable;
// checks.h compares an address with these: the bytes of the last load and of the last store that the sanitizer told of,
// and the running thread's own variables.
extern "C" {
__attribute__((visibility("hidden"))) Range told_load, told_store, own_stack;
}

static uint64_t place(uint64_t code) { return code >= module_begin && code < module_end ? code - module_begin : 0; }

// Ends the launch. No fiber is resumed, so they stay as they are.
static void stop(int what, uint64_t code = 0) {
    event.what = what;
    event.block = block;
    event.thread = now;
    event.code = place(code);
    running = false;
    siglongjmp(failed, 1);
}
