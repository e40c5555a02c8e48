// Our own commands: detectors of every family, with the options of the library.

import { FirstseenError } from '../../base/errors.js';
import { observedWords } from '../../claims/observe.js';
import { checkWindow, ownParameters } from '../../detectors/settings.js';
import { parseElements } from '../../options/values.js';
import type { CreateOptions } from '../../plan/keys.js';
import { addAll } from '../operations/ask.js';
import { readDetectorOptions, readRequest } from '../operations/createoptions.js';
import { clearDetector, infoOf, rateOf, statsOf } from '../operations/detector.js';
import { observeOnce } from '../operations/observeonce.js';
import type { AdviceOptions } from '../planning/planning.js';
import { ErrorReply, OK, type Reply, replyOfData, Status } from '../resp/replies.js';
import type { ReplyWriter } from '../resp/writer.js';
import type { DetectorEntry } from '../store/entry.js';
import type { Arguments } from './arguments.js';
import { noDetector, SYNTAX_ERROR } from './errors.js';
import type { CommandContext, CommandRow, Replied, SingleRow } from './row.js';

const wordBytes = observedWords.map((word) => Buffer.from(`+${word}\r\n`));
/** The same words, one by one. */
const wordReplies = observedWords.map((word) => new Status(word));

function answerWords(writer: ReplyWriter, verdicts: Uint8Array, from: number, count: number): void {
  writer.words(verdicts, from, count, wordBytes);
}

/** Runs a command on a detector that there is. */
function onDetector(
  run: (entry: DetectorEntry, command: Arguments, context: CommandContext) => Reply | Promise<Reply>,
): SingleRow['run'] {
  return (command, context) => {
    const name = command.text(1);
    const entry = context.server.store.find(name);
    return entry ? run(entry, command, context) : noDetector(name);
  };
}

async function createOne(command: Arguments, { server }: CommandContext): Promise<Reply> {
  const request = readRequest(command.texts(2));
  const name = command.text(1);
  await server.store.create(name, request);
  if (!request.claims) return OK;
  const entry = server.store.find(name) as DetectorEntry;
  const { algorithm } = entry.detector.statsWithoutLoad();
  return replyOfData({ algorithm, 'false positive rate': rateOf(entry) });
}

function observeWithId(entry: DetectorEntry, command: Arguments): Reply {
  const verdicts = observeOnce(entry, command.bytes(2).toString('latin1'), command.spans(3));
  return Array.from(verdicts, (verdict) => wordReplies[verdict] as Status);
}

function tellStats(entry: DetectorEntry, command: Arguments): Reply {
  const hasLoad = command.is(2, 'LOAD');
  return command.count === 3 && !hasLoad ? SYNTAX_ERROR : replyOfData(statsOf(entry, hasLoad));
}

async function saveAll(_given: Arguments, { server }: CommandContext): Promise<Reply> {
  if (server.data === undefined) return new ErrorReply('ERR the server has no data folder');
  return Math.ceil(await server.data.save());
}

async function planned(command: Arguments, { server }: CommandContext): Promise<Reply> {
  const { planning } = server.store;
  const options = readDetectorOptions(command.texts(1));
  if (!hasDuration(options)) return replyOfData(await planning.recommend(planOptions(options)));
  const settings = await planning.settingsOf(options);
  const { family, layout, memoryBytes } = settings;
  return replyOfData({ algorithm: family.name, layout, parameters: ownParameters(settings), memoryBytes });
}

/** Tells if the window is a time. Any number of elements may come in it, so the planner compares no families for it. */
function hasDuration({ window }: CreateOptions): boolean {
  return window !== undefined && 'milliseconds' in checkWindow(window);
}

function windowElementsOf(window: CreateOptions['window']): number | undefined {
  return window === undefined ? undefined : parseElements(String(window), 'WINDOW');
}

/** The options of a plan are those of a detector that say what is known of its stream. */
function planOptions(options: CreateOptions): AdviceOptions {
  const {
    memory,
    fpr,
    layout,
    distinctElements,
    lengthElements,
    gapsElements,
    window,
    windowSlack,
    ...unplannedOptions
  } = options;
  const [unplanned] = Object.keys(unplannedOptions);
  if (unplanned !== undefined) {
    throw new FirstseenError('E_USAGE', `a plan does not use ${unplanned}`, { remedy: 'leave it out' });
  }
  const hints = { memory, fpr, layout, distinctElements, lengthElements, gapsElements, windowSlack };
  return Object.fromEntries(
    Object.entries({ ...hints, windowElements: windowElementsOf(window) }).filter(([, value]) => value !== undefined),
  );
}

