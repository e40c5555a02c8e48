// The records of a load: JSON objects whose identifiers repeat, or messages that hold many of them, from a seed.

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.utils.Utils;

final class Records {
  private static final long FIRST_TIME = 1_700_000_000_000L;
  /** Records of a message that holds many, and of one in a hundred of such messages. */
  private static final int MOST_OF_BATCH = 40;
  private static final int MOST_OF_LARGE_BATCH = 4000;

  private final SplittableRandom random;
  private final String topic;
  private final int partitions;
  private final long keys;
  private final Shares shares;
  private final boolean isScattered;
  private final String batch;
  private long made = 0;

  /** How many of a thousand records have no key or an empty one, no value, a header, or a time that is up to a minute too early. */
  record Shares(int withoutKey, int tombstones, int withHeader, int early) {}

  /**
   * @param isScattered whether each identifier is in all partitions
   * @param batch what a message holds: `u64` for integers, `ndjson` for objects in lines, or an empty text for one object
   */
  Records(String topic, int partitions, long keys, long seed, Shares shares, boolean isScattered, String batch) {
    this.topic = topic;
    this.partitions = partitions;
    this.keys = keys;
    this.shares = shares;
    this.isScattered = isScattered;
    this.batch = batch;
    this.random = new SplittableRandom(seed);
  }

  /** The next record. Its partition follows from its identifier, also where it has no key, unless records are scattered. */
  ProducerRecord<byte[], byte[]> next() {
    byte[] text = nameOf(identifier());
    boolean isTombstone = isOneOf(shares.tombstones);
    byte[] key = !isTombstone && isOneOf(shares.withoutKey) ? (made % 2 == 0 ? null : new byte[0]) : text;
    byte[] value = isTombstone ? null : batch.isEmpty() ? value(text, made) : batch();
    List<Header> headers = isOneOf(shares.withHeader) ? List.of(new RecordHeader("trace", text), new RecordHeader("trace", new byte[0])) : List.of();
    long time = FIRST_TIME + made - (isOneOf(shares.early) ? random.nextLong(60_000) : 0);
    int partition = (isScattered ? random.nextInt(1 << 20) : Utils.toPositive(Utils.murmur2(text))) % partitions;
    made++;
    return new ProducerRecord<>(topic, partition, time, key, value, headers);
  }

  private boolean isOneOf(int thousandths) {
    return thousandths > 0 && random.nextInt(1000) < thousandths;
  }

  /** Half of the records are of one sixteenth of the identifiers, so some repeat often. */
  private long identifier() {
    return random.nextLong(random.nextInt(2) == 0 ? keys : Math.max(1, keys / 16));
  }

  private static byte[] nameOf(long identifier) {
    return ("user-" + identifier).getBytes(StandardCharsets.US_ASCII);
  }

  /** A value of many records; rarely of none. */
  private byte[] batch() {
    int count = random.nextInt(isOneOf(10) ? MOST_OF_LARGE_BATCH : MOST_OF_BATCH);
    if (batch.equals("ndjson")) return lines(count);
    ByteBuffer integers = ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) integers.putLong(identifier());
    return integers.array();
  }

  /** Objects in lines. Some lines are empty, and some last ones have no end. */
  private byte[] lines(int count) {
    var lines = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      lines.writeBytes(isOneOf(10) ? new byte[0] : value(nameOf(identifier()), made));
      if (i + 1 < count || random.nextBoolean()) lines.write('\n');
    }
    return lines.toByteArray();
  }

  private static byte[] value(byte[] identifier, long number) {
    String text = new String(identifier, StandardCharsets.US_ASCII);
    return ("{\"id\":\"" + text + "\",\"type\":\"page_view\",\"sequence\":" + number + "}").getBytes(StandardCharsets.US_ASCII);
  }
}
