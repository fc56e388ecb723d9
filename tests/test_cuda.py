"""CUDA kernels on the CPU: what is counted, what is refused, whatever the order of the threads."""

import os
import re
import subprocess

import pytest
import torch
from conftest import ROOT, stored

from grader import environment, gpus, interpreter, lessons
from grader.cuda import device, kernel_text, objects, readers, tools
from grader.judge import extract, zygotes
from grader.judge.judge import judge
from grader.judge.verdict import failure_of
from grader.mistakes.errors import from_error
from grader.notebook.cuda_launch import launch
from grader.spec import Call, Evidence, Out

# What stands outside of the kernel, and the refusal.
OUTSIDE = {
    "a constructor": (
        "struct S { unsigned v; S() : v(blockDim.x) {} };\nS s;\n",
        "would run when the kernel is loaded",
    ),
    "a function at load": ('extern "C" void _init() {}\n', "would run when the kernel is loaded"),
    "a function at the end": (
        "int kept;\nstruct S { ~S() { kept = 1; } };\nS s;\n",
        "would run when the kernel is loaded",
    ),
    "a callback of its own": ('extern "C" void __tsan_read4(void*) {}\n', "this course's CUDA has no '__tsan_read4'"),
    "expf of its own": ('extern "C" float expf(float) { return 1; }\n', "'expf' is a name of what runs the kernels"),
    "a variable of the runtime": (
        'extern "C" long long counts;\n__device__ long long& c = counts;\n',
        "'counts' is dec",
    ),
    "a function of the system": (
        'extern "C" int system(const char*);\nint (*f)(const char*) = system;\n',
        "'system' is d",
    ),
    "an alias": ('extern "C" void k2() __attribute__((alias("k")));\n', "this course's CUDA has no '__attribute__'"),
}
HEAD = 'extern "C" __global__ void k(float* y, const float* x, int n) {\n    const int me = threadIdx.x;\n'
STORE = "    if (me < n) y[blockIdx.x * n + me] = v;\n"


@pytest.fixture(scope="module")
def run():
    """run(body) -> evidence of a kernel with that body on a 2×8 matrix, in 2 blocks of 64 threads."""
    x = torch.arange(16.0).reshape(2, 8)

    def evidence(body, order="forward"):
        source = f"source = {HEAD + body + '}'!r}"
        with zygotes.get().open(source, 60, apart=True, tools=True) as session:
            return session.run(
                Call("cuda", "source", (Out((2, 8)), x, 8), {"function": "k", "threads": 64}, (2,), order)
            )

    return evidence


