// Loads that only bring memory near: their values are of no use, but the loads must stay.

/** The last sum of loads that only bring memory near. */
let touchedSum: u64 = 0;

/** Takes the sum of the values loaded, so that the loads have a use and no compiler drops them. */
export function keepTouched(sum: u64): void {
  touchedSum = sum;
}
