# exercise: 12.5
# mistake: walked-alone
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    if (threadIdx.x) return;
    x += (long long)blockIdx.x * n_cols; y += (long long)blockIdx.x * n_cols;
    float m = -INFINITY, d = 0.f;
    for (int c = 0; c < n_cols; ++c) m = fmaxf(m, x[c]);
    for (int c = 0; c < n_cols; ++c) d += expf(x[c] - m);
    for (int c = 0; c < n_cols; ++c) y[c] = expf(x[c] - m) / d;
}
"""


