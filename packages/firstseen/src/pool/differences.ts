// How the settings of a snapshot differ from those of a pool.

import { FirstseenError, shownValue } from '../base/errors.js';
import { type DetectorSettings, ownParameters, settingValues } from '../detectors/settings.js';
import { checkKeyScheme } from '../records/keyscheme.js';

/** Before the letter of a parameter. */
export const PARAMETER = 'parameter ';

/** The settings by their names in messages. The secret is compared by itself, because it must not be shown. */
function listed(settings: DetectorSettings): Record<string, unknown> {
  const { partitions, ...values } = settingValues(settings);
  const parameters = Object.entries(ownParameters(settings)).map(([letter, value]) => [`${PARAMETER}${letter}`, value]);
  return {
    ...{ ...values, 'memory of the witness': settings.witnessBytes, partitions },
    ...Object.fromEntries(parameters),
  };
}

/** The value in place of a parameter that only the other family has. */
const NONE = 'none';

/** Names of settings, secrets left out, with the values that differ. */
export function differingSettings(
  one: DetectorSettings,
  other: DetectorSettings,
): readonly { name: string; values: readonly [unknown, unknown] }[] {
  const [ofOne, ofOther] = [listed(one), listed(other)];
  return Object.keys({ ...ofOne, ...ofOther })
    .filter((name) => ofOne[name] !== ofOther[name])
    .map((name) => ({ name, values: [ofOne[name] ?? NONE, ofOther[name] ?? NONE] }));
}

function differences(saved: DetectorSettings, own: DetectorSettings): string[] {
  const found = differingSettings(saved, own).map(
    ({ name, values: [inSnapshot, inPool] }) => `${name} is ${inSnapshot} in the snapshot, not ${inPool}`,
  );
  const { secret } = own;
  const hasSameSecret = saved.secret === undefined ? secret === undefined : secret?.equals(saved.secret) === true;
  return hasSameSecret ? found : [...found, 'the secret is another'];
}

/** @throws FirstseenError E_STATE_DIFFERS unless the detectors of a pool have the settings of the snapshot. */
export function checkSameDetector(name: string, saved: DetectorSettings, own: DetectorSettings): void {
  checkKeyScheme(saved.keyScheme, own.keyScheme);
  const found = differences(saved, own);
  if (found.length === 0) return;
  const problem = `the snapshot for ${shownValue(name)} has other settings than its pool: ${found.join('; ')}`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: 'load it into a pool of its settings, or with load as a detector of its own',
  });
}
