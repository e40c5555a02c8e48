// In a file of its own, because the public declarations need this type and nothing else of the kernel.

/** A value, and the parameter slot from which the kernel reads it. */
export type KernelParameter = readonly [slot: number, value: number];
