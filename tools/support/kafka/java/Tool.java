// What the tests ask of a broker with Java's own clients: topics, loads, what a reader of committed records sees, and who leads what.
// `Tool COMMAND BROKERS [name=value …]`. Each answer is text on the standard output. `Tool serve BROKERS` reads commands from the standard input, a line
// each, with tabs between their words. After each answer comes a line with a point, or with an exclamation mark and an error.

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public final class Tool {
  private static final Duration WAIT = Duration.ofMillis(500);
  private static final int MOST_WAITS = 240;
  private static final Duration AWAITED = Duration.ofSeconds(60);

  private final String brokers;
  private final Map<String, String> options;
  private final PrintStream out;

  private Tool(String brokers, Map<String, String> options, PrintStream out) {
    this.brokers = brokers;
    this.options = options;
    this.out = out;
  }

  public static void main(String[] words) throws Exception {
    PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 20), false, StandardCharsets.US_ASCII);
    if (words[0].equals("serve")) serve(words[1], out);
    else run(words[0], words[1], List.of(words).subList(2, words.length), out);
    out.flush();
  }

  private static void serve(String brokers, PrintStream out) throws IOException {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      List<String> words = List.of(line.split("\t"));
      try {
        run(words.get(0), brokers, words.subList(1, words.size()), out);
        out.println(".");
      } catch (Exception error) {
        out.println("!" + error.toString().replace('\n', ' '));
      }
      out.flush();
    }
  }

  private static void run(String command, String brokers, List<String> words, PrintStream out) throws Exception {
    Map<String, String> options = new HashMap<>();
    for (String word : words) {
      int split = word.indexOf('=');
      options.put(word.substring(0, split), word.substring(split + 1));
    }
    Tool tool = new Tool(brokers, options, out);
    switch (command) {
      case "create" -> tool.create();
      case "partitions" -> tool.addPartitions();
      case "remove" -> tool.remove();
      case "forget" -> tool.forget();
      case "delete" -> tool.deleteRecords();
      case "produce" -> tool.produce();
      case "read" -> tool.read();
      case "ends" -> tool.ends();
      case "offsets" -> tool.offsets();
      case "roles" -> tool.roles();
      case "transactions" -> tool.transactions();
      case "await" -> tool.await();
      case "allow" -> tool.allow();
      case "forbid" -> tool.forbid();
      default -> throw new IllegalArgumentException("there is no command " + command);
    }
  }

  private String text(String name) {
    String found = options.get(name);
    if (found == null) throw new IllegalArgumentException(name + " is missing");
    return found;
  }

  private long number(String name, long otherwise) {
    return options.containsKey(name) ? Long.parseLong(options.get(name)) : otherwise;
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", brokers));
  }

  /** Makes a topic. Options other than its name, partitions and replicas are settings of the topic. */
  private void create() throws Exception {
    Map<String, String> settings = new HashMap<>(options);
    settings.keySet().removeAll(List.of("topic", "partitions", "replicas"));
    NewTopic topic = new NewTopic(text("topic"), (int) number("partitions", 1), (short) number("replicas", 1)).configs(settings);
    try (Admin admin = admin()) {
      admin.createTopics(List.of(topic)).all().get();
    }
  }

  private void remove() throws Exception {
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(text("topic"))).all().get();
    }
  }

  /** Removes the offsets of a group without members, as brokers do with one that nobody uses. */
  private void forget() throws Exception {
    try (Admin admin = admin()) {
      admin.deleteConsumerGroups(List.of(text("group"))).all().get();
    }
  }

  private void addPartitions() throws Exception {
    try (Admin admin = admin()) {
      admin.createPartitions(Map.of(text("topic"), NewPartitions.increaseTo((int) number("partitions", 1)))).all().get();
    }
  }

  /** Removes the records of a partition before an offset, as a retention does. */
  private void deleteRecords() throws Exception {
    TopicPartition partition = new TopicPartition(text("topic"), (int) number("partition", 0));
    try (Admin admin = admin()) {
      admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(number("offset", 0)))).all().get();
    }
  }

  /** The right of `user` to do `operation` with what has the `type` and the `name`, or names that begin with it if `pattern` is PREFIXED. */
  private AclBinding right() {
    PatternType pattern = PatternType.fromString(options.getOrDefault("pattern", "LITERAL"));
    ResourcePattern resource = new ResourcePattern(ResourceType.fromString(text("type")), text("name"), pattern);
    AclOperation operation = AclOperation.fromString(text("operation"));
    return new AclBinding(resource, new AccessControlEntry("User:" + text("user"), "*", operation, AclPermissionType.ALLOW));
  }

  private void allow() throws Exception {
    try (Admin admin = admin()) {
      admin.createAcls(List.of(right())).all().get();
    }
  }

  private void forbid() throws Exception {
    try (Admin admin = admin()) {
      admin.deleteAcls(List.of(right().toFilter())).all().get();
    }
  }

  private List<TopicPartition> partitionsOf(Admin admin, String topic) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().stream()
        .map((found) -> new TopicPartition(topic, found.partition())).toList();
  }

  /** Writes a load. With `abort`, each transaction of that many records is followed by two that are aborted. */
  private void produce() throws Exception {
    long count = number("records", 1000);
    long perSecond = number("rate", 0);
    int transaction = (int) number("abort", 0);
    Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", brokers, "acks", "all", "linger.ms", 5, "batch.size", 262_144,
        "buffer.memory", 67_108_864L, "delivery.timeout.ms", 600_000));
    if (transaction > 0) settings.put("transactional.id", text("topic") + "-load");
    int partitions;
    try (Admin admin = admin()) {
      partitions = partitionsOf(admin, text("topic")).size();
    }
    var shares = new Records.Shares((int) number("keyless", 0), (int) number("tombstones", 0), (int) number("headers", 0), (int) number("early", 0));
    Records records = new Records(text("topic"), partitions, number("keys", 1000), number("seed", 1), shares, number("scattered", 0) == 1,
        options.getOrDefault("batch", ""));
    try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      if (transaction > 0) sendWithAborts(producer, records, count, transaction);
      else send(producer, records, count, perSecond);
    }
  }

  private void send(KafkaProducer<byte[], byte[]> producer, Records records, long count, long perSecond) {
    long begin = System.nanoTime();
    for (long i = 0; i < count; i++) {
      producer.send(records.next());
      if (perSecond == 0 || i % 100 != 99) continue;
      long ahead = begin + (i + 1) * 1_000_000_000L / perSecond - System.nanoTime();
      if (ahead > 0) LockSupport.parkNanos(ahead);
    }
  }

  private void sendWithAborts(KafkaProducer<byte[], byte[]> producer, Records records, long count, int transaction) {
    producer.initTransactions();
    for (long i = 0, round = 0; i < count; i += transaction, round++) {
      producer.beginTransaction();
      for (int j = 0; j < transaction; j++) producer.send(records.next());
      producer.flush();
      if (round % 3 == 0) producer.commitTransaction();
      else producer.abortTransaction();
    }
  }

  /**
   * Prints the committed records of a topic, by partition and offset: partition, offset, time, headers, key, value. Waits until no
   * transaction is open. `values=no` leaves the columns after the time out.
   */
  private void read() throws Exception {
    String topic = text("topic");
    Map<TopicPartition, Long> ends = new TreeMap<>((one, other) -> one.partition() - other.partition());
    ends.putAll(stableEnds(topic));
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers, "isolation.level", "read_committed", "auto.offset.reset", "earliest",
        "enable.auto.commit", false, "max.poll.records", 10_000, "fetch.max.bytes", 16_777_216);
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      for (var entry : ends.entrySet()) {
        TopicPartition partition = entry.getKey();
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        while (consumer.position(partition) < entry.getValue()) {
          for (var record : consumer.poll(WAIT)) if (record.offset() < entry.getValue()) print(record);
        }
      }
    }
  }

  /** The ends of the partitions, once no transaction is open. */
  private Map<TopicPartition, Long> stableEnds(String topic) throws Exception {
    try (Admin admin = admin()) {
      List<TopicPartition> partitions = partitionsOf(admin, topic);
      for (int i = 0; i < MOST_WAITS; i++) {
        var all = endsOf(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
        if (all.equals(endsOf(admin, partitions, IsolationLevel.READ_COMMITTED))) return all;
        Thread.sleep(WAIT.toMillis());
      }
    }
    throw new IOException("a transaction of " + topic + " stays open");
  }

  private static Map<TopicPartition, Long> endsOf(Admin admin, List<TopicPartition> partitions, IsolationLevel level) throws Exception {
    Map<TopicPartition, OffsetSpec> latest = partitions.stream().collect(Collectors.toMap((found) -> found, (found) -> OffsetSpec.latest()));
    return admin.listOffsets(latest, new ListOffsetsOptions(level)).all().get().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, (entry) -> entry.getValue().offset()));
  }

  private void print(ConsumerRecord<byte[], byte[]> record) {
    out.print(record.partition() + "\t" + record.offset() + "\t" + record.timestamp());
    StringBuilder headers = new StringBuilder();
    for (Header header : record.headers()) headers.append(headers.isEmpty() ? "" : ",").append(header.key()).append('=').append(encoded(header.value()));
    out.print("\t" + (headers.isEmpty() ? "-" : headers) + "\t" + encoded(record.key()) + "\t" + encoded(record.value()) + "\n");
  }

  /** Bytes in base64, after a colon; `-` for none. */
  private static String encoded(byte[] bytes) {
    return bytes == null ? "-" : ":" + Base64.getEncoder().encodeToString(bytes);
  }

  /** Prints for each partition: partition, first offset, last stable offset, end. */
  private void ends() throws Exception {
    try (Admin admin = admin()) {
      List<TopicPartition> partitions = partitionsOf(admin, text("topic"));
      Map<TopicPartition, OffsetSpec> earliest = partitions.stream().collect(Collectors.toMap((found) -> found, (found) -> OffsetSpec.earliest()));
      var first = admin.listOffsets(earliest).all().get();
      var stable = endsOf(admin, partitions, IsolationLevel.READ_COMMITTED);
      var last = endsOf(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
      for (var found : partitions) {
        out.println(found.partition() + "\t" + first.get(found).offset() + "\t" + stable.get(found) + "\t" + last.get(found));
      }
    }
  }

  /** Prints the offsets of a group: topic, partition, offset. */
  private void offsets() throws Exception {
    try (Admin admin = admin()) {
      var offsets = admin.listConsumerGroupOffsets(text("group")).partitionsToOffsetAndMetadata().get();
      offsets.forEach((found, offset) -> out.println(found.topic() + "\t" + found.partition() + "\t" + Optional.ofNullable(offset).map((at) -> at.offset()).orElse(-1L)));
    }
  }

  /** Prints who does what: a role, and the node: the controller, the leader of partition 0, coordinators of the group and of its transactions. */
  private void roles() throws Exception {
    try (Admin admin = admin()) {
      out.println("controller\t" + admin.describeMetadataQuorum().quorumInfo().get().leaderId());
      if (options.containsKey("topic")) {
        var topic = admin.describeTopics(List.of(text("topic"))).allTopicNames().get().get(text("topic"));
        out.println("leader\t" + topic.partitions().get(0).leader().id());
      }
      if (options.containsKey("group")) {
        out.println("group\t" + admin.describeConsumerGroups(List.of(text("group"))).all().get().get(text("group")).coordinator().id());
      }
    }
    transactions();
  }

  /** Prints for each transaction: a word, its coordinator, its id, its state, its timeout in milliseconds. With `id`, for those whose id begins with that text. */
  private void transactions() throws Exception {
    String id = options.getOrDefault("id", "");
    try (Admin admin = admin()) {
      for (var found : admin.listTransactions().all().get()) {
        if (!found.transactionalId().startsWith(id)) continue;
        var described = admin.describeTransactions(List.of(found.transactionalId())).description(found.transactionalId()).get();
        out.println("transactions\t" + described.coordinatorId() + "\t" + found.transactionalId() + "\t" + found.state() + "\t"
            + described.transactionTimeoutMs());
      }
    }
  }

  /** Waits until the transaction of an id has been in each of some states, one after the other. */
  private void await() throws Exception {
    String id = text("id");
    long end = System.nanoTime() + AWAITED.toNanos();
    try (Admin admin = admin()) {
      for (String state : text("states").split(",")) {
        while (!admin.describeTransactions(List.of(id)).description(id).get().state().toString().equals(state)) {
          if (System.nanoTime() > end) throw new IOException("the transaction " + id + " was not " + state);
        }
      }
    }
  }
}
