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
    const int64_t loads = ++fibers[now].loads;
    if (loads > counts.most_loads) counts.most_loads = loads;
    for (int64_t at = first; at <= last; at++)
        if ((cells[at].store.thread >= 0 && cells[at].store.when > begun) ||
            (cells[at].atomic.thread >= 0 && cells[at].atomic.when > begun))
            return;
    if (!counts.unstored) counts.unstored = place(code), counts.thread = now, counts.block = blockIdx.x;
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
        return;
    }
    for (int t = 0; t < n_threads; t++)
        if (!has_met(t, reads[at * n_threads + t])) race(access, code, LOAD, t, cell.loaded);
    if (!met_store) {
        Pending& p = pending[n_pending++];
        p = {at, 0, cell.store, code};
        memcpy(&p.was, shared + 4 * at, 4);
    }
    (access == ATOMIC ? cell.atomic : cell.store) = {now, fibers[now].clock, code};
}

// ---- tensors, and the check of any access

static void count(Tensor& tensor, int64_t offset, int size, int access) {
    if (size > counts.widest) counts.widest = size;
    if (access != STORE) tensor.read += size;
    if (access == LOAD) return;
    tensor.written += size;
    stored = true;
    for (int64_t e = offset / 4; e < (offset + size + 3) / 4; e++) {
        tensor.shared += access == STORE && tensor.owner[e] >= 0 && tensor.owner[e] != (int)blockIdx.x;
        counts.stored_again += access == STORE && tensor.owner[e] >= 0;
        tensor.owner[e] = blockIdx.x;
    }
}

static void before(const void* address, int size, int access, uint64_t code, bool aligned = true) {
    if (!running) return;
    settle();
    const char* from = (const char*)address;
    event.access = access;
    event.size = size;
    event.tensor = -1;
    if (from >= shared && from + size <= shared + shared_bytes) {
        const int64_t first = (from - shared) / 4, last = (from + size - 1 - shared) / 4;
        for (int64_t at = first; at <= last; at++) touch(at, access, code);
        if (access == LOAD) note_load(first, last, code);
    } else if ((from < fibers[now].stack || from >= fibers[now].stack + STACK_BYTES) &&
               ((uint64_t)from < module_begin || (uint64_t)from >= module_end)) {
        for (Tensor& tensor : tensors)
            if (tensor.base && from >= tensor.base - WINDOW / 2 && from < tensor.base + WINDOW / 2) {
                event.tensor = &tensor - tensors;
                event.offset = from - tensor.base;
            }
        if (event.tensor < 0) stop(NOWHERE, code);
        Tensor& tensor = tensors[event.tensor];
        if (event.offset < 0 || event.offset + size > tensor.bytes) stop(OUTSIDE, code);
        count(tensor, event.offset, size, access);
    }
    if (aligned && (uint64_t)from % size) stop(MISALIGNED, code);
}

// ---- the callbacks that the sanitizers' libraries would provide

#define CODE ((uint64_t)__builtin_return_address(0) - 1)
#define SIZED(n)                                                                                        \
    extern "C" void __tsan_read##n(void* at) { before(at, n, LOAD, CODE); }                             \
    extern "C" void __tsan_write##n(void* at) { before(at, n, STORE, CODE); }                           \
    extern "C" void __tsan_unaligned_read##n(void* at) { before(at, n, LOAD, CODE, false); }            \
    extern "C" void __tsan_unaligned_write##n(void* at) { before(at, n, STORE, CODE, false); }
SIZED(1) SIZED(2) SIZED(4) SIZED(8) SIZED(16)
extern "C" void __tsan_read_range(void* at, size_t size) { before(at, size, LOAD, CODE, false); }
extern "C" void __tsan_write_range(void* at, size_t size) { before(at, size, STORE, CODE, false); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void**, void*) {}

template <class T>
static T add(T* where, T value, uint64_t code) {
    before(where, 4, ATOMIC, code);
    const T old = *where;
    *where = old + value;
    return old;
}
extern "C" float cpu_add_float(float* where, float value) { return add(where, value, CODE); }
extern "C" int cpu_add_int(int* where, int value) { return add(where, value, CODE); }

extern "C" void __ubsan_handle_out_of_bounds(void*, uint64_t index) {
    if (!running) return;
    event.offset = (int64_t)index;
    stop(BOUNDS, CODE);
}
