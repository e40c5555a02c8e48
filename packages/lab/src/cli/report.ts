// Writes a report: a page for browsers, the same as Markdown, and its plots.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FirstseenError } from 'firstseen';
import type { Report } from '../contract.js';
import { htmlReport } from '../report/html.js';
import { markdownReport } from '../report/markdown.js';
import { makeFolder } from './folder.js';

const PLOTS_FOLDER = 'plots';

/** @throws FirstseenError E_OUTPUT if it cannot be made. */
export async function makeReportFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  await makeFolder(join(folder, PLOTS_FOLDER));
}

/** Writes a report into a folder from `makeReportFolder`. @throws FirstseenError E_OUTPUT if it cannot write a file. */
export async function writeReport(report: Report, folder: string): Promise<void> {
  const { text, plots } = markdownReport(report, { plotsFolder: PLOTS_FOLDER });
  try {
    await writeFile(join(folder, 'report.html'), htmlReport(report));
    await writeFile(join(folder, 'report.md'), text);
    for (const { name, svg } of plots) await writeFile(join(folder, PLOTS_FOLDER, name), svg);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FirstseenError('E_OUTPUT', `the report cannot be written to ${folder}: ${reason}`, {
      remedy: 'give another folder',
      cause,
    });
  }
}
