// A deduplication by Kafka Streams, as its users write it: a window store has the identifiers of the last hour, by the times of the records.
// Arguments: brokers, application, input, output, folder of the state, replicas of its topics.

import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

public final class Distinct {
  private static final Duration WINDOW = Duration.ofHours(1);
  private static final String STORE = "identifiers";

  /** Passes on a record whose key is not in the store. */
  static final class Firsts extends ContextualProcessor<byte[], byte[], byte[], byte[]> {
    private WindowStore<byte[], Long> store;

    @Override
    public void init(ProcessorContext<byte[], byte[]> context) {
      super.init(context);
      store = context.getStateStore(STORE);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
      long time = record.timestamp();
      boolean isDuplicate;
      try (WindowStoreIterator<Long> found = store.fetch(record.key(), time - WINDOW.toMillis(), time + WINDOW.toMillis())) {
        isDuplicate = found.hasNext();
      }
      store.put(record.key(), time, time);
      if (!isDuplicate) context().forward(record);
    }
  }

  public static void main(String[] words) {
    Properties settings = new Properties();
    settings.putAll(Map.of("bootstrap.servers", words[0], "application.id", words[1], "state.dir", words[4], "processing.guarantee",
        "exactly_once_v2", "auto.offset.reset", "earliest", "replication.factor", Integer.parseInt(words[5])));
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(Stores.windowStoreBuilder(Stores.persistentWindowStore(STORE, WINDOW, WINDOW, false), Serdes.ByteArray(), Serdes.Long()));
    builder.stream(words[2], Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
        .process(Firsts::new, STORE)
        .to(words[3], Produced.with(Serdes.ByteArray(), Serdes.ByteArray()));
    KafkaStreams streams = new KafkaStreams(builder.build(), settings);
    Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
    streams.start();
  }
}
