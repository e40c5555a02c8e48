// The action of `firstseen lab advise`: the runs, the table of their results, and the report.

import { writeOutput } from 'firstseen/internal';
import { type AdviceRequest, contestFor, standingsOf } from '../advise/contest.js';
import { adviceNotes, adviceSections, countsText, usesOf } from '../advise/view.js';
import { machineText } from '../reproduce/report.js';
import { makeReportFolder, writeReport } from './report.js';
import { runShown } from './runs.js';
import { sectionText } from './table.js';

/** The flags as the parser stores them. */
export interface AdviseFlags {
  memory: string;
  fpr?: number;
  format: AdviceRequest['format'];
  report?: string;
  jobs?: number;
  progress: boolean;
}

/** @throws FirstseenError as `contestFor` and `runExperiment` do. */
export async function adviseFile(path: string, flags: AdviseFlags): Promise<void> {
  const { memory, format, fpr } = flags;
  const request: AdviceRequest = { path, format, memory, ...(fpr === undefined ? {} : { fpr }) };
  const contest = await contestFor(request);
  if (flags.report !== undefined) await makeReportFolder(flags.report);
  const specs = contest.contestants.map(({ spec }) => spec);
  const { jobs, progress } = flags;
  const standings = standingsOf(contest.contestants, await runShown(specs, { jobs, progress }), fpr);
  const notes = adviceNotes(standings, contest, request);
  const [plane, rows] = adviceSections(standings, contest, request);
  const uses = usesOf(standings, request);
  const lines = [
    countsText(standings, request),
    ...notes,
    '',
    ...uses.flatMap(({ lead, command }) => [lead, `  ${command}`]),
  ];
  await writeOutput([...lines, '', sectionText(rows)].join('\n'));
  if (flags.report === undefined) return;
  await writeReport(
    {
      title: `Detectors for ${path}`,
      conclusions: notes,
      remarks: [],
      reading: [],
      sections: [{ ...plane, notes: uses.flatMap(({ lead, command }) => [lead, command]) }, rows],
      machine: machineText(),
      command: rows.command,
    },
    flags.report,
  );
}
