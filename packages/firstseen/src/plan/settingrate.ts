/**
 * How fast a bit that is clear is set, from how often elements meet clear bits at a load. With next to none left, what is left of
 * either is rounding, and their ratio may be anything.
 */
export function settingRate(meetsClear: number, load: number): number {
  return Math.max(0, meetsClear) / Math.max(1 - load, Number.EPSILON);
}
