// A source that is neither a file nor a stream of bytes: messages of a topic with several partitions, as a broker gives them. Its
// position has an offset in each partition, and its note has neither a path nor a digest.

import type { InputMark, InputReader, Source } from '../../src/io/source.js';

export interface Message {
  partition: number;
  /** A line. */
  text: string;
}

/** Bytes of the lines up to a point, and the messages of each partition up to there. */
interface Place {
  offset: number;
  partitions: readonly number[];
}

function placeAfter({ offset, partitions }: Place, { partition, text }: Message): Place {
  return {
    offset: offset + Buffer.byteLength(text),
    partitions: partitions.with(partition, (partitions[partition] as number) + 1),
  };
}

/** @param onRead called after each message that was read */
export function topicOf(name: string, messages: readonly Message[], onRead?: () => void): Source {
  const count = 1 + Math.max(...messages.map(({ partition }) => partition));
  const start: Place = { offset: 0, partitions: Array.from({ length: count }, () => 0) };
  const noteAt = ({ partitions }: Place) => ({ name, isFile: false as const, isRepeatable: true, partitions });
  const markAt = (place: Place): InputMark => ({ input: noteAt(place), position: { ...place } });

  function readerAt(from: Place): InputReader {
    const taken = [...start.partitions];
    const rest = messages.filter(({ partition }) => {
      taken[partition] = (taken[partition] as number) + 1;
      return (taken[partition] as number) > (from.partitions[partition] as number);
    });
    const places = [from];
    let left = new Uint8Array(0);
    return {
      async read(target) {
        if (left.length === 0) {
          const message = rest.shift();
          if (!message) return 0;
          left = Buffer.from(message.text);
          places.push(placeAfter(places.at(-1) as Place, message));
          onRead?.();
        }
        const bytes = left.subarray(0, target.length);
        target.set(bytes);
        left = left.subarray(bytes.length);
        return bytes.length;
      },
      storedBytes: () => 0,
      markAt: async (offset) => markAt(places.findLast((place) => place.offset <= offset) as Place),
      close: async () => undefined,
    };
  }

  const end = messages.reduce(placeAfter, start);
  return {
    name,
    note: noteAt(end),
    mayGrow: false,
    open: async (position) => readerAt((position as unknown as Place | undefined) ?? start),
    markAtStart: async () => markAt(start),
    async compare(known) {
      if (known.name !== name) return 'other';
      const read = (known as ReturnType<typeof noteAt>).partitions;
      return read.every((offset, i) => offset === end.partitions[i]) ? 'same' : 'grown';
    },
    bytesAround: async () => new Uint8Array(0),
  };
}
