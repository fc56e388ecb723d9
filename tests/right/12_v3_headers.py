# exercise: 12.7
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
