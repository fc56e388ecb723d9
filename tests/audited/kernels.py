"""Kernels as public projects write them. tests/test_audit.py audits them, and edits of them with one fault each."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_stride, x_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    e = tl.exp(x)
    y = e / tl.sum(e, axis=0)
    tl.store(y_ptr + row * y_stride + cols, y, mask=mask)


def softmax(x):
    if x.stride(-1) != 1:
        x = x.contiguous()
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.shape[1]
    softmax_kernel[(x.shape[0],)](y, x, y.stride(0), x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y


@triton.jit
def log_softmax_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * n_cols
    y_ptr += row * n_cols
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    total = m + tl.log(d)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, x - total, mask=cols < n_cols)


def log_softmax(x):
    assert x.is_cuda and x.is_contiguous(), "log_softmax takes contiguous tensors"
    y = torch.empty_like(x)
    log_softmax_kernel[(x.shape[0],)](y, x, x.shape[1], BLOCK=256)
    return y


@triton.jit
def layer_norm_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    Y += row * N
    X += row * stride
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        _var += x * x
    rstd = 1 / tl.sqrt(tl.sum(_var, axis=0) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask).to(tl.float32)
        b = tl.load(B + cols, mask=mask).to(tl.float32)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + cols, (x - mean) * rstd * w + b, mask=mask)


def layer_norm(x, weight, bias, eps=1e-5):
    x = x if x.stride(-1) == 1 else x.contiguous()
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    M, N = x.shape
    mean = torch.empty(M, dtype=torch.float32, device=x.device)
    rstd = torch.empty(M, dtype=torch.float32, device=x.device)
    weight, bias = weight.contiguous(), bias.contiguous()
    layer_norm_kernel[(M,)](x, y, weight, bias, mean, rstd, x.stride(0), N, eps, BLOCK_SIZE=128)
    return y


@triton.jit
def rms_norm_kernel(Y_ptr, Y_row_stride, X_ptr, X_row_stride, W_ptr, n_cols, eps, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0).to(tl.int64)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    X_row = tl.load(X_ptr + row_idx * X_row_stride + col_offsets, mask=mask, other=0)
    X_dtype = X_row.dtype
    X_row = X_row.to(tl.float32)
    W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0)
    mean_square = tl.sum(X_row * X_row, axis=0) / n_cols
    rstd = tl.rsqrt(mean_square + eps)
    X_row = (X_row * rstd).to(X_dtype)
    Y_row = X_row.to(tl.float32) * W_row.to(tl.float32)
    tl.store(Y_ptr + row_idx * Y_row_stride + col_offsets, Y_row, mask=mask)


def rms_norm(x, weight, eps=1e-6):
    shape = x.shape
    x = x.contiguous().view(-1, shape[-1])
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    rms_norm_kernel[(n_rows,)](y, y.stride(0), x, x.stride(0), weight, n_cols, eps, BLOCK_SIZE=block, num_warps=4)
    return y.view(shape)


@triton.jit
def cross_entropy_kernel(loss_ptr, logits_ptr, target_ptr, stride, V, ignore_index, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    y = tl.load(target_ptr + row)
    logits_ptr += row * stride
    if y == ignore_index:
        tl.store(loss_ptr + row, 0.0)
        return
    m = float("-inf")
    d = 0.0
    ori = tl.load(logits_ptr + y).to(tl.float32)
    for i in range(0, V, BLOCK_SIZE):
        offs = i + tl.arange(0, BLOCK_SIZE)
        block = tl.load(logits_ptr + offs, mask=offs < V, other=float("-inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(block))
        shift = tl.where(m_new == float("-inf"), 0.0, m_new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(block - shift))
        m = m_new
    tl.store(loss_ptr + row, m + tl.log(d) - ori)


def cross_entropy(logits, target, ignore_index=-100):
    logits, target = logits.contiguous(), target.contiguous()
    loss = torch.empty(logits.shape[0], dtype=torch.float32, device=logits.device)
    V = logits.shape[1]
    cross_entropy_kernel[(logits.shape[0],)](loss, logits, target, logits.stride(0), V, ignore_index, BLOCK_SIZE=256)
    return loss


@triton.jit
def gelu_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y, mask=mask)


def gelu(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    gelu_kernel[(triton.cdiv(n, 256),)](y, x, n, BLOCK=256)
    return y


@triton.jit
def swiglu_kernel(a_ptr, b_ptr, c_ptr, stride, n_cols, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    a_ptr += program_id * stride
    b_ptr += program_id * stride
    c_ptr += program_id * stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    a_row = tl.load(a_ptr + cols, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b_ptr + cols, mask=mask, other=0)
    c_row = (a_row * tl.sigmoid(a_row)).to(b_row.dtype).to(tl.float32) * b_row.to(tl.float32)
    tl.store(c_ptr + cols, c_row, mask=mask)


def swiglu(a, b):
    shape = a.shape
    n_cols = shape[-1]
    a, b = a.contiguous().view(-1, n_cols), b.contiguous().view(-1, n_cols)
    c = torch.empty_like(a)
    swiglu_kernel[(a.shape[0],)](a, b, c, c.stride(0), n_cols, BLOCK_SIZE=triton.next_power_of_2(n_cols))
    return c.view(shape)


@triton.jit
def rotary_kernel(OUT, X, COS, SIN, stride_b, stride_h, stride_t, T, D: tl.constexpr, BLOCK_T: tl.constexpr):
    ts = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    head, batch = tl.program_id(1).to(tl.int64), tl.program_id(2).to(tl.int64)
    half = tl.arange(0, D // 2)
    mask = ts[:, None] < T
    base = batch * stride_b + head * stride_h
    place = base + ts[:, None] * stride_t + half[None, :]
    cos = tl.load(COS + ts[:, None] * (D // 2) + half[None, :], mask=mask, other=1.0).to(tl.float32)
    sin = tl.load(SIN + ts[:, None] * (D // 2) + half[None, :], mask=mask, other=0.0).to(tl.float32)
    x1 = tl.load(X + place, mask=mask, other=0.0).to(tl.float32)
    x2 = tl.load(X + place + D // 2, mask=mask, other=0.0).to(tl.float32)
    tl.store(OUT + place, x1 * cos - x2 * sin, mask=mask)
    tl.store(OUT + place + D // 2, x2 * cos + x1 * sin, mask=mask)


def rotary(x, cos, sin):
    """x [B, H, T, D], cos and sin [T, D / 2]."""
    B, H, T, D = x.shape
    assert D & (D - 1) == 0 and D >= 2, "the head dimension must be a power of two"
    x, cos, sin = x.contiguous(), cos.contiguous(), sin.contiguous()
    out = torch.empty_like(x)
    grid = (triton.cdiv(T, 16), H, B)
    rotary_kernel[grid](out, x, cos, sin, x.stride(0), x.stride(1), x.stride(2), T, D=D, BLOCK_T=16)
    return out


def rotary_reference(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


@triton.jit
def attention_kernel(
    Q, K, V, Out, scale, sq_b, sq_t, sk_b, sk_t, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    start_m, batch = tl.program_id(0), tl.program_id(1).to(tl.int64)
    offs_m, offs_d = start_m * BM + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(Q + batch * sq_b + offs_m[:, None] * sq_t + offs_d[None, :], mask=offs_m[:, None] < T, other=0.0)
    m_i = tl.full([BM], -float("inf"), dtype=tl.float32)
    l_i = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for start_n in range(0, T, BN):
        offs_n = start_n + tl.arange(0, BN)
        inside = offs_n[:, None] < T
        k = tl.load(K + batch * sk_b + offs_n[:, None] * sk_t + offs_d[None, :], mask=inside, other=0.0)
        v = tl.load(V + batch * sk_b + offs_n[:, None] * sk_t + offs_d[None, :], mask=inside, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where(offs_n[None, :] < T, s, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m_i = m_new
    acc = acc / l_i[:, None]
    tl.store(Out + batch * sq_b + offs_m[:, None] * sq_t + offs_d[None, :], acc, mask=offs_m[:, None] < T)


def attention(q, k, v):
    """q, k, v [batch, T, D]."""
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    B, T, D = q.shape
    out = torch.empty_like(q)
    strides = (*q.stride()[:2], *k.stride()[:2])
    attention_kernel[(triton.cdiv(T, 32), B)](q, k, v, out, D**-0.5, *strides, T, D=D, BM=32, BN=32)
    return out


def attention_reference(q, k, v):
    return torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, dim=-1) @ v


@triton.jit
def add_kernel(x_ptr, r_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    r = tl.load(r_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(y_ptr + offsets, x + r, mask=mask)


def residual(x, r):
    x, r = x.contiguous(), r.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, 128),)](x, r, y, n, BLOCK=128)
    return y


@triton.jit
def quantize_kernel(q_ptr, scale_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.max(tl.abs(x), axis=0) / 127.0
    q = x / tl.maximum(scale, 1e-10)
    q = tl.where(q >= 0, tl.floor(q + 0.5), tl.ceil(q - 0.5))
    tl.store(q_ptr + row * n_cols + cols, q.to(tl.int8), mask=mask)
    tl.store(scale_ptr + row, scale)


def quantize(x):
    x = x.contiguous()
    q = torch.empty(x.shape, dtype=torch.int8, device=x.device)
    scale = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    quantize_kernel[(x.shape[0],)](q, scale, x, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return q, scale


def quantize_reference(x):
    scale = x.abs().amax(-1) / 127
    return torch.round(x / scale.clamp(min=1e-10)[:, None]).to(torch.int8), scale


@triton.jit
def cumsum_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    carry = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        y = carry + tl.cumsum(x, 0)
        carry += tl.sum(x, 0)
        tl.store(y_ptr + row * n_cols + cols, y, mask=cols < n_cols)


def cumsum(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    cumsum_kernel[(x.shape[0],)](y, x, x.shape[1], BLOCK=64)
    return y


@triton.jit
def argmax_kernel(i_ptr, x_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    tl.store(i_ptr + row, tl.argmax(x, axis=0))


def argmax(x):
    x = x.contiguous()
    i = torch.empty(x.shape[0], dtype=torch.int64, device=x.device)
    argmax_kernel[(x.shape[0],)](i, x, x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return i


@triton.jit
def top_k_kernel(v_ptr, i_ptr, x_ptr, n_cols, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    for k in range(K):
        best = tl.max(x, axis=0)
        at = tl.argmax(x, axis=0)
        tl.store(v_ptr + row * K + k, best)
        tl.store(i_ptr + row * K + k, at)
        x = tl.where(cols == at, -float("inf"), x)


def top_k(x, k):
    x = x.contiguous()
    values = torch.empty((x.shape[0], k), dtype=x.dtype, device=x.device)
    places = torch.empty((x.shape[0], k), dtype=torch.int64, device=x.device)
    top_k_kernel[(x.shape[0],)](values, places, x, x.shape[1], K=k, BLOCK=triton.next_power_of_2(x.shape[1]))
    return values, places


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    pid_m, pid_n = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    offs_m, offs_n = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK).to(tl.int64)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + offs_k
        a_mask = (offs_m[:, None] < M) & (ks[None, :] < K)
        b_mask = (ks[:, None] < K) & (offs_n[None, :] < N)
        a = tl.load(a_ptr + offs_m[:, None] * stride_am + ks[None, :] * stride_ak, mask=a_mask, other=0.0)
        b = tl.load(b_ptr + ks[:, None] * stride_bk + offs_n[None, :] * stride_bn, mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc)
    c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn, acc, mask=c_mask)


def matmul(a, b):
    assert a.shape[1] == b.shape[0], "the inner sizes differ"
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM=32, BN=32, BK=32)
    return c


@triton.jit
def add_norm_kernel(x_ptr, r_ptr, w_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    total = x + tl.load(r_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(r_ptr + row * n_cols + cols, total, mask=mask)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = total * tl.rsqrt(tl.sum(total * total, axis=0) / n_cols + eps) * w
    tl.store(x_ptr + row * n_cols + cols, y, mask=mask)


def add_norm_(x, residual, weight):
    """Changes x and residual, as its reference does."""
    assert x.is_contiguous() and residual.is_contiguous()
    n = x.shape[1]
    add_norm_kernel[(x.shape[0],)](x, residual, weight, n, 1e-6, BLOCK=triton.next_power_of_2(n))
    return x, residual


def add_norm_reference_(x, residual, weight):
    residual += x
    x.copy_(residual * torch.rsqrt(residual.square().mean(-1, keepdim=True) + 1e-6) * weight)
    return x, residual


@triton.jit
def embedding_kernel(y_ptr, i_ptr, w_ptr, D, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    row = tl.load(i_ptr + token)
    cols = tl.arange(0, BLOCK)
    mask = cols < D
    tl.store(y_ptr + token * D + cols, tl.load(w_ptr + row * D + cols, mask=mask), mask=mask)


def embedding(indices, weight):
    assert indices.device.type == "cuda"
    indices, weight = indices.contiguous(), weight.contiguous()
    D = weight.shape[1]
    y = torch.empty((*indices.shape, D), dtype=weight.dtype, device=weight.device)
    with torch.cuda.device(weight.device):
        embedding_kernel[(indices.numel(),)](y, indices, weight, D, BLOCK=triton.next_power_of_2(D))
    return y


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def heads_kernel(y_ptr, q_ptr, k_ptr, n, n_head, ratio, heads, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    head, batch = tl.program_id(1).to(tl.int64), tl.program_id(2).to(tl.int64)
    mask = offsets < n_head
    q = tl.load(q_ptr + (batch * heads + head) * n_head + offsets, mask=mask).to(tl.float32)
    k = tl.load(k_ptr + (batch * (heads // ratio) + head // ratio) * n_head + offsets, mask=mask).to(tl.float32)
    tl.store(y_ptr + (batch * heads + head) * n_head + offsets, q * k, mask=mask)


def shared_heads(q, k):
    """q [B, H, T, D] times k [B, H / r, T, D], each head of k for r heads of q."""
    q, k = q.contiguous(), k.contiguous()
    B, H, T, D = q.shape
    y = torch.empty_like(q)
    grid = lambda meta: (triton.cdiv(T * D, meta["BLOCK"]), H, B)  # noqa: E731
    heads_kernel[grid](y, q, k, q.numel(), T * D, H // k.shape[1], H)
    return y


def shared_heads_reference(q, k):
    return q * k.repeat_interleave(q.shape[1] // k.shape[1], dim=1)


@triton.jit
def gated_kernel(x_ptr, g_ptr, x_stride, g_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + row * g_stride + cols, mask=mask, other=0.0).to(tl.float32)
    tanh = 2 * tl.sigmoid(2 * g) - 1
    tl.store(x_ptr + row * x_stride + cols, x * tanh, mask=mask)


def gated_(x, gate):
    """Changes x, whatever the strides of its rows are, and returns it."""
    assert x.stride(1) == 1 and gate.stride(1) == 1
    n = x.shape[1]
    gated_kernel[(x.shape[0],)](x, gate, x.stride(0), gate.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return x


def gated_reference_(x, gate):
    return x.mul_(torch.tanh(gate))


@triton.jit
def quantize_fp8_kernel(q_ptr, scale_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / 448.0
    q = tl.clamp(x / scale, -448.0, 448.0)
    tl.store(q_ptr + row * n_cols + cols, q.to(q_ptr.dtype.element_ty), mask=mask)
    tl.store(scale_ptr + row, scale)


def quantize_fp8(x):
    x = x.contiguous()
    q = torch.empty(x.shape, dtype=torch.float8_e4m3fn, device=x.device)
    scale = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    quantize_fp8_kernel[(x.shape[0],)](q, scale, x, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return q, scale


def quantize_fp8_reference(x):
    scale = x.abs().amax(-1).clamp(min=1e-10) / 448
    return (x / scale[:, None]).clamp(-448, 448).float().to(torch.float8_e4m3fn), scale


@triton.jit
def routing_kernel(w_ptr, i_ptr, x_ptr, n_experts, K: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    experts = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + token * n_experts + experts, mask=experts < n_experts, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    p = tl.where(experts < n_experts, p / tl.sum(p, axis=0), -1.0)
    for k in tl.static_range(K):
        weight, expert = tl.max(p, axis=0, return_indices=True)
        tl.store(w_ptr + token * K + k, weight)
        tl.store(i_ptr + token * K + k, expert)
        p = tl.where(experts == expert, -1.0, p)


def routing(x, k):
    x = x.contiguous()
    assert k <= x.shape[1]
    weights = torch.empty((x.shape[0], k), dtype=torch.float32, device=x.device)
    experts = torch.empty((x.shape[0], k), dtype=torch.int32, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    routing_kernel[(x.shape[0],)](weights, experts, x, x.shape[1], K=k, BLOCK=block)
    return weights, experts


def routing_reference(x, k):
    weights, experts = torch.topk(torch.softmax(x, -1), k)
    return weights, experts.int()


@triton.jit
def largest_part_kernel(value_ptr, place_ptr, x_ptr, n, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    offsets = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=-float("inf")).to(tl.float32)
    value, place = tl.max(x, axis=0, return_indices=True)
    tl.store(value_ptr + part, value)
    tl.store(place_ptr + part, part * BLOCK + place)


@triton.jit
def largest_kernel(y_ptr, value_ptr, place_ptr, n_parts, BLOCK: tl.constexpr):
    parts = tl.arange(0, BLOCK)
    values = tl.load(value_ptr + parts, mask=parts < n_parts, other=-float("inf"))
    tl.store(y_ptr, tl.load(place_ptr + tl.argmax(values, axis=0)))


def place_of_largest(x):
    """A tensor without an axis."""
    x = x.contiguous()
    n = x.numel()
    if n == 0:
        raise ValueError("no element is the largest of none")
    parts = triton.cdiv(n, 64)
    values = torch.empty(parts, dtype=torch.float32, device=x.device)
    places = torch.empty(parts, dtype=torch.int64, device=x.device)
    y = torch.empty((), dtype=torch.int64, device=x.device)
    largest_part_kernel[(parts,)](values, places, x, n, BLOCK=64)
    largest_kernel[(1,)](y, values, places, parts, BLOCK=triton.next_power_of_2(parts))
    return y


@triton.jit
def segments_kernel(y_ptr, x_ptr, ends_ptr, D: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK: tl.constexpr):
    segment = tl.program_id(0).to(tl.int64)
    begin, end = tl.load(ends_ptr + segment), tl.load(ends_ptr + segment + 1)
    cols = tl.arange(0, BLOCK_D)
    total = tl.zeros((BLOCK_D,), dtype=tl.float32)
    for start in range(begin, end, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < end) & (cols[None, :] < D)
        x = tl.load(x_ptr + rows[:, None].to(tl.int64) * D + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
    tl.store(y_ptr + segment * D + cols, total, mask=cols < D)


def segment_sums(x, ends):
    """Sums of the rows of x from ends[i] to ends[i + 1], for each i."""
    x = x.contiguous()
    assert int(ends[-1]) == x.shape[0]
    D = x.shape[1]
    y = torch.empty((len(ends) - 1, D), dtype=x.dtype, device=x.device)
    segments_kernel[(len(ends) - 1,)](y, x, ends, D=D, BLOCK_D=triton.next_power_of_2(D), BLOCK=8)
    return y


def segment_sums_reference(x, ends):
    return torch.stack([x[begin:end].sum(0) for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist())])


@triton.jit
def pages_kernel(y_ptr, k_ptr, v_ptr, pages_ptr, stride, D, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    page = tl.load(pages_ptr + token).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < D
    k = tl.load(k_ptr + page * stride + cols, mask=mask, other=0.0).to(tl.float32)
    v = tl.load(v_ptr + page * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + token * D + cols, k * v, mask=mask)


def pages_of_two(k, v, pages):
    """The products of rows of two caches whose strides are the same."""
    assert k.stride() == v.stride() and k.stride(1) == 1
    D = k.shape[1]
    y = torch.empty((len(pages), D), dtype=k.dtype, device=k.device)
    pages_kernel[(len(pages),)](y, k, v, pages, k.stride(0), D, BLOCK=triton.next_power_of_2(D))
    return y


@triton.jit
def column_sums_kernel(part_ptr, x_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    part = tl.program_id(0).to(tl.int64)
    rows, cols = part * BLOCK_M + tl.arange(0, BLOCK_M), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(part_ptr + part * N + cols, tl.sum(x, axis=0), mask=cols < N)


def column_sums(x):
    """PyTorch adds what the kernel stored."""
    x = x.contiguous()
    M, N = x.shape
    parts = torch.empty((triton.cdiv(M, 8), N), dtype=torch.float32, device=x.device)
    if M:
        column_sums_kernel[(len(parts), triton.cdiv(N, 64))](parts, x, M, N, BLOCK_M=8, BLOCK=64)
    return parts.sum(0).to(x.dtype)


@triton.jit
def histogram_kernel(y_ptr, i_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.load(i_ptr + offsets, mask=offsets < n, other=0)
    tl.atomic_add(y_ptr + i, 1.0, mask=offsets < n)


def weighted_histogram(i, weights):
    """How often each number is in i, times its weight."""
    y = torch.zeros(weights.shape, dtype=torch.float32, device=i.device)
    n = i.numel()
    histogram_kernel[(triton.cdiv(n, 32),)](y, i.contiguous(), n, BLOCK=32)
    return (y * weights).to(weights.dtype)


def weighted_histogram_reference(i, weights):
    return torch.bincount(i.reshape(-1), minlength=len(weights)) * weights


@triton.jit
def relative_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    largest = tl.max(tl.abs(x), axis=0)
    tl.store(y_ptr + row * n_cols + cols, x / largest, mask=mask)


def relative(x):
    """Each row divided by its largest absolute number."""
    x = x.contiguous()
    y = torch.empty_like(x)
    relative_kernel[(x.shape[0],)](y, x, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


@triton.jit
def copy_kernel(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def rms_norm_backward_kernel(
    dx_ptr, part_ptr, dy_ptr, x_ptr, w_ptr, dx_stride, part_stride, dy_stride, x_stride, m, n, eps,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), tl.float32)
    for i in range(0, ROWS):
        row = pid * ROWS + i
        inside = mask & (row < m)
        x = tl.load(x_ptr + row * x_stride + cols, mask=inside, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * dy_stride + cols, mask=inside, other=0.0).to(tl.float32)
        rstd = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
        hat = x * rstd
        g = dy * w
        c = tl.sum(g * hat, axis=0) / n
        tl.store(dx_ptr + row * dx_stride + cols, (g - hat * c) * rstd, mask=inside)
        dw += dy * hat
    tl.store(part_ptr + pid * part_stride + cols, dw, mask=mask)


@triton.jit
def sum_of_rows_kernel(dw_ptr, part_ptr, part_stride, parts, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(0, parts):
        total += tl.load(part_ptr + i * part_stride + cols, mask=cols < n, other=0.0)
    tl.store(dw_ptr + cols, total, mask=cols < n)


def rms_norm_backward(dy, x, weight, eps=1e-6, rows=2):
    dy, x = (t if t.stride(-1) == 1 else t.contiguous() for t in (dy, x))
    (m, n), parts = x.shape, triton.cdiv(x.shape[0], rows)
    dx = torch.empty((m, n), dtype=x.dtype, device=x.device)
    dw = torch.empty((n,), dtype=weight.dtype, device=x.device)
    part = torch.empty((parts, n), dtype=torch.float32, device=x.device)
    strides = dx.stride(0), part.stride(0), dy.stride(0), x.stride(0)
    if m:
        block = triton.next_power_of_2(n)
        rms_norm_backward_kernel[(parts,)](dx, part, dy, x, weight, *strides, m, n, eps, ROWS=rows, BLOCK=block)
    sum_of_rows_kernel[(triton.cdiv(n, 128),)](dw, part, part.stride(0), parts, n, BLOCK=128)
    return dx, dw


def rms_norm_backward_reference(dy, x, weight, eps=1e-6):
    x, weight = x.clone().requires_grad_(), weight.clone().requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(torch.nn.functional.rms_norm(x, weight.shape, weight, eps), (x, weight), dy)


@triton.jit
def top_p_kernel(y_ptr, x_ptr, y_stride, x_stride, n, p, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    least = p * tl.sum(e, axis=0)
    bits = e.to(tl.int32, bitcast=True)
    low, high = -1, 0x3F800000  # below all numbers, and 1.0: the largest
    for _ in range(0, 31):
        middle = low + (high - low) // 2
        enough = tl.sum(tl.where(bits > middle, e, 0.0), axis=0) < least
        high = tl.where(enough, middle, high)
        low = tl.where(enough, low, middle)
    kept = tl.where(mask & (bits >= high), e, 0.0)
    tl.store(y_ptr + row * y_stride + cols, kept / tl.sum(kept, axis=0), mask=mask)


def top_p(x, p=0.9):
    x = x if x.stride(-1) == 1 else x.contiguous()
    (m, n), y = x.shape, torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if m:
        top_p_kernel[(m,)](y, x, y.stride(0), x.stride(0), n, p, BLOCK=triton.next_power_of_2(n))
    return y


def top_p_reference(x, p=0.9):
    shares = torch.softmax(x, -1)
    ordered = shares.sort(-1, descending=True).values
    last = (ordered.cumsum(-1) - ordered < p).sum(-1, keepdim=True) - 1
    kept = torch.where(shares >= ordered.gather(-1, last.clamp(min=0)), shares, 0.0)
    return kept / kept.sum(-1, keepdim=True)


@triton.jit
def locked_sums_kernel(part_ptr, lock_ptr, x_ptr, n, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    group = row % GROUPS
    lock, filled, place = lock_ptr + group, lock_ptr + GROUPS + group, part_ptr + group * n + cols
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(filled) == 0:
        tl.atomic_xchg(filled, 1)
    else:
        x += tl.load(place, mask=cols < n, other=0.0)
    tl.store(place, x, mask=cols < n)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def locked_sums(x):
    """Sums of the rows, each group of them in memory that a lock guards."""
    x = x.contiguous()
    (m, n), groups = x.shape, 2
    part = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    lock = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    if m:
        locked_sums_kernel[(m,)](part, lock, x, n, GROUPS=groups, BLOCK=triton.next_power_of_2(n))
    return part.sum(0).to(x.dtype)


@triton.jit
def two_of_many_kernel(w_ptr, i_ptr, x_ptr, m, n, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = rows < m and cols < n
    x = tl.load(x_ptr + rows * n + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    p = e / (tl.sum(e, axis=1)[:, None] + eps.to(tl.float32))
    for k in range(2):
        place = tl.argmax(p, axis=1)[:, None]
        tl.store(w_ptr + rows * 2 + k, tl.max(p, axis=1)[:, None], mask=rows < m)
        tl.store(i_ptr + rows * 2 + k, place, mask=rows < m)
        p = tl.where(cols == place, -float("inf"), p)


def two_of_many(x, eps=1e-12):
    """The two largest weights of each row and their places. Rows beyond the last one are all NaN."""
    x = x.contiguous()
    (m, n), kwargs = x.shape, {"device": x.device}
    weights, places = (
        torch.empty((m, 2), dtype=torch.float32, **kwargs),
        torch.empty((m, 2), dtype=torch.int32, **kwargs),
    )
    assert n > 1
    two_of_many_kernel[(triton.cdiv(m, 4),)](weights, places, x, m, n, eps, ROWS=4, BLOCK=triton.next_power_of_2(n))
    return weights, places


def two_of_many_reference(x, eps=1e-12):
    weights, places = torch.topk(torch.softmax(x, -1), 2)
    return weights, places.int()


@triton.jit
def described_matmul_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(c.dtype))


def described_matmul(a, b):
    """With descriptors that the host makes."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    assert all(t.stride(1) == 1 and t.stride(0) * t.element_size() % 16 == t.data_ptr() % 16 == 0 for t in (a, b))
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    assert N * c.element_size() % 16 == 0
    described = [TensorDescriptor.from_tensor(t, [16, 16]) for t in (a, b, c)]
    described_matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](*described, K, BM=16, BN=16, BK=16)
    return c


