/**
 * The rate at which a clear bit is set, from the rate at which elements meet clear bits at a load. When almost no bits are clear, both
 * are rounding errors, and their ratio is arbitrary.
 */
export function settingRate(meetsClear: number, load: number): number {
  return Math.max(0, meetsClear) / Math.max(1 - load, Number.EPSILON);
}
