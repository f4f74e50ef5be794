# The PVH entry: 32-bit protected mode without paging; ebx is the address of hvm_start_info. Maps the
# first GiB of memory at 0 and at kBase, enters long mode, and calls kernel_main on its own stack.
    .set kBase, 0xffffffff80000000
    .set kLocalApic, 0xfee00000

    .section .note.Xen, "a", @note
    .align 4
    .long 4, 4, 18                     # XEN_ELFNOTE_PHYS32_ENTRY
    .asciz "Xen"
    .long start - kBase

    .code32
    .section .boot, "ax"
    .globl start
start:
    cli
    movl $(stack_end - kBase), %esp
    movl %ebx, (start_info - kBase)
    movl $(low - kBase + 3), (top - kBase)             # present, writable
    movl $(high - kBase + 3), (top - kBase + 511 * 8)
    movl $(memory - kBase + 3), (low - kBase)
    movl $(devices - kBase + 3), (low - kBase + 3 * 8)
    movl $(memory - kBase + 3), (high - kBase + 510 * 8)
    movl $(kLocalApic + 0x9b), (devices - kBase + 503 * 8)  # ... large, not cached
    xorl %ecx, %ecx
1:  movl %ecx, %eax
    shll $21, %eax
    orl $0x83, %eax                                    # 2 MiB pages
    movl %eax, (memory - kBase)(,%ecx,8)
    incl %ecx
    cmpl $512, %ecx
    jne 1b
    movl $(top - kBase), %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $0x20, %eax                                    # PAE
    movl %eax, %cr4
    movl $0xc0000080, %ecx                             # EFER: long mode
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80000001, %eax
    movl %eax, %cr0
    lgdt (gdt_low - kBase)
    ljmp $8, $(2f - kBase)
    .code64
2:  movabsq $3f, %rax
    jmp *%rax
3:  movw $16, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    lgdt gdt_high(%rip)
    movq $stack_end, %rsp
    xorl %ebp, %ebp
    movl start_info(%rip), %edi
    call kernel_main
4:  hlt
    jmp 4b

    # Exceptions: the handler gets the vector and the instruction. They do not return.
    .macro EXCEPTION vector has_code
    .globl exception_\vector
exception_\vector:
    .if \has_code
    addq $8, %rsp
    .endif
    movl $\vector, %edi
    movq (%rsp), %rsi
    cld
    andq $-16, %rsp
    call on_exception
    .endm
    EXCEPTION 0 0
    EXCEPTION 6 0
    EXCEPTION 8 1
    EXCEPTION 13 1
    EXCEPTION 14 1

    .globl timer_interrupt
timer_interrupt:
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    pushq %rbp
    movq %rsp, %rbp
    andq $-16, %rsp
    cld
    call on_timer
    movq %rbp, %rsp
    popq %rbp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    iretq

    .section .data
    .align 16
gdt: .quad 0, 0x00af9b000000ffff, 0x00cf93000000ffff
gdt_end:
gdt_low: .word gdt_end - gdt - 1
    .long gdt - kBase
gdt_high: .word gdt_end - gdt - 1
    .quad gdt
start_info: .long 0

    .section .bss
    .align 4096
top: .skip 4096
low: .skip 4096
high: .skip 4096
memory: .skip 4096
devices: .skip 4096
stack: .skip 65536
stack_end:
