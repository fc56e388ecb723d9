// Softmax of rows, forward and backward, for NVIDIA GPUs of compute capability 9.0 and newer.
//
// A cluster of BLOCKS thread blocks holds one row on the chip, so that every element is read once and written once.
// Its warps exchange what they know of the row through distributed shared memory. clusters.py compiles this text with
//   HALF      as in elements.cuh, which stands before this text
//   LOG       1 for log_softmax, 0 for softmax
//   ALIGNED   1 where every row begins and ends at a multiple of 16 bytes, else 0
//   BLOCKS    thread blocks of a cluster, a power of two up to 16
//   THREADS   threads of a block, a multiple of 32
//   VECTORS   vectors of 16 bytes that a thread holds of each input in registers
//   SLOTS     vectors behind those that it holds in shared memory: 0 in the forward kernel
//   RESIDENT  blocks that are to run on a multiprocessor at once, which bounds their registers
#define WARPS (THREADS / 32)
#define STATES (BLOCKS * WARPS)
#define EACH _Pragma("unroll") for (int i = 0; i < VECTORS; i++)
#define EACH_SLOT _Pragma("unroll") for (int i = 0; i < SLOTS; i++)
#define WORDS _Pragma("unroll") for (int q = 0; q < 4; q++)
#define EACH_WORD EACH WORDS

// The same numbers once more. `sixteen` is an argument of the kernel, so that the compiler cannot know that it has unpacked
// them before: it would keep two registers for a word, and not one.
#if HALF == 1
__device__ __forceinline__ float low_again(u32 w, u32 sixteen) { return __uint_as_float(w << sixteen); }
__device__ __forceinline__ float high_again(u32 w, u32 sixteen) { return __uint_as_float(w & 0xffffffffu << sixteen); }
#elif HALF == 2
__device__ __forceinline__ float low_again(u32 w, u32 sixteen) { return low(w ^ (sixteen - 16)); }
__device__ __forceinline__ float high_again(u32 w, u32 sixteen) { return high(w ^ (sixteen - 16)); }
#endif

// The largest of a warp. The bits of floats, read as integers, have the same order where negative ones are turned round.
__device__ __forceinline__ float largest(float x) {
  int bits = __float_as_int(x);
  bits = __reduce_max_sync(~0u, bits ^ (bits >> 31 & 0x7fffffff));
  return __int_as_float(bits ^ (bits >> 31 & 0x7fffffff));
}

__device__ __forceinline__ float total(float x) {
#pragma unroll
  for (int far = 16; far; far >>= 1) x += __shfl_xor_sync(~0u, x, far);
  return x;
}

__device__ __forceinline__ u32 address(const void* shared) { return (u32)__cvta_generic_to_shared(shared); }

// Every warp of the cluster gives 64 bits, and every block gets those of all warps, in the order of their numbers.
struct Exchange {
  u64* states;
  u64* barrier;

  // Called first, so that the blocks of a cluster wait for each other while their loads are under way.
  __device__ __forceinline__ void begin() {
#if BLOCKS > 1
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address(barrier)) : "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(address(barrier)), "r"(STATES * 8) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
  }

  __device__ __forceinline__ void all(u32 rank, u64 mine) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#if BLOCKS > 1
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (lane < BLOCKS) {  // one lane for each block
      u32 to, its_barrier;
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address(states + rank * WARPS + warp)), "r"(lane));
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(its_barrier) : "r"(address(barrier)), "r"(lane));
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" :: "r"(to), "l"(mine), "r"(its_barrier) : "memory");
    }
    // No block ends before it has all states, so none writes into the memory of one that has ended.
    asm volatile("{\n.reg .pred there;\nwaiting:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 there, [%0], 0;\n"
                 "@there bra done;\nbra waiting;\ndone:\n}" :: "r"(address(barrier)) : "memory");
#else
    if (lane == 0) states[warp] = mine;
    __syncthreads();
#endif
  }
};

// Where a row lies: vectors first .. first + count - 1, counted from `origin`, are whole. `alone` is the element, counted
// from there too, that this thread moves by itself, or -1: those before the first and behind the last whole vector. A row
// is shorter than 2^31 elements.
struct Cut {
  int before, alone, first;
  u32 count;

  __device__ __forceinline__ Cut(const Element* row, int n, u32 rank) {
#if ALIGNED
    before = 0; first = 0; count = n / A_VECTOR; alone = -1;
#else
    before = (u32)(u64)row % 128 / sizeof(Element);  // origin: warps begin at lines of the cache
    first = (before + A_VECTOR - 1) / A_VECTOR;
    int behind = (before + n) / A_VECTOR, t = threadIdx.x;
    count = max(behind - first, 0);
    alone = -1;
    if (rank == BLOCKS - 1 && t < 2 * A_VECTOR) {
      int at = t < A_VECTOR ? before + t : max(behind, first) * A_VECTOR + t - A_VECTOR;
      if (at < (t < A_VECTOR ? min(first * A_VECTOR, before + n) : before + n)) alone = at;
    }
#endif
  }
  __device__ __forceinline__ bool whole(int j) const { return (u32)(j - first) < count; }
};

