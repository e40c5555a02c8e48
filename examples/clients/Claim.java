// Ships each order of its input once, however many workers get it. Needs: redis.clients:jedis
// The detector is made once: redis-cli -p 6390 FS.CREATE orders CLAIMS LEASE 30s WINDOW 1d MEMORY 64MiB
// WHEN_AWAY is what to do when the server cannot be asked: stop (the default), or pass, which may ship an order twice.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.UUID;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.SafeEncoder;

public class Claim {
  static final String PORT = System.getenv().getOrDefault("FIRSTSEEN_PORT", "6390");
  static final boolean PASSES = "pass".equals(System.getenv("WHEN_AWAY"));
  static final JedisPooled client = new JedisPooled("127.0.0.1", Integer.parseInt(PORT));

  static void ship(String order) {
    System.out.println("shipped " + Long.parseLong(order));
  }

  static Object ask(String command, String... words) {
    try {
      return client.sendCommand(() -> SafeEncoder.encode(command), words);
    } catch (JedisConnectionException away) {
      if (!PASSES) throw away;
      return List.of(SafeEncoder.encode("distinct"));
    }
  }

  static void shipOnce(String order) {
    // A claim that is repeated after a lost reply gives the same token, and is answered distinct again.
    var token = UUID.randomUUID().toString();
    var answer = (List<?>) ask("FS.CLAIM", "orders", order, "TOKEN", token);
    // Otherwise it is shipped, or another worker is at it: a queue has to deliver it again.
    if (!SafeEncoder.encode((byte[]) answer.get(0)).equals("distinct")) return;
    try {
      ship(order);
    } catch (NumberFormatException failure) {
      ask("FS.ABORT", "orders", order, token);
      throw failure;
    }
    ask("FS.COMMIT", "orders", order, token);
  }

  public static void main(String[] args) throws IOException {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      try {
        shipOnce(line);
      } catch (NumberFormatException failure) {
        System.err.println(line + " is not a number");
      }
    }
  }
}
