export function isPlain(bytes: Uint8Array, isPart: (line: string) => boolean): boolean;
export function escaped(bytes: Uint8Array, isPart: (line: string) => boolean): string;
export function unescaped(text: string): Buffer;
