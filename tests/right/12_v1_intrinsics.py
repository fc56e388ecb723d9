# exercise: 12.5
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
