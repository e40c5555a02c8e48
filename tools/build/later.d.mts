/** The code of a chunk that requires some modules when it first reads something from them. */
export declare function requiringLater(code: string, isLater: (id: string) => boolean): string;
