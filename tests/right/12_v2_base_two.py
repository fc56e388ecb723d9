# exercise: 12.6
v2 = r"""
extern "C" __global__ void softmax_v2(float* y, const float* x, int n_cols) {

    // The shift of a thread moves rarely; the sum is kept in double.
    __shared__ double sums[1024];
    __shared__ float tops[1024];
    const int t = threadIdx.x, threads = blockDim.x;
    const float* row = x + (long long)blockIdx.x * n_cols;
    float top = -INFINITY;
    double sum = 0;
    int c = t;
    while (c < n_cols) {
        const float v = row[c];
        if (v > top) sum *= exp(double(top) - v), top = v;
        sum += v > -INFINITY ? exp(double(v) - top) : 0.0;
        c += threads;
    }
    tops[t] = top;
    sums[t] = sum;
    for (int half = threads >> 1; half > 0; half >>= 1) {
        __syncthreads();
        if (t >= half) continue;
        const float a = tops[t], b = tops[t + half], both = a > b ? a : b;
        if (both > -INFINITY) sums[t] = sums[t] * exp(double(a) - both) + sums[t + half] * exp(double(b) - both);
        tops[t] = both;
    }
    __syncthreads();
    for (int i = t; i < n_cols; i += threads) y[(long long)blockIdx.x * n_cols + i] = exp(double(row[i]) - tops[0]) / sums[0];
}
"""
