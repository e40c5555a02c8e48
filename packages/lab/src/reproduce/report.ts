// The report of reproduced sections.

import { cpus, totalmem } from 'node:os';
import type { Report, ReportSection } from '../contract.js';
import { AROUND_SHARE, TIMES_SHARE } from './claims.js';
import { remarksOf, reportConclusions } from './conclusions.js';
import { POSITION_SHARE, STABLE_SHARE } from './convergence.js';
import { MAX_RELATIVE } from './verdict.js';

const GIB = 2 ** 30;

const SHARE = (share: number) => `${100 * share} %`;

/** The rules for statements about figures, one for each kind (claims.ts). */
const RULES: readonly string[] = [
  `Statements about figures: "about x %" holds as a printed rate does. "Between x and y %" holds if the whole measured interval is between them, after rounding. "x times" allows ${SHARE(TIMES_SHARE)}, because either rate may differ by ${SHARE(MAX_RELATIVE)}.`,
  `Statements that a rate is lower or higher than another one, rises or falls hold only if chance does not explain the difference at 95 %. A rate rises along the stream if it is higher in the third quarter than in the first half, and higher in the last quarter than in all before it.`,
  `Statements about a threshold: memory is enough if the whole interval is at most the threshold, and too little if all of it is above. "Around" a memory size holds if ${SHARE(AROUND_SHARE)} less is too little and ${SHARE(AROUND_SHARE)} more is enough.`,
  `Statements about convergence: a curve is stable from the point after which it stays within ${SHARE(STABLE_SHARE)} of its last value. That point has to be within ${SHARE(POSITION_SHARE)} of the stated one, or within a step of the curve. It is not yet stable at a position if it changes by more than ${SHARE(STABLE_SHARE)} from half of the way to it.`,
];

const READING: readonly string[] = [
  'FPR is false positives / truly distinct elements. FNR is false negatives / true duplicates. Each measured rate is followed by its 95 % confidence interval: the binomial interval, or the interval between seeds if there are several and it is wider.',
  'Published is the rate that the paper prints. Predicted is what firstseen plan predicts for the same detector and stream. Limit is the lowest FNR that any structure of the same size can have at the measured FPR.',
  'Predictions and limits assume keys that look random. Identifiers without gaps have neither, because a bitmap can represent them exactly.',
  `A printed rate is reproduced if the measured rate is within ${100 * MAX_RELATIVE} % of it after rounding, or if chance explains the difference: the sampling error of our run and that of the paper's, at 95 %. A row is reproduced if each of its rates is. Otherwise it differs, and gives the reason if it is known.`,
  ...RULES,
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
    conclusions: reportConclusions(sections),
    remarks: remarksOf(sections),
    reading: [...READING],
    sections: [...sections],
    machine: machineText(),
    command,
  };
}
