// The report of reproduced sections.

import { cpus, totalmem } from 'node:os';
import type { Report, ReportSection } from '../contract.js';
import { remarksOf, reportFindings } from './findings.js';
import { MOST_DIFFERENCE, MOST_RELATIVE } from './verdict.js';

const GIB = 2 ** 30;

const READING: readonly string[] = [
  'FPR is false positives / truly distinct elements. FNR is false negatives / true duplicates. Each measured rate is followed by its 95 % confidence interval: the binomial interval, or the interval between seeds if there are several and it is wider.',
  'Published is the rate that the paper prints. Predicted is what firstseen plan predicts for the same detector and stream. Limit is the lowest FNR that any structure of the same size can have at the measured FPR.',
  'Predictions and limits assume keys that look random. Identifiers without gaps have neither, because a bitmap can represent them exactly.',
  `A row is reproduced if each measured rate is within ${100 * MOST_RELATIVE} % of the printed rate, or within ${100 * MOST_DIFFERENCE} percentage points, or if the printed rate is in the interval. Otherwise the row differs, and gives the reason if it is known. Statements of a paper about a figure are compared with the measured curves in the same way.`,
  'A row is not reproducible if it needs data that are not public, a memory size that no detector has, or a value that the paper does not state.',
  'If a row of a paper can be interpreted in several ways, there is one row for each interpretation. In plots by memory, large open marks are printed rates.',
];

/** Describes this machine. */
export function machineText(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / GIB)} GiB`;
  return `${cpus().length} cores of ${first?.model.trim() ?? process.arch}, ${memory}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
}

export function reportOf(sections: readonly ReportSection[], command: string): Report {
  return {
    title: "Reproduction of the papers' tables and figures",
    findings: reportFindings(sections),
    remarks: remarksOf(sections),
    reading: [...READING],
    sections: [...sections],
    machine: machineText(),
    command,
  };
}