@triton.jit
def scores_backward_kernel(ds_ptr, s_ptr, v_ptr, do_ptr, T, D, BT: tl.constexpr, BD: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    t, d = tl.arange(0, BT), tl.arange(0, BD)
    seen, inside = t <= row, (t[:, None] < T) & (d[None, :] < D)
    s = tl.load(s_ptr + row * T + t, mask=seen & (t < T), other=-float("inf")).to(tl.float32)
    v = tl.load(v_ptr + t[:, None] * D + d[None, :], mask=inside, other=0.0).to(tl.float32)
    do = tl.load(do_ptr + row * D + d, mask=d < D, other=0.0).to(tl.float32)
    e = tl.exp(s - tl.max(s, axis=0))
    p = e / tl.sum(e, axis=0)
    delta = tl.sum(tl.sum(p[:, None] * v, axis=0) * do, axis=0)
    dp = tl.sum(v * do[None, :], axis=1)
    tl.store(ds_ptr + row * T + t, p * (dp - delta), mask=t < T)


def scores_backward(s, v, do):
    """The gradient of causal scores s [T, T], of what becomes of v [T, D]. In row 0 only roundings are left of it."""
    s, v, do = s.contiguous(), v.contiguous(), do.contiguous()
    T, D = v.shape
    assert s.shape == (T, T) and do.shape == v.shape
    ds = torch.empty_like(s)
    if T:
        blocks = {"BT": triton.next_power_of_2(T), "BD": triton.next_power_of_2(D)}
        scores_backward_kernel[(T,)](ds, s, v, do, T, D, **blocks)
    return ds


def scores_backward_reference(s, v, do):
    assert s.shape == (len(v), len(v)) and do.shape == v.shape
    s = s.clone().requires_grad_()
    with torch.enable_grad():
        masked = s.masked_fill(torch.ones(s.shape, dtype=torch.bool).triu(1), -torch.inf)
        return torch.autograd.grad(torch.softmax(masked, -1) @ v, s, do)[0]


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 32})], key=["n"], restore_value=["p_ptr", "m_ptr"]
)
@triton.jit
def momentum_kernel(p_ptr, m_ptr, g_ptr, rate, beta, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    g = tl.load(g_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    m = beta * tl.load(m_ptr + offsets, mask=mask, other=0.0).to(tl.float32) + g
    p = tl.load(p_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(m_ptr + offsets, m, mask=mask)
    tl.store(p_ptr + offsets, p - rate * m, mask=mask)


def momentum_(p, m, g, rate=0.1, beta=0.9):
    """Changes p and m, as tuning it must not."""
    assert p.is_contiguous() and m.is_contiguous() and g.is_contiguous()
    n = p.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)  # noqa: E731
    momentum_kernel[grid](p, m, g, rate, beta, n)


def momentum_reference_(p, m, g, rate=0.1, beta=0.9):
    m.mul_(beta).add_(g)
    p.sub_(rate * m)


@triton.jit
def between_kernel(y_ptr, a_ptr, b_ptr, w_ptr, a_stride, b_stride, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets * a_stride, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + offsets * b_stride, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + offsets, a + w * (b - a), mask=mask)


def between(a, b, w):
    """Of vectors. Whose strides no kernel gets, such as w here, lies as it lies."""
    y = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    n = a.numel()
    between_kernel[(triton.cdiv(n, 32),)](y, a, b, w, a.stride(0), b.stride(0), n, BLOCK=32)
    return y


@triton.jit
def predicted_kernel(y_ptr, x_ptr, i_ptr, L, V, BLOCK: tl.constexpr):
    token, batch = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    x_ptr += (batch * (L + 1) + token) * V
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
    largest = tl.max(x, axis=0)
    chosen = tl.load(x_ptr + tl.load(i_ptr + batch * L + token)).to(tl.float32)
    tl.store(y_ptr + batch * L + token, chosen - largest - tl.log(tl.sum(tl.exp(x - largest), axis=0)))


def predicted(logits, tokens):
    """logits [B, L + 1, V], tokens [B, L]. Nobody says what becomes of another length."""
    logits, tokens = logits.contiguous(), tokens.contiguous()
    (B, L), V = tokens.shape, logits.shape[2]
    y = torch.empty((B, L), dtype=torch.float32, device=logits.device)
    if B and L:
        predicted_kernel[(L, B)](y, logits, tokens, L, V, BLOCK=triton.next_power_of_2(V))
    return y


def predicted_reference(logits, tokens):
    return torch.log_softmax(logits[:, :-1], -1).gather(2, tokens[:, :, None])[..., 0]


@triton.jit
def pages_sums_kernel(y_ptr, x_ptr, ends_ptr, places_ptr, stride, D, BLOCK: tl.constexpr):
    sequence = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(tl.load(ends_ptr + sequence), tl.load(ends_ptr + sequence + 1)):
        place = tl.load(places_ptr + i).to(tl.int64)
        total += tl.load(x_ptr + place * stride + cols, mask=cols < D, other=0.0).to(tl.float32)
    tl.store(y_ptr + sequence * D + cols, total, mask=cols < D)


def pages_sums(x, ends, places):
    """The sums of the rows of x at places[ends[i] : ends[i + 1]]."""
    assert x.stride(1) == 1
    y = torch.empty((len(ends) - 1, x.shape[1]), dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    pages_sums_kernel[(len(ends) - 1,)](y, x, ends, places, x.stride(0), x.shape[1], BLOCK=block)
    return y


def pages_sums_reference(x, ends, places):
    return torch.stack([x[places[a:b].long()].sum(0) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist())])


@triton.jit
def squared_relu_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + offsets, mask=offsets < n, other=0), 0)
    tl.store(y_ptr + offsets, x * x, mask=offsets < n)


