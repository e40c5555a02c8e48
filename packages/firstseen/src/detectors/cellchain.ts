// The value of one cell of a Stable Bloom Filter over a stream (deng-2006, eq. 9 to 13).

type Matrix = readonly (readonly number[])[];

/** A chain can look ahead fewer than 2^62 elements. */
const MAX_DOUBLINGS = 62;

function square(matrix: Matrix): number[][] {
  return matrix.map((row) => follow(row, matrix));
}

/** The product of a row and a matrix. In loops, because a plan computes millions of them. */
function follow(row: readonly number[], matrix: Matrix): number[] {
  const product = new Array<number>(row.length).fill(0);
  for (let i = 0; i < row.length; i++) {
    const value = row[i] as number;
    const steps = matrix[i] as readonly number[];
    for (let j = 0; j < row.length; j++) product[j] = (product[j] as number) + value * (steps[j] as number);
  }
  return product;
}

/** One element: down by one with probability p, then to Max with k. */
function stepMatrix(p: number, k: number, Max: number): Matrix {
  return Array.from({ length: Max + 1 }, (_, value) => {
    const row = new Array<number>(Max + 1).fill(0);
    const down = Math.max(0, value - 1);
    row[down] = (row[down] as number) + p * (1 - k);
    row[value] = (row[value] as number) + (1 - p) * (1 - k);
    row[Max] = (row[Max] as number) + k;
    return row;
  });
}

/** A cell of one bit. Its chain has two states and is a geometric series. */
function bitChain(p: number, k: number): (elements: number, start: number) => number {
  const kept = (1 - p) * (1 - k);
  const stable = kept < 1 ? (p * (1 - k)) / (1 - kept) : 0;
  return (elements, start) => stable + ((start === 0 ? 1 : 0) - stable) * kept ** Math.round(elements);
}

/**
 * Returns the probability that a cell of value `start` is zero after some elements, each of which decrements it with
 * probability p and then sets it to Max with probability k. The paper sums over the last setting. This is the same
 * chain raised to the power of the number of elements, which is exact and fast for any number.
 */
export function cellChain(p: number, k: number, Max: number): (elements: number, start: number) => number {
  if (Max === 1) return bitChain(p, k);
  const powers: Matrix[] = [stepMatrix(p, k, Max)];
  return (elements, start) => {
    let row = Array.from({ length: Max + 1 }, (_, value): number => (value === start ? 1 : 0));
    for (let count = Math.round(elements), i = 0; count > 0 && i < MAX_DOUBLINGS; count = Math.floor(count / 2), i++) {
      if (powers[i] === undefined) powers[i] = square(powers[i - 1] as Matrix);
      if (count % 2 === 1) row = follow(row, powers[i] as Matrix);
    }
    return row[0] as number;
  };
}
