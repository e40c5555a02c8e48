// Random numbers for the generated data of the examples. The same seed gives the same data.

/** A generator of numbers from 0 up to, but not including, 1 (Park and Miller). */
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
