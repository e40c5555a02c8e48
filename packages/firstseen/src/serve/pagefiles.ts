// The files of the page, and the style of the report of a run, which the build writes. This file is as deep in the sources as its chunk is in the package.

import { readFile } from 'node:fs/promises';

const folder = new URL('../../dist/page/', import.meta.url);

export const pageFiles = {
  'index.html': 'text/html; charset=utf-8',
  'main.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type PageFile = keyof typeof pageFiles;

/** The style of the report of a run. The server does not send it. */
export const REPORT_STYLE = 'report.css';

export function readPageFile(name: PageFile | typeof REPORT_STYLE): Promise<Buffer> {
  return readFile(new URL(name, folder));
}
