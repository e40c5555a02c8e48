// Streams in place of the crawl of deng-2006, which is not public. Each has its length, its share of distinct elements, and
// the gaps that one column of its table 2 implies: buffering with the least recently used replaced misses a duplicate
// if more different elements than it holds have occurred since its last occurrence. So its misses in five or six memory
// sizes are points of the distribution of gaps.
//
// The gaps between the points are straight lines over the logarithm of the number of elements. Their freshness is
// approximated by a sum of exponentials (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23), and each of
// them is a class of equally likely elements. A test compares what the planner predicts for buffering with the column.

import type { ElementClass } from '../streams/mixed.js';

type Classes = readonly (readonly [elements: number, share: number])[];

const hundredThousand: Classes = [
  [1, 0.03451],
  [1, 0.02465],
  [1, 0.008082],
  [1, 0.01982],
  [2, 0.01646],
  [20, 0.03992],
  [5, 0.005032],
  [33, 0.008077],
  [402, 0.0491],
  [1408, 0.04297],
  [554, 0.008448],
  [3_116_065, 0.7429],
];

const tenMillion: Classes = [
  [1, 0.04979],
  [1, 0.03426],
  [1, 0.01733],
  [1, 0.01057],
  [6, 0.04917],
  [13, 0.02548],
  [24, 0.02366],
  [23, 0.00564],
  [449, 0.05482],
  [1490, 0.04546],
  [4896, 0.03735],
  [12_557, 0.0479],
  [728_231, 0.1736],
  [503_506, 0.003751],
  [113_058_516, 0.4212],
];

const hundredsOfMillions: Classes = [
  [1, 0.05262],
  [1, 0.03807],
  [1, 0.0152],
  [1, 0.01126],
  [7, 0.05724],
  [11, 0.02221],
  [22, 0.02186],
  [9, 0.002146],
  [408, 0.04985],
  [241, 0.01471],
  [1057, 0.03226],
  [7900, 0.06027],
  [5297, 0.02021],
  [18_357, 0.008753],
  [656_939, 0.1566],
  [706_460, 0.04211],
  [1_078_651, 0.03215],
  [8_766_535, 0.1306],
  [11_594_388, 0.04319],
  [88_570_581, 0.165],
  [813_200_081, 0.02367],
];

const BY_LENGTH: Readonly<Record<number, Classes>> = {
  100000: hundredThousand,
  10000000: tenMillion,
  694984445: hundredsOfMillions,
};

/** The classes of a stream with this number of elements, at a scale. Classes of few elements have gaps that all detectors see. */
export function crawlClasses(lengthElements: number, scale: number): ElementClass[] {
  const classes = BY_LENGTH[lengthElements] ?? [];
  return classes.map(([elements, share]) => ({ elements: Math.max(1, Math.round(elements * scale)), share }));
}
