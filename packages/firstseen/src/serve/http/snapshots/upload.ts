// A snapshot as a body: a detector that goes on here. With a data folder, it is written to a file first, so that it takes memory only once it
// is known to be whole.

import type { IncomingMessage } from 'node:http';
import { formatCounted } from '../../../base/count.js';
import { FirstseenError } from '../../../base/errors.js';
import type { DetectorSettings } from '../../../detectors/settings.js';
import { DOCUMENTS } from '../../../records/keyscheme.js';
import { headerChecksum } from '../../../snapshot/checksum.js';
import { headerOf } from '../../../snapshot/format.js';
import { BROKEN_REMEDY } from '../../../snapshot/frame.js';
import { StreamSource } from '../../../snapshot/readstream.js';
import { bytesOfFrame } from '../../../snapshot/renoted.js';
import { type ReadFrame, readFrameWith } from '../../../snapshot/snapshots.js';
import type { DataFolder } from '../../log/datafolder.js';
import { sentIn } from '../../log/imports.js';
import { maxLoggedBytes } from '../../log/records.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import { decodeExported, MAX_REQUEST_CHARACTERS } from '../../store/exported.js';
import { bytesOfClaims } from '../../store/heldmemory.js';
import { bytesOfRequests } from '../../store/requestids.js';
import { costOf } from '../../store/room.js';
import { untilChangeable } from '../safety.js';

/** The most that the log has of a detector that is sent. */
const MAX_LOGGED_BYTES = maxLoggedBytes({ records: 1, elements: 0, textBytes: MAX_REQUEST_CHARACTERS });

/** The remedy where the body is not a whole, intact snapshot. */
const WHOLE_REMEDY = 'send the whole snapshot, and nothing else';

type Receiving = Pick<ServerState, 'data' | 'store' | 'counts'>;

/** A snapshot that is being sent. */
interface Arrival {
  name: string;
  incoming: IncomingMessage;
  server: Receiving;
  /** The memory that is kept for it. */
  release: () => void;
}

/** The chunks of a body. A reader that stops leaves the connection as it is. */
function chunksOf(incoming: IncomingMessage): AsyncIterable<Uint8Array> {
  return incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

/** @throws FirstseenError E_SNAPSHOT for what is not a whole detector */
function checkDetector({ family, keyScheme, partitions }: DetectorSettings): void {
  if (family.holdsDocuments || keyScheme?.format === DOCUMENTS) {
    throw new FirstseenError('E_SNAPSHOT', 'this is a snapshot of near-duplicates or passages, not of a detector', {
      remedy: 'send the snapshot of a detector',
    });
  }
  if (partitions === undefined || partitions.held === partitions.count) return;
  const problem = `this is a snapshot of ${partitions.held} of the ${formatCounted(partitions.count, 'partition')} of a detector`;
  throw new FirstseenError('E_SNAPSHOT', problem, { remedy: 'merge all of them, and send the snapshot of the result' });
}

/** Checks a header, and keeps memory for its detector. @throws FirstseenError E_SNAPSHOT or E_MEMORY */
async function reserve(arrival: Arrival, read: ReadFrame): Promise<void> {
  const { incoming, server } = arrival;
  const { settings } = headerOf(read.frame);
  checkDetector(settings);
  const contentLength = incoming.headers['content-length'];
  const bytes = bytesOfFrame(read);
  if (contentLength !== undefined && Number(contentLength) !== bytes) {
    const problem = `the snapshot has ${formatCounted(bytes, 'byte')}, and the body ${contentLength}`;
    throw new FirstseenError('E_SNAPSHOT', problem, { remedy: WHOLE_REMEDY });
  }
  const { request, requests, held } = await decodeExported(read.frame.note);
  const { room } = server.store;
  const besideBytes = bytesOfRequests(requests) + bytesOfClaims(held.length) + server.store.newPoolBytes(settings);
  arrival.release = room.reserve(costOf(settings, request) + besideBytes);
}

/** By a file of the data folder, to which the log refers. */
async function receiveToDisk(arrival: Arrival, data: DataFolder): Promise<DetectorEntry> {
  const { name, incoming, server } = arrival;
  const number = server.store.takeNumber();
  await data.imports.receive(number, chunksOf(incoming), (read) => reserve(arrival, read));
  let entry: DetectorEntry;
  try {
    const saved = { ...(await data.imports.read(number)), number, name };
    entry = await server.store.adopt(saved, arrival.release, () => untilChangeable(server, MAX_LOGGED_BYTES));
  } catch (error) {
    await data.imports.remove(number);
    throw error;
  }
  await data.settleImport(number);
  return entry;
}

/** Into memory, as it comes. */
async function receiveToMemory(arrival: Arrival): Promise<DetectorEntry> {
  const { name, incoming, server } = arrival;
  const { store } = server;
  const source = new StreamSource(chunksOf(incoming));
  try {
    const read = await readFrameWith(source, await headerChecksum(undefined));
    await reserve(arrival, read);
    const saved = { ...(await sentIn(source, read)), number: store.takeNumber(), name };
    return await store.adopt(saved, arrival.release, () => source.checkEnd());
  } finally {
    await source.close();
  }
}

/** The error for a snapshot that is not a file of this server, but was sent to it. */
function asSent(error: unknown): unknown {
  if (!(error instanceof FirstseenError)) return error;
  const { code, problem, details } = error.data;
  if (details.remedy !== BROKEN_REMEDY) return error;
  return new FirstseenError(code, problem, { ...details, remedy: WHOLE_REMEDY, cause: error });
}

/**
 * Takes the detector of a body. It is safe when this resolves.
 * @throws FirstseenError E_SNAPSHOT for what is not a whole, intact snapshot; E_MEMORY without room; E_USAGE when the name was taken
 * meanwhile; E_STATE_FILE when it cannot be written. Then nothing has changed.
 */
export async function receiveSnapshot(
  name: string,
  incoming: IncomingMessage,
  server: Receiving,
): Promise<DetectorEntry> {
  const arrival: Arrival = { name, incoming, server, release: () => undefined };
  try {
    return await (server.data ? receiveToDisk(arrival, server.data) : receiveToMemory(arrival));
  } catch (error) {
    throw asSent(error);
  } finally {
    arrival.release();
  }
}
