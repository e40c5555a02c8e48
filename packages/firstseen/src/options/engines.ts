// The options of the tasks of an engine that are not options of a run.

import type { OptionRow } from './row.js';

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

export const states = {
  name: 'states',
  flag: '--states <folder>',
  group: 'state',
  kind: 'text',
  help: 'folder of the states of the partitions; they stay as they are',
  jobs: ['reduce'],
} as const satisfies OptionRow;

export const statesTo = {
  name: 'statesTo',
  flag: '--states-to <folder>',
  group: 'state',
  kind: 'text',
  help: 'folder for the states of the partitions after this task',
  jobs: ['reduce'],
} as const satisfies OptionRow;

export const statesList = {
  name: 'statesList',
  flag: '--states-list <file>',
  group: 'state',
  kind: 'text',
  help: 'file for the names of the states that this task wrote, and then their number',
  jobs: ['reduce'],
} as const satisfies OptionRow;

/** The options that the help of the tasks shows. The others are those of the main command. */
export const taskOptions = [inputOrder, isApproximate, keepsPosition, states, statesTo, statesList] as const;
