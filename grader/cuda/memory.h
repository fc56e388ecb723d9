// Checks every access to memory before it happens.
#pragma once
#include "state.h"

// ---- shared memory: after a store by one thread, another thread may access it only once the two have synchronised

static bool has_met(int other, uint32_t when) {
    if (other < 0 || other == now || when <= met) return true;
    return other / LANES == now / LANES && when <= fibers[now].known[other % LANES];
}

static void race(int access, uint64_t code, int other_access, int other, uint64_t other_code) {
    event.access = access;
    event.other_access = other_access;
    event.other = other;
    event.other_code = place(other_code);
    stop(RACE, code);
}

// Two threads may store the same value without synchronisation. The values can be compared only after the second store.
static void settle() {
    const int n = n_pending;
    n_pending = 0;
    for (int i = 0; i < n; i++) {
        const Pending& p = pending[i];
        if (memcmp(&p.was, shared + 4 * p.cell, 4)) race(STORE, p.code, STORE, p.first.thread, p.first.code);
    }
}

// Notes a load of shared memory without a store. It does not stop the kernel, which may discard the value. A load
// counts only if none of its cells was stored to, because the padding of a struct never is.
static void note_load(int64_t first, int64_t last, uint64_t code) {
    const int64_t loads = fibers[now].loads += last - first + 1;
    if (loads > counts.most_loads) counts.most_loads = loads;
    for (int64_t at = first; at <= last; at++)
        if ((cells[at].store.thread >= 0 && cells[at].store.when > begun) ||
            (cells[at].atomic.thread >= 0 && cells[at].atomic.when > begun))
            return;
    if (!counts.unstored) counts.unstored = place(code), counts.thread = now, counts.block = block;
}

static void note_store() {
    Fiber& fiber = fibers[now];
    if (fiber.stored == fiber.clock) return;
    counts.thread_steps++;
    counts.warp_steps += warp_stored[now / LANES] != fiber.clock;
    warp_stored[now / LANES] = fiber.stored = fiber.clock;
}

static void touch(int64_t at, int access, uint64_t code) {
    Cell& cell = cells[at];
    const bool met_store = has_met(cell.store.thread, cell.store.when);
    if (access != ATOMIC && !has_met(cell.atomic.thread, cell.atomic.when))
        race(access, code, STORE, cell.atomic.thread, cell.atomic.code);
    if (access != STORE && !met_store) race(access, code, STORE, cell.store.thread, cell.store.code);
    if (access == LOAD) {
        reads[at * n_threads + now] = fibers[now].clock;
        cell.loaded = code;
        if (fibers[now].clock > cell.read) cell.read = fibers[now].clock;
        return;
    }
    for (int t = 0; t < n_threads && cell.read > met; t++)
        if (!has_met(t, reads[at * n_threads + t])) race(access, code, LOAD, t, cell.loaded);
    if (!met_store) {
        Pending& p = pending[n_pending++];
        p = {at, 0, cell.store, code};
        memcpy(&p.was, shared + 4 * at, 4);
    }
    (access == ATOMIC ? cell.atomic : cell.store) = {now, fibers[now].clock, code};
    if (access == ATOMIC && ++cell.served > counts.most_atomics) counts.most_atomics = cell.served;
}

static void watch(const char* from, int size, int access, uint64_t code) {
    if (block != first_block || n_watched == most_watched) return;
    watched[n_watched++] = {place(code), from - shared, now, size, access, fibers[now].clock};
}

// ---- the check of any access

// aligned: the type of the access says that the address is a multiple of the size. Without that a GPU moves no more than
// an element at a time. WIDE_TELLS: whether the instructions that move a struct of more than 16 bytes say so; where they
// do not, its address tells.
#ifdef __x86_64__
constexpr bool WIDE_TELLS = true;
#else
constexpr bool WIDE_TELLS = false;
#endif
static void count(Tensor& tensor, int64_t offset, int64_t size, int access, bool aligned) {
    const bool by_place = !WIDE_TELLS && size > 16 && offset % 16 == 0;
    const int64_t width = aligned ? size : by_place ? 16 : size < 4 ? size : 4;
    if (width > counts.widest) counts.widest = width;
    if (access != STORE) {
        tensor.read += size;
        const int64_t read = fibers[now].read += size;
        if (read > counts.most_read) counts.most_read = read;
    }
    for (int64_t e = offset / 4; access == LOAD && e < (offset + size + 3) / 4; e++) {
        int32_t& owner = tensor.owner[e];
        counts.narrow += (width < 16 && owner == UNREAD) - (width >= 16 && owner == NARROW);
        if (owner < 0) owner = width >= 16 ? WIDE : owner == UNREAD ? NARROW : owner;
    }
    if (access == LOAD) return;
    tensor.written += size;
    stored = true;
    for (int64_t e = offset / 4; e < (offset + size + 3) / 4; e++) {
        tensor.shared += access == STORE && tensor.owner[e] >= 0 && tensor.owner[e] != block;
        counts.stored_again += access == STORE && tensor.owner[e] >= 0;
        tensor.owner[e] = block;
    }
}

// The number of the tensor at an address or around it, -1 if there is none.
static int tensor_at(const char* from) {
    for (int i = 0; i < MOST_TENSORS; i++)
        if (tensors[i].base && from >= tensors[i].base - WINDOW / 2 && from < tensors[i].base + WINDOW / 2) return i;
    return -1;
}

static bool within(uint64_t from, int64_t size, const Range& range) { return from >= range.from && from + size <= range.to; }

static bool constant(uint64_t from, int64_t size) {
    for (int i = 0; i < n_readable; i++)
        if (within(from, size, readable[i])) return true;
    return false;
}

