// The flag of each option of the library, for the messages of its errors.

/** Options whose flag is not the option in kebab-case. */
export const flagsByOption: Readonly<Record<string, string>> = {
  checkpointSeconds: '--checkpoint',
  columns: '--key',
  distinctDocuments: '--expect-distinct',
  distinctElements: '--expect-distinct',
  gapsElements: '--gaps',
  hasHeader: '--no-header',
  isClockReset: '--reset-clock',
  isCompressed: '--compress',
  isFollowing: '--follow',
  isNewRun: '--new-run',
  isReadOnly: '--read-only',
  isStrict: '--strict',
  keys: '--key',
  lengthElements: '--expect-length',
  maxLeadSeconds: '--max-lead',
  maxRecordBytes: '--max-record',
  parameters: '--param',
  paths: '--key',
  secret: '--keyed',
  windowElements: '--window',
  'witness.memory': '--witness-memory',
};

const PARAMETER = 'parameters.';

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `--expect-distinct` for `distinctElements`, `--param K` for `parameters.K`; flags stay as they are. */
export function flagOfOption(option: string): string {
  if (option.startsWith('-')) return option;
  if (option.startsWith(PARAMETER)) return `--param ${option.slice(PARAMETER.length)}`;
  return flagsByOption[option] ?? `--${kebabCase(option)}`;
}
