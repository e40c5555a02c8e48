// The section of a published figure: a row for each claim of the text about it, and the measured curves.

import type { Identity } from '../contract.js';
import type { ClaimSubject, PublishedClaim, PublishedFigure } from '../published/contract.js';
import { alongStream, convergence, type NamedCurve } from '../report/plots.js';
import { judgeClaim, subjectsOf } from './claims.js';
import type { RowSpec, SectionSpec } from './contract.js';
import { STABLE_SHARE } from './convergence.js';
import { type CurveRate, fullCurve } from './outcome.js';
import { usedParameters } from './parameters.js';
import { memoryText } from './text.js';
import type { Trial } from './trial.js';
import { notReproducible } from './verdict.js';

const CURVE_NOTE = 'Each point of a curve is the rate from the beginning of the stream to that point.';
const STABILITY_NOTE = `A curve counts as stable from the point after which it stays within ${100 * STABLE_SHARE} % of its last value.`;

function trialOf({ paper, stream }: PublishedFigure, subject: ClaimSubject, identity: Identity): Trial {
  const { parameters } = usedParameters(paper, subject.algorithm, subject.parameters);
  const { algorithm, memoryBytes } = subject;
  return { stream: subject.stream ?? stream, identity, algorithm, memoryBytes, parameters };
}

/** SQF runs on identifiers, as in the papers, and on hashed keys. */
function identitiesOf({ algorithm }: ClaimSubject): readonly Identity[] {
  return algorithm === 'sqf' ? ['identifier', 'hashed'] : ['hashed'];
}

function labelOf({ algorithm }: ClaimSubject, identity: Identity): string {
  if (algorithm !== 'sqf') return algorithm;
  return identity === 'identifier' ? 'sqf, identifiers' : 'sqf, hashed keys';
}

function publishedOf({ form }: PublishedClaim): RowSpec['published'] {
  if (form.kind !== 'range' || form.lowPercent !== form.highPercent) return {};
  return { [form.rate]: form.lowPercent / 100 };
}

export interface FigureOptions {
  notes?: readonly string[];
  /** The reason why no claim can count as reproduced. */
  caveat?: string;
}

function claimRows(figure: PublishedFigure, claim: PublishedClaim, { caveat }: FigureOptions): RowSpec[] {
  const { subject, form, quotation, section } = claim;
  const identities = identitiesOf(subject);
  return identities.map((identity) => {
    const { unstated } = usedParameters(figure.paper, subject.algorithm, subject.parameters);
    const hasReadings = identities.length > 1;
    return {
      id: [figure.id, claim.id, ...(hasReadings ? [identity === 'hashed' ? 'hashed' : 'identifiers'] : [])].join('/'),
      labels: [memoryText(subject.memoryBytes), labelOf(subject, identity), `"${quotation}" (${section})`],
      published: publishedOf(claim),
      trials:
        figure.unstated === undefined ? subjectsOf(subject, form).map((each) => trialOf(figure, each, identity)) : [],
      judge: (outcomes) => {
        if (figure.unstated !== undefined) return notReproducible(`the paper does not state ${figure.unstated}`);
        const verdict = judgeClaim(form, outcomes);
        return caveat === undefined ? verdict : notReproducible(`${caveat}: ${verdict.text}`);
      },
      ...(unstated === '' ? {} : { unstated }),
    };
  });
}

/** The rates, or the load, that a figure's text calls stable. */
function stableRates({ claims }: PublishedFigure): ReadonlySet<CurveRate> {
  const rates = claims.flatMap(({ form }) =>
    form.kind === 'stable' || form.kind === 'unstable' || form.kind === 'stableBefore' ? [form.rate] : [],
  );
  return new Set(rates);
}

/** Curves along the stream at full scale, one plot for each rate, and their convergence if the text mentions it. */
function curvePlots(figure: PublishedFigure): SectionSpec['plots'] {
  const { rates, subjects } = figure.curves;
  const memories = new Set(subjects.map(({ memoryBytes }) => memoryBytes));
  return ({ outcomeOf }) => {
    const curves = subjects.flatMap((subject) =>
      identitiesOf(subject).flatMap((identity): NamedCurve[] => {
        const outcome = outcomeOf(trialOf(figure, subject, identity));
        if (!outcome) return [];
        const memory = memories.size > 1 ? `, ${memoryText(subject.memoryBytes)}` : '';
        return [{ name: `${labelOf(subject, identity)}${memory}`, curve: fullCurve(outcome) }];
      }),
    );
    if (curves.length === 0) return [];
    return rates.flatMap((rate) => {
      const id = `${figure.id}-${rate}`;
      const title = `${figure.number} of ${figure.paper}: ${rate === 'load' ? rate : rate.toUpperCase()}`;
      const plotAlongStream = alongStream(curves, rate, { id, title });
      if (!stableRates(figure).has(rate)) return [plotAlongStream];
      const options = { id: `${id}-convergence`, title: `${title}, convergence`, stableShare: STABLE_SHARE };
      return [plotAlongStream, convergence(curves, rate, options)];
    });
  };
}

export function figureSection(figure: PublishedFigure, options: FigureOptions = {}): SectionSpec {
  const hasRates = figure.curves.rates.some((rate) => rate !== 'load');
  const hasStability = stableRates(figure).size > 0;
  return {
    id: figure.id,
    paper: figure.paper,
    title: `${figure.number}: ${figure.title}`,
    notes: [...(options.notes ?? []), ...(hasRates ? [CURVE_NOTE] : []), ...(hasStability ? [STABILITY_NOTE] : [])],
    columns: ['memory', 'algorithm', 'claim'],
    rows: figure.claims.flatMap((claim) => claimRows(figure, claim, options)),
    trials: figure.curves.subjects.flatMap((subject) =>
      figure.unstated === undefined ? identitiesOf(subject).map((identity) => trialOf(figure, subject, identity)) : [],
    ),
    plots: curvePlots(figure),
  };
}
