// Synchronisation of threads: barriers of a block, operations of a warp. Threads "meet" when they synchronise.
#pragma once
#include "memory.h"

static void leave(int wait) {
    settle();
    told_load = told_store = {};
    fibers[now].wait = wait;
    if (!_setjmp(fibers[now].left)) _longjmp(scheduler, 1);
}

// spot: the line << 12 | the column of a call; the column is 0 where g++ does not know it, and then the code tells.
static void waits_at(int spot, uint64_t code) {
    fibers[now].spot = spot;
    fibers[now].code = spot & 4095 ? 0 : code;
}

static bool same_spot(const Fiber& a, const Fiber& b) { return a.spot == b.spot && a.code == b.code; }

extern "C" int cpu_barrier(int predicate, int spot) {
    waits_at(spot, CODE);
    fibers[now].predicate = predicate;
    leave(BARRIER);
    return predicates;
}

extern "C" void cpu_trap(int spot) {
    event.spot = spot;
    stop(TRAP);
    abort();
}

extern "C" void cpu_warp(int what, unsigned mask, int operand, int width, int spot, void* value, int size) {
    Fiber& fiber = fibers[now];
    fiber.what = what, fiber.mask = what == ACTIVE ? 1u << now % LANES : mask, fiber.operand = operand, fiber.width = width;
    waits_at(spot, CODE);
    if (value) memcpy(fiber.value, value, size);
    leave(WARP);
    if (value) memcpy(value, fiber.value, size);
}

static void stuck(int what, int thread, int other) {
    now = thread;
    event.other = other;
    event.other_wait = fibers[other].wait;
    event.spot = fibers[thread].spot;
    event.other_spot = fibers[other].spot;
    stop(what);
}

static bool at_barrier() {
    int waiting = -1, other = -1;
    for (int t = 0; t < n_threads; t++) {
        if (fibers[t].wait == BARRIER && waiting < 0) waiting = t;
        if (fibers[t].wait == RUNNING || fibers[t].wait == WARP) return false;
    }
    if (waiting < 0) return false;
    for (int t = n_threads - 1; t >= 0; t--)
        if (fibers[t].wait == DONE || !same_spot(fibers[t], fibers[waiting])) other = t;
    if (other >= 0) stuck(fibers[other].wait == DONE ? LEFT : APART, waiting, other);
    return true;
}

static void everybody_meets() {
    for (int t = 0; t < n_threads; t++)
        if (fibers[t].clock > met) met = fibers[t].clock;
    for (int t = 0; t < n_threads; t++) fibers[t].clock = met + 1;
}

static int source(const Fiber& fiber, int lane) {
    const int first = lane & ~(fiber.width - 1), last = first + fiber.width - 1;
    int from = lane;
    if (fiber.what == TO) from = first + (fiber.operand & (fiber.width - 1));
    if (fiber.what == UP) from = lane - fiber.operand;
    if (fiber.what == DOWN) from = lane + fiber.operand;
    if (fiber.what == XOR) from = lane ^ fiber.operand;
    return from < first || from > last ? lane : from;
}

// What every lane of a vote or a reduction gets.
static int64_t reduced(const Fiber* warp, unsigned here) {
    const int what = warp[__builtin_ctz(here)].what;
    int64_t all = 0, value;
    for (int k = 0, any = 0; k < LANES; k++) {
        if (!(here >> k & 1)) continue;
        memcpy(&value, warp[k].value, sizeof value);
        if (what == BALLOT) all |= value << k;
        else if (!any++) all = value;
        else if (what == R_ADD) all += value;
        else if (what == R_MAX) all = value > all ? value : all;
        else if (what == R_MIN) all = value < all ? value : all;
        else if (what == R_AND) all &= value;
        else if (what == R_OR) all |= value;
        else all ^= value;
    }
    return what == ACTIVE ? here : all;
}

static bool same_operation(const Fiber& a, const Fiber& b) {
    return a.wait == WARP && b.wait == WARP && a.what == b.what && same_spot(a, b) && a.mask == b.mask;
}

