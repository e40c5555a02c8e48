// Whether a detector that exists is what is asked for.

import { FirstseenError, shownValue } from '../../base/errors.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { differingSettings } from '../../pool/differences.js';
import type { DetectorEntry } from './entry.js';
import type { ClaimsRequest, DetectorRequest } from './request.js';

/** Returns the differences between a request and an existing detector, one text for each setting. */
function differences(entry: DetectorEntry, asked: DetectorRequest, settings: DetectorSettings): string[] {
  const own = entry.detector.settings;
  const found = differingSettings(own, settings).map(({ name, values }) => `${name} is ${values[0]}, not ${values[1]}`);
  const [isKeyed, asksKeyed] = [own, settings].map(({ secret }) => (secret ? 'a secret' : 'no secret'));
  const keyed = isKeyed === asksKeyed ? [] : [`it has ${isKeyed}, not ${asksKeyed}`];
  const [filter, other] = [entry.request, asked].map((request) => filterText(request));
  return [...found, ...keyed, ...(filter === other ? [] : [`it is ${filter}, not ${other}`])];
}

function filterText({ filter, claims }: DetectorRequest): string {
  if (claims !== undefined) return `a detector for claims${claimsText(claims)}`;
  if (filter === undefined) return 'a detector';
  const { capacity, errorRate, isNonScaling } = filter;
  return `a filter of ${capacity} items at the rate ${errorRate}${isNonScaling ? ' that refuses more' : ''}`;
}

function claimsText({ leaseMilliseconds, pending }: ClaimsRequest): string {
  const lease = leaseMilliseconds === undefined ? '' : ` with leases of ${leaseMilliseconds} ms`;
  return pending === undefined ? lease : `${lease}, ${pending} at most`;
}

/** @throws FirstseenError E_USAGE unless a detector is what is asked for. */
export function checkSame(entry: DetectorEntry, asked: DetectorRequest, settings: DetectorSettings): void {
  const found = differences(entry, asked, settings);
  if (found.length === 0) return;
  const problem = `the detector ${shownValue(entry.name)} exists with other options: ${found.join('; ')}`;
  throw new FirstseenError('E_USAGE', problem, { remedy: 'give the same options or another name, or drop it first' });
}
