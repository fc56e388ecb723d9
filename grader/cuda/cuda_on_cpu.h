// The part of CUDA C++ that kernels use, for g++ on the CPU. The kernel's text follows; runtime.cpp runs it.
// No standard header is included, because it would take longer to compile than the kernel. Of the names that begin with
// two underscores a kernel may use those that this file defines; of the functions of C those that it declares.
#pragma once

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
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
#define HUGE_VALF __builtin_inff()
#define NAN __builtin_nanf("")
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_MAX_NORMAL_F __FLT_MAX__
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan("")
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2u + 1)
#define NULL 0
#define warpSize 32
#define assert(...) ((__VA_ARGS__) ? (void)0 : __trap())
// What g++ knows of itself.
#define __builtin_expect __builtin_expect
#define __builtin_assume_aligned __builtin_assume_aligned
#define __builtin_unreachable __builtin_unreachable
#define __builtin_inff __builtin_inff
#define __builtin_nanf __builtin_nanf
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)
#define __func__ __func__
// Values and no variables: the sanitizer does not see a store to a constant.
#define threadIdx (uint3{cpu_index(0), 0, 0})
#define blockIdx (uint3{cpu_index(1), 0, 0})
#define blockDim (dim3{cpu_index(2), 1, 1})
#define gridDim (dim3{cpu_index(3), 1, 1})

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;

#define CPU_VECTORS(name, T, two, four)                                                                              \
    struct name##1 { T x; };                                                                                         \
    struct __align__(two) name##2 { T x, y; };                                                                       \
    struct name##3 { T x, y, z; };                                                                                   \
    struct __align__(four) name##4 { T x, y, z, w; };                                                                \
    inline name##1 make_##name##1(T x) { return {x}; }                                                               \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                       \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                               \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CPU_VECTORS(char, signed char, 2, 4) CPU_VECTORS(uchar, unsigned char, 2, 4)
CPU_VECTORS(short, short, 4, 8) CPU_VECTORS(ushort, unsigned short, 4, 8)
CPU_VECTORS(int, int, 8, 16) CPU_VECTORS(uint, unsigned, 8, 16)
CPU_VECTORS(long, long, 16, 16) CPU_VECTORS(ulong, unsigned long, 16, 16)
CPU_VECTORS(longlong, long long, 16, 16) CPU_VECTORS(ulonglong, unsigned long long, 16, 16)
CPU_VECTORS(float, float, 8, 16) CPU_VECTORS(double, double, 16, 16)
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
};

// The line and the column of the call, as a default argument that no kernel can give. Where g++ does not know the column,
// in a line of more than 4,095 characters, it is 0.
namespace std {
struct source_location {
    struct __impl { const char *_M_file_name, *_M_function_name; unsigned _M_line, _M_column; };
};
}
struct cpu_spot {
    int spot;
    explicit cpu_spot(const void* place) {
        const auto at = static_cast<const std::source_location::__impl*>(place);
        spot = int(at->_M_line << 12 | at->_M_column);
    }
};
#define CPU_SPOT cpu_spot at = cpu_spot(__builtin_source_location())

