// Which partitions each reduce task takes: contiguous ranges. The largest has at most one partition more than the smallest.
// Hadoop's own hash of their numbers would leave many tasks without a partition, and give others several times their share.

const PARTITION_DIGITS = 4;
/** Begins a key that follows all partitions. */
const AFTER_ALL = '~';

/** The lowest keys of all reduce tasks but the first one, ascending. Tasks beyond the number of partitions get none. */
export function rangeStarts(partitions, reducers) {
  const used = Math.min(partitions, reducers);
  return Array.from({ length: reducers - 1 }, (_, index) => {
    const task = index + 1;
    const [prefix, number] = task < used ? ['', Math.floor((task * partitions) / used)] : [AFTER_ALL, task];
    return `${prefix}${String(number).padStart(PARTITION_DIGITS, '0')}`;
  });
}

function int32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A text of at most 127 bytes as Hadoop writes it. */
function hadoopText(value) {
  return Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
}

/** Keys without values in Hadoop's SequenceFile format, version 6, without compression and metadata. */
export function keysFile(keys) {
  const [synchronization, isCompressed] = [Buffer.alloc(16), Buffer.of(0, 0)];
  const classes = ['org.apache.hadoop.io.Text', 'org.apache.hadoop.io.NullWritable'].map(hadoopText);
  const header = [Buffer.from('SEQ\x06'), ...classes, isCompressed, int32(0), synchronization];
  const records = keys.map(hadoopText).flatMap((key) => [int32(key.length), int32(key.length), key]);
  return Buffer.concat([...header, ...records]);
}
