# exercise: 12.5
# a barrier in each branch of an if, both in one line
v1 = r"""
#define STEP(action) if (me < half) { action; __syncthreads(); } else __syncthreads();
extern "C" __global__ void softmax_v1(float* y, const float* x, int n) {
    __shared__ float s[1024];
    const int me = threadIdx.x, threads = blockDim.x;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;
    float m = -INFINITY, d = 0.0f;
    for (int i = me; i < n; i += threads) m = fmaxf(m, x[i]);
    s[me] = m;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) { STEP(s[me] = fmaxf(s[me], s[me + half])) }
    m = s[0];
    __syncthreads();
    for (int i = me; i < n; i += threads) d += expf(x[i] - m);
    s[me] = d;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) { STEP(s[me] += s[me + half]) }
    d = s[0];
    for (int i = me; i < n; i += threads) y[i] = expf(x[i] - m) / d;
}
"""
