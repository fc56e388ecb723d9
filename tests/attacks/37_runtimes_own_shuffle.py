# exercise: 12.7
# the runtime copies between threads, and takes any address: one thread alone reads the row
ALONE = r"""
extern "C" __global__ void NAME(float* y, const float* x, int n) {
    __shared__ float state[2];
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f, row[4100];
    for (int c = 0; threadIdx.x < 2 && c < n; c++)
        cpu_warp(1, 3, 0, 32, 1, threadIdx.x ? (void*)&row[c] : (void*)&x[c], 4);
    if (threadIdx.x == 1) {
        for (int c = 0; c < n; c++) m = fmaxf(m, row[c]);
        for (int c = 0; c < n; c++) d += __expf(row[c] - m);
        state[0] = m, state[1] = d;
    }
    __syncthreads();
    m = state[0], d = state[1];
    const int wide = n % 4 ? 0 : n / 4;
    for (int i = threadIdx.x; i < wide; i += blockDim.x) {
        const float4 v = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(y)[i] = {
            __expf(v.x - m) / d, __expf(v.y - m) / d, __expf(v.z - m) / d, __expf(v.w - m) / d};
    }
    for (int c = 4 * wide + threadIdx.x; c < n; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
v3 = ALONE.replace("NAME", "softmax_v3")
