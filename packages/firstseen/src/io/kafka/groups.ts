// Groups with their members. The client crashes on a group that brokers answer with an error, as while its coordinator loads. So it is asked by
// a process of its own, whose end is an answer that is waited for (docs/decisions/135-asking-for-members.md).

import { fileURLToPath } from 'node:url';
import { answerOf, ProgramKilled } from '../system/program.js';
import { patiently } from './errors.js';
import type { GroupAnswer, GroupTask } from './groupprocess.js';
import type { RdError, RdGroup, RdProperties } from './rdkafka.js';

/** The code of brokers for a group that they do not know. */
const NO_GROUP = 69;

/** Asks brokers for a group. @throws RdError; ProgramKilled */
export type DescribesGroup = (task: GroupTask, signal: AbortSignal | undefined) => Promise<RdGroup>;

export interface GroupLook {
  describe: DescribesGroup;
  properties: RdProperties;
  group: string;
  timeoutMilliseconds: number;
  /** Asks to stop. */
  signal?: AbortSignal | undefined;
}

/** Asks by another process. @param program the file that it runs */
export async function describeInProcess(
  task: GroupTask,
  signal?: AbortSignal,
  program = fileURLToPath(new URL('./kafkagroup.js', import.meta.url)),
): Promise<RdGroup> {
  const { group, error } = JSON.parse(await answerOf({ program, input: task, signal })) as GroupAnswer;
  if (error) throw Object.assign(new Error(error.message), error);
  return group as RdGroup;
}

const REMEDY = 'check that the brokers run, and that they allow the user READ on the group; then start again';

/** The group with its members. @throws FirstseenError E_KAFKA */
export async function describedGroup(look: GroupLook): Promise<Pick<RdGroup, 'state' | 'members'>> {
  const { describe, properties, group, timeoutMilliseconds, signal } = look;
  const ask = async () => {
    try {
      return await describe({ properties, group, timeoutMilliseconds }, signal);
    } catch (error) {
      if ((error as RdError).code === NO_GROUP) return { members: [] };
      if (!(error instanceof ProgramKilled)) throw error;
      // Brokers that are not ready are asked again.
      throw Object.assign(error, { code: KILLED, isRetriable: true });
    }
  };
  const remedies = new Map([[KILLED, REMEDY]]);
  return patiently(`the members of the group ${group} cannot be looked up`, ask, { signal, remedies });
}

/** A code that no client and no broker has. */
const KILLED = -1000;

/** The names of the members that the group has; undefined for each member without one. @throws FirstseenError E_KAFKA */
export async function presentInstances(look: GroupLook): Promise<ReadonlySet<string | undefined>> {
  const { members } = await describedGroup(look);
  return new Set(members.map(({ groupInstanceId }) => groupInstanceId));
}
