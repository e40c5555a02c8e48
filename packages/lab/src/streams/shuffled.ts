import { formatCounted, universeOf } from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { StreamSpec } from '../contract.js';
import { SHUFFLED_DISTINCT_PARAMETER, SHUFFLED_LENGTH_PARAMETER } from '../kernel/abi.js';
import { lengthOf, lookedUpStream, numberSetting, type ResolvedStream, type StreamKind } from './contract.js';

/**
 * A shuffled sequence is exchangeable, so every span of g elements looks like any other. An element is absent from a share
 * x = g / N of the stream if its guaranteed copy is outside of it, with probability 1 - x, and so are its other copies,
 * whose number has a Poisson distribution with mean mu = N / D - 1: (1 - x) e^(-mu x). Freshness is the slope of the
 * different elements in a span.
 *
 * In the models of cells, a universe says how unevenly elements hit cells. The one from which uniform draws have as many
 * different elements is right within 1 % of the rates (docs/decisions/042-streams-and-rules-of-the-papers.md).
 */
function shuffledStream(lengthElements: number, distinctElements: number): StreamModel {
  const mean = lengthElements / distinctElements - 1;
  const noDraw = (share: number) => Math.exp(-mean * share);
  return {
    get description() {
      return `${formatCounted(distinctElements, 'element')} once and further draws from them, shuffled`;
    },
    lengthElements,
    universeElements: universeOf(lengthElements, distinctElements),
    fresh(gap) {
      const share = Math.min(1, gap / lengthElements);
      return (noDraw(share) * (1 + mean * (1 - share))) / (1 + mean);
    },
    distinctIn(span) {
      const share = Math.min(1, span / lengthElements);
      return distinctElements * (share * noDraw(share) - Math.expm1(-mean * share));
    },
  };
}

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const share = numberSetting(spec, 'distinctShare', { above: 0, most: 1 });
  const distinctElements = Math.max(1, Math.round(share * lengthElements));
  return lookedUpStream({
    kernelName: 'shuffled',
    parameters: [
      [SHUFFLED_LENGTH_PARAMETER, lengthElements],
      [SHUFFLED_DISTINCT_PARAMETER, distinctElements],
    ],
    model: shuffledStream(lengthElements, distinctElements),
    universeElements: distinctElements,
  });
}

export const shuffled: StreamKind = {
  name: 'shuffled',
  title: 'every element once, the rest drawn from them, shuffled',
  rule: 'Each of D = dN elements occurs once, N - D more are drawn uniformly from them, and all are shuffled.',
  settings: [
    { name: 'distinctShare', description: 'share d of distinct elements; exact, because every element occurs' },
  ],
  resolve,
};