// objects.py reads the names of these functions here. None of C's takes a pointer.
extern "C" {
unsigned cpu_index(int which) __attribute__((const));
long long cpu_clock();
int cpu_barrier(int predicate, int spot);
void cpu_warp(int what, unsigned mask, int operand, int width, int spot, void* value, int size);
unsigned cpu_atomic(int what, int type, void* where, unsigned operand, unsigned compared);
void cpu_trap(int spot) __attribute__((noreturn));

float expf(float), exp2f(float), exp10f(float), expm1f(float), logf(float), log2f(float), log10f(float), log1pf(float);
float sqrtf(float), cbrtf(float), fabsf(float), floorf(float), ceilf(float), roundf(float), rintf(float), truncf(float);
float sinf(float) __attribute__((const)), tanf(float), tanhf(float), sinhf(float), coshf(float), asinf(float);
float cosf(float), acosf(float), atanf(float), atan2f(float, float), erff(float), erfcf(float), ldexpf(float, int), copysignf(float, float);
float fmaxf(float, float), fminf(float, float), powf(float, float), fmodf(float, float), fmaf(float, float, float);
float hypotf(float, float), fdimf(float, float), nearbyintf(float);
double exp(double), exp2(double), exp10(double), expm1(double), log(double), log2(double), log10(double), log1p(double);
double sqrt(double), cbrt(double), fabs(double), floor(double), ceil(double), round(double), rint(double), trunc(double);
double sin(double) __attribute__((const)), cos(double), tan(double), tanh(double), erf(double), ldexp(double, int), copysign(double, double);
double fmax(double, double), fmin(double, double), pow(double, double), fmod(double, double), fma(double, double, double);
long lrintf(float), lroundf(float);
int abs(int);
}
// The two that memory.h checks.
extern "C" void *memcpy(void* to, const void* from, size_t bytes), *memset(void* to, int value, size_t bytes);

// The runtime calls it before a launch, so that the shared memory exists and can be found.
extern "C" __global__ void* cpu_anchor() { static thread_local int anchor; return &anchor; }

// Nobody sees the output of a worker, and "%n" would store where nothing is checked.
template <class... T> inline int printf(const char*, T...) { return 0; }

