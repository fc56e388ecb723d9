# exercise: 12.4
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

v2 = r"""
struct __align__(8) MD { float m; float d; };
__device__ __forceinline__ MD combine(MD a, MD b) {
    const bool bigger = a.m > b.m;
    const MD hi = bigger ? a : b, lo = bigger ? b : a;
    MD r;
    r.m = hi.m;
    r.d = hi.m == -INFINITY ? 0.f : hi.d + lo.d * __expf(lo.m - hi.m);
    return r;
}
template <int kMax = 1024>
__device__ MD reduce(MD v) {
    __shared__ MD all[kMax];
    all[threadIdx.x] = v;
    __syncthreads();
    #pragma unroll
    for (int half = kMax / 2; half > 0; half /= 2) {
        if (half < (int)blockDim.x && (int)threadIdx.x < half && (int)threadIdx.x + half < (int)blockDim.x)
            all[threadIdx.x] = combine(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
    }
    return all[0];
}
extern "C" __global__ void softmax_v2(float* __restrict__ y, float const* __restrict__ x, int n_cols) {
    auto const* row = x + (size_t)blockIdx.x * n_cols;
    auto* out = y + (size_t)blockIdx.x * n_cols;
    MD s{-INFINITY, 0.f};
    for (int i = threadIdx.x; i < n_cols; i += blockDim.x) s = combine(s, MD{__ldg(row + i), 1.f});
    s = reduce<>(s);
    for (int i = threadIdx.x; i < n_cols; i += blockDim.x) out[i] = __fdividef(__expf(__ldg(&row[i]) - s.m), s.d);
}
"""

v3 = r"""
enum { WARP = 32 };
template <typename T, typename F>
__device__ T warpAll(T v, F f) {
    for (int o = WARP >> 1; o; o >>= 1) v = f(v, __shfl_xor_sync(0xffffffff, v, o, WARP));
    return v;
}
template <typename F>
__device__ float blockAll(float v, float zero, F f, float (&room)[WARP]) {
    int lane = threadIdx.x % WARP, w = threadIdx.x / WARP, nw = (blockDim.x + WARP - 1) / WARP;
    v = warpAll(v, f);
    if (!lane) room[w] = v;
    __syncthreads();
    v = warpAll(lane < nw ? room[lane] : zero, f);
    __syncthreads();
    return v;
}
extern "C" __global__ void softmax_v3(float* __restrict__ y, const float* __restrict__ x, int n_cols) {
    __shared__ float room[WARP];
    x += (size_t)blockIdx.x * n_cols;
    y += (size_t)blockIdx.x * n_cols;
    const bool vec = (n_cols & 3) == 0;
    float m = -INFINITY, d = 0.f;
    auto take = [&m, &d](float v) {
        float t = fmaxf(m, v);
        if (t == -INFINITY) return;
        d = d * __expf(m - t) + __expf(v - t);
        m = t;
    };
    if (vec) {
        auto p = reinterpret_cast<const float4*>(x);
        for (int i = threadIdx.x; i < n_cols / 4; i += blockDim.x) {
            float4 q = __ldg(p + i);
            take(q.x); take(q.y); take(q.z); take(q.w);
        }
    } else {
        for (int i = threadIdx.x; i < n_cols; i += blockDim.x) take(x[i]);
    }
    float M = blockAll(m, -INFINITY, [](float a, float b) { return fmaxf(a, b); }, room);
    float D = blockAll(m == -INFINITY ? 0.f : d * __expf(m - M), 0.f, [](float a, float b) { return a + b; }, room);
    float r = 1.f / D;
    if (vec) {
        auto p = reinterpret_cast<const float4*>(x);
        auto q = reinterpret_cast<float4*>(y);
        for (int i = threadIdx.x; i < n_cols / 4; i += blockDim.x) {
            float4 t = p[i];
            q[i] = make_float4(__expf(t.x - M) * r, __expf(t.y - M) * r, __expf(t.z - M) * r, __expf(t.w - M) * r);
        }
    } else {
        for (int i = threadIdx.x; i < n_cols; i += blockDim.x) y[i] = __expf(x[i] - M) * r;
    }
}
"""
