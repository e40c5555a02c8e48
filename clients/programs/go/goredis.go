// go-redis: arguments are the port and the version of the protocol.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

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
}
