// What guard.py has a kernel call: before each access to memory, where each of its functions begins and returns.
#pragma once
#include "meetings.h"

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

// A function of the kernel begins. place: where the address `to` of its return is kept.
HIDDEN void cpu_begins(uint64_t place, uint64_t to) {
    if (!running) return;
    Fiber& fiber = fibers[now];
    if (fiber.n_calls == MOST_CALLS) stop(CRASH);
    if (!fiber.n_calls) fiber.top = (char*)place, own_stack.to = place;
    calls[now * MOST_CALLS + fiber.n_calls++] = {place, to};
}

HIDDEN void cpu_returns(uint64_t place, uint64_t to) {
    if (!running) return;
    const Return& call = calls[now * MOST_CALLS + --fibers[now].n_calls];
    if (call.place != place || call.to != to) {
        event.access = STORE;
        stop(NOWHERE);
    }
    if (!fibers[now].n_calls) leave(DONE);
}

extern "C" void cpu_off_the_end() { stop(OFF_THE_END); }

#if defined __x86_64__
#include "checks_x86_64.h"
#elif defined __aarch64__
#include "checks_aarch64.h"
#endif
