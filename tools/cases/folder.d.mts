import type { CaseFile } from './format.mjs';

export const casesFolder: string;
export function topicsIn(folder?: string): string[];
export function pathOfTopic(topic: string, folder?: string): string;
export function readTopic(topic: string, folder?: string): CaseFile;
export function strayPaths(folder?: string): string[];
