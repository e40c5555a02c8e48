// Rates that bera-2012 prints for uniform streams of 694,984,445 elements, in percent: tables 4 (15 % distinct), 5 (60 %) and
// 6 (90 %). MB is 2^20 bytes; k = 2 (section 6.3).

export const PUBLISHED_LENGTH = 694_984_445;

export interface PublishedRow {
  algorithm: 'sbf' | 'rsbf' | 'bsbf' | 'bsbfsd' | 'rlbsbf';
  fpr: number;
  fnr: number;
}

export interface PublishedTable {
  /** Number of the table in the paper. */
  table: number;
  distinctShare: number;
  memoryMB: number;
  rows: readonly PublishedRow[];
}

function rows(...rates: [algorithm: PublishedRow['algorithm'], fpr: number, fnr: number][]): PublishedRow[] {
  return rates.map(([algorithm, fpr, fnr]) => ({ algorithm, fpr, fnr }));
}

export const publishedTables: readonly PublishedTable[] = [
  {
    table: 4,
    distinctShare: 0.15,
    memoryMB: 64,
    rows: rows(
      ['sbf', 1.9319, 53.2681],
      ['rsbf', 2.6276, 35.9014],
      ['bsbf', 3.2569, 8.7547],
      ['bsbfsd', 3.5475, 3.3299],
      ['rlbsbf', 3.7064, 1.3453],
    ),
  },
  {
    table: 4,
    distinctShare: 0.15,
    memoryMB: 256,
    rows: rows(['sbf', 0.2384, 23.893]),
  },
  {
    table: 4,
    distinctShare: 0.15,
    memoryMB: 512,
    rows: rows(
      ['sbf', 0.0688, 12.9392],
      ['rsbf', 0.0719, 7.3674],
      ['bsbf', 0.0747, 0.8794],
      ['bsbfsd', 0.0753, 0.4267],
      ['rlbsbf', 0.0759, 0.0262],
    ),
  },
  {
    table: 5,
    distinctShare: 0.6,
    memoryMB: 64,
    rows: rows(
      ['sbf', 6.7672, 70.832],
      ['rsbf', 12.2408, 52.8855],
      ['bsbf', 16.0723, 39.9809],
      ['bsbfsd', 22.4491, 19.9394],
      ['rlbsbf', 22.7214, 20.2164],
    ),
  },
  {
    table: 5,
    distinctShare: 0.6,
    memoryMB: 256,
    rows: rows(['sbf', 2.0861, 42.0788]),
  },
  {
    table: 5,
    distinctShare: 0.6,
    memoryMB: 512,
    rows: rows(
      ['sbf', 0.8151, 24.2902],
      ['rsbf', 0.9189, 15.2035],
      ['bsbf', 0.9779, 9.8819],
      ['bsbfsd', 1.0331, 4.9892],
      ['rlbsbf', 1.0775, 1.0236],
    ),
  },
  {
    table: 6,
    distinctShare: 0.9,
    memoryMB: 64,
    rows: rows(
      ['sbf', 8.5028, 73.134],
      ['rsbf', 16.3502, 55.0285],
      ['bsbf', 20.6486, 45.7102],
      ['bsbfsd', 31.104, 24.1625],
      ['rlbsbf', 30.1024, 26.8786],
    ),
  },
  {
    table: 6,
    distinctShare: 0.9,
    memoryMB: 256,
    rows: rows(['sbf', 3.5908, 45.4987]),
  },
  {
    table: 6,
    distinctShare: 0.9,
    memoryMB: 512,
    rows: rows(
      ['sbf', 1.6058, 26.6313],
      ['rsbf', 1.8497, 16.9302],
      ['bsbf', 1.8911, 15.3766],
      ['bsbfsd', 2.0783, 8.1061],
      ['rlbsbf', 2.2248, 2.3059],
    ),
  },
];
