// The flags that several commands of the laboratory share.

import { Option, parseWhole } from 'firstseen/internal';

/** A flag whose value is a whole number, 1 or more. */
export function wholeOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => parseWhole(text, option.long as string, 1));
}

/** Returns the options for running and showing runs. */
export function runsOptions(): [Option, Option] {
  return [
    wholeOption('--jobs <n>', 'concurrent runs (default: as many as cores and memory allow)'),
    new Option('--no-progress', 'show no progress bar'),
  ];
}