// Asm, so that the compiler keeps one register a word, and no branch for each vector.
__device__ __forceinline__ void load(Vector* v, const Element* origin, const Cut& cut, int mine, u32 nothing) {
  EACH {
    int j = mine + i * THREADS;
    u32* w = v[i].word;
    w[0] = w[1] = w[2] = w[3] = nothing;
    asm volatile("{\n.reg .pred whole;\nsetp.ne.u32 whole, %5, 0;\n@whole ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3])
                 : "l"(origin + j * A_VECTOR), "r"((u32)cut.whole(j)));
  }
}

// Vectors that a thread copies into slots of its own in shared memory.
struct Slots {
  Vector* first;

  // Begins the copies. arrive() waits for them.
  __device__ __forceinline__ void load(const Element* origin, const Cut& cut, int mine) const {
    EACH_SLOT {
      int j = mine + i * THREADS;
      if (cut.whole(j))
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(address(first + i * THREADS)), "l"(origin + j * A_VECTOR) : "memory");
      else
        first[i * THREADS] = Vector{0, 0, 0, 0};
    }
  }
  __device__ __forceinline__ void arrive() const {
#if SLOTS
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
  // Asm, so that the compiler reads a slot each time, and keeps none in registers.
  __device__ __forceinline__ Vector operator[](int i) const {
    Vector v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "r"(address(first + i * THREADS)) : "memory");
    return v;
  }
};

__device__ __forceinline__ void store(Element* origin, const Cut& cut, int j, const Vector& v) {
  asm volatile("{\n.reg .pred whole;\nsetp.ne.u32 whole, %5, 0;\n@whole st.global.v4.u32 [%4], {%0, %1, %2, %3};\n}"
               :: "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]), "l"(origin + j * A_VECTOR),
                  "r"((u32)cut.whole(j)) : "memory");
}

// The element that a thread moves alone; `nothing` where there is none.
__device__ __forceinline__ float load_alone(const Element* origin, const Cut& cut, float nothing) {
#if ALIGNED
  return nothing;
#elif HALF
  unsigned short bits = 0;
  asm volatile("{\n.reg .pred there;\nsetp.ge.s32 there, %2, 0;\n@there ld.global.u16 %0, [%1];\n}"
               : "+h"(bits) : "l"(origin + cut.alone), "r"(cut.alone));
  return cut.alone >= 0 ? number(bits) : nothing;
#else
  asm volatile("{\n.reg .pred there;\nsetp.ge.s32 there, %2, 0;\n@there ld.global.f32 %0, [%1];\n}"
               : "+f"(nothing) : "l"(origin + cut.alone), "r"(cut.alone));
  return nothing;
#endif
}

#if BLOCKS > 1
#define KERNEL extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(THREADS, RESIDENT)
#else
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
#endif

// y: softmax of row blockIdx.x / BLOCKS of x, n columns; rows of y and x are y_stride and x_stride elements apart.
KERNEL forward(Element* __restrict__ y_all, const Element* __restrict__ x_all, int n, long long y_stride, long long x_stride, u32 sixteen) {
  __shared__ u64 states[STATES];
  __shared__ u64 barrier;
  Exchange exchange{states, &barrier};
  exchange.begin();
  u32 rank = blockIdx.x % BLOCKS;
  long long row = blockIdx.x / BLOCKS;
  int mine = rank * THREADS * VECTORS + threadIdx.x;
  const Element* x = x_all + row * x_stride;
  Cut cut(x, n, rank);
  x -= cut.before;
  Element* y = y_all + row * y_stride - cut.before;

  Vector v[VECTORS];
  load(v, x, cut, mine, MINUS_INF);
  float alone = load_alone(x, cut, minus_inf());

  float m = minus_inf();
#if HALF
  u32 pair = MINUS_INF;
  EACH_WORD pair = larger(pair, v[i].word[q]);
  m = fmaxf(low(pair), high(pair));
#else
  EACH_WORD m = fmaxf(m, __uint_as_float(v[i].word[q]));
#endif
  m = largest(fmaxf(m, alone));  // of a warp
  float shift = m == minus_inf() ? 0.f : m, d = exp2_((alone - shift) * LOG2_E);
  EACH_WORD {
#if HALF
    d += exp2_((low(v[i].word[q]) - shift) * LOG2_E) + exp2_((high(v[i].word[q]) - shift) * LOG2_E);
#else
    float e = exp2_((__uint_as_float(v[i].word[q]) - shift) * LOG2_E);
    d += e;
    if (!LOG) v[i].word[q] = __float_as_uint(e);
#endif
  }
  d = total(d);
  exchange.all(rank, (u64)__float_as_uint(d) << 32 | __float_as_uint(m));

  float row_m = minus_inf(), row_d = 0.f, ms[(STATES + 31) / 32], ds[(STATES + 31) / 32];
#pragma unroll
  for (int i = 0; i < (STATES + 31) / 32; i++) {
    int at = threadIdx.x % 32 + 32 * i;
    u64 state = at < STATES ? states[at] : (u64)0xff800000u;
    ms[i] = __uint_as_float((u32)state);
    ds[i] = __uint_as_float((u32)(state >> 32));
    row_m = fmaxf(row_m, ms[i]);
  }
  row_m = largest(row_m);
#pragma unroll
  for (int i = 0; i < (STATES + 31) / 32; i++) row_d += ds[i] * exp2_(ms[i] == row_m ? 0.f : (ms[i] - row_m) * LOG2_E);
  row_d = total(row_d);

  float log_d = log2_(row_d);
#if LOG
#define RESULT(x) (((x) - row_m) - log_d * LN_2)
#else
#define RESULT(x) exp2_(fmaf((x) - row_m, LOG2_E, -log_d))
#endif
  float scale = exp2_((m - row_m) * LOG2_E) / row_d;
  EACH {
    Vector out;
#pragma unroll
    for (int q = 0; q < 4; q++) {
#if HALF
      out.word[q] = pack(RESULT(low_again(v[i].word[q], sixteen)), RESULT(high_again(v[i].word[q], sixteen)));
#elif LOG
      out.word[q] = __float_as_uint(RESULT(__uint_as_float(v[i].word[q])));
#else
      out.word[q] = __float_as_uint(__uint_as_float(v[i].word[q]) * scale);
#endif
    }
    store(y, cut, mine + i * THREADS, out);
  }
  if (cut.alone >= 0) y[cut.alone] = rounded(RESULT(alone));
}

