# exercise: 12.5
v1 = r"""
#define TID threadIdx.x
#define FULL 0xffffffffu
using real = float;
static_assert(sizeof(real) == 4, "float");
typedef unsigned int u32;
namespace detail {
constexpr real kNegInf = -INFINITY;
__device__ inline real larger(real a, real b) { return a > b ? a : b; }
}
extern "C" __global__ void __launch_bounds__(1024) softmax_v1(real* __restrict__ y, const real* __restrict__ x, int n_cols) {
    __shared__ real buf[1024];
    const auto base = static_cast<long long>(blockIdx.x) * n_cols;
    real m = detail::kNegInf;
    for (int c = TID; c < n_cols; c += blockDim.x) m = detail::larger(m, x[base + c]);
    buf[TID] = m;
    __syncthreads();
    for (u32 s = blockDim.x / 2u; s > 0u; s >>= 1u) {
        if (TID < s) buf[TID] = detail::larger(buf[TID], buf[TID + s]);
        __syncthreads();
    }
    m = buf[0];
    __syncthreads();
    real d{};
    for (int c = TID; c < n_cols; c += blockDim.x) d += __expf(x[base + c] - m);
    buf[TID] = d;
    __syncthreads();
    for (u32 s = blockDim.x / 2u; s > 0u; s >>= 1u) {
        if (TID < s) buf[TID] += buf[TID + s];
        __syncthreads();
    }
    const real inv = __frcp_rn(buf[0]);
    for (int c = TID; c < n_cols; c += blockDim.x) y[base + c] = __expf(x[base + c] - m) * inv;
}
"""
