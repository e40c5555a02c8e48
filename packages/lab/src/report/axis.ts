// The range and the ticks of an axis.

import { formatBytes } from 'firstseen/internal';
import type { PlotAxis } from '../contract.js';
import { tickText } from './numbers.js';

export interface Axis {
  scale: 'linear' | 'log';
  domain: [number, number];
  /** Absent for a linear axis, whose ticks Plot chooses. */
  ticks?: number[];
  /** The value at which a log axis shows zero, which has no logarithm. */
  zeroAt?: number;
  isBytes?: boolean;
}

/** Multiples of powers of ten that may be ticks, the fewest first. */
const STEPS = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]] as const;
const FEWEST_TICKS = 3;
const MAX_TICKS = 8;

/** The axis that shows all these values. */
export function axisOf(values: readonly number[], { scale, isBytes = false }: Omit<PlotAxis, 'label'>): Axis {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return { scale: 'linear', domain: [0, 1] };
  return scale === 'log' ? { ...logAxis(finite, isBytes), isBytes } : linearAxis(finite);
}

/** The text of a tick. */
export function axisText(value: number, { zeroAt, isBytes }: Axis): string {
  if (value === zeroAt) return '0';
  return isBytes ? formatBytes(value) : tickText(value);
}

/** The value at which a value is drawn: on a log axis, zero is drawn at its mark. */
export function onAxis(value: number, { zeroAt }: Axis): number {
  return zeroAt !== undefined && value <= 0 ? zeroAt : value;
}

/** Starts at zero unless all values would then be in the upper half. */
function linearAxis(values: readonly number[]): Axis {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === 0 && high === 0) return { scale: 'linear', domain: [0, 1] };
  if (low === high) return { scale: 'linear', domain: [Math.min(0, low), Math.max(0, high)] };
  return { scale: 'linear', domain: [low >= 0 && low <= high / 2 ? 0 : low, high] };
}

function logAxis(values: readonly number[], isBytes: boolean): Axis {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { scale: 'log', domain: [1, 10], ticks: [1, 10], zeroAt: 1 };
  const domain = withMargin(Math.min(...positive), Math.max(...positive));
  const ticks = isBytes ? powersOfTwo(domain) : logTicks(domain);
  if (positive.length === values.length) return { scale: 'log', domain, ticks };
  // Zero is about as far below the other values as ticks are from each other, so it does not look like a small number.
  const zeroAt = domain[0] / (domain[1] / domain[0]) ** 0.12;
  return { scale: 'log', domain: [zeroAt, domain[1]], ticks: [zeroAt, ...ticks], zeroAt };
}

function withMargin(low: number, high: number): [number, number] {
  const factor = low === high ? 3 : (high / low) ** 0.03;
  return [low / factor, high * factor];
}

/** Ticks for sizes of memory, which are powers of two. */
function powersOfTwo([low, high]: readonly [number, number]): number[] {
  const first = Math.ceil(Math.log2(low));
  const count = Math.floor(Math.log2(high)) - first + 1;
  return thinned(Array.from({ length: count }, (_, p) => 2 ** (first + p)));
}

function logTicks([low, high]: readonly [number, number]): number[] {
  for (const steps of STEPS) {
    const ticks = ticksAt(steps, low, high);
    if (ticks.length >= FEWEST_TICKS) return thinned(ticks);
  }
  return [low, Math.sqrt(low * high), high].map((value) => Number(value.toPrecision(3)));
}

function ticksAt(steps: readonly number[], low: number, high: number): number[] {
  const decades: number[] = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); decade++) decades.push(decade);
  return decades
    .flatMap((decade) => steps.map((step) => Number(`${step}e${decade}`)))
    .filter((tick) => tick >= low && tick <= high);
}

function thinned(ticks: readonly number[]): number[] {
  const stride = Math.ceil(ticks.length / MAX_TICKS);
  return ticks.filter((_, t) => t % stride === 0);
}
