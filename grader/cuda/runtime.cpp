// Runs the blocks of a CUDA kernel on the CPU, one fiber a thread. g++ compiles the kernel for its thread sanitizer,
// and memory.h replaces the sanitizer's library: so every access to memory calls memory.h before it happens. Its
// findings do not depend on the order in which the fibers run.
#undef _FORTIFY_SOURCE  // it refuses jumps between stacks
#include "checks.h"

extern "C" unsigned cpu_index(int which) {
    const int indices[] = {now, block, n_threads, n_blocks};
    return indices[which];
}

extern "C" long long cpu_clock() {
    const uint64_t steps = ++fibers[now].steps;
    counts.clocks++;
    // Later than any reading before, by more or less.
    return open_to.clock + steps * open_to.pace + (steps + now) * 0x9e3779b97f4a7c15u % open_to.pace;
}

// The kernel does not return here: cpu_returns ends its thread. So nothing of this function depends on what a kernel
// leaves on the stack or in registers.
static void body() {
    _setjmp(fibers[now].begin);  // the fiber runs the same thread of the next block, or of the next launch
    kernel(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    abort();
}

static void resume(Fiber& fiber, bool begins) {
    if (_setjmp(scheduler)) return;
    own_stack = {(uint64_t)fiber.stack, (uint64_t)fiber.top};
    if (!fiber.fresh) _longjmp(begins ? fiber.begin : fiber.left, 1);
    fiber.fresh = false;
    ucontext_t begin = blank;
    begin.uc_stack.ss_sp = fiber.stack;
    begin.uc_stack.ss_size = STACK_BYTES;
    begin.uc_link = nullptr;
    makecontext(&begin, body, 0);
    setcontext(&begin);
}

// The order in which the threads of a block get on: warps in an order that is drawn, and the lanes of a warp from its
// first or from its last one. Without a draw, the threads by their numbers.
static void order_threads() {
    const int warps = (n_threads + LANES - 1) / LANES;
    int order[MOST_THREADS / LANES + 1];
    uint64_t drawn = (uint64_t)open_to.order * 0x9e3779b97f4a7c15u + block;
    for (int w = 0; w < warps; w++) {
        drawn = drawn * 6364136223846793005u + 1442695040888963407u;
        const int other = open_to.order ? (drawn >> 33) % (w + 1) : w;
        order[w] = order[other], order[other] = w;
    }
    for (int w = 0, t = 0; w < warps; w++) {
        const int first = order[w] * LANES, count = n_threads - first < LANES ? n_threads - first : LANES;
        const bool back = open_to.order && drawn >> (w % 32) & 1;
        for (int i = 0; i < count; i++) turns[t++] = first + (back ? count - 1 - i : i);
    }
}

static void run_block() {
    order_threads();
    for (size_t i = 0; i < shared_bytes / 4; i++) ((uint32_t*)shared)[i] = open_to.unstored[(i + block) % 2], cells[i].served = 0;
    memset(warp_shuffles, 0, sizeof warp_shuffles), memset(warp_votes, 0, sizeof warp_votes);
    everybody_meets();
    begun = met;
    stored = false;
    for (int t = 0; t < n_threads; t++) {
        Fiber& fiber = fibers[t];
        fiber.wait = RUNNING;
        fiber.loads = fiber.read = fiber.steps = fiber.n_calls = 0;
    }
    int64_t meetings = 0;
    for (int left = n_threads; left > 0;) {
        left = 0;
        for (int i = 0; i < n_threads; i++) {
            now = turns[i];
            if (fibers[now].wait == RUNNING) {
                resume(fibers[now], !meetings);
            }
            left += fibers[now].wait != DONE;
        }
        if (left) meet();
        if (++meetings > most_steps) {
            for (now = 0; fibers[now].wait == DONE;) now++;
            event.spot = fibers[now].spot;
            event.offset = meetings;
            stop(ENDLESS);
        }
    }
    counts.blocks_storing += stored;
}

static void crashed(int signal) { stop(signal == SIGFPE ? DIVISION : CRASH); }

static int find_module(dl_phdr_info* info, size_t, void* function) {
    uint64_t begin = ~0ull, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD) continue;
        const uint64_t from = info->dlpi_addr + part.p_vaddr;
        if (from < begin) begin = from;
        if (from + part.p_memsz > end) end = from + part.p_memsz;
    }
    if ((uint64_t)function < begin || (uint64_t)function >= end) return 0;
    module_begin = begin, module_end = end;
    n_readable = 0;
    uint64_t relocated = 0, constants = 0;  // from the dynamic section to the end of what the loader writes: no variables
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto& part = info->dlpi_phdr[i];
        const uint64_t from = info->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_DYNAMIC) relocated = from;
        if (part.p_type == PT_GNU_RELRO) constants = from + part.p_memsz;
        if (part.p_type == PT_TLS) shared = (char*)info->dlpi_tls_data, shared_bytes = part.p_memsz;
    }
    for (int i = 0; i < info->dlpi_phnum && n_readable < 2 * MOST_SEGMENTS - 1; i++) {
        const auto& part = info->dlpi_phdr[i];
        const uint64_t from = info->dlpi_addr + part.p_vaddr, to = from + part.p_memsz;
        // The first segment has the headers and the symbols, and what may run is no constant.
        if (part.p_type != PT_LOAD || part.p_flags & PF_X || !part.p_offset) continue;
        if (relocated < from || relocated >= to) readable[n_readable++] = {from, to};
        else readable[n_readable++] = {from, relocated}, readable[n_readable++] = {constants, to};
    }
    return 1;
}

