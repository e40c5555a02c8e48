// Options that have other names now, and work until version 1.0.

import { defined } from '../base/defined.js';
import { warnDeprecated } from '../base/deprecated.js';
import type { SharedOptions } from './options.js';

/** Earlier names of options, in seconds. */
export interface RenamedOptions {
  /** @deprecated Use `checkpoint`, which takes a duration such as `30s`. */
  checkpointSeconds?: number | undefined;
  /** @deprecated Use `maxLead`, which takes a duration such as `1h`. */
  maxLeadSeconds?: number | undefined;
}

/** The options by their names of today. A name of today counts, if both are given. */
export function withNewNames<Options extends SharedOptions>(asked: Options & RenamedOptions): Options {
  const { checkpointSeconds, maxLeadSeconds, ...options } = asked;
  const given = { checkpoint: asked.checkpoint, maxLead: asked.maxLead };
  if (checkpointSeconds !== undefined) warnDeprecated('checkpointSeconds', 'checkpoint');
  if (maxLeadSeconds !== undefined) warnDeprecated('maxLeadSeconds', 'maxLead');
  const checkpoint = checkpointSeconds === undefined ? undefined : checkpointSeconds * 1000;
  const maxLead = maxLeadSeconds === undefined ? undefined : maxLeadSeconds * 1000;
  return { ...(options as unknown as Options), ...defined({ checkpoint, maxLead }), ...defined(given) };
}