RIGHT = {
    "a copy": "    float v = me < n ? x[blockIdx.x * n + me] : 0;\n",
    "shared memory and a barrier": (
        "    __shared__ float s[64];\n    s[63 - me] = x[blockIdx.x * n + me % n];\n    __syncthreads();\n"
        "    float v = s[63 - me];\n"
    ),
    "lanes of a warp that meet": (
        "    __shared__ float s[64];\n    s[me] = x[blockIdx.x * n + me % n];\n    __syncwarp();\n"
        "    float v = s[me ^ 1];\n    __syncwarp();\n    s[me] = v;\n    __syncwarp();\n    v = s[me ^ 1];\n"
    ),
    "a shuffle is a meeting": (
        "    __shared__ float s[64];\n    s[me] = x[blockIdx.x * n + me % n];\n    __shfl_sync(~0u, me, 0);\n"
        "    float v = s[me ^ 1];\n    v = __shfl_xor_sync(~0u, v, 1);\n"
    ),
    "a mask of half a warp": (
        "    float v = x[blockIdx.x * n + me % n];\n    if (me % 32 < 16) v = __shfl_xor_sync(0xffff, v, 0);\n"
    ),
    "all store the same value": (
        "    __shared__ int s;\n    s = 7;\n    __syncthreads();\n    float v = x[blockIdx.x * n + me % n] + s - 7;\n"
    ),
    "atomics": (
        "    __shared__ int s;\n    if (me == 0) s = 0;\n    __syncthreads();\n    atomicAdd(&s, 1);\n"
        "    __syncthreads();\n    float v = x[blockIdx.x * n + me % n] * s / 64;\n"
    ),
    "templates and lambdas": (
        "    auto twice = [](auto a) { return a + a; };\n    float v = twice(x[blockIdx.x * n + me % n]) / 2;\n"
    ),
    "what CUDA has built in": (
        "    const size_t at = blockIdx.x * size_t(n) + me % n;\n    float v = isinf(x[at]) ? 0 : max(x[at], -1e30);\n"
    ),
    "headers that other compilers want": (
        "#include <math.h>\n  # include <cmath>\n    float v = me < n ? fmaxf(x[blockIdx.x * n + me], -1e30f) : 0;\n"
    ),
    "votes of a warp": (
        "    bool v0 = __ballot_sync(~0u, me % 2) == 0xaaaaaaaa && __any_sync(~0u, me % 32 == 7);\n"
        "    v0 = v0 && __all_sync(~0u, me < 64) && !__any_sync(~0u, me > 64) && !__all_sync(~0u, me % 32);\n"
        "    float v = v0 ? x[blockIdx.x * n + me % n] : 0;\n"
    ),
    "reductions of a warp": (
        "    const int i = me % 32 - 16;\n"
        "    bool v0 = __reduce_max_sync(~0u, i) == 15 && __reduce_min_sync(~0u, i) == -16;\n"
        "    v0 = v0 && __reduce_add_sync(~0u, i) == -16 && __reduce_max_sync(~0u, unsigned(i)) == ~0u;\n"
        "    v0 = v0 && __reduce_or_sync(~0u, 1u << me % 32) == ~0u && __reduce_and_sync(~0u, 6u | me) == 6;\n"
        "    v0 = v0 && __reduce_xor_sync(~0u, 1u) == 0;\n    float v = v0 ? x[blockIdx.x * n + me % n] : 0;\n"
    ),
    "votes of a block": (
        "    bool v0 = __syncthreads_count(me < 7) == 7 && __syncthreads_or(me == 63) && !__syncthreads_or(me > 63);\n"
        "    v0 = v0 && __syncthreads_and(me < 64) && !__syncthreads_and(me);\n"
        "    float v = v0 ? x[blockIdx.x * n + me % n] : 0;\n"
    ),
    "the lanes that are there": (
        "    unsigned lanes = 0;\n    if (me % 32 < 8) lanes = __activemask();\n    else lanes = __activemask() >> 8;\n"
        "    float v = lanes == (me % 32 < 8 ? 0xff : 0xffffff) ? x[blockIdx.x * n + me % n] : 0;\n"
    ),
    "bits": (
        "    bool v0 = __popc(0xf0f) == 8 && __clz(1) == 31 && __clz(0) == 32 && __ffs(8) == 4;\n"
        "    v0 = v0 && __mul24(-3, 5) == -15 && __umul24(0x1000003, 2) == 6 && __brev(1) == 0x80000000;\n"
        "    v0 = v0 && __saturatef(NAN) == 0 && __float2int_rd(-0.5f) == -1;\n"
        "    v0 = v0 && __float2int_rn(1e20f) == 2147483647 && __float2int_rn(-1e20f) < -2147483647;\n"
        "    v0 = v0 && __float2int_rz(NAN) == 0 && __float2uint_rn(1e20f) == ~0u && __float2uint_rd(-5.0f) == 0;\n"
        "    float v = v0 ? x[blockIdx.x * n + me % n] : 0;\n"
    ),
    "atomics of every kind": (
        "    __shared__ int s[8];\n    __shared__ unsigned u;\n    __shared__ float f;\n"
        "    if (me < 8) s[me] = me == 4 ? -1 : 0;\n    if (me == 0) u = 5, f = 0;\n    __syncthreads();\n"
        "    atomicAdd(s, 2);\n    atomicSub(s + 1, 2);\n    atomicMax(s + 2, me);\n    atomicMin(s + 3, -me);\n"
        "    atomicAnd(s + 4, ~(1 << me % 32));\n    atomicOr(s + 5, 1 << me % 32);\n    atomicXor(s + 6, 1);\n"
        "    atomicCAS(s + 7, 0, 9);\n    atomicMin(&u, unsigned(me) - 1);\n    atomicAdd(&f, 0.5f);\n"
        "    __syncthreads();\n"
        "    bool v0 = s[0] == 128 && s[1] == -128 && s[2] == 63 && s[3] == -63 && s[4] == 0 && s[5] == -1;\n"
        "    v0 = v0 && s[6] == 0 && s[7] == 9 && u == 0 && f == 32;\n"
        "    float v = v0 ? x[blockIdx.x * n + me % n] : 0;\n"
    ),
    "a large struct, twice in a long function": (
        "    struct Row { float v[8]; };\n    struct F { static float sum(Row r, int k) {\n"
        "        float s = 0;\n        for (int i = 0; i < 8; i++) s += (r.v[i] + k) * (i == k) / (1 + k % 1);\n"
        "        for (int i = 0; i < 8; i++) s -= k * (i == k);\n        return s;\n    } };\n"
        "    const Row* row = reinterpret_cast<const Row*>(x + blockIdx.x * n);\n"
        "    float v = me % 2 ? F::sum(*row, me % n) : F::sum(*row, me % n);\n"
    ),
    "names that only look like others": (
        "    // # include <math.h>, asm and __builtin_memcpy stand in a comment, and \\\n    // this one goes on\n"
        '#pragma unroll\n#define TEXT(a) #a\n    const char* text = TEXT(asm) "__asm__ [[x]] goto *";\n'
        "    float _m = x[blockIdx.x * n + me % n], cpu = 1'0 / 10 * text[0] / 'a';\n    float v = _m * cpu;\n"
    ),
    "a load of what nobody stored, thrown away": (
        "    __shared__ float s[64];\n    if (me < n) s[me] = x[blockIdx.x * n + me];\n    float v = s[me];\n"
    ),
    "a table of its own": (
        "    static const float table[4] = {1, 1, 1, 1};\n    float local[8];\n"
        "    for (int i = 0; i < 8; i++) local[i] = x[blockIdx.x * n + i] * table[i % 4];\n"
        "    float v = local[me % 8];\n"
    ),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
def test_what_is_right_runs(run, name, order):
    """And nothing is reported that is none."""
    got = run(RIGHT[name] + STORE, order=order)

    assert got.error is None, got.error
    assert torch.equal(got.args[1], got.args[0])
    assert got.written == 16 and got.launches[0]["shared"] == 0


MEET = "    __syncthreads();\n"
WRONG = {
    "outside": (
        "    y[me + blockIdx.x * n] = 0;\n",
        r"thread 16 of block 0 stores to y at row 2, column 0 \(element 16",
    ),
    "before the tensor": ("    y[me] = x[me % 8 - 1];\n", r"loads from x at row -1, column 7 \(element -1\)"),
    "nowhere": (
        "    float* p = nullptr;\n    y[0] = p[me];\n",
        r"line 4, `y\[0\] = p\[me\];`: thread 0 of block 0 loads",
    ),
    "not met": (
        "    __shared__ float s[64];\n    s[me] = x[me % n];\n    float v = s[63 - me];\n" + STORE,
        r"line 4, .*: thread 56 of block 0 stores to shared memory that thread 7 \(line 5, `float v.*\) has read alr",
    ),
    "another warp": (
        "    __shared__ float s[64];\n    s[me] = x[me % n];\n    __syncwarp();\n    float v = s[63 - me];\n" + STORE,
        r" reads shared memory that thread|shared memory that thread \d+ \(line 6, .*\) has read already",
    ),
    "too early again": (
        "    __shared__ float s[64];\n    s[me] = me;\n" + MEET + "    float v = s[0];\n    s[me] = v + 1;\n" + STORE,
        r"line 6, .*still reads shared memory that thread 0 \(line 7, .*\) has stored to",
    ),
    "two writers": (
        "    __shared__ float s;\n    s = me;\n" + MEET + "    float v = s;\n" + STORE,
        r"stores another value to shared memory than thread 0 \(line 4",
    ),
    "an atomic and a store": (
        "    __shared__ int s;\n    if (me == 0) s = 0;\n    atomicAdd(&s, 1);\n    float v = 0;\n" + STORE,
        "line 5, `atomicAdd",
    ),
    "a barrier that some skip": ("    if (me < 32) __syncthreads();\n    y[me % n] = 0;\n", "thread 32 has returned"),
    "two barriers": (
        "    if (me < 32) __syncthreads();\n    else\n        __syncthreads();\n    y[me % n] = 0;\n",
        r"thread 32 waits at the __syncthreads\(\) in line 5",
    ),
    "a shuffle that some skip": (
        "    float v = me;\n    if (me % 2) v = __shfl_xor_sync(~0u, v, 1);\n" + MEET + STORE,
        "thread 1 of block 0 waits for the other lanes of its mask for ever: thread 0 waits at the __syncthreads",
    ),
    "two shuffles in one line": (
        "    float v = me % 2 ? __shfl_up_sync(~0u, 1.0f, 1) : __shfl_down_sync(~0u, 1.0f, 1);\n" + STORE,
        "thread 0 of block 0 waits for the other lanes of its mask for ever: thread 1 waits for other lanes in line 3",
    ),
    "a struct in a shuffle": (
        "    float v = __shfl_sync(~0u, make_float2(0, 0), 0).x;\n" + STORE,
        "a shuffle takes one number, not a struct",
    ),
    "a lane that is not there": (
        "    float v = me;\n    if (me % 2) v = __shfl_xor_sync(0xaaaaaaaa, v, 1);\n" + STORE,
        "thread 1 of block 0 wants the value of thread 0, which takes no part",
    ),
    "not in its own mask": (
        "    float v = __shfl_xor_sync(3, 1.0f, 1);\n" + STORE,
        "thread 2 of block 0 is not in the mask of its own",
    ),
    "an array's end": (
        "    __shared__ float s[32];\n    s[me] = 0;\n" + MEET + "    float v = s[0];\n" + STORE,
        "thread 32 of block 0 uses index 32 of an array",
    ),
    "too much": (
        "    __shared__ float s[16384];\n    s[me] = 0;\n" + MEET + "    float v = s[0];\n" + STORE,
        "65,5.. bytes of shared memory, and a block may have 49,152",
    ),
    "misaligned": (
        "    const float4 f = *reinterpret_cast<const float4*>(x + 2);\n    float v = f.x + f.y;\n" + STORE,
        r"column 2 \(element 2\) with 16 bytes at once",
    ),
    "no end": (
        "    struct F { static int f(int i) { volatile int k = i; return f(k + 1) + k; } };\n    y[0] = F::f(me);\n",
        "ran out of its stack",
    ),
    "division by zero": ("    y[0] = me / (n / 100);\n", "divides an integer by zero"),
    "no such name": (
        "    y[0] = foo(me);\n",
        r"the compiler refuses line 3, `y\[0\] = foo\(me\);`: 'foo' was not declared",
    ),
    "another library": ("    y[0] = std::max(me, n);\n", "`y\\[0\\] = std::max.*CUDA has fmaxf, max"),
    "cooperative groups": (
        "#include <cooperative_groups.h>\n    namespace cg = cooperative_groups;\n",
        "line 4, `namespace cg = cooperative_groups;`: what only a header brings .*CUDA has __syncthreads",
    ),
    "a library of CUDA": ("    y[0] = cub::Max()(x[me], 0);\n", "line 3, .*what only a header brings is not there"),
    "an open array": (
        "    extern __shared__ float s[];\n",
        "line 3, .*: this launch brings no .*the array needs a size",
    ),
    "assembler": ('    asm("nop");\n', "line 3, .*'asm' is not for a kernel"),
    "a pasted name": ('#define P(a, b) a##b\n    P(__as, m__)("nop");\n', "line 4, `P.*CUDA has no '__asm__'"),
    "an attribute": ("    int v __attribute__((unused));\n", "line 3, .*this course's CUDA has no '__attribute__'"),
    "an attribute in brackets": ("    <:[gnu::noinline]] int v;\n", "line 3, .*no attributes but those of CUDA"),
    "a pragma": ("#pragma GCC optimize(3)\n", r"line 3, .*#pragma GCC optimize\(3\) is no directive"),
    "a pragma in an operator": (
        '#define P _Pragma("omp simd")\n    P;\n',
        "line 4, `P;`: #pragma omp simd is no directive that a kernel may have",
    ),
    "a header by a digraph": ("%:include <string.h>\n", "line 3, .*a kernel includes nothing"),
    "a header over two lines": ("    //\\\n\n#inc\\\nlude <string.h>\n", "line 5, .*a kernel includes nothing"),
    "a header behind a comment": ("/*\n*/ # /* */ include <string.h>\n", "line 4, .*a kernel includes nothing"),
    "a look for a header": ("#if __has_include(</etc/passwd>)\n#endif\n", "line 3, .*a kernel includes nothing"),
    "another line number": ("#line 70\n", "line 3, .*#line is no directive that a kernel may have"),
    "another file's line": ('# 70 "elsewhere"\n', "the compiler refuses .*a kernel includes nothing"),
    "a raw string": ('    y[0] = *R"(x)";\n', "line 3, .*has no place in a kernel"),
    "another character": ("    y[0] =\0 1;\n", "line 3, .*has no place in a kernel"),
    "a name of the runtime": ("    cpu_barrier(0, 1);\n", "line 3, .*'cpu_barrier' is not for a kernel"),
    "C's memcpy": ("    memcpy(y, x + me + 1, 4 * n);\n", "line 3, .*loads from x at row 1, column 1"),
    "C's memmove": ("    memmove(y, x, 4);\n", "line 3, .*'memmove' was not declared"),
    "another storage": ("    static thread_local int v;\n", "line 3, .*'thread_local' is not for a kernel"),
    "a line of its own": ("    __syncthreads(3);\n", "line 3, .*the call has more arguments"),
    "a store to an index": ("    const_cast<unsigned&>(threadIdx.x) = 0;\n", "line 3, .*invalid .*const_cast"),
    "a type without bounds": ("    y[0] = (*(float(*)[])&n)[me];\n", "line 3, .*an array needs a size"),
    "a type beyond bounds": ("    y[0] = (*(float(*)[99999])&n)[me + 9999];\n", "line 3, .*an address that belongs to"),
    "an array of one at an end": (
        "    struct One { float v[1]; };\n    y[0] = ((One*)&n)->v[me];\n",
        "line 4, .*thread 1 of block 0 uses index 1 of an array",
    ),
    "a computed goto": ("    here: void* p = &&here;\n    goto *p;\n", "line 4, .*jumps to no computed place"),
    "a function's address": (
        "    auto f = (void (*)(int))(long long)n;\n    f(me);\n",
        r"line 4, `f\(me\);`: a kernel calls functions by their names",
    ),
    "a static variable": (
        "    static int v = me;\n    y[0] = v;\n",
        "needs a value that is known before the kernel runs",
    ),
    "a static variable that changes": (
        "    static int v;\n    v += me;\n    y[0] = v;\n",
        "line 4, .*stores to a variable that all blocks share",
    ),
    "a function of a library": ("    int getpid();\n    y[0] = getpid();\n", "'getpid' is declared and never defined"),
    "memory of its own": ("    y[0] = (new float[n])[me];\n", "new and delete have no memory to give"),
    "a text without an end": (
        "".join(f"#define X{i + 1}(x) X{i}(x x x x x x x x)\n" for i in range(6))
        + "#define X0(x) x\n    X6(y[0] = 1;)\n",
        "g.. needs too much time or memory for it: do macros",
    ),
    "a trap": ("    if (me == 7) __trap();\n", r"line 3, .*thread 7 of block 0 called __trap\(\)"),
    "a loop of loads": (
        "    float v = 0;\n    for (int c = me; c < n; c = 7 - c) v += x[c];\n" + STORE,
        r"line 4, .*thread 0 of block 0 has made 10,257 loads, .* 32 elements: a loop in it does not end",
    ),
    "a loop of barriers": (
        "    for (int half = 1; half >= 0; half /= 2) __syncthreads();\n",
        r"line 3, .*thread 0 of block 0 has made 10,257 loads, .* a loop in it does not end",
    ),
    "a loop of shuffles": (
        "    float v = me;\n    for (int s = 16; s >= 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);\n" + STORE,
        r"line 4, .*thread 0 of block 0 has made 10,257 loads, .* a loop in it does not end",
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_stopped_and_told(run, name):
    """With line, thread and block; and a mistake of that name is known."""
    body, told = WRONG[name]
    error = run(body).error

    assert error is not None
    assert re.search(told, error["message"]), error["message"]
    unnamed = ("division by zero", "no end", "a trap")
    assert from_error(error) or name in unnamed or error["type"] == "EndlessKernel"


def built(source):
    """The error text of g++ for a source, "" if there is none."""
    text, refused = tools.read(source, 0)
    return refused or tools.build("kernel", text)


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_stands_beside_a_kernel_is_read_too(name, tmp_path, monkeypatch):
    """It is refused before the library is loaded."""
    monkeypatch.chdir(tmp_path)
    text, told = OUTSIDE[name]

    assert re.search(told, built(text + HEAD + "    y[me] = x[me];\n}\n"))
    assert built(HEAD + "    y[me] = x[me];\n}\n") == ""


# A text, and whether another compiler may read another one.
ASKS = {
    "": False,
    "#define FULL 0xffffffff\n#pragma unroll\nint i = FULL;  // #if": False,
    'const char* c = "#if"; __shared__ float s[32];': False,
    "#if 1\n#endif": True,
    "  %: ifdef A\n#endif": True,
    "#ifn\\\ndef A\n#endif": True,
    "#define J(a, b) a##b": True,
    "#define S(a) #a": True,
    "int i = __LINE__;": True,
    "int i = _A;": True,
}


@pytest.mark.parametrize("text", ASKS)
def test_a_text_asks_by_conditions_joints_and_names_of_compilers(text, tmp_path, monkeypatch):
    """And by nothing else: any other text is read once."""
    monkeypatch.chdir(tmp_path)  # where the compiler leaves its file
    assert kernel_text.asks(text) is ASKS[text]
    found = {tools.read(text, number) for number in range(4)}
    assert len(found) == 1 or ASKS[text]


def test_compilers_beside_each_other_name_themselves_and_do_not(tmp_path, monkeypatch):
    """Each has CUDA and a GPU; every second one says more. File, day and time are always others."""
    monkeypatch.chdir(tmp_path)
    names = (
        "__CUDACC__ __CUDA_ARCH__ __NVCC__ __GNUC__ __shared__ INFINITY __COUNTER__ __STDC__ __cpp_constexpr".split()
    )
    text = "".join(f"#ifdef {name}\ntold_{name}\n#endif\n" for name in names)
    text += "arch __CUDA_ARCH__ __FILE__ __DATE__"
    read = [tools.read(text, number)[0] for number in range(60)]

    told = [set(re.findall(r"told_(\w+)", each)) for each in read]
    assert told == [{"__CUDACC__", "__CUDA_ARCH__"}, set(names)] * 30
    assert {re.search(r"arch (\d+)", each)[1] for each in read} == {f"{cc}0" for cc in gpus.CAPABILITIES}
    assert [readers.named(number) for number in range(60)] == [re.search(r"arch (\d+)", each)[1] for each in read]
    assert len({re.search(r"arch.*", each)[0] for each in read}) > 50


def test_the_clock_begins_anywhere_and_shared_memory_is_read_in_two_ways(run):
    """The same launch has the same draw, and the record says that it took one."""
    clock = "    long long a = clock64(), b = clock64();\n    float v = b > a ? float(a) : -1;\n"
    unstored = "    __shared__ float s[64];\n    float v = isfinite(s[me]) ? s[me] : 1;\n"
    first, again, shared = run(clock + STORE), run(clock + STORE), run(unstored + STORE)

    assert torch.equal(first.args[0], again.args[0]) and bool((first.args[0] >= 1).all())
    assert [e.launches[0]["open"] for e in (first, shared, run(RIGHT["a copy"] + STORE))] == [1, 1, 0]
    assert bool((shared.args[0] == 1).all())


def test_a_kernel_may_use_the_names_that_the_header_defines():
    """And no others with two underscores: g++'s own are not among them."""
    assert kernel_text.CUDA >= {
        "__shared__",
        "__syncthreads",
        "__shfl_xor_sync",
        "__reduce_max_sync",
        "__fmul_rz",
        "__ldg",
    }
    assert kernel_text.CUDA >= {"__float2uint_rd", "__builtin_expect", "__func__", "__sincosf", "__stwt", "__clzll"}
    assert not kernel_text.CUDA & {
        "__attribute__",
        "__builtin_memcpy",
        "__builtin_source_location",
        "__is_class",
        "__impl",
    }
    assert objects.CALLED >= {"expf", "atan2f", "abs", "fma", "cpu_barrier", "cpu_load16a"}
    assert not objects.CALLED & {"memcpy", "sincosf", "main", "cpu_tensor", "cpu_launch", "cpu_anchor", "printf"}


def test_too_few_loads_are_refused():
    """Right numbers need each element of a row, whatever the counts say."""
    case = lessons.exercises()["12.5"].cases(1)[0]
    launch = {
        "kernel": "k",
        "options": {"barriers": 0, "threads": 32, "shuffles": 0, "most_loads": 0, "most_read": 0, "unstored": ""}
        | {"most_atomics": 0, "most_shuffles": 0},
        "grid": [1],
        "shared": 0,
    }
    x = case.facts["x"]
    args = [torch.softmax(x.double(), 1).float(), x]

    def failure(read):
        return failure_of(case, Evidence(args=args, launches=[launch], read=read, written=5))

    assert failure(5) is None and failure(15) is None
    assert failure(4).mistake == "less-traffic"
    assert failure(16).mistake == "more-traffic"


def test_bytes_are_counted_at_their_width(run):
    """A float4 is one access of four elements."""
    fours = "const int at = 2 * blockIdx.x + me;\n    if (me < 2) reinterpret_cast<float4*>(y)[at] = "
    got = run(fours + "reinterpret_cast<const float4*>(x)[at];\n")

    assert (got.read, got.written) == (16, 16)
    assert got.launches[0]["widest"] == 4
    assert torch.equal(got.args[1], got.args[0])


def test_an_atomic_reads_and_writes_once(run):
    """In a tensor; the element holds what the last one left."""
    got = run("    if (me < n) y[blockIdx.x * n + me] = 1;\n    atomicAdd(y + blockIdx.x * n, 2.0f);\n")

    assert (128, 16 + 128) == (got.read, got.written)
    assert [129.0] * 2 == got.args[0][:, 0].tolist()


def test_a_copy_of_a_struct_moves_each_element_once(run):
    """Whatever g++ makes of it: one instruction, a loop, or a call of memcpy."""
    body = "    struct Part {{ float v[{0}]; }};\n    auto from = reinterpret_cast<const Part*>(x);\n"
    body += "    if (me + blockIdx.x == 0) {1}*reinterpret_cast<Part*>(y) = {2};\n"
    for size in (1, 2, 3, 4, 8, 16):
        for local, value in (("", "*from"), ("{{ Part local = *from; ", "local; }}")):
            got = run(body.format(size, local.replace("{{", "{"), value.replace("}}", "}")))

            assert (size, size) == (got.read, got.written)
            assert torch.equal(got.args[0].flatten()[:size], got.args[1].flatten()[:size])


def test_loads_of_shared_memory_are_counted(run):
    """The most that one thread does in one block; and the first from where nobody in its block has stored."""
    body = "    __shared__ float s[64];\n    if (me < {0}) s[me] = 0;\n    __syncthreads();\n    float v = 0;\n"
    walk = "    if (me == 7) for (int i = 0; i < {0}; i++) v += s[i];\n"
    all_stored = run((body + walk).format(64) + STORE).launches[0]["options"]
    one_missing = run(body.format("63 + blockIdx.x") + walk.format(64) + STORE).launches[0]["options"]

    assert (all_stored["most_loads"], all_stored["unstored"]) == (64, "")
    assert re.match("Line 7, .*: thread 7 of block 0 reads .* where no thread has stored", one_missing["unstored"])
    assert "block 1" in run(body.format("64 - blockIdx.x") + walk.format(64) + STORE).launches[0]["options"]["unstored"]


def test_shared_memory_starts_with_what_shows(run):
    """inf or NaN, from block to block in turn: neither a maximum nor a sum passes over both."""
    got = run(
        "    __shared__ float s[64];\n    if (n > 100) s[me] = 0;\n    __syncthreads();\n    float v = s[me];\n" + STORE
    )

    assert not got.args[0].isfinite().any()
    assert (got.args[0][0].isnan() == ~got.args[0][1].isnan()).all()


def test_a_learner_may_launch_a_text(capsys):
    """What it did is printed, what it made comes back; what stops it is a sentence."""
    x = torch.ones(2, 3)
    text = HEAD + "    if (me < n) y[blockIdx.x * n + me] = x[blockIdx.x * n + me] + me;\n}"

    assert torch.equal(torch.tensor([[1.0, 2.0, 3.0]] * 2), launch(text, x))
    said = "k, 2×3 with 64 threads per block: read 1.00 MN, wrote 1.00 MN; barriers in a block: 0"
    assert said in capsys.readouterr().out
    with pytest.raises(interpreter.KernelMisuse, match="thread 6 of block 0 loads from x"):
        launch(text.replace("if (me < n)", ""), x)
    assert torch.equal(
        torch.arange(6.0).reshape(2, 3).T + torch.tensor([0, 1]), launch(text, torch.arange(6.0).reshape(2, 3).T)
    )
    for wrong, said in ((x.double(), "the type float64"), (x[0], r"the shape \(3,\)"), (x, "not 48")):
        with pytest.raises(interpreter.KernelMisuse, match=said):
            launch(text, wrong, threads=48)
    with pytest.raises(interpreter.KernelMisuse, match="TODO 12.4"):
        launch(text.replace("}", 'static_assert(false, "TODO 12.4 (1 of 2)");}'), x)


def verdict(number, **texts):
    exercise = lessons.exercises()[number]
    return judge(exercise, extract.extract(["\n".join(f"{k} = {v}" for k, v in texts.items())], exercise.names))


@pytest.fixture(scope="module")
def right():
    """The texts copy_rows, sum_rows and v1 of right answers."""
    sources = [each.source for each in stored("right") if each.name in ("12_first_while", "12_v1_base_two")]
    return dict(re.findall(r'^(\w+) = (r""".*?""")$', "\n".join(sources), re.MULTILINE | re.DOTALL))


def test_each_first_kernel_has_its_own_share(right):
    """A stub beside a right kernel costs only its own share; what is wrong comes before what is not there yet."""
    first = {name: right[name] for name in ("copy_rows", "sum_rows")}
    stub = 'r"""static_assert(false, "TODO 12.4 (2 of 3)");"""'
    none = verdict("12.4", **dict.fromkeys(first, stub))
    one, two = (verdict("12.4", **first | {name: stub}) for name in ("copy_rows", "sum_rows"))
    undefined = verdict("12.4", copy_rows=first["copy_rows"])
    wrong = verdict("12.4", copy_rows=stub, sum_rows=first["sum_rows"].replace("__syncthreads();", ""))

    assert (none.status, none.score) == ("not_attempted", 0) and "stopped at TODO 2 of 3" in " ".join(none.text.split())
    assert (one.status, one.mistake, one.score) == ("failed", "todo-left", 0.5)
    assert "copy_rows is judged next" in one.text
    assert (two.status, two.mistake, two.score) == ("failed", "todo-left", 0.5)
    assert "sum_rows is judged next" in two.text
    assert (undefined.status, undefined.mistake, undefined.score) == ("failed", "todo-left", 0.5)
    assert "✓ right: copy_rows" in undefined.text
    assert "· sum_rows is judged next: no cell that has run defines it yet" in undefined.text
    for text in (one.text, two.text, undefined.text):
        assert "still holds" not in text and "✗" not in text
    assert (wrong.mistake, wrong.score) == ("barrier-missing", 0)


def test_each_version_asks_for_its_own_todo_alone(right):
    """After version 1 has passed, nothing is said of the stubs of the versions behind it."""
    stubs = {v: f'r"""static_assert(false, "TODO {n} (2 of 3)");"""' for v, n in (("v2", "12.6"), ("v3", "12.7"))}
    first = verdict("12.5", v1=right["v1"], **stubs)
    second, third = (verdict(number, v1=right["v1"], **stubs) for number in ("12.6", "12.7"))

    assert (first.status, first.score) == ("passed", 1) and "TODO" not in first.text
    assert second.status == "not_attempted" and "TODO of 12.6" in second.text and "12.7" not in second.text
    assert third.status == "not_attempted" and "TODO of 12.7" in third.text and "12.6" not in third.text


def test_a_divergent_tree_is_right_and_told_its_cost(right):
    """Its points stay. A tree of halves, and one of neighbours by neighbouring threads, hear nothing."""
    halves = """for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) {step(me, me + half)}
        __syncthreads();
    }"""
    divergent = """for (int step = 1; step < blockDim.x; step *= 2) {
        if (me % (2 * step) == 0) {step(me, me + step)}
        __syncthreads();
    }"""
    spread = """for (int step = 1; step < blockDim.x; step *= 2) {
        const int at = 2 * step * me;
        if (at < blockDim.x) {step(at, at + step)}
        __syncthreads();
    }"""
    for tree, told in ((halves, False), (divergent, True), (spread, False)):
        trees = [
            re.sub(r"{step\((.*), (.*)\)}", taken, tree)
            for taken in (r"buffer[\1] = fmaxf(buffer[\1], buffer[\2]);", r"buffer[\1] += buffer[\2];")
        ]
        result = verdict("12.5", v1='r"""' + TREES.replace("MAXIMA", trees[0]).replace("SUMS", trees[1]) + '"""')

        assert ("passed", 1, told) == (result.status, result.score, "diverge" in result.text), result.text


TREES = """
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    __shared__ float buffer[1024];
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;
    float m = -INFINITY, d = 0.0f;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[c]);
    buffer[me] = m;
    __syncthreads();
    MAXIMA
    m = buffer[0];
    __syncthreads();
    for (int c = me; c < n_cols; c += blockDim.x) d += __expf(x[c] - m);
    buffer[me] = d;
    __syncthreads();
    SUMS
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / buffer[0];
}
"""


def test_a_kernel_that_ends_the_process_costs_its_own_share(right):
    """The others run in a new one. No kernel can end it by itself, so an object in its place does, when it is sent."""
    leaves = 'type("Leaves", (), {"__class__": property(lambda self: __import__("os")._exit(1))})'
    result = verdict("12.4", copy_rows=right["copy_rows"], sum_rows=f"{leaves}()")

    assert (result.score, result.mistake) == (0.5, "exits"), result.text


def test_without_a_compiler_the_others_go_on(monkeypatch):
    """12.5 says what is missing; 12.1 needs nothing."""
    monkeypatch.setattr(environment, "has_compiler", lambda: False)
    result = verdict("12.5", v1="''")

    assert result.status == "error" and "needs the C++ compiler g++" in result.text
    tree = next(each.source for each in stored("right") if each.name == "12_tree_recursive")
    exercise = lessons.exercises()["12.1"]
    assert judge(exercise, extract.extract([tree], exercise.names)).status == "passed"


SPOILS = """
import glob, os
found = "out of reach"
for file in glob.glob("/proc/self/fd/*"):
    if "runtime" in os.path.realpath(file):
        for spoil in (lambda: open(file, "r+b").write(b"spoilt"), lambda: os.write(int(os.path.basename(file)), b"x")):
            try:
                spoil()
            except OSError:
                found = "kept"
            else:
                found = "spoilt"
"""


def test_what_runs_kernels_is_out_of_an_answers_reach():
    """It is compiled once, in a file that is sealed, and the Python of an answer does not hold this file."""
    with zygotes.get().open(SPOILS, 60, apart=True, tools=True) as session:
        assert session.run(Call("value", "found")).value == "out of reach"


def test_where_it_cannot_be_sealed_each_answer_compiles_its_own(monkeypatch, tmp_path):
    """Some machines let nobody run what is in memory alone."""
    monkeypatch.setattr(os, "memfd_create", lambda *_: os.open(tmp_path / "none" / "none", os.O_RDONLY))
    monkeypatch.chdir(tmp_path)

    assert tools.sealed_runtime(str(tmp_path)) is None
    assert (str(tmp_path / "runtime.so"), "") == tools.runtime()


BUILT_IN = {"size_t"}  # of the types of the header, those that NVRTC has by itself


def test_a_gpu_has_the_types_and_numbers_of_the_header():
    """What an answer may write on a CPU, NVRTC gets before it: the same names, of the same sizes and values."""
    header = (ROOT / "grader/cuda/cuda_on_cpu.h").read_text(encoding="utf-8")
    types = {*re.findall(r"^typedef .* (\w+);$", header, re.MULTILINE)} - BUILT_IN
    numbers = {*re.findall(r"^#define ((?:FLT|DBL|INT|UINT|CUDART)_\w+) ", header, re.MULTILINE)}
    both = [name for name in sorted(numbers) if "NAN" not in name]
    same = "".join(f"static_assert({name} == {device.MACROS[name]});\n" for name in both)
    same += "".join(f"static_assert(__is_same({name}, {kind}));\n" for name, kind in device._TYPES.items())
    text = f"{header}\n{same}"

    assert types == device._TYPES.keys()
    assert numbers <= device.MACROS.keys()
    for one, other, right in (
        ("", "", True),
        ("== 2147483647)", "== 2147483646)", False),
        (", short)", ", int)", False),
    ):
        done = subprocess.run(
            ["g++", "-std=c++17", "-fsyntax-only", "-w", "-x", "c++", "-"],
            input=text.replace(one, other) if one else text, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.returncode == 0) == right, done.stderr[:600]