def squared_relu(x):
    """Computed in the dtype of x, whatever it is."""
    x = x.contiguous()
    y, n = torch.empty_like(x), x.numel()
    squared_relu_kernel[(triton.cdiv(n, 64),)](y, x, n, BLOCK=64)
    return y


@triton.jit
def sampled_kernel(y_ptr, x_ptr, heat_ptr, seed_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=-float("inf")).to(tl.float32)
    heat = tl.load(heat_ptr + row).to(tl.float32)
    if heat > 0:
        x = x / heat - tl.log(-tl.log(tl.maximum(tl.rand(tl.load(seed_ptr + row), cols), 1e-7)))
    tl.store(y_ptr + row, tl.argmax(x, axis=0))


def sampled(x, heat, seeds):
    x = x.contiguous()
    y = torch.empty(x.shape[0], dtype=torch.int64, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    sampled_kernel[(x.shape[0],)](y, x, heat.contiguous(), seeds.contiguous(), x.shape[1], BLOCK=block)
    return y


def sampled_reference(x, heat, seeds):
    assert (heat == 0).all(), "only what is not drawn has a reference"
    return x.argmax(-1)


@triton.jit
def half_sums_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(
        y_ptr + offsets % 4, tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32), mask=offsets < n
    )


def half_sums(x):
    """Sums of every fourth element, by atomics."""
    x = x.contiguous()
    y, n = torch.zeros(4, dtype=torch.float32, device=x.device), x.numel()
    half_sums_kernel[(triton.cdiv(n, 32),)](y, x, n, BLOCK=32)
    return y.to(x.dtype)


