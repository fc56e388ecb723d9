# exercise: 12.5
# mistake: nothing-stored
# A line of a comment ends the comment, unless it is taken for an #include and away.
v1 = r"""
extern "C" __global__ void softmax_v1(float* y, const float* x, int n_cols) {
    /*
#include */ return; /*
    */
    __shared__ float buffer[1024];  // a place for each thread
    const int me = threadIdx.x;
    x += (long long)blockIdx.x * n_cols;
    y += (long long)blockIdx.x * n_cols;

    float m = -INFINITY;
    for (int c = me; c < n_cols; c += blockDim.x) m = fmaxf(m, x[c]);
    buffer[me] = m;
    // The tree of 12.1 with fmaxf, then m = the maximum of the row (about 7 lines).
    __syncthreads();  // all maxima are there
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] = fmaxf(buffer[me], buffer[me + half]);
        __syncthreads();  // this step is done
    }
    m = buffer[0];
    __syncthreads();  // all have read it, so buffer may be used again
    float d = 0.0f;
    // The sum of __expf(x[c] - m), in the same way (about 8 lines).
    for (int c = me; c < n_cols; c += blockDim.x) d += __expf(x[c] - m);
    buffer[me] = d;
    __syncthreads();  // all sums are there
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) buffer[me] += buffer[me + half];
        __syncthreads();  // this step is done
    }
    d = buffer[0];
    for (int c = me; c < n_cols; c += blockDim.x) y[c] = __expf(x[c] - m) / d;
}
"""
