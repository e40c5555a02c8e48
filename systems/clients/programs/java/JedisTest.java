// Jedis: arguments are the port and the version of the protocol.

import java.util.List;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SetParams;

public class JedisTest {
  static void check(boolean isRight, Object found) {
    if (!isRight) throw new AssertionError(String.valueOf(found));
  }

  public static void main(String[] args) {
    var protocol = args[1].equals("3") ? RedisProtocol.RESP3 : RedisProtocol.RESP2;
    var config = DefaultJedisClientConfig.builder().protocol(protocol).clientName("test").build();
    var name = "jedis" + args[1];
    try (var client = new JedisPooled(new HostAndPort("127.0.0.1", Integer.parseInt(args[0])), config)) {
      check(client.bfReserve(name, 0.001, 100).equals("OK"), "bfReserve");
      try {
        client.bfReserve(name, 0.001, 100);
        throw new AssertionError("a filter was reserved twice");
      } catch (JedisDataException error) {
        check(error.getMessage().contains("item exists"), error);
      }
      check(client.bfAdd(name, "a"), "a is new");
      check(!client.bfAdd(name, "a"), "a is not new");
      check(client.bfMAdd(name, "a", "b").equals(List.of(false, true)), "bfMAdd");
      check(client.bfMExists(name, "b", "c").equals(List.of(true, false)), "bfMExists");
      check(client.bfCard(name) == 2, "bfCard");
      check(client.bfInfo(name).get("Capacity").equals(100L), client.bfInfo(name));
      try (var pipeline = client.pipelined()) {
        var added = pipeline.bfAdd(name, "c");
        var found = pipeline.bfExists(name, "c");
        pipeline.sync();
        check(added.get() && found.get(), "a pipeline");
      }
      try (var transaction = client.multi()) {
        var found = transaction.bfExists(name, "c");
        transaction.exec();
        check(found.get(), "a transaction");
      }
      check(client.del(name) == 1, "del");
      check("OK".equals(client.set("dedup:" + name, "1", SetParams.setParams().nx().ex(86400))), "a new key");
      check(client.set("dedup:" + name, "1", SetParams.setParams().nx().ex(86400)) == null, "a key that was seen");
      check("OK".equals(client.set("idem:" + name, "mine", SetParams.setParams().nx().px(60000))), "a free key");
      check("mine".equals(client.get("idem:" + name)), "the value of a claim");
      check(client.del("idem:" + name) == 1, "a key is freed");
    }
  }
}
