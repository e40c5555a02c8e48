// Numbers for the data that the examples make up: the same seed gives the same data.

/** Numbers from 0 to below 1 (Park and Miller's generator). */
export function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** A private address (RFC 1918) for each number below 2^24. */
export function addressOf(number) {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}
