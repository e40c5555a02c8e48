// The events of the benchmark, written to a topic or counted in one: `Events write BROKERS TOPIC RECORDS IDENTIFIERS`,
// `Events batches BROKERS TOPIC MESSAGES INTEGERS` and `Events count BROKERS TOPIC IDENTIFIERS`.

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public final class Events {
  private static final long SEED = 1;
  /** All events are of a bit less than an hour. */
  private static final long[] MILLISECONDS = {3_600_000, 3_500_000};
  /** Makes identifiers of numbers, and numbers of identifiers. */
  private static final long FACTOR = 0x9E3779B97F4A7C15L;
  private static final long INVERSE = 0xF1DE83E19937733DL;
  private static final Duration WAIT = Duration.ofMillis(500);

  public static void main(String[] words) {
    switch (words[0]) {
      case "write" -> write(words[1], words[2], Long.parseLong(words[3]), Long.parseLong(words[4]));
      case "batches" -> batches(words[1], words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]));
      case "count" -> count(words[1], words[2], Integer.parseInt(words[3]));
      default -> throw new IllegalArgumentException("there is no command " + words[0]);
    }
  }

  /** The identifiers are new at equal distances. The events between repeat an earlier one, each with the same probability. */
  private static void write(String brokers, String topic, long records, long identifiers) {
    SplittableRandom random = new SplittableRandom(SEED);
    long begin = System.currentTimeMillis() - MILLISECONDS[0];
    long next = 0;
    try (var producer = producer(brokers)) {
      for (long i = 0; i < records; i++) {
        boolean isNew = i * identifiers / records >= next;
        String identifier = identifier(isNew ? next++ : random.nextLong(next));
        String value = "{\"id\":\"" + identifier + "\",\"type\":\"page_view\",\"sequence\":" + i + "}";
        producer.send(new ProducerRecord<>(topic, null, begin + i * MILLISECONDS[1] / records, bytes(identifier), bytes(value)));
      }
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(String brokers) {
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "acks", "all", "linger.ms", 5, "batch.size", 262_144,
        "buffer.memory", 67_108_864L, "delivery.timeout.ms", 600_000);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Messages of little-endian integers. One integer of about eleven repeats an earlier one. */
  private static void batches(String brokers, String topic, int messages, int integers) {
    SplittableRandom random = new SplittableRandom(SEED);
    long next = 1;
    try (var producer = producer(brokers)) {
      for (int message = 0; message < messages; message++) {
        ByteBuffer value = ByteBuffer.allocate(integers * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < integers; i++) value.putLong((random.nextInt(11) > 0 ? next++ : random.nextLong(next)) * FACTOR);
        producer.send(new ProducerRecord<>(topic, message % producer.partitionsFor(topic).size(), null, value.array()));
      }
    }
  }

  private static String identifier(long number) {
    String digits = Long.toHexString(number * FACTOR);
    return "0".repeat(16 - digits.length()) + digits;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Prints how many identifiers the committed records of a topic have, and how many records repeat one. */
  private static void count(String brokers, String topic, int identifiers) {
    BitSet seen = new BitSet(identifiers);
    long repeats = 0;
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "isolation.level", "read_committed", "auto.offset.reset", "earliest",
        "enable.auto.commit", false, "max.poll.records", 10_000);
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream().map((found) -> new TopicPartition(topic, found.partition())).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch((one) -> consumer.position(one) < ends.get(one))) {
        for (var record : consumer.poll(WAIT)) {
          int number = (int) (Long.parseUnsignedLong(new String(record.key(), StandardCharsets.US_ASCII), 16) * INVERSE);
          if (seen.get(number)) repeats++;
          seen.set(number);
        }
      }
    }
    System.out.println(seen.cardinality() + "\t" + repeats);
  }
}
