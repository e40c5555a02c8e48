// Plans as JSON.

import type { FamilyAdvice, Plan } from './plan.js';

/** An advice without the resolved settings, which contain a bigint and the functions of the family. */
function adviceWithoutSettings({ settings: _settings, ...advice }: FamilyAdvice): object {
  return advice;
}

/** Returns a plan without its functions: the description and the counts of the stream, and the advice of each family. */
function plainPlan({ stream, families, recommended, fewestErrors, ...plainMembers }: Plan): object {
  const { description, lengthElements, knownElements } = stream;
  const distinctElements = stream.distinctIn(lengthElements);
  return {
    ...plainMembers,
    stream: {
      description,
      lengthElements,
      distinctElements,
      ...(knownElements === undefined ? {} : { knownElements }),
    },
    families: families.map(adviceWithoutSettings),
    recommended: adviceWithoutSettings(recommended),
    fewestErrors: adviceWithoutSettings(fewestErrors),
  };
}

/** Gives a plan and its advice the method by which JSON.stringify takes them. It is not enumerable, as a method of a class. */
export function withJson(plan: Plan): Plan {
  for (const advice of [...plan.families, plan.recommended, plan.fewestErrors]) {
    Object.defineProperty(advice, 'toJSON', { value: () => adviceWithoutSettings(advice), configurable: true });
  }
  return Object.defineProperty(plan, 'toJSON', { value: () => plainPlan(plan) });
}
