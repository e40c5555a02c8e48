export const UNICODE_VERSION: string;
export const LISTED: number;
export const classes: Readonly<Record<'other' | 'space' | 'letter' | 'blankless' | 'mark' | 'ignored', number>>;
export const blanklessScripts: readonly string[];
export function classOf(character: number): number;
export function foldOf(character: number): number;
