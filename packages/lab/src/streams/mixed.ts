import { formatCounted, invalidOption } from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { StreamSpec } from '../contract.js';
import { MIXED_CLASS_BYTES, MIXED_CLASSES_PARAMETER, MIXED_ELEMENTS, MIXED_FIRST } from '../kernel/abi.js';
import {
  lengthOf,
  lookedUpStream,
  MAX_ELEMENTS,
  type ResolvedStream,
  requiredSetting,
  type StreamKind,
  settingOption,
} from './contract.js';

/** Elements that are equally likely. */
export interface ElementClass {
  elements: number;
  /** Probability that a draw is of this class. */
  share: number;
}

const MAX_CLASSES = 64;
const CLASS = /^(\d+):(\d*\.?\d+(?:e-?\d+)?)$/i;

/** The text of a setting, such as `100:0.5 10000:0.5`. */
export function classesText(classes: readonly ElementClass[]): string {
  return classes.map(({ elements, share }) => `${elements}:${share}`).join(' ');
}

/** Classes from their text. Shares are divided by their sum. @throws FirstseenError E_PARAMETER */
function classesOf(spec: StreamSpec): ElementClass[] {
  const classesText = String(requiredSetting(spec, 'classes'));
  const parts = classesText.trim().split(/\s+/);
  const classes = parts.map((part) => {
    const [, elements, share] = CLASS.exec(part) ?? [];
    return { elements: Number(elements), share: Number(share) };
  });
  const sum = classes.reduce((total, { share }) => total + share, 0);
  const isValid = classes.every(({ elements, share }) => elements >= 1 && elements <= MAX_ELEMENTS && share >= 0);
  if (isValid && sum > 0 && classes.length <= MAX_CLASSES) {
    return classes.map(({ elements, share }) => ({ elements, share: share / sum }));
  }
  const expected = `up to ${MAX_CLASSES} classes as elements:share, separated by spaces, such as "100:0.5 10000:0.5"`;
  throw invalidOption({ option: settingOption('classes'), given: classesText, expected });
}

/** Each class is a stream of uniform draws in the share of positions that it has. */
function mixedStream(lengthElements: number, classes: readonly ElementClass[]): StreamModel {
  const rates = classes.map(({ elements, share }) => ({
    elements,
    share,
    rate: Math.log1p(-share / Math.max(1 + 1e-9, elements)),
  }));
  const universe = classes.reduce((sum, { elements }) => sum + elements, 0);
  return {
    get description() {
      return `draws from ${classes.length} classes with ${formatCounted(universe, 'element')} in all`;
    },
    lengthElements,
    fresh: (gap) => rates.reduce((sum, { share, rate }) => sum + share * Math.exp(rate * gap), 0),
    distinctIn: (span) => rates.reduce((sum, { elements, rate }) => sum - elements * Math.expm1(rate * span), 0),
  };
}

/** The largest draw of 64 bits below a cumulative share. */
function limitOf(share: number): bigint {
  const above = BigInt(Math.round(share * 2 ** 53)) << 11n;
  return above === 0n ? 0n : above - 1n;
}

function fillClasses(tables: Uint8Array<ArrayBuffer>, classes: readonly ElementClass[]): void {
  const view = new DataView(tables.buffer, tables.byteOffset, tables.byteLength);
  let [first, share] = [0, 0];
  for (const [i, one] of classes.entries()) {
    share += one.share;
    view.setBigUint64(i * MIXED_CLASS_BYTES, limitOf(share), true);
    view.setBigUint64(i * MIXED_CLASS_BYTES + MIXED_FIRST, BigInt(first), true);
    view.setBigUint64(i * MIXED_CLASS_BYTES + MIXED_ELEMENTS, BigInt(one.elements), true);
    first += one.elements;
  }
}

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const classes = classesOf(spec);
  return {
    ...lookedUpStream({
      kernelName: 'mixed',
      parameters: [[MIXED_CLASSES_PARAMETER, classes.length]],
      model: mixedStream(lengthElements, classes),
      universeElements: classes.reduce((sum, { elements }) => sum + elements, 0),
    }),
    tablesBytes: classes.length * MIXED_CLASS_BYTES,
    fillTables: (tables) => fillClasses(tables, classes),
  };
}

export const mixed: StreamKind = {
  name: 'mixed',
  title: 'draws from several classes',
  rule: 'Every element is drawn from one of several classes, each with a share of the draws; the elements of a class are equally likely.',
  settings: [
    {
      name: 'classes',
      description: 'the number of elements of each class and its share of the draws, such as `100:0.5 10000:0.5`',
      isText: true,
    },
  ],
  resolve,
};
