# exercise: 12.4
# mistake: letters-behind-a-number
sum_rows = 'static_assert(false, "TODO 12.4");'
copy_rows = r"""
extern "C" __global__ void copy_rows(float* y, const float* x, int n_cols) {
    x += (long long)blockIdx.x * n_cols;  // this block's row
    y += (long long)blockIdx.x * n_cols;
    // The first column of this thread: const int first = ... (1 line).
    const int first = threadIdx.x;
    // Copy that column and all later columns of this thread (1 line, a for loop).
    for (int c = first; c < n_cols; c += blockDim.x) y[c] = x[c] * 1f;
}
"""