export const detectorRows: readonly (CommandRow & Replied)[] = [
  {
    name: 'FS.CREATE',
    usage: 'detector [option value ...]',
    summary: 'makes a detector; one with the same options may exist',
    replies: [
      {
        reply:
          'OK, also if it exists with the same options; with CLAIMS, its algorithm and its rate of false positives',
      },
    ],
    role: 'admin',
    arguments: [1],
    run: createOne,
  },
  {
    name: 'FS.OBSERVE',
    usage: 'detector key [key ...]',
    summary: 'answers distinct or duplicate for each key, and adds it',
    replies: [
      {
        reply:
          '`distinct` or `duplicate` for each key, and adds it. If the detector refuses a key, for example because it is full, the list ends with the error, and the keys after it are not observed',
      },
    ],
    role: 'observe',
    arguments: [2],
    ask: 'observe',
    hasPending: true,
    isList: true,
    answer: answerWords,
  },
  {
    name: 'FS.OBSERVEID',
    usage: 'detector id key [key ...]',
    summary: 'does what FS.OBSERVE does; a retry with the same id gets the same answers',
    replies: [{ reply: 'the same; a retry with the id gets the answers of the first try' }],
    role: 'observe',
    arguments: [3],
    run: onDetector(observeWithId),
  },
  {
    name: 'FS.TEST',
    usage: 'detector key [key ...]',
    summary: 'answers as FS.OBSERVE, and adds nothing',
    replies: [{ reply: 'the same without adding' }],
    role: 'read',
    arguments: [2],
    ask: 'test',
    isList: true,
    answer: answerWords,
  },
  {
    name: 'FS.ADD',
    usage: 'detector key [key ...]',
    summary: 'adds keys, and tells how many are new',
    replies: [{ reply: 'how many keys were new. All are added, or none if one is refused' }],
    role: 'observe',
    arguments: [2],
    run: onDetector((entry, command) => addAll(entry, command.spans(2))),
  },
  {
    name: 'FS.INFO',
    usage: 'detector',
    summary: 'tells how a detector is made',
    replies: [
      {
        reply:
          'its name, algorithm, layout, memory in bytes, parameters and seed, whether it is keyed, and the options that it was created with',
      },
    ],
    role: 'read',
    arguments: [1, 1],
    run: onDetector((entry) => replyOfData(infoOf(entry))),
  },
  {
    name: 'FS.STATS',
    usage: 'detector [LOAD]',
    summary: 'tells what a detector has done; LOAD counts over its whole memory',
    replies: [{ reply: 'what it has done; LOAD counts over its whole memory' }],
    role: 'read',
    arguments: [1, 2],
    run: onDetector(tellStats),
  },
  {
    name: 'FS.PLAN',
    usage: '[option value ...]',
    summary: 'recommends a detector for what is known of a stream',
    replies: [{ reply: 'what to create for what is known of a stream' }],
    role: 'read',
    arguments: [0],
    run: planned,
  },
  {
    name: 'FS.SAVE',
    usage: '',
    summary: 'writes snapshots of all detectors, and tells for how many milliseconds nothing could be changed',
    replies: [{ reply: 'milliseconds in which nothing could be changed' }],
    role: 'admin',
    arguments: [0, 0],
    run: saveAll,
  },
  {
    name: 'FS.CLEAR',
    usage: 'detector',
    summary: 'resets a detector to the state in which it was created, and ends its claims',
    replies: [{ reply: 'OK; it has seen nothing, and claims hold nothing' }],
    role: 'admin',
    arguments: [1, 1],
    run: onDetector((entry) => {
      clearDetector(entry);
      return OK;
    }),
  },
  {
    name: 'FS.DROP',
    usage: 'detector',
    summary: 'removes a detector',
    replies: [{ reply: 'OK; its memory is free' }],
    role: 'admin',
    arguments: [1, 1],
    run(command, { server }) {
      const name = command.text(1);
      return server.store.drop(name) ? OK : noDetector(name);
    },
  },
  {
    name: 'FS.LIST',
    usage: '',
    summary: 'lists the names of the detectors',
    replies: [{ reply: 'the names' }],
    role: 'read',
    arguments: [0, 0],
    run: (_given, { server }) => Array.from(server.store.list(), ({ name }) => name),
  },
];