// The mask of the lanes that take part in the operation of `lane`; 0 until all of them have reached it.
static unsigned together(Fiber* warp, int lane) {
    const Fiber& asking = warp[lane];
    if (!(asking.mask >> lane & 1)) {
        now = warp + lane - fibers;
        event.spot = asking.spot;
        stop(NOT_IN_MASK);
    }
    unsigned here = 0;
    for (int k = 0; k < LANES; k++) {
        if (!(asking.mask >> k & 1) || warp[k].wait == DONE) continue;
        if (!same_operation(warp[k], asking)) return 0;
        here |= 1u << k;
    }
    return here;
}

// Returns whether any lane got the value of another one.
static bool exchange(Fiber* warp, unsigned here) {
    bool got = false;
    char values[LANES][sizeof fibers->value];
    uint32_t known[LANES] = {};
    for (int k = 0; k < LANES; k++) {
        if (!(here >> k & 1)) continue;
        memcpy(values[k], warp[k].value, sizeof values[k]);
        for (int i = 0; i < LANES; i++)
            if (warp[k].known[i] > known[i]) known[i] = warp[k].known[i];
        if (warp[k].clock > known[k]) known[k] = warp[k].clock;
    }
    const int64_t all = warp[__builtin_ctz(here)].what >= BALLOT ? reduced(warp, here) : 0;
    for (int k = 0; k < LANES; k++) {
        if (!(here >> k & 1)) continue;
        const int from = warp[k].what == SYNC || warp[k].what >= BALLOT ? k : source(warp[k], k);
        if (!(here >> from & 1)) {
            event.spot = warp[k].spot;
            now = warp + k - fibers;
            event.other = warp + from - fibers;
            event.other_wait = warp[from].wait;
            stop(SOURCE);
        }
        got = got || from != k;
        memcpy(warp[k].value, values[from], sizeof values[k]);
        if (warp[k].what >= BALLOT) memcpy(warp[k].value, &all, sizeof all);
        memcpy(warp[k].known, known, sizeof known);
        warp[k].clock++;
        warp[k].wait = RUNNING;
    }
    return got;
}

// __activemask names no lanes: those of a warp that wait in one line are together, once no other lane gets further.
static bool active_lanes_meet() {
    bool any = false;
    for (int t = 0; t < n_threads; t++) {
        if (fibers[t].wait != WARP || fibers[t].what != ACTIVE) continue;
        Fiber* warp = fibers + t / LANES * LANES;
        unsigned here = 0;
        for (int k = 0; k < LANES; k++)
            if (warp[k].wait == WARP && warp[k].what == ACTIVE && same_spot(warp[k], fibers[t])) here |= 1u << k;
        exchange(warp, here);
        any = true;
    }
    return any;
}

// Resume the threads whose operation is complete. If there are none, report a thread that waits for ever.
static void meet() {
    bool any = false;
    for (int first = 0; first < n_threads; first += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            if (fibers[first + lane].wait != WARP || fibers[first + lane].what == ACTIVE) continue;
            const unsigned here = together(fibers + first, lane);
            if (!here) continue;
            const int what = fibers[first + lane].what;
            const int steps = exchange(fibers + first, here) + (what >= R_ADD && what <= R_XOR ? STEPS_OF_A_WARP : 0);
            const bool nth = what == BALLOT && ++warp_votes[first / LANES] % VOTES_OF_A_STEP == 0;
            const int64_t of_warp = warp_shuffles[first / LANES] += steps + nth;
            counts.shuffles += steps;
            if (of_warp > counts.most_shuffles) counts.most_shuffles = of_warp;
            any = true;
        }
    if (any || active_lanes_meet()) return;
    if (at_barrier()) {
        everybody_meets();
        predicates = 0;
        for (int t = 0; t < n_threads; t++) predicates += fibers[t].predicate, fibers[t].wait = RUNNING;
        counts.barriers++;
        return;
    }
    for (int t = 0; t < n_threads; t++) {
        if (fibers[t].wait != WARP) continue;
        Fiber* warp = fibers + t / LANES * LANES;
        for (int k = 0; k < LANES; k++)
            if ((fibers[t].mask >> k & 1) && warp[k].wait != DONE && !same_operation(warp[k], fibers[t]))
                stuck(ABSENT, t, warp + k - fibers);
    }
}
