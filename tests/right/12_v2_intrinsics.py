# exercise: 12.6
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
