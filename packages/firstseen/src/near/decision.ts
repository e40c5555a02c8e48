// The decision rules: how many bands of a document must be seen for it to be a duplicate.

export interface DecisionRule {
  name: 'any' | 'count' | 'sets' | 'sketches';
  rule: string;
  source: string;
}

/** With sets the number of bands can be any; without sets it selects the rule. */
const decisionRules: Readonly<Record<DecisionRule['name'], Omit<DecisionRule, 'name'>>> = {
  any: { rule: 'one band was seen', source: 'Indyk and Motwani 1998; LSHBloom, arXiv 2411.04257' },
  count: {
    rule: 'at least this number of bands was seen',
    source: 'Kirsch and Mitzenmacher 2006, "Distance-sensitive Bloom filters"; narang-2011, section 2',
  },
  sets: {
    rule: 'at least this number of bands was seen in the set that wins',
    source: 'narang-2011, sections 4 and 6.1',
  },
  sketches: {
    rule: 'the similarity estimated from the sketch of a document with a band in common is large enough',
    source: 'Mitzenmacher, Pagh and Pham 2014, "Efficient estimation for high similarities using odd sketches"',
  },
};

/** The settings that choose the rule. */
export type DecisionChoice = Pick<DecisionRequest, 'agreeing' | 'sets'> & { verify: boolean };

/** The rule of some settings. */
export function decisionOf({ agreeing, sets, verify }: DecisionChoice): DecisionRule {
  const name = verify ? 'sketches' : sets > 0 ? 'sets' : agreeing > 1 ? 'count' : 'any';
  return { name, ...decisionRules[name] };
}

/** The probability that at least `agreeing` of `bands` bands are seen, each independently with `chance`. */
export function chanceOfDuplicate(chance: number, bands: number, agreeing: number): number {
  if (chance >= 1) return 1;
  if (agreeing === 1) return -Math.expm1(bands * Math.log1p(-chance));
  let term = (1 - chance) ** bands;
  let fewer = term;
  for (let seen = 1; seen < agreeing; seen++) {
    term *= ((bands - seen + 1) / seen) * (chance / (1 - chance));
    fewer += term;
  }
  return Math.max(0, 1 - fewer);
}

export interface DecisionRequest {
  bands: number;
  agreeing: number;
  sets: number;
  /** The rate of false positives of documents. */
  fpr: number;
}

/** The rate of false positives of an element for which documents have the rate `fpr`, if all sets are open and have bands. */
export function elementRate({ bands, agreeing, sets, fpr }: DecisionRequest): number {
  return bandRate(bandRate(fpr, sets + 1, 1), bands, agreeing);
}

/** The rate of false positives of a band for which documents have the rate `fpr`: the inverse of `chanceOfDuplicate`. */
export function bandRate(fpr: number, bands: number, agreeing: number): number {
  if (agreeing === 1) return -Math.expm1(Math.log1p(-fpr) / bands);
  let low = 0;
  let high = 1;
  // Bisection to the precision of doubles: the tail grows with the chance.
  for (let middle = 0.5; middle > low && middle < high; middle = (low + high) / 2) {
    if (chanceOfDuplicate(middle, bands, agreeing) > fpr) high = middle;
    else low = middle;
  }
  return low;
}
