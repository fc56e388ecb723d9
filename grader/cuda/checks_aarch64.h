// The checks of aarch64.py. They change x14 to x17 alone, which a kernel does not use, and they spare the flags.
// x15: the address of the access. x14: where the function returns to, which began or is about to return.
#pragma once

asm(R"(
.text
.macro cpu_save
    sub sp, sp, 688
    stp x0, x1, [sp]
    stp x2, x3, [sp, 16]
    stp x4, x5, [sp, 32]
    stp x6, x7, [sp, 48]
    stp x8, x9, [sp, 64]
    stp x10, x11, [sp, 80]
    stp x12, x13, [sp, 96]
    stp x14, x18, [sp, 112]
    str x30, [sp, 128]
    add x16, sp, 160
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
    cpu_pair stp, \n
    .endr
.endm
.macro cpu_pair how, n
    .if \n == 0
    \how q0, q1, [x16]
    .elseif \n == 2
    \how q2, q3, [x16, 32]
    .elseif \n == 4
    \how q4, q5, [x16, 64]
    .elseif \n == 6
    \how q6, q7, [x16, 96]
    .elseif \n == 8
    \how q8, q9, [x16, 128]
    .elseif \n == 10
    \how q10, q11, [x16, 160]
    .elseif \n == 12
    \how q12, q13, [x16, 192]
    .elseif \n == 14
    \how q14, q15, [x16, 224]
    .elseif \n == 16
    \how q16, q17, [x16, 256]
    .elseif \n == 18
    \how q18, q19, [x16, 288]
    .elseif \n == 20
    \how q20, q21, [x16, 320]
    .elseif \n == 22
    \how q22, q23, [x16, 352]
    .elseif \n == 24
    \how q24, q25, [x16, 384]
    .elseif \n == 26
    \how q26, q27, [x16, 416]
    .elseif \n == 28
    \how q28, q29, [x16, 448]
    .else
    \how q30, q31, [x16, 480]
    .endif
.endm
.macro cpu_restore
    add x16, sp, 160
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
    cpu_pair ldp, \n
    .endr
    ldp x0, x1, [sp]
    ldp x2, x3, [sp, 16]
    ldp x4, x5, [sp, 32]
    ldp x6, x7, [sp, 48]
    ldp x8, x9, [sp, 64]
    ldp x10, x11, [sp, 80]
    ldp x12, x13, [sp, 96]
    ldp x14, x18, [sp, 112]
    ldr x30, [sp, 128]
    add sp, sp, 688
.endm

.macro cpu_check name, size, told, access
    .globl cpu_\name
    .type cpu_\name, %function
cpu_\name:
    stp x0, x1, [sp, -16]!
    mrs x0, nzcv
    add x1, x15, \size
    adrp x16, \told
    add x16, x16, :lo12:\told
    ldp x16, x17, [x16]
    cmp x15, x16
    b.lo 1f
    cmp x1, x17
    b.ls 2f
1:  adrp x16, own_stack
    add x16, x16, :lo12:own_stack
    ldp x16, x17, [x16]
    cmp x15, x16
    b.lo 3f
    cmp x1, x17
    b.hi 3f
2:  msr nzcv, x0
    ldp x0, x1, [sp], 16
    ret
3:  cpu_save
    mov x0, x15
    mov x1, \size
    mov x2, \access
    sub x3, x30, 1
    mov x4, 0
    bl cpu_untold
    cpu_restore
    b 2b
    .size cpu_\name, .-cpu_\name
.endm

.macro cpu_call name, what
    .globl cpu_\name
    .type cpu_\name, %function
cpu_\name:
    cpu_save
    add x0, sp, 688
    mov x1, x14
    bl \what
    cpu_restore
    ret
    .size cpu_\name, .-cpu_\name
.endm

.irp size, 1, 2, 4, 8, 16
cpu_check load\size, \size, told_load, 0
cpu_check store\size, \size, told_store, 1
.endr
cpu_call entered, cpu_begins
cpu_call leaving, cpu_returns
)");
