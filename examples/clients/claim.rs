// Ships each order of its input once, however many workers get it. Needs: cargo add redis uuid --features uuid/v4
// The detector is made once: redis-cli -p 6390 FS.CREATE orders CLAIMS LEASE 30s WINDOW 1d MEMORY 64MiB
// WHEN_AWAY is what to do when the server cannot be asked: stop (the default), or pass, which may ship an order twice.

use redis::{FromRedisValue, RedisResult, Value};
use std::{env, io, process, time::Duration};

const LIMIT: Duration = Duration::from_secs(5);

struct Orders {
    client: redis::Client,
    connection: Option<redis::Connection>,
    passes: bool,
}

fn ship(order: &str) -> Result<(), String> {
    order.parse::<u64>().map_err(|_| format!("{order} is not a number"))?;
    println!("shipped {order}");
    Ok(())
}

impl Orders {
    fn try_ask(&mut self, command: &str, words: &[&str]) -> RedisResult<Value> {
        if self.connection.is_none() {
            let connection = self.client.get_connection_with_timeout(LIMIT)?;
            connection.set_read_timeout(Some(LIMIT))?;
            self.connection = Some(connection);
        }
        let connection = self.connection.as_mut().expect("it was made");
        redis::cmd(command).arg("orders").arg(words).query(connection)
    }

    /// None if the server is away and the work goes on without it.
    fn ask(&mut self, command: &str, words: &[&str]) -> Option<Value> {
        match self.try_ask(command, words) {
            Ok(answer) => Some(answer),
            Err(error) if self.passes && error.is_unrecoverable_error() => {
                self.connection = None;
                None
            }
            Err(error) => {
                eprintln!("{error}");
                process::exit(1)
            }
        }
    }

    fn is_free(&mut self, order: &str, token: &str) -> bool {
        let Some(answer) = self.ask("FS.CLAIM", &[order, "TOKEN", token]) else { return true };
        let words = Vec::<String>::from_redis_value(answer).expect("a list of words");
        words[0] == "distinct"
    }

    fn ship_once(&mut self, order: &str) -> Result<(), String> {
        // A claim that is repeated after a lost reply gives the same token, and is answered distinct again.
        let token = uuid::Uuid::new_v4().to_string();
        if !self.is_free(order, &token) {
            return Ok(()); // It is shipped, or another worker is at it: a queue has to deliver it again.
        }
        if let Err(failure) = ship(order) {
            self.ask("FS.ABORT", &[order, &token]);
            return Err(failure);
        }
        self.ask("FS.COMMIT", &[order, &token]);
        Ok(())
    }
}

fn main() -> RedisResult<()> {
    let port = env::var("FIRSTSEEN_PORT").unwrap_or("6390".to_string());
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}/"))?;
    let passes = env::var("WHEN_AWAY").is_ok_and(|word| word == "pass");
    let mut orders = Orders { client, connection: None, passes };
    for line in io::stdin().lines() {
        if let Err(failure) = orders.ship_once(&line?) {
            eprintln!("{failure}");
        }
    }
    Ok(())
}
