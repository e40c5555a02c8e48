// Ships each order of its input once, however many workers get it. Needs: go get github.com/redis/go-redis/v9
// The detector is made once: redis-cli -p 6390 FS.CREATE orders CLAIMS LEASE 30s WINDOW 1d MEMORY 64MiB
// WHEN_AWAY is what to do when the server cannot be asked: stop (the default), or pass, which may ship an order twice.
package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/redis/go-redis/v9"
)

var ctx = context.Background()
var client = redis.NewClient(&redis.Options{
	Addr:       "127.0.0.1:" + cmp.Or(os.Getenv("FIRSTSEEN_PORT"), "6390"),
	MaxRetries: 1,
})
var passes = os.Getenv("WHEN_AWAY") == "pass"

func ship(order string) error {
	if _, err := strconv.Atoi(order); err != nil {
		return fmt.Errorf("%s is not a number", order)
	}
	fmt.Println("shipped", order)
	return nil
}

func ask(words ...any) any {
	reply, err := client.Do(ctx, words...).Result()
	if err == nil {
		return reply
	}
	var refusal redis.Error
	if !passes || errors.As(err, &refusal) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return []any{"distinct"}
}

func shipOnce(order string) error {
	// A client that repeats a claim after a lost reply gives the same token, and is answered distinct again.
	token := rand.Text()
	if ask("FS.CLAIM", "orders", order, "TOKEN", token).([]any)[0] != "distinct" {
		return nil // It is shipped, or another worker is at it: a queue has to deliver it again.
	}
	if err := ship(order); err != nil {
		ask("FS.ABORT", "orders", order, token)
		return err
	}
	ask("FS.COMMIT", "orders", order, token)
	return nil
}

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := shipOnce(lines.Text()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
