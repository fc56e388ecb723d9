// Softmax of short rows that begin anywhere, forward and backward, for NVIDIA GPUs of compute capability 8.0 and newer.
//
// Rows that follow each other in memory are one long vector, whatever their length. A block copies ROWS of them to shared
// memory and back in vectors of 16 bytes; in between, LANES threads have a row, and read it word by word, which shared
// memory allows at any address. Where elements have 16 bits, a row may begin or end within a word. short_rows.py compiles this text with
//   HALF      as in elements.cuh, which stands before this text
//   LOG       1 for log_softmax, 0 for softmax
//   THREADS   threads of a block, a multiple of 32
//   LANES     threads of a row, a power of two up to 32
//   EACH      words of 4 bytes that such a thread holds
//   RESIDENT  blocks that are to run on a multiprocessor at once, which bounds their registers
//   ROWS      rows of a block, a multiple of THREADS / LANES and of A_VECTOR, so that every block begins at a vector
#define GROUPS (THREADS / LANES)
#define EVERY _Pragma("unroll") for (int i = 0; i < EACH; i++)
#define A_WORD (HALF ? 2 : 1)  // elements
#if !HALF
__device__ __forceinline__ float low(u32 w) { return __uint_as_float(w); }
__device__ __forceinline__ float high(u32 w) { return __uint_as_float(w); }
#endif

__device__ __forceinline__ float largest(float x) {
#pragma unroll
  for (int far = LANES / 2; far; far >>= 1) x = fmaxf(x, __shfl_xor_sync(~0u, x, far));
  return x;
}

__device__ __forceinline__ float total(float x) {
#pragma unroll
  for (int far = LANES / 2; far; far >>= 1) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

// The `elements` of a block, between global and shared memory. Only the last block has any behind its last whole vector.
__device__ __forceinline__ void fetch(Element* tile, const Element* from, int elements) {
  int whole = elements / A_VECTOR;
  for (int i = threadIdx.x; i < whole; i += THREADS)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"((u32)__cvta_generic_to_shared(tile + i * A_VECTOR)), "l"(from + i * A_VECTOR) : "memory");
  for (int i = whole * A_VECTOR + threadIdx.x; i < elements; i += THREADS) tile[i] = from[i];
}

__device__ __forceinline__ void fetched() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

__device__ __forceinline__ void put(Element* to, const Element* tile, int elements) {
  __syncthreads();
  int whole = elements / A_VECTOR;
  for (int i = threadIdx.x; i < whole; i += THREADS) ((Vector*)to)[i] = ((const Vector*)tile)[i];
  for (int i = whole * A_VECTOR + threadIdx.x; i < elements; i += THREADS) to[i] = tile[i];
}

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
extern __shared__ __align__(16) Element tile[];

// The words of a row of n elements, which begins at element `begin` of a tile; none where the row is not `there`.
struct Words {
  int first, count;
  bool from_middle, to_middle;

  __device__ __forceinline__ Words(int begin, int n, bool there) {
    first = begin / A_WORD;
    count = there ? (begin + n + A_WORD - 1) / A_WORD - first : 0;
    from_middle = begin % A_WORD;
    to_middle = (begin + n) % A_WORD;
  }
  __device__ __forceinline__ bool without_low(int at) const { return at == 0 && from_middle; }
  __device__ __forceinline__ bool without_high(int at) const { return at == count - 1 && to_middle; }

  // Word `at` of the row in a tile. What it holds of other rows, and all of a word behind the last, is `nothing`.
  __device__ __forceinline__ u32 load(const Element* tile, int at, u32 nothing) const {
    u32 w = at < count ? ((const u32*)tile)[first + at] : nothing;
    if (without_low(at)) w = w & 0xffff0000u | nothing & 0xffffu;
    if (without_high(at)) w = w & 0xffffu | nothing & 0xffff0000u;
    return w;
  }

  __device__ __forceinline__ void store(Element* tile, int at, float a, float b) const {
    if (at >= count) return;
#if HALF
    u32 w = pack(a, b);
    Element* halves = tile + 2 * (first + at);
    if (without_low(at)) halves[1] = w >> 16;
    else if (without_high(at)) halves[0] = w & 0xffff;
    else *(u32*)halves = w;
#else
    tile[first + at] = a;
#endif
  }
};

// y: softmax of m contiguous rows of x, n columns.
KERNEL forward(Element* __restrict__ y, const Element* __restrict__ x, long long m, int n) {
  long long first = (long long)blockIdx.x * ROWS;
  int rows = (int)min((long long)ROWS, m - first), lane = threadIdx.x % LANES;
  fetch(tile, x + first * n, rows * n);
  fetched();
  for (int row = threadIdx.x / LANES; row < ROWS; row += GROUPS) {
    Words words(row * n, n, row < rows);
    float a[EACH], b[EACH], m_row = minus_inf(), d = 0.f;
    EVERY {
      u32 w = words.load(tile, lane + i * LANES, MINUS_INF);
      a[i] = low(w), b[i] = high(w);
      m_row = fmaxf(m_row, fmaxf(a[i], b[i]));
    }
    m_row = largest(m_row);
    EVERY {
      float e = exp2_((a[i] - m_row) * LOG2_E), f = HALF ? exp2_((b[i] - m_row) * LOG2_E) : 0.f;
      d += e + f;
      if (!LOG) a[i] = e, b[i] = f;
    }
    d = total(d);
    float scale = LOG ? log2_(d) * LN_2 : 1.f / d;
    EVERY words.store(tile, lane + i * LANES, LOG ? a[i] - m_row - scale : a[i] * scale,
                      LOG ? b[i] - m_row - scale : b[i] * scale);
  }
  put(y + first * n, tile, rows * n);
}

// dx: y * (dy - sum of y * dy), or for log_softmax dy - exp(y) * sum of dy. All are contiguous.
KERNEL backward(Element* __restrict__ dx, const Element* __restrict__ y, const Element* __restrict__ dy, long long m, int n) {
  long long first = (long long)blockIdx.x * ROWS;
  int rows = (int)min((long long)ROWS, m - first), lane = threadIdx.x % LANES;
  Element* other = tile + ROWS * n;
  fetch(tile, y + first * n, rows * n);
  fetch(other, dy + first * n, rows * n);
  fetched();
#define TERM(y, dy) (LOG ? (dy) : (y) * (dy))
#define GRADIENT(y, dy) (LOG ? (dy) - exp2_((y) * LOG2_E) * sum : (y) * ((dy) - sum))
  for (int row = threadIdx.x / LANES; row < ROWS; row += GROUPS) {
    Words words(row * n, n, row < rows);
    u32 v[EACH], g[EACH];
    float sum = 0.f;
    EVERY {
      v[i] = words.load(tile, lane + i * LANES, 0);
      g[i] = words.load(other, lane + i * LANES, 0);
      sum += TERM(low(v[i]), low(g[i]));
      if (HALF) sum += TERM(high(v[i]), high(g[i]));
    }
    sum = total(sum);
    EVERY words.store(tile, lane + i * LANES, GRADIENT(low(v[i]), low(g[i])), GRADIENT(high(v[i]), high(g[i])));
  }
  put(dx + first * n, tile, rows * n);
}
