# exercise: 12.7
v3 = r"""
__device__ float wmax(float v) { for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_down_sync(~0u, v, o)); return __shfl_sync(~0u, v, 0); }
__device__ float wsum(float v) { for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o); return __shfl_sync(~0u, v, 0); }
extern "C" __global__ void softmax_v3(float* y, const float* x, int n_cols) {
    __shared__ float s[33];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = blockDim.x >> 5;
    const float* row = &x[(long)blockIdx.x * n_cols];
    float* out = &y[(long)blockIdx.x * n_cols];
    float m = -INFINITY, d = 0;
    if (n_cols % 4 == 0) {
        for (int i = 4 * t; i < n_cols; i += 4 * blockDim.x) {
            const float4 v = *(const float4*)(row + i);
            const float n = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
            const float sh = n == -INFINITY ? 0 : n;
            d = d * expf(m - sh) + expf(v.x - sh) + expf(v.y - sh) + expf(v.z - sh) + expf(v.w - sh);
            m = n;
        }
    } else {
        for (int i = t; i < n_cols; i += blockDim.x) {
            const float n = fmaxf(m, row[i]), sh = isinf(n) ? 0 : n, v = row[i];
            d = d * expf(m - sh) + expf(v - sh);
            m = n;
        }
    }
    float g = wmax(m);
    if (lane == 0) s[warp] = g;
    __syncthreads();
    if (warp == 0) { g = wmax(lane < warps ? s[lane] : -INFINITY); if (lane == 0) s[32] = g; }
    __syncthreads();
    g = s[32];
    d *= m == -INFINITY ? 0.f : expf(m - g);
    d = wsum(d);
    if (lane == 0) s[warp] = d;
    __syncthreads();
    if (warp == 0) { d = wsum(lane < warps ? s[lane] : 0.f); if (lane == 0) s[32] = d; }
    __syncthreads();
    d = s[32];
    if (n_cols % 4 == 0) {
        for (int i = 4 * t; i < n_cols; i += 4 * blockDim.x) {
            float4 v = *(const float4*)(row + i);
            v.x = expf(v.x - g) / d; v.y = expf(v.y - g) / d; v.z = expf(v.z - g) / d; v.w = expf(v.w - g) / d;
            *(float4*)(out + i) = v;
        }
    } else for (int i = t; i < n_cols; i += blockDim.x) out[i] = expf(row[i] - g) / d;
}
"""