// dx: y * (dy - sum of y * dy), or for log_softmax dy - exp(y) * sum of dy. All are contiguous.
KERNEL backward(Element* __restrict__ dx_all, const Element* __restrict__ y_all, const Element* __restrict__ dy_all, int n, u32 sixteen) {
  __shared__ u64 states[STATES];
  __shared__ u64 barrier;
  Exchange exchange{states, &barrier};
  exchange.begin();
  u32 rank = blockIdx.x % BLOCKS;
  long long row = blockIdx.x / BLOCKS;
  int mine = rank * THREADS * (VECTORS + SLOTS) + threadIdx.x, mine_in_slots = mine + THREADS * VECTORS;
  const Element *y = y_all + row * n, *dy = dy_all + row * n;
  Cut cut(y, n, rank);
  y -= cut.before;
  dy -= cut.before;
  Element* dx = dx_all + row * n - cut.before;

  extern __shared__ Vector slots[];
  Slots more_v{slots + threadIdx.x}, more_g{more_v.first + SLOTS * THREADS};
  more_v.load(y, cut, mine_in_slots);
  more_g.load(dy, cut, mine_in_slots);
  Vector v[VECTORS], g[VECTORS];
  load(v, y, cut, mine, 0);
  load(g, dy, cut, mine, 0);
  float y_alone = load_alone(y, cut, 0.f), dy_alone = load_alone(dy, cut, 0.f);
#if LOG
#define TERM(y, dy) (dy)
#define GRADIENT(y, dy) fmaf(-exp2_((y) * LOG2_E), sum, dy)
#else
#define TERM(y, dy) ((y) * (dy))
#define GRADIENT(y, dy) ((y) * ((dy) - sum))
#endif
#if HALF
#define TERMS(v, g) (TERM(low(v), low(g)) + TERM(high(v), high(g)))
#define GRADIENTS(v, g) pack(GRADIENT(low(v), low(g)), GRADIENT(high(v), high(g)))
#else
#define TERMS(v, g) TERM(__uint_as_float(v), __uint_as_float(g))
#define GRADIENTS(v, g) __float_as_uint(GRADIENT(__uint_as_float(v), __uint_as_float(g)))
#endif
  float sum = TERM(y_alone, dy_alone);
  EACH_WORD sum += TERMS(v[i].word[q], g[i].word[q]);
  more_v.arrive();
  EACH_SLOT {
    Vector v = more_v[i], g = more_g[i];
    WORDS sum += TERMS(v.word[q], g.word[q]);
  }
  sum = total(sum);
  exchange.all(rank, __float_as_uint(sum));

  sum = 0.f;
#pragma unroll
  for (int i = 0; i < (STATES + 31) / 32; i++) {
    int at = threadIdx.x % 32 + 32 * i;
    sum += at < STATES ? __uint_as_float((u32)states[at]) : 0.f;
  }
  sum = total(sum);
  EACH {
    Vector out;
#pragma unroll
    for (int q = 0; q < 4; q++) {
#if HALF
      out.word[q] = pack(GRADIENT(low_again(v[i].word[q], sixteen), low_again(g[i].word[q], sixteen)),
                         GRADIENT(high_again(v[i].word[q], sixteen), high_again(g[i].word[q], sixteen)));
#else
      out.word[q] = GRADIENTS(v[i].word[q], g[i].word[q]);
#endif
    }
    store(dx, cut, mine + i * THREADS, out);
  }
  EACH_SLOT {
    Vector v = more_v[i], g = more_g[i], out;
    WORDS out.word[q] = GRADIENTS(v.word[q], g.word[q]);
    store(dx, cut, mine_in_slots + i * THREADS, out);
  }
  if (cut.alone >= 0) dx[cut.alone] = rounded(GRADIENT(y_alone, dy_alone));
}