def half_sums_reference(x):
    return torch.nn.functional.pad(x.reshape(-1), (0, -x.numel() % 4)).view(-1, 4).sum(0)


@triton.jit
def append_kernel(cache_ptr, x_ptr, slots_ptr, cache_stride, x_stride, n, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slots_ptr + token).to(tl.int64)
    if slot >= 0:
        cols = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + token * x_stride + cols, mask=cols < n)
        tl.store(cache_ptr + slot * cache_stride + cols, x, mask=cols < n)


def append_(x, cache, slots):
    """Each token in its slot; one of -1 has none."""
    assert x.stride(1) == cache.stride(1) == 1 and x.dtype == cache.dtype
    n, slots = x.shape[1], slots.contiguous()
    block = triton.next_power_of_2(n)
    append_kernel[(len(x),)](cache, x, slots, cache.stride(0), x.stride(0), n, BLOCK=block)


def append_reference_(x, cache, slots):
    cache[slots[slots >= 0]] = x[slots >= 0]


@triton.jit
def sorted_kernel(y_ptr, x_ptr, y_stride, x_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n, other=-float("inf"))
    tl.store(y_ptr + row * y_stride + cols, tl.sort(x, descending=True), mask=cols < n)


def sorted_rows(x):
    x = x if x.stride(1) == 1 else x.contiguous()
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    sorted_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block)
    return y


