// The part of CUDA C++ that kernels use, for g++ on the CPU. The kernel's text follows; runtime.cpp runs it.
// No standard header is included, because it would take longer to compile than the kernel. kernel_text.py has the list
// of the names that begin with two underscores.
#pragma once

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
// The sanitizer does not see a struct that a call takes or returns in memory, so tools.py makes g++ inline what it can.
#define __noinline__
#define __inline__ inline
#define __restrict__
#define __restrict
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
// All threads of a block are fibers of one thread of this process, so its thread-local memory is theirs. What no thread
// stores to would be zeros to the compiler, unless the array is said to be used.
#define __shared__ __attribute__((used)) thread_local
#define INFINITY __builtin_inff()
#define CUDART_INF_F __builtin_inff()
#define NAN __builtin_nanf("")
#define FLT_MAX __FLT_MAX__
#define warpSize 32
// Values and no variables: the sanitizer does not see a store to a constant.
#define threadIdx (uint3{cpu_index(0), 0, 0})
#define blockIdx (uint3{cpu_index(1), 0, 0})
#define blockDim (dim3{cpu_index(2), 1, 1})
#define gridDim (dim3{cpu_index(3), 1, 1})

typedef __SIZE_TYPE__ size_t;
struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
};
struct __align__(8) float2 { float x, y; };
struct float3 { float x, y, z; };
struct __align__(16) float4 { float x, y, z, w; };
struct __align__(16) double2 { double x, y; };
struct __align__(8) int2 { int x, y; };
struct int3 { int x, y, z; };
struct __align__(16) int4 { int x, y, z, w; };
struct __align__(8) uint2 { unsigned x, y; };
struct __align__(16) uint4 { unsigned x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// The line of the call, as a default argument that no kernel can give.
struct cpu_line {
    int line;
    explicit cpu_line(int line) : line(line) {}
};
#define CPU_LINE cpu_line at = cpu_line(__builtin_LINE())

// objects.py has the list of these functions.
extern "C" {
unsigned cpu_index(int which) __attribute__((const));
int cpu_barrier(int predicate, int line);
void cpu_warp(int what, unsigned mask, int operand, int width, int line, void* value, int size);
unsigned cpu_atomic(int what, int type, void* where, unsigned operand, unsigned compared);
void cpu_trap(int line) __attribute__((noreturn));

float expf(float), exp2f(float), exp10f(float), expm1f(float), logf(float), log2f(float), log10f(float), log1pf(float);
float sqrtf(float), cbrtf(float), fabsf(float), floorf(float), ceilf(float), roundf(float), rintf(float), truncf(float);
float sinf(float), cosf(float), tanf(float), tanhf(float), erff(float), ldexpf(float, int), copysignf(float, float);
float fmaxf(float, float), fminf(float, float), powf(float, float), fmodf(float, float), fmaf(float, float, float);
double exp(double), exp2(double), log(double), log2(double), sqrt(double), fabs(double), floor(double), ceil(double);
double fmax(double, double), fmin(double, double), pow(double, double), fma(double, double, double);
int abs(int);

// The runtime calls it before a launch, so that the shared memory exists and can be found.
__global__ void* cpu_anchor() { static thread_local int anchor; return &anchor; }
}
// Nobody sees the output of a worker, and "%n" would store where nothing is checked.
template <class... T> inline int printf(const char*, T...) { return 0; }

inline float exp(float x) { return expf(x); }
inline float exp2(float x) { return exp2f(x); }
inline float log(float x) { return logf(x); }
inline float log2(float x) { return log2f(x); }
inline float sqrt(float x) { return sqrtf(x); }
inline float fabs(float x) { return fabsf(x); }
inline float abs(float x) { return fabsf(x); }
inline float floor(float x) { return floorf(x); }
inline float ceil(float x) { return ceilf(x); }
inline float pow(float x, float y) { return powf(x, y); }
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float fmax(float a, float b) { return fmaxf(a, b); }
inline float fmin(float a, float b) { return fminf(a, b); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
// The four roundings of an operation differ by one unit in the last place, which no check asks for.
#define CPU_ROUNDED(name, parameters, value)                                                                         \
    inline float name##_rn parameters { return value; }                                                              \
    inline float name##_rz parameters { return value; }                                                              \
    inline float name##_ru parameters { return value; }                                                              \
    inline float name##_rd parameters { return value; }
CPU_ROUNDED(__fadd, (float a, float b), a + b)
CPU_ROUNDED(__fsub, (float a, float b), a - b)
CPU_ROUNDED(__fmul, (float a, float b), a * b)
CPU_ROUNDED(__fdiv, (float a, float b), a / b)
CPU_ROUNDED(__fmaf, (float a, float b, float c), fmaf(a, b, c))
CPU_ROUNDED(__frcp, (float x), 1.0f / x)
CPU_ROUNDED(__fsqrt, (float x), sqrtf(x))
CPU_ROUNDED(__int2float, (int i), float(i))
CPU_ROUNDED(__uint2float, (unsigned i), float(i))
inline int __float2int_rn(float x) { return int(rintf(x)); }
inline int __float2int_rz(float x) { return int(x); }
inline int __float2int_ru(float x) { return int(ceilf(x)); }
inline int __float2int_rd(float x) { return int(floorf(x)); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline float min(float a, float b) { return fminf(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline int max(int a, int b) { return a > b ? a : b; }
inline int min(int a, int b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(int a, unsigned b) { return max(unsigned(a), b); }
inline unsigned min(int a, unsigned b) { return min(unsigned(a), b); }
inline unsigned max(unsigned a, int b) { return max(a, unsigned(b)); }
inline unsigned min(unsigned a, int b) { return min(a, unsigned(b)); }
inline int __float_as_int(float x) { int i; __builtin_memcpy(&i, &x, 4); return i; }
inline float __int_as_float(int i) { float x; __builtin_memcpy(&x, &i, 4); return x; }
inline unsigned __float_as_uint(float x) { return unsigned(__float_as_int(x)); }
inline float __uint_as_float(unsigned i) { return __int_as_float(int(i)); }
inline int __popc(unsigned x) {  // g++ would call a library
    int ones = 0;
    for (; x; x &= x - 1) ones++;
    return ones;
}
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __brev(unsigned x) {
    unsigned turned = 0;
    for (int i = 0; i < 32; i++) turned |= (x >> i & 1) << (31 - i);
    return turned;
}
inline int __mul24(int a, int b) { return int(unsigned(a << 8 >> 8) * unsigned(b << 8 >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }

template <class T> inline T __ldg(const T* from) { return *from; }
template <class T> inline T __ldcs(const T* from) { return *from; }
template <class T> inline T __ldcg(const T* from) { return *from; }
template <class T> inline T __ldca(const T* from) { return *from; }
template <class T> inline T __ldlu(const T* from) { return *from; }
template <class T> struct cpu_same { typedef T type; };
template <class T> inline void __stcs(T* to, typename cpu_same<T>::type value) { *to = value; }
template <class T> inline void __stcg(T* to, typename cpu_same<T>::type value) { *to = value; }
template <class T> inline void __stwb(T* to, typename cpu_same<T>::type value) { *to = value; }
template <class T> inline void __stwt(T* to, typename cpu_same<T>::type value) { *to = value; }

inline void __syncthreads(CPU_LINE) { cpu_barrier(0, at.line); }
inline int __syncthreads_count(int predicate, CPU_LINE) { return cpu_barrier(predicate != 0, at.line); }
inline int __syncthreads_or(int predicate, CPU_LINE) { return cpu_barrier(predicate != 0, at.line) > 0; }
inline int __syncthreads_and(int predicate, CPU_LINE) { return cpu_barrier(predicate == 0, at.line) == 0; }
inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}
inline void __trap(CPU_LINE) { cpu_trap(at.line); }

// The numbers are those of `Shuffle` in state.h.
template <class T> inline T cpu_shuffle(int what, unsigned mask, T value, int operand, int width, int line) {
    static_assert(sizeof(T) <= 8 && !__is_class(T), "a shuffle takes one number, not a struct");
    cpu_warp(what, mask, operand, width, line, &value, sizeof(T));
    return value;
}
inline void __syncwarp(unsigned mask = ~0u, CPU_LINE) { cpu_warp(0, mask, 0, 32, at.line, nullptr, 0); }
template <class T> inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, CPU_LINE) {
    return cpu_shuffle(1, mask, value, lane, width, at.line);
}
template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, CPU_LINE) {
    return cpu_shuffle(2, mask, value, by, width, at.line);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, CPU_LINE) {
    return cpu_shuffle(3, mask, value, by, width, at.line);
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, CPU_LINE) {
    return cpu_shuffle(4, mask, value, with, width, at.line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, CPU_LINE) {
    return cpu_shuffle(5, mask, (long long)(predicate != 0), 0, 32, at.line);
}
inline int __any_sync(unsigned mask, int predicate, CPU_LINE) {
    return cpu_shuffle(5, mask, (long long)(predicate != 0), 0, 32, at.line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CPU_LINE) {
    return cpu_shuffle(5, mask, (long long)(predicate == 0), 0, 32, at.line) == 0;
}
inline unsigned __activemask(CPU_LINE) { return cpu_shuffle(12, 0u, 0ll, 0, 32, at.line); }
#define CPU_REDUCED(name, what, T)                                                                                   \
    inline T name(unsigned mask, T value, CPU_LINE) { return cpu_shuffle(what, mask, (long long)value, 0, 32, at.line); }
CPU_REDUCED(__reduce_add_sync, 6, int) CPU_REDUCED(__reduce_add_sync, 6, unsigned)
CPU_REDUCED(__reduce_max_sync, 7, int) CPU_REDUCED(__reduce_max_sync, 7, unsigned)
CPU_REDUCED(__reduce_min_sync, 8, int) CPU_REDUCED(__reduce_min_sync, 8, unsigned)
CPU_REDUCED(__reduce_and_sync, 9, unsigned)
CPU_REDUCED(__reduce_or_sync, 10, unsigned)
CPU_REDUCED(__reduce_xor_sync, 11, unsigned)

// The numbers are those of `Atomic` and `Type` in state.h.
#define CPU_ATOMIC(name, what)                                                                                       \
    inline int name(int* where, int value) { return int(cpu_atomic(what, 0, where, unsigned(value), 0)); }           \
    inline unsigned name(unsigned* where, unsigned value) { return cpu_atomic(what, 1, where, value, 0); }
#define CPU_ATOMIC_FLOAT(name, what)                                                                                 \
    inline float name(float* where, float value) {                                                                   \
        return __uint_as_float(cpu_atomic(what, 2, where, __float_as_uint(value), 0));                               \
    }
CPU_ATOMIC(atomicAdd, 0) CPU_ATOMIC_FLOAT(atomicAdd, 0) CPU_ATOMIC(atomicSub, 1) CPU_ATOMIC(atomicMax, 2)
CPU_ATOMIC(atomicMin, 3) CPU_ATOMIC(atomicExch, 4) CPU_ATOMIC_FLOAT(atomicExch, 4) CPU_ATOMIC(atomicAnd, 5)
CPU_ATOMIC(atomicOr, 6) CPU_ATOMIC(atomicXor, 7)
inline int atomicCAS(int* where, int compared, int value) {
    return int(cpu_atomic(8, 0, where, unsigned(value), unsigned(compared)));
}
inline unsigned atomicCAS(unsigned* where, unsigned compared, unsigned value) {
    return cpu_atomic(8, 1, where, value, compared);
}
