// Dutta, Narang and Bera 2013, tables 1 to 3 (section 6.2) and figures 3 to 5 (sections 6.1 and 6.2).

import { KB, MB, type PublishedRow, type PublishedStream, type PublishedTable } from './contract.js';

/**
 * "r = 2, k = 4 and r' = r/2 = 1 ... we use these parametric values"; Omega selects the most significant bit
 * (section 6.1).
 */
export const SQF_PARAMETERS = { r: 2, "r'": 1, k: 4 };

type Three = readonly [sbf: number, rsbf: number, sqf: number];

/** A line of a table, in the order of its columns. */
function line(memoryBytes: number, fpr: Three, fnr: Three, queryMicroseconds?: Three): PublishedRow[] {
  return ['sbf', 'rsbf', 'sqf'].map((algorithm, i) => ({
    algorithm,
    memoryBytes,
    ...(algorithm === 'sqf' ? { parameters: SQF_PARAMETERS } : {}),
    fprPercent: fpr[i] as number,
    fnrPercent: fnr[i] as number,
    ...(queryMicroseconds === undefined ? {} : { queryMicroseconds: queryMicroseconds[i] as number }),
  }));
}

function table(id: string, title: string, stream: PublishedStream, ...rows: PublishedRow[][]): PublishedTable {
  return {
    id: `sqf-${id}`,
    paper: 'dutta-2013',
    number: `Table ${id.slice(0, 1)}`,
    title,
    stream,
    rounding: { fprPercent: 0.005, fnrPercent: 0.005 },
    rows: rows.flat(),
  };
}

const BILLION = 1_000_000_000;
const MILLIONS_695 = 694_984_445;

function drawn(kind: 'uniform' | 'zipf', lengthElements: number, distinctShare: number): PublishedStream {
  return { kind, lengthElements, distinctShare };
}

// biome-ignore format: a row of the paper is a line.
export const dutta2013Tables: readonly PublishedTable[] = [
  table('1-R1', 'Clickstream R1', { kind: 'clickstream', lengthElements: 3_367_020, dataSet: 'R1' },
    line(64, [6.88, 8.75, 12.72], [61.36, 47.06, 60.54]),
    line(256, [2.11, 3.56, 8.22], [40.16, 30.36, 40.7]),
    line(512, [1.03, 1.69, 0.0001], [29.76, 21.16, 0.0005]),
    line(1024, [0.22, 0.38, 0.00006], [19.01, 13.82, 0.0001]),
  ),
  table('1-R2', 'Clickstream R2', { kind: 'clickstream', lengthElements: 358_278, dataSet: 'R2' },
    line(64 * KB, [1.23, 2.01, 4.19], [13.25, 8.86, 12.71]),
    line(128 * KB, [0.41, 1.15, 0.0001], [7.92, 4.73, 0.0001]),
    line(256 * KB, [0.02, 0.32, 0.00004], [3.37, 1.46, 0.00005]),
  ),
  table('2-1B', 'Uniform, 1 billion elements, 15 % distinct', drawn('uniform', BILLION, 0.15),
    line(8 * MB, [9.06, 18.69, 11.74], [84.38, 69.76, 84.45], [1.07, 0.8, 0.76]),
    line(32 * MB, [5.22, 8.93, 11.96], [72.63, 55.81, 61.08], [1.07, 0.81, 0.77]),
    line(64 * MB, [2.92, 4.29, 0.0031], [60.89, 43.17, 0.0042], [1.08, 0.83, 0.79]),
    line(128 * MB, [1.26, 1.61, 0.0006], [45.96, 29.55, 0.001], [1.1, 0.86, 0.81]),
    line(512 * MB, [0.13, 0.14, 0.0001], [17.13, 10.2, 0.0003], [1.12, 0.87, 0.86]),
  ),
  table('2-695M', 'Uniform, 695 million elements, 60 % distinct', drawn('uniform', MILLIONS_695, 0.6),
    line(32 * MB, [8.64, 17.26, 13.91], [79.16, 62.82, 72.7], [1.1, 0.84, 0.8]),
    line(64 * MB, [6.77, 12.24, 12], [70.83, 52.89, 53.53], [1.12, 0.85, 0.8]),
    line(128 * MB, [4.31, 6.73, 0.004], [57.97, 39.27, 0.003], [1.14, 0.87, 0.81]),
    line(256 * MB, [2.09, 2.77, 0.001], [42.08, 25.76, 0.001], [1.15, 0.9, 0.85]),
    line(512 * MB, [0.82, 0.92, 0.0003], [24.29, 15.2, 0.0004], [1.15, 0.92, 0.88]),
  ),
  table('2-100M', 'Uniform, 100 million elements, 90 % distinct', drawn('uniform', 100_000_000, 0.9),
    line(8 * MB, [8.83, 17.3, 13.92], [75.02, 57.25, 70.7], [1.07, 0.83, 0.72]),
    line(16 * MB, [6.83, 11.92, 12.05], [64.03, 44.82, 49.76], [1.08, 0.84, 0.72]),
    line(32 * MB, [4.13, 6.04, 0.003], [48.88, 30.29, 0.0032], [1.08, 0.89, 0.76]),
    line(64 * MB, [2.05, 3.17, 0.0006], [29.61, 20.38, 0.0007], [1.09, 0.91, 0.77]),
    line(128 * MB, [0.64, 1.12, 0.0001], [16.2, 11.45, 0.0001], [1.09, 0.92, 0.8]),
  ),
  table('3-1B', 'Zipf, 1 billion elements, 15 % distinct', drawn('zipf', BILLION, 0.15),
    line(1 * MB, [2.38, 3.72, 1.02], [4.19, 1.45, 1.03], [0.3, 0.19, 0.09]),
    line(2 * MB, [1.98, 3, 0.83], [3.75, 1.05, 0.92], [0.32, 0.2, 0.11]),
    line(4 * MB, [1.29, 2.42, 0.09], [2.56, 0.71, 0.05], [0.35, 0.27, 0.17]),
    line(8 * MB, [0.91, 1.29, 0.008], [1.41, 0.14, 0.008], [0.4, 0.31, 0.2]),
    line(16 * MB, [0.38, 0.92, 0.0009], [0.85, 0.05, 0.001], [0.42, 0.36, 0.15]),
  ),
  table('3-695M', 'Zipf, 695 million elements, 60 % distinct', drawn('zipf', MILLIONS_695, 0.6),
    line(512 * KB, [4.13, 6.72, 4.29], [37.41, 25.07, 23.61], [0.46, 0.19, 0.13]),
    line(1 * MB, [3.75, 5.24, 3.16], [32.81, 21.76, 19.41], [0.49, 0.24, 0.15]),
    line(2 * MB, [2.99, 4.19, 0.24], [27.31, 18.48, 0.89], [0.49, 0.34, 0.22]),
    line(4 * MB, [2.18, 3.74, 0.05], [21.56, 15.63, 0.08], [0.52, 0.35, 0.26]),
    line(8 * MB, [1.03, 2.16, 0.008], [17.08, 10.52, 0.004], [0.57, 0.39, 0.3]),
  ),
];
