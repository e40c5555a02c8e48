// Bera, Dutta, Narang and Bhattacherjee 2012, tables 1 to 9 (section 6): streams of uniform draws, in percent.

import { MB, type PublishedRow, type PublishedStream, type PublishedTable } from './contract.js';

const ALGORITHMS = ['sbf', 'rsbf', 'bsbf', 'bsbfsd', 'rlbsbf'] as const;
/** Most rates are printed with four decimals. */
const ROUNDING = { fprPercent: 0.00005, fnrPercent: 0.00005 };

type Rates = readonly [fpr: number, fnr: number];

/** Returns the rates of one algorithm with k = 1, 2, 3 ... in one memory. */
function byFilterCount(algorithm: string, memoryMB: number, ...rates: Rates[]): PublishedRow[] {
  return rates.map(([fprPercent, fnrPercent], i) => ({
    algorithm,
    memoryBytes: memoryMB * MB,
    parameters: { k: i + 1 },
    fprPercent,
    fnrPercent,
  }));
}

/** Rates in one memory in the order of the paper's columns; "we have set k = 2" for all but SBF (section 6.3). */
function inMemory(memoryMB: number, ...rates: [Rates, Rates, Rates, Rates, Rates]): PublishedRow[] {
  return rates.map(([fprPercent, fnrPercent], i) => ({
    algorithm: ALGORITHMS[i] as string,
    memoryBytes: memoryMB * MB,
    ...(i === 0 ? {} : { parameters: { k: 2 } }),
    fprPercent,
    fnrPercent,
  }));
}

function uniform(lengthElements: number, distinctShare: number): PublishedStream {
  return { kind: 'uniform', lengthElements, distinctShare };
}

function table(number: number, title: string, stream: PublishedStream, ...rows: PublishedRow[][]): PublishedTable {
  return {
    id: `bera-${number}`,
    paper: 'bera-2012',
    number: `Table ${number}`,
    title,
    stream,
    rounding: ROUNDING,
    rows: rows.flat(),
  };
}

const BILLION = 1_000_000_000;
const MILLIONS_695 = 694_984_445;

