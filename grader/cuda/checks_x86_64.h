// The checks of x86_64.py. They change r11 alone, which a kernel does not use, and they spare the flags.
// r11: the address of the access.
#pragma once

asm(R"(
.text
.macro cpu_save
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %rbp
    movq %rsp, %rbp
    subq $256, %rsp
    andq $-16, %rsp
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps %xmm\n, 16*\n(%rsp)
    .endr
.endm
.macro cpu_restore
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps 16*\n(%rsp), %xmm\n
    .endr
    movq %rbp, %rsp
    popq %rbp
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
.endm

.macro cpu_check name, size, told, access, aligned
    .globl cpu_\name
    .type cpu_\name, @function
cpu_\name:
    pushq %rax
    lahf
    seto %al
    pushq %rax
    leaq \size(%r11), %rax
    cmpq \told(%rip), %r11
    jb 1f
    cmpq \told+8(%rip), %rax
    jbe 2f
1:  cmpq own_stack(%rip), %r11
    jb 3f
    cmpq own_stack+8(%rip), %rax
    ja 3f
2:  popq %rax
    addb $127, %al
    sahf
    popq %rax
    ret
3:  cpu_save
    movq %r11, %rdi
    movl $\size, %esi
    movl $\access, %edx
    movq 88(%rbp), %rcx
    decq %rcx
    movl $\aligned, %r8d
    call cpu_untold
    cpu_restore
    jmp 2b
    .size cpu_\name, .-cpu_\name
.endm

.macro cpu_call name, what
    .globl cpu_\name
    .type cpu_\name, @function
cpu_\name:
    cpu_save
    leaq 80(%rbp), %rdi
    movq 80(%rbp), %rsi
    call \what
    cpu_restore
    ret
    .size cpu_\name, .-cpu_\name
.endm

.irp size, 1, 2, 4, 8, 16
cpu_check load\size, \size, told_load, 0, 0
cpu_check store\size, \size, told_store, 1, 0
.endr
cpu_check load16a, 16, told_load, 0, 1
cpu_check store16a, 16, told_store, 1, 1
cpu_call entered, cpu_begins
cpu_call leaving, cpu_returns
)");
