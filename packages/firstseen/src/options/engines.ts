// The options of the tasks of an engine that are not options of a run.

import { type OptionRow, rowsWith } from './row.js';

/** Makes a row of the states of partitions. */
const stateRow = /* @__PURE__ */ rowsWith({ group: 'state', jobs: ['reduce'] });

export const inputOrder = {
  name: 'inputOrder',
  flag: '--input-order <file>',
  group: 'input',
  kind: 'text',
  help: 'a file that lists all inputs in their order, one path a line',
  jobs: ['map'],
} as const satisfies OptionRow;

export const isApproximate = {
  name: 'isApproximate',
  flag: '--approximate',
  group: 'detector',
  isOfCommand: true,
  kind: 'presence',
  default: false,
  help: 'also with an algorithm that gives other answers without the repeats',
  jobs: ['combine'],
} as const satisfies OptionRow;

export const keepsPosition = {
  name: 'keepsPosition',
  flag: '--keep-position',
  group: 'output',
  kind: 'presence',
  default: false,
  help: 'write the position and a tab before each record',
  jobs: ['reduce'],
} as const satisfies OptionRow;

export const states = /* @__PURE__ */ stateRow({
  name: 'states',
  flag: '--states <folder>',
  kind: 'text',
  help: 'folder of the states of the partitions; they stay as they are',
});

export const statesTo = /* @__PURE__ */ stateRow({
  name: 'statesTo',
  flag: '--states-to <folder>',
  kind: 'text',
  help: 'folder for the states of the partitions after this task',
});

export const statesList = /* @__PURE__ */ stateRow({
  name: 'statesList',
  flag: '--states-list <file>',
  kind: 'text',
  help: 'file for the names of the states that this task wrote, and then their number',
});

/** The options that the help of the tasks shows. The others are those of the main command. */
export const taskOptions = [inputOrder, isApproximate, keepsPosition, states, statesTo, statesList] as const;
