// The part of CUDA C++ that kernels use, for g++ on the CPU. The kernel's text follows; runtime.cpp runs it.
// No standard header is included, because it would take longer to compile than the kernel.
#pragma once

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
// All threads of a block are fibers of one thread of this process, so its thread-local memory is theirs.
#define __shared__ static thread_local
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FLT_MAX __FLT_MAX__
#define warpSize 32

typedef __SIZE_TYPE__ size_t;
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
struct __align__(8) float2 { float x, y; };
struct float3 { float x, y, z; };
struct __align__(16) float4 { float x, y, z, w; };
struct __align__(8) int2 { int x, y; };
struct __align__(16) int4 { int x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

extern "C" {
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;

void cpu_barrier(int line);
void cpu_warp(int what, unsigned mask, int operand, int width, int line, void* value, int size);
float cpu_add_float(float* where, float value);
int cpu_add_int(int* where, int value);

float expf(float), exp2f(float), exp10f(float), logf(float), log2f(float), sqrtf(float), fabsf(float), floorf(float);
float fmaxf(float, float), fminf(float, float), powf(float, float), fmaf(float, float, float), ceilf(float);
double exp(double), exp2(double), log(double), sqrt(double), fabs(double), fmax(double, double), fmin(double, double);
int printf(const char*, ...);

// The runtime calls it before a launch, so that the shared memory exists and can be found.
__global__ void* cpu_anchor() { static thread_local int anchor; return &anchor; }
}

inline float exp(float x) { return expf(x); }
inline float exp2(float x) { return exp2f(x); }
inline float log(float x) { return logf(x); }
inline float sqrt(float x) { return sqrtf(x); }
inline float fabs(float x) { return fabsf(x); }
inline float fmax(float a, float b) { return fmaxf(a, b); }
inline float fmin(float a, float b) { return fminf(a, b); }
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
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
template <class T> inline T __ldg(const T* from) { return *from; }

inline void __syncthreads(int line = __builtin_LINE()) { cpu_barrier(line); }
inline void __syncwarp(unsigned mask = ~0u, int line = __builtin_LINE()) { cpu_warp(0, mask, 0, 32, line, nullptr, 0); }
inline void __threadfence_block() {}

template <class T> inline T cpu_shuffle(int what, unsigned mask, T value, int operand, int width, int line) {
    static_assert(sizeof(T) <= 8 && !__is_class(T), "a shuffle takes one number, not a struct");
    cpu_warp(what, mask, operand, width, line, &value, sizeof(T));
    return value;
}
template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32, int line = __builtin_LINE()) {
    return cpu_shuffle(1, mask, value, lane, width, line);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, int line = __builtin_LINE()) {
    return cpu_shuffle(2, mask, value, by, width, line);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, int line = __builtin_LINE()) {
    return cpu_shuffle(3, mask, value, by, width, line);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, int line = __builtin_LINE()) {
    return cpu_shuffle(4, mask, value, with, width, line);
}

inline float atomicAdd(float* where, float value) { return cpu_add_float(where, value); }
inline int atomicAdd(int* where, int value) { return cpu_add_int(where, value); }