@triton.jit
def combined_kernel(y_ptr, x_ptr, order_ptr, w_ptr, x_stride, D, K: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    token = tl.load(order_ptr + place) // K
    x = tl.load(x_ptr + place * x_stride + cols, mask=cols < D, other=0.0).to(tl.float32)
    tl.atomic_add(y_ptr + token * D + cols, x * tl.load(w_ptr + place).to(tl.float32), mask=cols < D)


def combined(x, order, weights, k):
    """What k experts of each token have made, weighted and summed. order: for each row of x, token * k + expert."""
    assert x.stride(1) == 1
    order, weights = order.contiguous(), weights.contiguous()
    y = torch.zeros((len(x) // k, x.shape[1]), dtype=torch.float32, device=x.device)
    grid = (len(x), triton.cdiv(x.shape[1], 32))
    combined_kernel[grid](y, x, order, weights, x.stride(0), x.shape[1], K=k, BLOCK=32)
    return y.to(x.dtype)


def combined_reference(x, order, weights, k):
    return torch.zeros(len(x) // k, x.shape[1], dtype=x.dtype).index_add(0, order // k, x * weights[:, None])


@triton.jit
def affine_backward_kernel(dw_ptr, db_ptr, dy_ptr, x_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + row * n + cols, mask=mask, other=0.0).to(tl.float32)
    tl.atomic_add(dw_ptr + cols, dy * x, mask=mask)
    tl.atomic_add(db_ptr + cols, dy, mask=mask)


def affine_backward(dy, x):
    """Gradients of the weight and the bias of an affine map by columns."""
    dy, x = dy.contiguous(), x.contiguous()
    dw = torch.zeros(x.shape[1], dtype=torch.float32, device=x.device)
    db = torch.zeros(x.shape[1], dtype=torch.float32, device=x.device)
    affine_backward_kernel[(len(x),)](dw, db, dy, x, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return dw.to(x.dtype), db.to(x.dtype)


@triton.jit
def capped_kernel(y_ptr, q_ptr, k_ptr, D, cap, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    q = tl.load(q_ptr + row * D + cols, mask=cols < D, other=0.0).to(tl.float32)
    k = tl.load(k_ptr + row * D + cols, mask=cols < D, other=0.0).to(tl.float32)
    s = tl.sum(q * k, axis=0) / cap
    e = tl.exp(-2.0 * tl.abs(s))
    t = (1.0 - e) / (1.0 + e)
    tl.store(y_ptr + row, cap * tl.where(s < 0, -t, t))


def capped(q, k, cap=20.0):
    """Capped scores of each query with its key."""
    q, k = q.contiguous(), k.contiguous()
    y = torch.empty(len(q), dtype=torch.float32, device=q.device)
    capped_kernel[(len(q),)](y, q, k, q.shape[1], cap, BLOCK=triton.next_power_of_2(q.shape[1]))
    return y


@triton.jit
def mean_loss_kernel(loss_ptr, x_ptr, y_ptr, n, share, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + row * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.atomic_add(loss_ptr, tl.sum((x - y) * (x - y), axis=0) * share)


def mean_loss(x, y):
    x, y = x.contiguous(), y.contiguous()
    loss = torch.zeros((), dtype=torch.float32, device=x.device)
    mean_loss_kernel[(len(x),)](loss, x, y, x.shape[1], 1 / max(x.numel(), 1), BLOCK=triton.next_power_of_2(x.shape[1]))
    return loss


def mean_loss_reference(x, y):
    return (x - y).square().sum() / max(x.numel(), 1)


@triton.jit
def largest_of_axis_1_kernel(y_ptr, i_ptr, x_ptr, S, D, BLOCK_S: tl.constexpr, BLOCK: tl.constexpr):
    batch = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], -float("inf"), tl.float32)
    place = tl.zeros([BLOCK], tl.int32)
    for start in range(0, S, BLOCK_S):
        rows = start + tl.arange(0, BLOCK_S)
        mask = (rows[:, None] < S) & (cols[None, :] < D)
        x = tl.load(x_ptr + batch * S * D + rows[:, None] * D + cols[None, :], mask=mask, other=-float("inf"))
        value, row = tl.max(x.to(tl.float32), axis=0, return_indices=True)
        place = tl.where(value >= best, start + row, place)
        best = tl.maximum(value, best)
    tl.store(y_ptr + batch * D + cols, best, mask=cols < D)
    tl.store(i_ptr + batch * D + cols, place, mask=cols < D)


def largest_of_axis_1(x):
    """Of equal ones, the last block's: as good as any."""
    x = x.contiguous()
    y = torch.empty((x.shape[0], x.shape[2]), dtype=x.dtype, device=x.device)
    i = torch.empty(y.shape, dtype=torch.int64, device=x.device)
    block = triton.next_power_of_2(x.shape[2])
    largest_of_axis_1_kernel[(x.shape[0],)](y, i, x, x.shape[1], x.shape[2], BLOCK_S=8, BLOCK=block)
    return y, i


@triton.jit
def code_sums_kernel(y_ptr, x_ptr, x_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * x_stride + cols, mask=cols < n, other=0)
    tl.store(y_ptr + row, tl.sum(acc))


def code_sums(x):
    """Sums of numbers of 8 bits."""
    x = x.contiguous()
    y = torch.empty(x.shape[0], dtype=torch.int32, device=x.device)
    code_sums_kernel[(x.shape[0],)](y, x, x.stride(0), x.shape[1], BLOCK=64)
    return y


@triton.jit
def add_to_sums_kernel(sums_ptr, x_ptr, first, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)
    if first == 0:
        x += tl.load(sums_ptr + cols, mask=cols < n, other=0.0)
    tl.store(sums_ptr + cols, x, mask=cols < n)


@triton.jit
def share_kernel(y_ptr, sums_ptr, m, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.load(sums_ptr + cols, mask=cols < n, other=0.0) / m, mask=cols < n)


def mean_by_turns(x):
    """The mean of rows, one launch a row; the first one finds nothing to add to."""
    x = x.contiguous()
    m, n = x.shape
    sums = torch.empty(n, dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n, 32),)
    for row in range(m):
        add_to_sums_kernel[grid](sums, x[row], int(row == 0), n, BLOCK=32)
    share_kernel[grid](y, sums, m, n, BLOCK=32)
    return y


@triton.jit
def paged_decode_kernel(
    o_ptr,
    q_ptr,
    k_ptr,
    v_ptr,
    pages_ptr,
    lengths_ptr,
    q_sb,
    q_sh,
    k_sp,
    k_st,
    k_sh,
    pages_stride,
    scale,
    ratio,
    D: tl.constexpr,
    PAGE: tl.constexpr,
):
    b = tl.program_id(0).to(tl.int64)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + b * q_sb + h * q_sh + d).to(tl.float32)
    length = tl.load(lengths_ptr + b)
    m = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    for i in range(0, tl.cdiv(length, PAGE)):
        page = tl.load(pages_ptr + b * pages_stride + i).to(tl.int64)
        t = tl.arange(0, PAGE)
        mask = i * PAGE + t < length
        offsets = page * k_sp + t[:, None] * k_st + (h // ratio) * k_sh + d[None, :]
        k = tl.load(k_ptr + offsets, mask=mask[:, None], other=0.0).to(tl.float32)
        v = tl.load(v_ptr + offsets, mask=mask[:, None], other=0.0).to(tl.float32)
        s = tl.where(mask, tl.sum(q[None, :] * k, 1) * scale, -float("inf"))
        new = tl.maximum(m, tl.max(s, 0))
        p = tl.exp(s - new)
        total = total * tl.exp(m - new) + tl.sum(p, 0)
        acc = acc * tl.exp(m - new) + tl.sum(p[:, None] * v, 0)
        m = new
    tl.store(o_ptr + b * q_sb + h * q_sh + d, acc / total)


def paged_decode(q, k, v, pages, lengths):
    """One token of each sequence attends to keys in pages of a cache."""
    b, h, d = q.shape
    page, shared = k.shape[1], k.shape[2]
    assert h % shared == 0 and d & (d - 1) == 0 and page & (page - 1) == 0
    assert k.stride() == v.stride() and k.stride(-1) == 1
    q = q.contiguous()
    o = torch.empty_like(q)
    strides = q.stride(0), q.stride(1), *k.stride()[:3], pages.stride(0)
    paged_decode_kernel[(b, h)](o, q, k, v, pages, lengths, *strides, d**-0.5, h // shared, D=d, PAGE=page)
    return o


def paged_decode_reference(q, k, v, pages, lengths):
    ratio = q.shape[1] // k.shape[2]
    assert q.shape[1] % k.shape[2] == 0 and len(lengths) == len(q) == len(pages)
    rows = []
    for each, places, length in zip(q, pages, lengths.tolist()):
        assert 0 < length <= pages.shape[1] * k.shape[1]
        keys, values = (t[places].flatten(0, 1)[:length].repeat_interleave(ratio, 1) for t in (k, v))
        p = torch.softmax(torch.einsum("hd,nhd->hn", each, keys) * q.shape[-1] ** -0.5, -1)
        rows.append(torch.einsum("hn,nhd->hd", p, values))
    return torch.stack(rows)


@triton.jit
def scaled_kernel(x_ptr, s_ptr, y_ptr, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    x = tl.load(x_ptr + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
    s = tl.load(s_ptr + rows, mask=rows < m, other=0.0)
    tl.store(y_ptr + rows[:, None] * n + cols[None, :], x * s[:, None], mask=mask)


@triton.jit
def dot_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + offsets, mask=offsets < n, other=0.0)
    b = tl.load(b_ptr + offsets, mask=offsets < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(a * b))


@triton.jit
def adamw_kernel(p_ptr, g_ptr, m_ptr, v_ptr, lr, beta1, beta2, eps, decay, fix1, fix2, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    g = tl.load(g_ptr + offsets, mask=mask).to(tl.float32)
    m = beta1 * tl.load(m_ptr + offsets, mask=mask).to(tl.float32) + (1 - beta1) * g
    v = beta2 * tl.load(v_ptr + offsets, mask=mask).to(tl.float32) + (1 - beta2) * g * g
    p = tl.load(p_ptr + offsets, mask=mask).to(tl.float32) * (1 - lr * decay)
    tl.store(p_ptr + offsets, p - lr * (m / fix1) / (tl.sqrt(v / fix2) + eps), mask=mask)
    tl.store(m_ptr + offsets, m, mask=mask)
    tl.store(v_ptr + offsets, v, mask=mask)


def adamw_(p, g, m, v, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    """1 - 0.999 is right to 10^-5 only in a kernel, which gets 0.999 in float32."""
    assert all(t.is_contiguous() for t in (p, g, m, v))
    fixes = 1 - betas[0] ** step, 1 - betas[1] ** step
    grid = (triton.cdiv(p.numel(), 128),)
    adamw_kernel[grid](p, g, m, v, lr, *betas, eps, decay, *fixes, p.numel(), BLOCK=128)


def adamw_reference_(p, g, m, v, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m.mul_(betas[0]).add_(g, alpha=1 - betas[0])
    v.mul_(betas[1]).addcmul_(g, g, value=1 - betas[1])
    root = (v / (1 - betas[1] ** step)).sqrt() + eps
    p.mul_(1 - lr * decay).sub_(lr * (m / (1 - betas[0] ** step)) / root)


@triton.jit
def split_matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, B: tl.constexpr, PARTS: tl.constexpr
):  # fmt: skip
    tile, part = tl.program_id(0), tl.program_id(1)
    columns = tl.cdiv(N, B)
    m = (tile // columns * B + tl.arange(0, B)).to(tl.int64)
    n = (tile % columns * B + tl.arange(0, B)).to(tl.int64)
    acc = tl.zeros((B, B), dtype=tl.float32)
    for i in range(0, tl.cdiv(K, B * PARTS)):
        k = ((i * PARTS + part) * B + tl.arange(0, B)).to(tl.int64)
        a_mask, b_mask = (m[:, None] < M) & (k[None, :] < K), (k[:, None] < K) & (n[None, :] < N)
        a = tl.load(a_ptr + m[:, None] * sam + k[None, :] * sak, mask=a_mask, other=0.0)
        b = tl.load(b_ptr + k[:, None] * sbk + n[None, :] * sbn, mask=b_mask, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    places = c_ptr + m[:, None] * N + n[None, :]
    mask = (m[:, None] < M) & (n[None, :] < N)
    tl.atomic_add(places, acc, mask=mask)


def split_matmul(a, b):
    (M, K), N = a.shape, b.shape[1]
    c = torch.zeros((M, N), dtype=torch.float32, device=a.device)
    grid = (triton.cdiv(M, 16) * triton.cdiv(N, 16), 4)
    split_matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), B=16, PARTS=4)
    return c.to(a.dtype)


@triton.jit
def counts_kernel(counts_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(counts_ptr + tl.load(x_ptr + offsets, mask=mask, other=0), 1, mask=mask)


def counts(x):
    """Whole numbers in memory that atomics add to have no mark of what was never stored."""
    x = x.contiguous()
    found = torch.zeros(8, dtype=torch.int32, device=x.device)
    counts_kernel[(triton.cdiv(x.numel(), 32),)](found, x, x.numel(), BLOCK=32)
    return found


def counts_reference(x):
    return torch.bincount(x, minlength=8).int()


@triton.jit
def finite_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + offsets, (x == x) & (tl.abs(x) != float("inf")), mask=offsets < n)


def finite(x):
    """Truth values have no mark either, and infinities are no large numbers."""
    x = x.contiguous()
    y = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    finite_kernel[(triton.cdiv(x.numel(), 64),)](y, x, x.numel(), BLOCK=64)
    return y


@triton.jit
def after_kernel(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def gated_sums_kernel(h_ptr, a_ptr, b_ptr, n, BLOCK: tl.constexpr):
    row, lane, before = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK), 0.0
    for start in range(0, n, BLOCK):
        mask = start + lane < n
        a = tl.load(a_ptr + row * n + start + lane, mask=mask, other=1.0).to(tl.float32)
        b = tl.load(b_ptr + row * n + start + lane, mask=mask, other=0.0).to(tl.float32)
        a, b = tl.associative_scan((a, b), 0, after_kernel)
        h = a * before + b
        tl.store(h_ptr + row * n + start + lane, h, mask=mask)
        before = tl.sum(tl.where(lane == BLOCK - 1, h, 0.0))


def gated_sums(a, b):
    """Products of large numbers overflow a step earlier than those of the reference."""
    a, b = a.contiguous(), b.contiguous()
    h = torch.empty_like(a)
    if h.numel():
        gated_sums_kernel[(a.shape[0],)](h, a, b, a.shape[1], BLOCK=32)
    return h


def gated_sums_reference(a, b):
    h, found = torch.zeros_like(a[:, 0]), []
    for i in range(a.shape[1]):
        h = a[:, i] * h + b[:, i]
        found.append(h)
    return torch.stack(found, 1)


@triton.jit
def scattered_kernel(y_ptr, i_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    i = tl.load(i_ptr + offsets, mask=mask, other=0)
    tl.atomic_add(y_ptr + i, tl.load(x_ptr + offsets, mask=mask, other=0.0), mask=mask)


def scattered(i, x):
    """Atomics in the dtype of the numbers: in half precision each addition rounds."""
    i, x = i.contiguous(), x.contiguous()
    y = torch.zeros(12, dtype=x.dtype, device=x.device)
    scattered_kernel[(triton.cdiv(x.numel(), 64),)](y, i, x, x.numel(), BLOCK=64)
    return y


def scattered_reference(i, x):
    return torch.zeros(12, dtype=x.dtype).index_add(0, i, x)


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"])
@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})
@triton.jit
def even_kernel(y_ptr, x_ptr, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y_ptr + offsets, 2 * tl.load(x_ptr + offsets))
    else:
        tl.store(y_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


def twice(x):
    """A mask only where a block of this configuration is not full."""
    x = x.contiguous()
    y, n = torch.empty_like(x), x.numel()
    even_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](y, x, n)
    return y


@triton.jit
def quantize_blocks_kernel(q_ptr, scale_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), 0), 1e-8) / 127.0
    q = x / scale
    q = tl.where(q >= 0, tl.floor(q + 0.5), tl.ceil(q - 0.5))
    tl.store(q_ptr + offsets, tl.minimum(tl.maximum(q, -127.0), 127.0).to(tl.int8), mask=offsets < n)
    tl.store(scale_ptr + tl.program_id(0), scale)


def quantize_blocks(x):
    """Clamped before the cast: of NaN, where a block has an infinity, the kernel makes -127 and the reference 0."""
    x = x.contiguous()
    q, n = torch.empty(x.shape, dtype=torch.int8, device=x.device), x.numel()
    scale = torch.empty(triton.cdiv(n, 64), dtype=torch.float32, device=x.device)
    if n:
        quantize_blocks_kernel[(len(scale),)](q, scale, x, n, BLOCK=64)
    return q, scale


def quantize_blocks_reference(x):
    blocks = torch.nn.functional.pad(x.reshape(-1), (0, -x.numel() % 64)).view(-1, 64)
    scale = blocks.abs().amax(1).clamp(min=1e-8) / 127
    q = blocks / scale[:, None]
    q = torch.where(q >= 0, (q + 0.5).floor(), (q - 0.5).ceil()).clamp(-127, 127)
    return q.reshape(-1)[: x.numel()].view(x.shape).to(torch.int8), scale


@triton.jit
def values_backward_kernel(dv_ptr, s_ptr, lse_ptr, do_ptr, T, D, BT: tl.constexpr, BD: tl.constexpr):
    column = tl.program_id(0)
    t, d = tl.arange(0, BT), tl.arange(0, BD)
    s = tl.load(s_ptr + t * T + column, mask=t < T, other=0.0).to(tl.float32)
    p = tl.where(t < T, tl.exp(s - tl.load(lse_ptr + t, mask=t < T, other=0.0)), 0.0)
    inside = (t[:, None] < T) & (d[None, :] < D)
    do = tl.load(do_ptr + t[:, None] * D + d[None, :], mask=inside, other=0.0).to(tl.float32)
    tl.store(dv_ptr + column * D + d, tl.sum(p[:, None] * do, 0), mask=d < D)


def values_backward(q, k, do):
    """The gradient of the values of attention, from the logarithm of the sums: p = exp(s - lse) as a backward pass has
    it is off by what float32 rounds of large scores, and in the reference that cancels."""
    q, k, do = q.float(), k.float(), do.contiguous()
    assert q.shape == k.shape == do.shape
    lse = torch.logsumexp(q @ k.T, -1)
    s = (q.flip(-1).contiguous() @ k.flip(-1).contiguous().T).contiguous()  # summed in another order
    dv, (T, D) = torch.empty_like(do), q.shape
    if T:
        blocks = {"BT": triton.next_power_of_2(T), "BD": triton.next_power_of_2(D)}
        values_backward_kernel[(T,)](dv, s, lse, do, T, D, **blocks)
    return dv


def values_backward_reference(q, k, do):
    assert q.shape == k.shape == do.shape
    return torch.softmax(q @ k.T, -1).T @ do


@triton.jit
def unit_step_kernel(p_ptr, m_ptr, g_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    m = 0.75 * tl.load(m_ptr + offsets, mask=mask) + 0.25 * tl.load(g_ptr + offsets, mask=mask)
    p = tl.load(p_ptr + offsets, mask=mask)
    tl.store(p_ptr + offsets, p - 0.125 * m / (tl.abs(m) + 1e-12), mask=mask)


def unit_step_(p, m, g):
    """Nothing of p is changed where m and g are 0: it is a result there, too."""
    assert p.shape == m.shape == g.shape and p.is_contiguous() and m.is_contiguous() and g.is_contiguous()
    unit_step_kernel[(triton.cdiv(p.numel(), 64),)](p, m, g, p.numel(), BLOCK=64)


def unit_step_reference_(p, m, g):
    m = 0.75 * m + 0.25 * g
    p.sub_(0.125 * m / (m.abs() + 1e-12))


@triton.jit
def masked_mean_kernel(y_ptr, x_ptr, keep_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    keep = tl.load(keep_ptr + row * n_cols + cols, mask=cols < n_cols, other=0) != 0
    x = tl.load(x_ptr + row * n_cols + cols, mask=keep, other=0.0).to(tl.float32)
    tl.store(y_ptr + row, tl.sum(x, 0) / tl.maximum(tl.sum(keep.to(tl.int32), 0), 1))


def masked_mean(x, keep):
    x, keep = x.contiguous(), keep.contiguous()
    y = torch.empty(len(x), dtype=x.dtype, device=x.device)
    masked_mean_kernel[(len(x),)](y, x, keep, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


def masked_mean_reference(x, keep):
    return torch.where(keep, x, 0.0).sum(1) / keep.sum(1).clamp(min=1)
