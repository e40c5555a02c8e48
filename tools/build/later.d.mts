/** The code of a chunk that requires some modules when it first reads something from them. */
export declare function requiringLater(code: string, isLater: (id: string) => boolean): string;

/** The code of a chunk that exports what a module has that is required later, and does not require it for that. */
export declare function exportingLater(code: string): string;
