// redsync and redislock: the argument is the port.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

func check(isRight bool, found ...any) {
	if !isRight {
		panic(fmt.Sprint(found...))
	}
}

func main() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1]})
	defer client.Close()
	mutexes(client)
	locks(client)
}

func mutexes(client *redis.Client) {
	sync := redsync.New(goredis.NewPool(client))
	one := sync.NewMutex("idem:redsync", redsync.WithExpiry(time.Minute), redsync.WithTries(1))
	two := sync.NewMutex("idem:redsync", redsync.WithExpiry(time.Minute), redsync.WithTries(1), redsync.WithSetNXOnExtend())
	check(one.Lock() == nil, "a free key")
	check(two.Lock() != nil, "a key that is held")
	isDone, err := one.Extend()
	check(isDone && err == nil, isDone, err)
	isDone, err = two.Extend()
	check(!isDone, isDone, err)
	isDone, err = one.Valid()
	check(isDone && err == nil, isDone, err)
	isDone, err = one.Unlock()
	check(isDone && err == nil, isDone, err)
	isDone, err = one.Unlock()
	check(!isDone && errors.Is(err, redsync.ErrLockAlreadyExpired), isDone, err)
	check(two.Lock() == nil, "a key that is free again")
	isDone, err = two.Unlock()
	check(isDone && err == nil, isDone, err)
	isDone, err = two.Extend()
	check(isDone && err == nil, isDone, err)
	isDone, err = two.Unlock()
	check(isDone && err == nil, isDone, err)
}

func locks(client *redis.Client) {
	ctx := context.Background()
	locker := redislock.New(client)
	lock, err := locker.Obtain(ctx, "idem:redislock", time.Minute, &redislock.Options{Metadata: "mine"})
	check(err == nil, err)
	_, err = locker.Obtain(ctx, "idem:redislock", time.Minute, nil)
	check(err == redislock.ErrNotObtained, err)
	again, err := locker.Obtain(ctx, "idem:redislock", time.Minute, &redislock.Options{Token: lock.Token(), Metadata: "mine"})
	check(err == nil && again.Metadata() == "mine", err)
	left, err := lock.TTL(ctx)
	check(left > 59*time.Second && err == nil, left, err)
	check(lock.Refresh(ctx, 2*time.Minute, nil) == nil, "Refresh")
	left, err = lock.TTL(ctx)
	check(left > 100*time.Second && err == nil, left, err)
	check(lock.Release(ctx) == nil, "Release")
	check(lock.Release(ctx) == redislock.ErrLockNotHeld, "a lock that was released")
	check(lock.Refresh(ctx, time.Minute, nil) == redislock.ErrNotObtained, "a lock that was released")
}
