// The snapshot of a detector as a reply. What was acknowledged before the request is in it.

import type { ServerResponse } from 'node:http';
import { headerChecksum } from '../../../snapshot/checksum.js';
import type { SnapshotSource } from '../../../snapshot/parts.js';
import { piecesOf, withNote } from '../../../snapshot/renoted.js';
import { readFrameWith, save, snapshotSource } from '../../../snapshot/snapshots.js';
import type { DataFolder } from '../../log/datafolder.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import { type Exported, encodeExported } from '../../store/exported.js';
import { savedClaims } from '../../store/portions.js';
import { untilSafe } from '../safety.js';

/** The type of a snapshot. */
export const SNAPSHOT_TYPE = 'application/octet-stream';

/** A detector that is not larger is copied at once, which takes a millisecond or two. */
const MAX_COPIED_BYTES = 2 ** 22;
/** The same for its requests and claims. */
const MAX_COPIED_ITEMS = 2 ** 13;

/** A snapshot that can be read as often as its reader wants to. */
interface OpenSnapshot {
  source: SnapshotSource;
  exported: Exported;
  close(): void | Promise<void>;
}

function isSmall({ detector, requests, claims }: DetectorEntry): boolean {
  const { memoryBytes, witnessBytes } = detector.settings;
  const items = Math.max(requests.count, claims?.stats().pending ?? 0);
  return memoryBytes + witnessBytes <= MAX_COPIED_BYTES && items <= MAX_COPIED_ITEMS;
}

/** A copy in memory. The detector and what is known of it are of the same moment. */
async function copyOf(
  { detector, request, requests, claims }: DetectorEntry,
  server: Pick<ServerState, 'data' | 'store'>,
): Promise<OpenSnapshot> {
  const { memoryBytes, witnessBytes } = detector.settings;
  const close = server.store.room.reserveCopy(memoryBytes + witnessBytes);
  try {
    const exported = { request, requests: requests.saved(), held: savedClaims(claims) };
    const source = snapshotSource(await save(detector));
    await untilSafe(server, false);
    return { source, exported, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The detector in new snapshots of all detectors. */
async function onDisk({ number }: DetectorEntry, data: DataFolder): Promise<OpenSnapshot | undefined> {
  const opened = await data.openDetector(number);
  return opened && { source: opened.detector.source, exported: opened.detector, close: opened.close };
}

/** Writes pieces, and takes the next one when the system has taken the one before. @throws Error when the client has gone */
async function writePieces(response: ServerResponse, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    await new Promise<void>((resolve, reject) => {
      const gone = () => reject(new Error('the client has disconnected'));
      response.once('close', gone);
      response.write(piece, (error) => {
        response.off('close', gone);
        if (error) reject(error);
        else resolve();
      });
    });
  }
}

/**
 * Sends the snapshot of a detector. Its length is told, and it has checksums, so that a part of it cannot be taken for the whole.
 * @param hasBody whether the client wants more than to know the length
 * @returns false if the detector was removed meanwhile; then nothing was sent
 */
export async function sendSnapshot(
  entry: DetectorEntry,
  server: Pick<ServerState, 'data' | 'store'>,
  response: ServerResponse,
  hasBody: boolean,
): Promise<boolean> {
  const { data } = server;
  const copied = () => copyOf(entry, server);
  // Where no snapshots can be written, memory may have the only copy.
  const opened = data === undefined || isSmall(entry) ? await copied() : await onDisk(entry, data).catch(copied);
  if (opened === undefined) return false;
  const { source, exported, close } = opened;
  try {
    const checksum = await headerChecksum(undefined);
    const note = await encodeExported(exported);
    const sent = withNote(source, await readFrameWith(source, checksum), note, checksum);
    response.writeHead(200, { 'Content-Type': SNAPSHOT_TYPE, 'Content-Length': sent.bytes });
    if (hasBody) await writePieces(response, piecesOf(sent));
    response.end();
    return true;
  } finally {
    await close();
  }
}
