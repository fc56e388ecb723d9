// What is known of a launch while it runs: its tensors, the threads of the current block, their shared memory.
#pragma once
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

// host.py has the same list.
enum What { OUTSIDE = 1, NOWHERE, MISALIGNED, RACE, LEFT, APART, ABSENT, SOURCE, NOT_IN_MASK, BOUNDS, DIVISION, CRASH, TOO_MUCH };
enum Wait { RUNNING, BARRIER, WARP, DONE };
enum Access { LOAD, STORE, ATOMIC };
enum Shuffle { SYNC, TO, UP, DOWN, XOR };
constexpr int MOST_THREADS = 1024, LANES = 32, MOST_TENSORS = 6;
constexpr size_t STACK_BYTES = 64 << 10, PAGE = 4096, WINDOW = 64 << 20, MOST_SHARED = 48 << 10;
constexpr uint32_t POISON[] = {0x7f800000, 0x7fc00000};  // inf and NaN: fmaxf passes NaN over

// What host.py reads: the same fields in the same order.
struct Event {
    int32_t what, access, tensor, block, thread, other, other_wait, line, other_line, size, other_access;
    int64_t offset;              // of the access in its tensor, in bytes; the index that is out of bounds; bytes too much
    uint64_t code, other_code;   // addresses of the two instructions, from where the kernel was loaded; 0: unknown
};
struct Tensor {
    char* base;
    int64_t bytes, read, written;
    int64_t shared;  // stores to an element that another block had stored before
    int32_t* owner;  // for each element the block that stored it last, -1: none
};
struct Counts {
    int64_t barriers, warp_operations, blocks_storing, widest;
    int64_t most_loads;     // from shared memory, by one thread in one block
    int64_t stored_again;   // stores to an element that this block or another had stored before
    int64_t unstored, thread, block;  // the first load of shared memory that nobody in its block had stored to: its code
};
struct Fiber {
    ucontext_t context;
    char* stack;
    int wait, line, what, operand, width;
    unsigned mask;
    char value[8];
    int64_t loads;          // from shared memory, in this block
    uint32_t clock;         // how many times it has met others
    uint32_t known[LANES];  // each lane's clock when that lane last met this one, or somebody this one has met
};
struct Cell {  // four bytes of shared memory: who stored to them last, at which clock, by which instruction
    struct By {
        int thread;
        uint32_t when;
        uint64_t code;
    } store, atomic;
    uint64_t loaded;  // the instruction that loaded from them last
};
struct Three {
    unsigned x, y, z;
};

extern "C" {
Three threadIdx, blockIdx, blockDim, gridDim;
Event event;
Tensor tensors[MOST_TENSORS];
Counts counts;
}

static Fiber* fibers;
static int n_threads, now;
static ucontext_t scheduler;
static sigjmp_buf failed;
static bool running, stored;
static uint64_t module_begin, module_end;
static void (*kernel)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
static int64_t arguments[6];

static char* shared;
static size_t shared_bytes;
static Cell* cells;
static uint32_t* reads;  // for each cell, each thread's clock when it last read it; 0: never
static uint32_t met;     // the highest clock when the whole block last met
static uint32_t begun;   // the same, when the block began
static struct Pending {
    int64_t cell;
    uint32_t was;
    Cell::By first;
    uint64_t code;
} pending[4];
static int n_pending;

static uint64_t place(uint64_t code) { return code >= module_begin && code < module_end ? code - module_begin : 0; }

// Leaves all fibers as they are: nobody goes back to them.
static void stop(int what, uint64_t code = 0) {
    event.what = what;
    event.block = blockIdx.x;
    event.thread = now;
    event.code = place(code);
    running = false;
    siglongjmp(failed, 1);
}
