// The families that the page offers.

import { create } from 'firstseen';
import { families } from 'firstseen/plan';
import type { OfferedFamily } from './messages.js';

/**
 * Families that forget on purpose count errors otherwise, and `exact` stops when its memory is full. The page has `bloom` and `buffer`
 * already, as those that the detector is compared with.
 */
const leftOut: readonly string[] = ['exact', 'exactwindow', 'apbf', 'pocketwindow', 'bloom', 'buffer'];

export const offeredFamilies: readonly OfferedFamily[] = families
  .filter(({ name }) => !leftOut.includes(name))
  .map(({ name, title }) => ({ name, title }));

const SMALL_BYTES = 2 ** 12;

/** The family that `auto` takes if nothing is known of the stream. */
export async function defaultFamily(): Promise<string> {
  const detector = await create({ memory: SMALL_BYTES });
  return detector.stats().algorithm;
}
