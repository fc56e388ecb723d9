// Cross-entropy of rows, for NVIDIA GPUs of compute capability 8.0 and newer: what losses.py does, at the speed at which
// 16-bit logits arrive. One instruction takes the maxima of two pairs of them.
//
// A_ROW threads walk along a row in tiles; the load of the next tile, or row, begins before this one is summed up.
// loss_rows.py compiles this text with
//   HALF      as in elements.cuh, which stands before this text
//   ALIGNED   1 where every row begins and ends at a multiple of 16 bytes, else 0
//   THREADS   threads of a block, a multiple of 32
//   A_ROW     threads of a row: 32, or THREADS
//   VECTORS   vectors of 16 bytes of a tile that a thread has
//   TIMES     rows that such threads have, one after the other
//   REDUCED   1 for one loss of all rows, 0 for a loss each
//   SMOOTH    1 for label smoothing, else 0
//   WIDE      1 for losses of float32, 0 for losses of the dtype of the logits
//   RESIDENT  blocks that are to run on a multiprocessor at once, which bounds their registers
#define GROUPS (THREADS / A_ROW)
#define EACH _Pragma("unroll") for (int i = 0; i < VECTORS; i++)
#define WORDS _Pragma("unroll") for (int q = 0; q < 4; q++)

#if WIDE
typedef float Loss;
__device__ __forceinline__ Loss as_loss(float x) { return x; }
#else
typedef Element Loss;
__device__ __forceinline__ Loss as_loss(float x) { return rounded(x); }
#endif

#if !HALF
__device__ __forceinline__ float low(u32 w) { return __uint_as_float(w); }
__device__ __forceinline__ u32 larger(u32 a, u32 b) { return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b))); }
#endif

// log2(e) * x - c, rounded once. c: log2(e) * m, rounded, for a maximum m; 0 for an m of -inf.
__device__ __forceinline__ float exponent(float x, float c) { return fmaf(x, LOG2_E, -c); }
__device__ __forceinline__ float finite(float c) { return c == minus_inf() ? 0.f : c; }

__device__ __forceinline__ float largest(float x) {
#pragma unroll
  for (int far = 16; far; far >>= 1) x = fmaxf(x, __shfl_xor_sync(~0u, x, far));
  return x;
}

