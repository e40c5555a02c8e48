// A report of repeated sections.

import { cpus, totalmem } from 'node:os';
import type { Report, ReportSection } from '../contract.js';
import { findingsOf } from './findings.js';

const GIB = 2 ** 30;

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
    sections: [...sections],
    machine: machineText(),
    command,
  };
}