static void before(const void* address, int64_t size, int access, uint64_t code, bool aligned = true) {
    const char* from = (const char*)address;
    if (!running) return;
    if (++fibers[now].steps > most_steps) {
        event.offset = fibers[now].steps;
        stop(ENDLESS, code);
    }
    settle();
    event.access = access;
    event.size = size;
    event.tensor = -1;
    if (from >= shared && from + size <= shared + shared_bytes) {
        const int64_t first = (from - shared) / 4, last = (from + size - 1 - shared) / 4;
        for (int64_t at = first; at <= last; at++) touch(at, access, code);
        if (access == LOAD) note_load(first, last, code);
        if (access == STORE) note_store();
        if (watched) watch(from, size, access, code);
    } else if (from >= fibers[now].stack && from + size <= fibers[now].stack + STACK_BYTES) {
        if (access != LOAD && from + size > fibers[now].top) stop(NOWHERE, code);
    } else if (within((uint64_t)from, size, {module_begin, module_end})) {
        if (access != LOAD) stop(GLOBAL, code);
        if (!constant((uint64_t)from, size)) stop(NOWHERE, code);
    } else {
        event.tensor = tensor_at(from);
        if (event.tensor < 0) stop(NOWHERE, code);
        Tensor& tensor = tensors[event.tensor];
        event.offset = from - tensor.base;
        if (event.offset < 0 || event.offset + size > tensor.bytes) stop(OUTSIDE, code);
        if (aligned && (uint64_t)from % size) stop(MISALIGNED, code);
        count(tensor, event.offset, size, access, aligned);
    }
    if (aligned && (uint64_t)from % size) stop(MISALIGNED, code);
}

// An access that checks.h does not know to have been told of.
extern "C" __attribute__((visibility("hidden"))) void cpu_untold(uint64_t from, int64_t size, int access, uint64_t code, bool aligned) {
    if (!within(from, size, access == LOAD ? told_load : told_store)) before((void*)from, size, access, code, aligned);
}

static void tell(void* at, size_t size, int access, uint64_t code, bool aligned) {
    before(at, size, access, code, aligned);
    (access == LOAD ? told_load : told_store) = {(uint64_t)at, (uint64_t)at + size};
}

// The sanitizer does not tell how a struct is aligned. The instructions that move it do, and each is checked as well.
static void tell_range(void* at, size_t size, int access, uint64_t code) {
    if (!WIDE_TELLS || size <= 16 || tensor_at((const char*)at) < 0) tell(at, size, access, code, false);
}

// ---- the callbacks that the sanitizers' libraries would provide

#define CODE ((uint64_t)__builtin_return_address(0) - 1)
#define SIZED(n)                                                                                        \
    extern "C" void __tsan_read##n(void* at) { tell(at, n, LOAD, CODE, true); }                         \
    extern "C" void __tsan_write##n(void* at) { tell(at, n, STORE, CODE, true); }                       \
    extern "C" void __tsan_unaligned_read##n(void* at) { tell(at, n, LOAD, CODE, false); }              \
    extern "C" void __tsan_unaligned_write##n(void* at) { tell(at, n, STORE, CODE, false); }
SIZED(1) SIZED(2) SIZED(4) SIZED(8) SIZED(16)
extern "C" void __tsan_read_range(void* at, size_t size) { tell_range(at, size, LOAD, CODE); }
extern "C" void __tsan_write_range(void* at, size_t size) { tell_range(at, size, STORE, CODE); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void**, void*) {}

static uint32_t combined(int what, int type, uint32_t old, uint32_t operand, uint32_t compared) {
    const bool less = type == INT ? (int32_t)old < (int32_t)operand : old < operand;
    switch (what) {
        case A_ADD: {
            if (type != FLOAT) return old + operand;
            float a, b;
            memcpy(&a, &old, 4), memcpy(&b, &operand, 4);
            a += b;
            memcpy(&old, &a, 4);
            return old;
        }
        case A_SUB: return old - operand;
        case A_MAX: return less ? operand : old;
        case A_MIN: return less ? old : operand;
        case A_AND: return old & operand;
        case A_OR: return old | operand;
        case A_XOR: return old ^ operand;
        case A_CAS: return old == compared ? operand : old;
        default: return operand;
    }
}
extern "C" unsigned cpu_atomic(int what, int type, void* where, unsigned operand, unsigned compared) {
    before(where, 4, ATOMIC, CODE);
    counts.atomics++;
    uint32_t old, made;
    memcpy(&old, where, 4);
    made = combined(what, type, old, operand, compared);
    memcpy(where, &made, 4);
    return old;
}

// g++ has memcpy and memset copy large structs.
extern "C" void* __wrap_memmove(void* to, const void* from, size_t size) {
    cpu_untold((uint64_t)from, size, LOAD, CODE, false);
    cpu_untold((uint64_t)to, size, STORE, CODE, false);
    return memmove(to, from, size);
}
extern "C" void* __wrap_memcpy(void* to, const void* from, size_t size) {
    cpu_untold((uint64_t)from, size, LOAD, CODE, false);
    cpu_untold((uint64_t)to, size, STORE, CODE, false);
    return memmove(to, from, size);
}
extern "C" void* __wrap_memset(void* to, int value, size_t size) {
    cpu_untold((uint64_t)to, size, STORE, CODE, false);
    return memset(to, value, size);
}

extern "C" void __ubsan_handle_out_of_bounds(void*, uint64_t index) {
    if (!running) return;
    event.offset = (int64_t)index;
    stop(BOUNDS, CODE);
}