__device__ __forceinline__ float total(float x) {
#pragma unroll
  for (int far = 16; far; far >>= 1) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

// A row of x: its whole vectors, and the element that this thread reads alone, before or behind them.
struct Row {
  const Element* x;
  const Vector* whole;
  int vectors, alone;

  __device__ __forceinline__ Row(const Element* x, int n, int thread) : x(x) {
#if ALIGNED
    whole = (const Vector*)x, vectors = n / A_VECTOR, alone = -1;
#else
    int before = min((int)((16 - (u64)x % 16) % 16 / sizeof(Element)), n);
    whole = (const Vector*)(x + before), vectors = (n - before) / A_VECTOR, alone = -1;
    if (thread < A_VECTOR && thread < before) alone = thread;
    int behind = before + vectors * A_VECTOR + thread - A_VECTOR;
    if (thread >= A_VECTOR && behind < n && thread < 2 * A_VECTOR) alone = behind;
#endif
  }

  // Asm, so that there is no branch for each vector.
  __device__ __forceinline__ void load(Vector* v, int first) const {
    EACH {
      int at = first + i * A_ROW;
      u32* w = v[i].word;
      w[0] = w[1] = w[2] = w[3] = MINUS_INF;
      asm volatile("{\n.reg .pred there;\nsetp.lt.s32 there, %5, %6;\n@there ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                   : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]) : "l"(whole + at), "r"(at), "r"(vectors));
    }
  }
};

// What a thread knows of a row: c, the sum d of 2^exponent(x, c), and that of all exponents (s) of so many logits (seen).
struct State {
  float c, d, s, seen;

  __device__ __forceinline__ void from(float other) {  // counts exponents from another c
    float start = finite(other);
    d *= exp2_(c - start);
    if (SMOOTH) s += seen * (finite(c) - start);
    c = other;
  }
  __device__ __forceinline__ void one(float x, float start) {
    float e = exponent(x, start);
    d += exp2_(e);
    if (SMOOTH) s += e, seen += 1.f;
  }
  __device__ __forceinline__ void join(const Vector* v, int first, int vectors) {
    u32 top = MINUS_INF;
    EACH WORDS top = larger(top, v[i].word[q]);
#if HALF
    float m = fmaxf(low(top), high(top));
#else
    float m = low(top);
#endif
    from(fmaxf(c, m * LOG2_E));
    float start = finite(c);
    EACH {
      if (SMOOTH && first + i * A_ROW >= vectors) continue;  // its words are -inf
      WORDS {
        one(low(v[i].word[q]), start);
#if HALF
        one(high(v[i].word[q]), start);
#endif
      }
    }
  }
  // Of all threads of a warp, or of the block.
  __device__ __forceinline__ void merge(float4* of_warps) {
    float all = largest(c);
    from(all);
    d = total(d);
    if (SMOOTH) s = total(s), seen = total(seen);
#if A_ROW > 32
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = make_float4(c, d, s, seen);
    __syncthreads();
    float top = minus_inf();
#pragma unroll
    for (int w = 0; w < THREADS / 32; w++) top = fmaxf(top, of_warps[w].x);
    State sum{top, 0.f, 0.f, 0.f};
#pragma unroll
    for (int w = 0; w < THREADS / 32; w++) {
      float4 found = of_warps[w];
      State other{found.x, found.y, found.z, found.w};
      other.from(top);
      sum.d += other.d, sum.s += other.s;
    }
    *this = sum;
#endif
  }
};

// The losses of m rows of n logits, their states (c, log2 d), and of each block the sum of its losses and how many targets
// count: those that are not `ignore`. parts: all such sums, then all numbers of targets.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) forward(
    Loss* __restrict__ losses, float2* __restrict__ states, float* __restrict__ parts, const Element* __restrict__ x,
    const long long* __restrict__ targets, long long m, int n, long long stride, long long ignore, float smoothing) {
#if REDUCED && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");  // reduce_kernel may start, and waits for this grid
#endif
  __shared__ float4 of_warps[2][THREADS / 32];
  __shared__ float sums[2][GROUPS];
  int thread = threadIdx.x % A_ROW, group = threadIdx.x / A_ROW;
  long long first = ((long long)blockIdx.x * GROUPS + group) * TIMES;
  int rows = (int)max(min((long long)TIMES, m - first), 0ll);
  float loss_sum = 0.f, count = 0.f;
  Vector v[VECTORS], next[VECTORS];
  Row upcoming(x + first * stride, n, thread);
  long long next_target = ignore;
  if (rows) {
    upcoming.load(next, thread);
    next_target = targets[first];
  }
  for (int turn = 0; turn < rows; turn++) {
    Row row = upcoming;
    long long target = next_target;
    bool counts = target != ignore;
    if (counts && (target < 0 || target >= n)) __trap();
    float hit = counts ? number(row.x[target]) : 0.f;
    float alone = row.alone >= 0 ? number(row.x[row.alone]) : minus_inf();
    if (turn + 1 < rows) {
      upcoming = Row(row.x + stride, n, thread);
      next_target = targets[first + turn + 1];
    }
    State state{minus_inf(), 0.f, 0.f, 0.f};
    for (int at = thread, end = row.vectors + thread; at < end; at += VECTORS * A_ROW) {
      EACH v[i] = next[i];
      if (at + VECTORS * A_ROW < end) row.load(next, at + VECTORS * A_ROW);
      else if (turn + 1 < rows) upcoming.load(next, thread);
      state.join(v, at, row.vectors);
    }
    if (row.vectors == 0 && turn + 1 < rows) upcoming.load(next, thread);
    if (!ALIGNED) {
      state.from(fmaxf(state.c, alone * LOG2_E));
      if (row.alone >= 0) state.one(alone, finite(state.c));
    }
    state.merge(of_warps[turn % 2]);
    float log_d = log2_(state.d), loss = log_d - exponent(hit, state.c);
    if (SMOOTH) loss = (1.f - smoothing) * loss + smoothing * (log_d - state.s / n);
    loss = counts ? loss * LN_2 : 0.f;
    loss_sum += loss, count += counts;
    if (thread == 0) {
      states[first + turn] = make_float2(state.c, log_d);
      if (!REDUCED) losses[first + turn] = as_loss(loss);
    }
  }
#if REDUCED
  if (thread == 0) sums[0][group] = loss_sum, sums[1][group] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int g = 1; g < GROUPS; g++) loss_sum += sums[0][g], count += sums[1][g];
    parts[blockIdx.x] = loss_sum;
    parts[gridDim.x + blockIdx.x] = count;
  }
#endif
}
