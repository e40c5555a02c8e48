// The steps of scripts: a command of words, or bytes as they are (`raw`).

import { reasons } from './reasons.mjs';

/** A step whose replies differ, for a reason that reasons.mjs has. */
export function differs(step, why) {
  if (reasons[why] === undefined) throw new Error(`the reason ${why} is unknown`);
  return { ...(typeof step === 'string' ? { command: step } : step), why };
}

/** A step whose replies have numbers that belong to the server: these are not compared. */
export const numbered = (command) => ({ command, isNumbered: true });

export const raw = (bytes, replies = 1) => ({ raw: bytes, replies });
