// go-redis: arguments are the port and the version of the protocol.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

func check(isRight bool, found ...any) {
	if !isRight {
		panic(fmt.Sprint(found...))
	}
}

func main() {
	version, _ := strconv.Atoi(os.Args[2])
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1], Protocol: version, ClientName: "test"})
	defer client.Close()
	name := "goredis" + os.Args[2]
	check(client.BFReserve(ctx, name, 0.001, 100).Err() == nil, "BFReserve")
	err := client.BFReserve(ctx, name, 0.001, 100).Err()
	check(err != nil && strings.Contains(err.Error(), "item exists"), err)
	isNew, err := client.BFAdd(ctx, name, "a").Result()
	check(isNew && err == nil, isNew, err)
	isNew, err = client.BFAdd(ctx, name, "a").Result()
	check(!isNew && err == nil, isNew, err)
	found, err := client.BFMExists(ctx, name, "a", "b").Result()
	check(err == nil && found[0] && !found[1], found, err)
	info, err := client.BFInfo(ctx, name).Result()
	check(err == nil && info.Capacity == 100 && info.ItemsInserted == 1, info, err)
	capacity, err := client.BFInfoCapacity(ctx, name).Result()
	check(err == nil && capacity.Capacity == 100, capacity, err)
	for _, pipe := range []redis.Pipeliner{client.Pipeline(), client.TxPipeline()} {
		added := pipe.BFAdd(ctx, name, "b")
		asked := pipe.BFExists(ctx, name, "b")
		_, err = pipe.Exec(ctx)
		check(err == nil && asked.Val(), added, asked, err)
	}
	words, err := client.Do(ctx, "FS.OBSERVE", name, "a", "new").StringSlice()
	check(err == nil && words[0] == "duplicate" && words[1] == "distinct", words, err)
	check(client.Del(ctx, name).Val() == 1, "Del")
	set(ctx, client, name)
	claim(ctx, client, name)
}

// Keys that a map has, and that are seen.
func set(ctx context.Context, client *redis.Client, name string) {
	for _, expected := range []bool{true, false} {
		isNew, err := client.SetNX(ctx, "dedup:"+name, 1, 24*time.Hour).Result()
		check(isNew == expected && err == nil, isNew, err)
		isNew, err = client.SetNX(ctx, "once:"+name, 1, 0).Result()
		check(isNew == expected && err == nil, isNew, err)
	}
	count, err := client.Exists(ctx, "dedup:"+name, "once:"+name, "once:none").Result()
	check(count == 2 && err == nil, count, err)
	err = client.SetNX(ctx, "dedup:other", 1, time.Hour).Err()
	check(err != nil && strings.Contains(err.Error(), "give EX 86400"), err)
	err = client.SetNX(ctx, "dedup:other", 1, redis.KeepTTL).Err()
	check(err != nil && strings.Contains(err.Error(), "SET with KEEPTTL"), err)
}

// Keys that are claimed.
func claim(ctx context.Context, client *redis.Client, name string) {
	key := "idem:" + name
	check(client.SetNX(ctx, key, "one", time.Minute).Val(), "a free key")
	check(!client.SetNX(ctx, key, "two", time.Minute).Val(), "a key that is held")
	check(client.Get(ctx, key).Val() == "one", "the value of a claim")
	check(client.Del(ctx, key).Val() == 1, "a key is freed")
	check(client.Get(ctx, key).Err() == redis.Nil, "a free key")
	check(client.SetNX(ctx, key, "two", time.Minute).Val(), "a key that is free again")
	check(client.Set(ctx, key, "done", 24*time.Hour).Val() == "OK", "a commit")
	check(client.Get(ctx, key).Val() == "processed", "a key that is committed")
	check(!client.SetNX(ctx, key, "three", time.Minute).Val(), "a key that is committed")
	check(client.Del(ctx, key).Err() != nil, "a key that is committed")
}
