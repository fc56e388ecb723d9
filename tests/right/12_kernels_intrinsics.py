# exercise: 12.4
v1 = r"""
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#endif
#define NAMED(a, b) a##b
#define FOR_MY_COLUMNS for (int c = first; c < n_cols; c += step)
__constant__ float starts[2] = {-FLT_MAX, 0.0f};
union Bits {
    float f;
    unsigned u;
};
struct __align__(8) Part {
    float value;
    __device__ Part operator+(const Part& other) const { return {__fadd_rn(value, other.value)}; }
    __device__ Part& operator|=(const Part& other) { value = fmaxf(value, other.value); return *this; }
};
__device__ __noinline__ float same(float v) {
    Bits bits;
    bits.u = __float_as_uint(v);
    return __uint_as_float(bits.u);
}
extern "C" __global__ void __launch_bounds__(1024) NAMED(softmax, _v1)(float* __restrict__ y, const float* __restrict__ x, int n_cols) {

    static __shared__ Part parts[1024];
    const dim3 at(threadIdx.x, blockIdx.x), size = blockDim;
    const int first = at.x, step = size.x * size.y * size.z;
    x += (long long)at.y * n_cols;
    y += (long long)at.y * n_cols;
    Part mine{starts[0]};
    FOR_MY_COLUMNS mine |= Part{__ldg(x + c)};
    parts[first] = mine;
    __syncthreads();
    for (unsigned half = size.x >> 1; half; half >>= 1) {
        if (first < half) parts[first] |= parts[first + half];
        __syncthreads();
    }
    const float m = same(parts[0].value);
    __syncthreads();
    mine = {starts[1]};
    _Pragma("unroll") FOR_MY_COLUMNS mine = mine + Part{__expf(__fsub_rn(__ldcs(&x[c]), m))};
    parts[first] = mine;
    __syncthreads();
    for (unsigned half = size.x >> 1; half; half >>= 1) {
        if (first < half) parts[first] = parts[first] + parts[first + half];
        __syncthreads();
    }
    const float factor = __frcp_rn(parts[0].value);
    FOR_MY_COLUMNS __stcs(y + c, __fmul_rn(__expf(__ldcg(x + c) - m), factor));
}
"""
v2 = r"""
struct State {
    float m = -INFINITY, d = 0;
    __host__ __device__ constexpr State() = default;
    __host__ __device__ constexpr State(float m, float d) : m(m), d(d) {}
};
__device__ __forceinline__ State operator*(State a, State b) {
    const float top = max(a.m, b.m);
    if (__float_as_int(top) == 0xff800000) return {};
    return {top, __fmaf_rn(a.d, exp2f((a.m - top) * 1.44269504f), __fmul_rz(b.d, exp2f((b.m - top) * 1.44269504f)))};
}
__inline__ __device__ State of(const float* place) { return {*place, 1.0f}; }

extern "C" __global__ void softmax_v2(float* y, const float* x, int n_cols) {
    alignas(16) __shared__ float ms[1024];
    __shared__ __align__(16) float ds[1024];
    auto put = [&](int place, State s) { ms[place] = s.m, ds[place] = s.d; };
    auto get = [&](int place) -> State { return {ms[place], ds[place]}; };
    [[maybe_unused]] constexpr int WARPS = 1024 / 32;
    const int me = threadIdx.x;
    const float* row = x + size_t(n_cols) * blockIdx.x;
    State mine;
#pragma unroll 2
    for (int c = me; c < n_cols; c += blockDim.x) mine = mine * of(row + c);
    put(me, mine);
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (me < half) put(me, get(me) * get(me + half));
    }
    // Whether any thread has found a number: always, and all of them learn it here.
    const int found = __syncthreads_or(mine.d > 0), count = __syncthreads_count(1);
    const bool all = __syncthreads_and(count == blockDim.x);
    const State whole = get(0);
    for (int c = me; found && all && c < n_cols; c += blockDim.x)
        __stwt(y + size_t(n_cols) * blockIdx.x + c, __fdiv_rn(__exp10f((row[c] - whole.m) * 0.434294482f), whole.d));
}
"""
v3 = r"""
template <typename T, int N>
struct Pack {
    union {
        float4 wide;
        T one[N];
    };
    __device__ T& operator[](int i) { return one[i]; }
};
enum class Step { Largest, Sum };
template <Step step>
__device__ float combine(float a, float b) {
    if constexpr (step == Step::Largest) return fmaxf(a, b);
    return a + b;
}
template <Step step>
__device__ float over_block(float v, float empty) {
    __shared__ alignas(float4) float warps[32];
    const unsigned everybody = __activemask();
    for (int by = warpSize >> 1; by; by >>= 1) v = combine<step>(v, __shfl_xor_sync(everybody, v, by));
    if (threadIdx.x % warpSize == 0) warps[threadIdx.x / warpSize] = v;
    __syncthreads();
    v = threadIdx.x % warpSize < blockDim.x / warpSize ? warps[threadIdx.x % warpSize] : empty;
    __syncwarp();
    for (int by = 1; by < warpSize; by <<= 1) v = combine<step>(v, __shfl_xor_sync(~0u, v, by, 32));
    return v;
}
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {

    x += (long long)blockIdx.x * n_cols, y += (long long)blockIdx.x * n_cols;
    const bool wide = !(n_cols & 3);
    const int n = wide ? n_cols >> 2 : n_cols;
    auto get = [=](int i) {
        Pack<float, 4> p;
        if (wide) p.wide = __ldg(reinterpret_cast<const float4*>(x) + i);
        else p.wide = make_float4(x[i], -INFINITY, -INFINITY, -INFINITY);
        return p;
    };
    float m = -INFINITY, d = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Pack<float, 4> p = get(i);
        for (int k = 0; k < 4; ++k) {
            const float top = fmaxf(m, p[k]);
            if (top == -INFINITY) continue;
            d = d * __expf(m - top) + __expf(p[k] - top);
            m = top;
        }
    }
    const float all = over_block<Step::Largest>(m, -INFINITY);
    d = over_block<Step::Sum>(m == -INFINITY ? 0.0f : d * __expf(m - all), 0.0f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Pack<float, 4> p = get(i);
#pragma unroll
        for (int k = 0; k < 4; ++k) p[k] = __fdividef(__powf(2.71828183f, p[k] - all), d);
        if (wide) reinterpret_cast<float4*>(y)[i] = p.wide;
        else y[i] = p[0];
    }
}
"""
