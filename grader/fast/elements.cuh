// Elements, 16-byte vectors of them, and the exponential of the GPU. Stands before clusters.cu and short_rows.cu.
//   HALF      0 for float32, 1 for bfloat16, 2 for float16
typedef unsigned int u32;
typedef unsigned long long u64;
#if HALF
typedef unsigned short Element;
#define MINUS_INF (HALF == 1 ? 0xff80ff80u : 0xfc00fc00u)
#else
typedef float Element;
#define MINUS_INF 0xff800000u
#endif
#define A_VECTOR (16 / (int)sizeof(Element))  // elements
#define LOG2_E 1.4426950408889634f
#define LN_2 0.6931471805599453f

struct __align__(16) Vector { u32 word[4]; };

__device__ __forceinline__ float exp2_(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
__device__ __forceinline__ float log2_(float x) { float y; asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
__device__ __forceinline__ float minus_inf() { return __int_as_float(0xff800000); }

// A word is a float32, or two elements of 16 bits. One instruction takes two maxima, one rounds two numbers.
#if HALF == 1
__device__ __forceinline__ float low(u32 w) { return __uint_as_float(w << 16); }
__device__ __forceinline__ float high(u32 w) { return __uint_as_float(w & 0xffff0000u); }
__device__ __forceinline__ u32 pack(float a, float b) { u32 w; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(b), "f"(a)); return w; }
__device__ __forceinline__ u32 larger(u32 a, u32 b) { u32 w; asm("max.bf16x2 %0, %1, %2;" : "=r"(w) : "r"(a), "r"(b)); return w; }
#elif HALF == 2
__device__ __forceinline__ float low(u32 w) { float x; asm("{.reg .f16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, a;}" : "=f"(x) : "r"(w)); return x; }
__device__ __forceinline__ float high(u32 w) { float x; asm("{.reg .f16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, b;}" : "=f"(x) : "r"(w)); return x; }
__device__ __forceinline__ u32 pack(float a, float b) { u32 w; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(b), "f"(a)); return w; }
__device__ __forceinline__ u32 larger(u32 a, u32 b) { u32 w; asm("max.f16x2 %0, %1, %2;" : "=r"(w) : "r"(a), "r"(b)); return w; }
#endif
#if HALF
__device__ __forceinline__ float number(Element e) { return low(e); }
__device__ __forceinline__ Element rounded(float x) { return (Element)(pack(x, 0.f) & 0xffff); }
#else
__device__ __forceinline__ float number(Element e) { return e; }
__device__ __forceinline__ Element rounded(float x) { return x; }
#endif
