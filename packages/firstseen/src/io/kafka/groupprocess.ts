// The process that asks brokers for a group: it reads its task from the standard input, and ends with the process that has given it.

import { serveAnswer } from '../system/program.js';
import {
  called,
  loadRdKafka,
  type RdError,
  type RdGroup,
  type RdGroups,
  type RdProperties,
  withAdmin,
} from './rdkafka.js';

/** A group, and how the cluster is reached. */
export interface GroupTask {
  properties: RdProperties;
  group: string;
  timeoutMilliseconds: number;
}

/** A group, or the error of the client. */
export interface GroupAnswer {
  group?: RdGroup;
  error?: Pick<RdError, 'message' | 'code' | 'isRetriable' | 'isFatal'>;
}

async function answerTo({ properties, group, timeoutMilliseconds: timeout }: GroupTask): Promise<GroupAnswer> {
  const rdKafka = await loadRdKafka();
  try {
    const { groups } = await withAdmin(rdKafka, properties, (admin) =>
      called<RdGroups>((callback) => admin.describeGroups([group], { timeout }, callback)),
    );
    const { state, members = [] } = groups[0] ?? {};
    const shownMembers = members.map(({ groupInstanceId, assignment }) => ({ groupInstanceId, assignment }));
    return { group: { ...(state === undefined ? {} : { state }), members: shownMembers } };
  } catch (cause) {
    const { message, code, isRetriable = false, isFatal = false } = cause as RdError;
    return { error: { message, code, isRetriable, isFatal } };
  }
}

serveAnswer(answerTo);