// biome-ignore format: a row of the paper is a line.
export const bera2012Tables: readonly PublishedTable[] = [
  table(1, 'BSBF by k: 1 billion elements, 60 % distinct', uniform(BILLION, 0.6),
    byFilterCount('bsbf', 8, [75.979, 9.20901], [35.4924, 59.0297], [15.2961, 82.0828], [6.95161, 91.5512], [3.28054, 95.7754]),
    byFilterCount('bsbf', 128, [21.0883, 9.83893], [11.9472, 34.7514], [6.67181, 59.2496], [3.47978, 75.1262], [1.76989, 84.1857]),
    byFilterCount('bsbf', 512, [6.46215, 3.34108], [1.82011, 13.5658], [0.777613, 27.7512], [0.386642, 43.4681], [0.205833, 56.9057]),
  ),
  table(2, 'BSBFSD by k: 1 billion elements, 60 % distinct', uniform(BILLION, 0.6),
    byFilterCount('bsbfsd', 8, [75.9827, 9.209], [78.6056, 7.818], [81.2512, 6.4065], [83.3572, 5.3588], [85.0294, 4.5864]),
    byFilterCount('bsbfsd', 128, [21.0876, 9.8405], [15.5928, 17.7438], [15.2615, 22.9224], [16.4467, 26.2752], [18.2903, 28.3608]),
    byFilterCount('bsbfsd', 512, [6.4618, 3.3399], [1.9692, 6.8855], [1.0095, 9.9011], [0.688, 12.6723], [0.559, 15.1324]),
  ),
  table(3, 'RLBSBF by k: 1 billion elements, 60 % distinct', uniform(BILLION, 0.6),
    byFilterCount('rlbsbf', 8, [81.4726, 5.3103], [52.9291, 40.466], [30.2439, 66.0585], [17.3562, 80.3262], [10.1282, 88.3195]),
    byFilterCount('rlbsbf', 128, [22.8676, 2.4337], [16.3554, 15.0161], [12.3957, 35.6592], [8.56757, 55.2835], [5.5645, 69.3118]),
    byFilterCount('rlbsbf', 512, [6.6563, 0.2553], [2.07884, 1.98971], [1.0555, 6.1959], [0.6773, 13.3911], [0.4828, 23.2844]),
  ),
  table(4, '695 million elements, 15 % distinct', uniform(MILLIONS_695, 0.15),
    inMemory(64, [1.9319, 53.2681], [2.6276, 35.9014], [3.2569, 8.7547], [3.5475, 3.3299], [3.7064, 1.3453]),
    inMemory(128, [0.7414, 37.7853], [0.8903, 23.126], [1.0128, 3.888], [1.053, 1.7048], [1.0821, 0.3773]),
    inMemory(256, [0.2384, 23.893], [0.2637, 13.5047], [0.2822, 1.8199], [0.2881, 0.8551], [0.2924, 0.101]),
    inMemory(512, [0.0688, 12.9392], [0.0719, 7.3674], [0.0747, 0.8794], [0.0753, 0.4267], [0.0759, 0.0262]),
  ),
  table(5, '695 million elements, 60 % distinct', uniform(MILLIONS_695, 0.6),
    inMemory(64, [6.7672, 70.832], [12.2408, 52.8855], [16.0723, 39.9809], [22.4491, 19.9394], [22.7214, 20.2164]),
    inMemory(128, [4.3075, 57.9713], [6.7265, 39.2682], [8.0154, 28.6708], [9.7951, 14.7555], [10.4734, 9.8051]),
    inMemory(256, [2.0861, 42.0788], [2.7654, 25.7648], [3.0816, 17.7509], [3.4335, 9.0574], [3.6588, 3.4843]),
    inMemory(512, [0.8151, 24.2902], [0.9189, 15.2035], [0.9779, 9.8819], [1.0331, 4.9892], [1.0775, 1.0236]),
  ),
  table(6, '695 million elements, 90 % distinct', uniform(MILLIONS_695, 0.9),
    inMemory(64, [8.5028, 73.134], [16.3502, 55.0285], [20.6486, 45.7102], [31.104, 24.1625], [30.1024, 26.8786]),
    inMemory(128, [6.3252, 61.1759], [10.6716, 41.9224], [11.9222, 36.5123], [15.7484, 20.3118], [16.6894, 16.4363]),
    inMemory(256, [3.5908, 45.4987], [5.0678, 28.179], [5.3168, 25.3195], [6.3016, 13.8078], [6.8635, 7.0784]),
    inMemory(512, [1.6058, 26.6313], [1.8497, 16.9302], [1.8911, 15.3766], [2.0783, 8.1061], [2.2248, 2.3059]),
  ),
  table(7, '1 billion elements, 15 % distinct', uniform(BILLION, 0.15),
    inMemory(64, [2.9156, 60.8981], [4.2891, 43.1705], [5.5775, 13.7096], [6.3441, 4.6175], [6.6755, 2.5795]),
    inMemory(128, [1.2608, 45.9566], [1.6079, 29.554], [1.9023, 5.9096], [2.0181, 2.4357], [2.093, 0.74]),
    inMemory(256, [0.4413, 30.8269], [0.5059, 18.1142], [0.5572, 2.6956], [0.5727, 1.2296], [0.5849, 0.2026]),
    inMemory(512, [0.1341, 17.1336], [0.1431, 10.2015], [0.1506, 1.2846], [0.1526, 0.6139], [0.1543, 0.0535]),
  ),
  table(8, '1 billion elements, 60 % distinct', uniform(BILLION, 0.6),
    inMemory(64, [7.8507, 75.7271], [15.0561, 58.6734], [20.7283, 44.9042], [31.3858, 21.0835], [30.044, 25.7526]),
    inMemory(128, [5.6378, 65.2456], [9.5676, 46.6885], [11.9472, 34.7514], [15.5928, 17.7438], [16.3554, 15.0161]),
    inMemory(256, [3.1629, 50.5726], [4.5557, 32.6139], [5.2369, 23.2001], [6.0937, 11.9067], [6.5378, 6.2079]),
    inMemory(512, [1.4504, 30.2739], [1.6747, 20.277], [1.82011, 13.5658], [1.9692, 6.8855], [2.0788, 1.9897]),
  ),
  table(9, '1 billion elements, 90 % distinct', uniform(BILLION, 0.9),
    inMemory(64, [9.2617, 77.5273], [18.6342, 60.3738], [25.0083, 49.2073], [40.5501, 23.8819], [36.7959, 31.0134]),
    inMemory(128, [7.5909, 68.0553], [13.8357, 49.2204], [16.4207, 41.7178], [23.192, 22.89], [23.5977, 22.2474]),
    inMemory(256, [5.0231, 54.0293], [7.7876, 35.2653], [8.3846, 31.2527], [10.4808, 17.2991], [11.3415, 11.5338]),
    inMemory(512, [2.7427, 32.8335], [3.2263, 22.3998], [3.33317, 20.2695], [3.7953, 10.8729], [4.1133, 4.2852]),
  ),
];
