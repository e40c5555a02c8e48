// Errors of what only a member of a group may do: among them is that another one has its name.

import type { FirstseenError } from '../../base/errors.js';
import { NameTaken } from './contract.js';
import { kafkaError, patiently } from './errors.js';
import type { RdError } from './rdkafka.js';

/** Codes of librdkafka. */
export const FATAL = -150;
export const WRONG_STATE = -172;
/** Another member of the same name has joined the group, as the brokers say, and as the client says from then on: it is in no state to do more. */
const NAME_TAKEN = [82, FATAL, WRONG_STATE];

const TAKEN_OVER =
  'another worker has the same instance name, this one was stopped for longer than its session, or brokers have changed: nothing of its last transaction is visible; start it again, and give each worker an instance name of its own';

export function memberError(doing: string, cause: RdError): FirstseenError {
  const isTaken = cause.isFatal || NAME_TAKEN.includes(cause.code);
  return isTaken ? kafkaError(doing, cause, TAKEN_OVER, NameTaken) : kafkaError(doing, cause);
}

/** Asks for what only a member of the group gets. @throws NameTaken; FirstseenError E_KAFKA */
export async function asMember<Value>(...asked: Parameters<typeof patiently<Value>>): Promise<Value> {
  try {
    return await patiently(...asked);
  } catch (error) {
    throw memberError(asked[0], (error as FirstseenError).cause as RdError);
  }
}