// Reserves addresses without any right of access.
static char* reserve(size_t bytes) {
    void* made = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) abort();
    return (char*)made;
}

// Memory for a tensor of the next launch, in the middle of its window.
extern "C" char* cpu_tensor(int index, int64_t bytes) {
    static char* windows[MOST_TENSORS];
    if (!windows[index]) windows[index] = reserve(WINDOW);
    if (bytes >= (int64_t)WINDOW / 2) abort();
    Tensor& tensor = tensors[index];
    free(tensor.owner);
    tensor = {windows[index] + WINDOW / 2, bytes, 0, 0, 0, (int32_t*)malloc(bytes + 4)};
    mprotect(tensor.base, bytes + 1, PROT_READ | PROT_WRITE);
    memset(tensor.owner, -1, bytes + 4);
    return tensor.base;
}

static void prepare(int threads) {
    static char* stacks = reserve(MOST_THREADS * 2 * STACK_BYTES);
    static int accessible = 0;
    free(cells), free(reads);
    cells = (Cell*)calloc(shared_bytes / 4 + 1, sizeof(Cell));
    reads = (uint32_t*)calloc((shared_bytes / 4 + 1) * threads, 4);
    if (!fibers) fibers = (Fiber*)calloc(MOST_THREADS, sizeof(Fiber)), calls = (Return*)calloc(MOST_THREADS * MOST_CALLS, sizeof(Return));
    getcontext(&blank);
    for (size_t i = 0; i <= shared_bytes / 4; i++) cells[i].store.thread = cells[i].atomic.thread = -1;
    for (int t = 0; t < threads; t++) {
        fibers[t].fresh = fibers[t].wait != DONE;
        fibers[t].clock = fibers[t].stored = 0;
        memset(fibers[t].known, 0, sizeof fibers[t].known);
        // As much as one function can take at once stays inaccessible below each stack.
        fibers[t].stack = stacks + (2 * t + 1) * STACK_BYTES;
        fibers[t].top = fibers[t].stack + STACK_BYTES;
        if (t >= accessible) mprotect(fibers[t].stack, STACK_BYTES, PROT_READ | PROT_WRITE);
    }
    if (threads > accessible) accessible = threads;
    n_threads = threads;
    most_steps = STEPS;
    for (const Tensor& tensor : tensors) most_steps += STEPS_AN_ELEMENT * tensor.bytes / 4;
    n_pending = met = 0;
    counts = {};
    memset(warp_stored, 0, sizeof warp_stored);
    event = {};
    told_load = told_store = {};
}

// Runs a kernel of up to six pointers and integers, after cpu_tensor for each tensor. order: the blocks in their order.
// Returns the fault (What) that stopped it, or 0.
extern "C" int cpu_launch(void* function, void* (*anchor)(), const int64_t* given, int blocks, int threads, const int* order) {
    static char aside[STACK_BYTES];
    anchor();
    dl_iterate_phdr(find_module, function);
    prepare(threads);
    if (shared_bytes > MOST_SHARED) {
        event.offset = shared_bytes;
        return event.what = TOO_MUCH;
    }
    kernel = (decltype(kernel))function;
    memcpy(arguments, given, sizeof arguments);
    n_blocks = blocks;
    first_block = order[0];
    n_watched = 0;
    const stack_t ours = {aside, 0, STACK_BYTES};
    stack_t theirs;
    struct sigaction catches = {}, before_fpe, before_segv;
    catches.sa_handler = crashed;
    catches.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaltstack(&ours, &theirs);
    sigaction(SIGFPE, &catches, &before_fpe);
    sigaction(SIGSEGV, &catches, &before_segv);
    if (!sigsetjmp(failed, 1)) {
        running = true;
        for (int b = 0; b < blocks; b++) {
            block = order[b];
            run_block();
        }
        running = false;
    }
    sigaction(SIGFPE, &before_fpe, nullptr);
    sigaction(SIGSEGV, &before_segv, nullptr);
    sigaltstack(&theirs, nullptr);
    return event.what;
}