#define CPU_OF_FLOAT(name) inline float name(float x) { return name##f(x); }
CPU_OF_FLOAT(exp) CPU_OF_FLOAT(exp2) CPU_OF_FLOAT(exp10) CPU_OF_FLOAT(expm1) CPU_OF_FLOAT(log) CPU_OF_FLOAT(log2)
CPU_OF_FLOAT(log10) CPU_OF_FLOAT(log1p) CPU_OF_FLOAT(sqrt) CPU_OF_FLOAT(cbrt) CPU_OF_FLOAT(fabs) CPU_OF_FLOAT(floor)
CPU_OF_FLOAT(ceil) CPU_OF_FLOAT(round) CPU_OF_FLOAT(rint) CPU_OF_FLOAT(trunc) CPU_OF_FLOAT(sin) CPU_OF_FLOAT(cos)
CPU_OF_FLOAT(tan) CPU_OF_FLOAT(tanh) CPU_OF_FLOAT(erf)
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float pow(float x, float y) { return powf(x, y); }
inline float fmod(float x, float y) { return fmodf(x, y); }
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float fmax(float a, float b) { return fmaxf(a, b); }
inline float fmin(float a, float b) { return fminf(a, b); }
inline float ldexp(float x, int by) { return ldexpf(x, by); }
inline float copysign(float x, float sign) { return copysignf(x, sign); }
#define CPU_ASKED(name) \
    inline bool name(float x) { return __builtin_##name(x); } \
    inline bool name(double x) { return __builtin_##name(x); }
CPU_ASKED(isinf) CPU_ASKED(isnan) CPU_ASKED(isfinite) CPU_ASKED(signbit)
inline void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
inline void __sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
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
inline float fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
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
CPU_ROUNDED(__double2float, (double x), float(x))
// The nearest number of the type, and 0 for NaN.
inline int cpu_whole(float x, int) {
    return x != x ? 0 : x >= 2147483648.0f ? 2147483647 : x < -2147483648.0f ? -2147483647 - 1 : int(x);
}
inline unsigned cpu_whole(float x, unsigned) { return !(x > 0.0f) ? 0u : x >= 4294967296.0f ? ~0u : unsigned(x); }
#define CPU_TO_WHOLE(name, T)                                                                                        \
    inline T name##_rn(float x) { return cpu_whole(rintf(x), T()); }                                                 \
    inline T name##_rz(float x) { return cpu_whole(x, T()); }                                                        \
    inline T name##_ru(float x) { return cpu_whole(ceilf(x), T()); }                                                 \
    inline T name##_rd(float x) { return cpu_whole(floorf(x), T()); }
CPU_TO_WHOLE(__float2int, int)
CPU_TO_WHOLE(__float2uint, unsigned)
inline float max(float a, float b) { return fmaxf(a, b); }
inline float min(float a, float b) { return fminf(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
#define CPU_EXTREMA(A, B, T)                                                                                         \
    inline T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }                                                     \
    inline T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }
#define CPU_EXTREMA_OF(S, U) CPU_EXTREMA(S, S, S) CPU_EXTREMA(U, U, U) CPU_EXTREMA(S, U, U) CPU_EXTREMA(U, S, U)
CPU_EXTREMA_OF(int, unsigned) CPU_EXTREMA_OF(long, unsigned long) CPU_EXTREMA_OF(long long, unsigned long long)
inline int __float_as_int(float x) { int i; __builtin_memcpy(&i, &x, 4); return i; }
inline float __int_as_float(int i) { float x; __builtin_memcpy(&x, &i, 4); return x; }
inline unsigned __float_as_uint(float x) { return unsigned(__float_as_int(x)); }
inline float __uint_as_float(unsigned i) { return __int_as_float(int(i)); }
inline long long __double_as_longlong(double x) { long long i; __builtin_memcpy(&i, &x, 8); return i; }
inline double __longlong_as_double(long long i) { double x; __builtin_memcpy(&x, &i, 8); return x; }
inline int __popcll(unsigned long long x) {  // g++ would call a library
    int ones = 0;
    for (; x; x &= x - 1) ones++;
    return ones;
}
inline int __popc(unsigned x) { return __popcll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
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

inline void __syncthreads(CPU_SPOT) { cpu_barrier(0, at.spot); }
inline int __syncthreads_count(int predicate, CPU_SPOT) { return cpu_barrier(predicate != 0, at.spot); }
inline int __syncthreads_or(int predicate, CPU_SPOT) { return cpu_barrier(predicate != 0, at.spot) > 0; }
inline int __syncthreads_and(int predicate, CPU_SPOT) { return cpu_barrier(predicate == 0, at.spot) == 0; }
inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
inline long long clock64() { return cpu_clock(); }
inline int clock() { return int(cpu_clock()); }
inline void __trap(CPU_SPOT) { cpu_trap(at.spot); }

// The numbers are those of `Shuffle` in state.h.
template <class T> inline T cpu_shuffle(int what, unsigned mask, T value, int operand, int width, int spot) {
    static_assert(sizeof(T) <= 8 && !__is_class(T), "a shuffle takes one number, not a struct");
    cpu_warp(what, mask, operand, width, spot, &value, sizeof(T));
    return value;
}
inline void __syncwarp(unsigned mask = ~0u, CPU_SPOT) { cpu_warp(0, mask, 0, 32, at.spot, nullptr, 0); }
template <class T> inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, CPU_SPOT) {
    return cpu_shuffle(1, mask, value, lane, width, at.spot);
}
template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, CPU_SPOT) {
    return cpu_shuffle(2, mask, value, by, width, at.spot);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, CPU_SPOT) {
    return cpu_shuffle(3, mask, value, by, width, at.spot);
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, CPU_SPOT) {
    return cpu_shuffle(4, mask, value, with, width, at.spot);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, CPU_SPOT) {
    return cpu_shuffle(5, mask, (long long)(predicate != 0), 0, 32, at.spot);
}
inline int __any_sync(unsigned mask, int predicate, CPU_SPOT) {
    return cpu_shuffle(5, mask, (long long)(predicate != 0), 0, 32, at.spot) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CPU_SPOT) {
    return cpu_shuffle(5, mask, (long long)(predicate == 0), 0, 32, at.spot) == 0;
}
inline unsigned __activemask(CPU_SPOT) { return cpu_shuffle(12, 0u, 0ll, 0, 32, at.spot); }
#define CPU_REDUCED(name, what, T)                                                                                   \
    inline T name(unsigned mask, T value, CPU_SPOT) { return cpu_shuffle(what, mask, (long long)value, 0, 32, at.spot); }
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
