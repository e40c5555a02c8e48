// A report of repeated sections.

import { cpus, totalmem } from 'node:os';
import type { Report, ReportSection } from '../contract.js';
import { findingsOf, remarksOf } from './findings.js';
import { MOST_DIFFERENCE, MOST_RELATIVE } from './verdict.js';

const GIB = 2 ** 30;

const READING: readonly string[] = [
  'FPR is the share of the elements that are new but were taken for duplicates, FNR the share of the duplicates that were taken for new. After a measured rate stands its interval of 95 %, binomial over all elements, or from seed to seed where there are several and that is wider.',
  'Published is what the paper prints, predicted what firstseen plan says of the same detector and stream, and limit the least FNR that any structure of as many bits can have at the measured FPR.',
  'What is predicted and the limit are of keys as good as random; identifiers without gaps, which a bitmap tells apart, have neither.',
  `A row is reproduced where each rate is within ${100 * MOST_RELATIVE} % of the printed one, or within ${100 * MOST_DIFFERENCE} percentage points, or the printed one lies in the interval; it differs where one is not, and says why where that is known. What a paper's text says of a figure is held against its curves in the same way.`,
  'Not reproducible is what needs data that are not public or a memory that no detector has, or what the paper does not state.',
  'A row of a paper that can be read in several ways stands there once for each. In plots by memory, large open marks are what was printed.',
];

/** The machine that this runs on, in words. */
export function machineText(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / GIB)} GiB`;
  return `${cpus().length} cores of ${first?.model.trim() ?? process.arch}, ${memory}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
}

export function reportOf(sections: readonly ReportSection[], command: string): Report {
  return {
    title: 'The tables and figures of the papers, repeated',
    findings: findingsOf(sections),
    remarks: remarksOf(sections),
    reading: [...READING],
    sections: [...sections],
    machine: machineText(),
    command,
  };
}
