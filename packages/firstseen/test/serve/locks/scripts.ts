// The scripts that libraries of locks send, as they are in their packages.

/** What a script does, and with which arguments after the key: the token, and a time of a minute. */
export interface LibraryScript {
  /** The library, its version, and where the script is. */
  source: string;
  does: 'release' | 'extend' | 'acquire' | 'remaining';
  arguments: string[];
  /** The replies if it is done, and if another has the key. */
  done: unknown;
  otherwise: unknown;
  /** The reply if nobody has the key, where that is another one. */
  free?: unknown;
  script: string;
}

const MINUTE = '60000';

export const libraryScripts: readonly LibraryScript[] = [
  {
    source: 'redis-py 8.1.0, lock.py, LUA_RELEASE_SCRIPT',
    ...{ does: 'release', arguments: [], done: 1, otherwise: 0 },
    script: `
        local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        redis.call('del', KEYS[1])
        return 1
    `,
  },
  {
    source: 'redis-py 8.1.0, lock.py, LUA_EXTEND_SCRIPT',
    ...{ does: 'extend', arguments: [MINUTE, '1'], done: 1, otherwise: 0 },
    script: `
        local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        local expiration = redis.call('pttl', KEYS[1])
        if not expiration then
            expiration = 0
        end
        if expiration < 0 then
            return 0
        end

        local newttl = ARGV[2]
        if ARGV[3] == "0" then
            newttl = ARGV[2] + expiration
        end
        redis.call('pexpire', KEYS[1], newttl)
        return 1
    `,
  },
  {
    source: 'redis-py 2.10, lock.py, LUA_EXTEND_SCRIPT',
    ...{ does: 'extend', arguments: ['1'], done: 1, otherwise: 0 },
    script: `
        local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        local expiration = redis.call('pttl', KEYS[1])
        if not expiration then
            expiration = 0
        end
        if expiration < 0 then
            return 0
        end
        redis.call('pexpire', KEYS[1], expiration + ARGV[2])
        return 1
    `,
  },
  {
    source: 'redis-py 8.1.0, lock.py, LUA_REACQUIRE_SCRIPT',
    ...{ does: 'extend', arguments: [MINUTE], done: 1, otherwise: 0 },
    script: `
        local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        redis.call('pexpire', KEYS[1], ARGV[2])
        return 1
    `,
  },
  {
    source: 'redsync 4.18.1, scripts.go, deleteScript',
    ...{ does: 'release', arguments: [], done: 1, otherwise: 0, free: -1 },
    script: `
	local val = redis.call("GET", KEYS[1])
	if val == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	elseif val == false then
		return -1
	else
		return 0
	end
`,
  },
  {
    source: 'redsync 4.0, mutex.go, deleteScript',
    ...{ does: 'release', arguments: [], done: 1, otherwise: 0 },
    script: `
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	else
		return 0
	end
`,
  },
  {
    source: 'redsync 4.18.1, scripts.go, touchWithSetNXScript',
    ...{ does: 'extend', arguments: [MINUTE], done: 1, otherwise: 0, free: 1 },
    script: `
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("PEXPIRE", KEYS[1], ARGV[2])
	elseif redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") then
		return 1
	else
		return 0
	end
`,
  },
  {
    source: 'redsync 4.18.1, scripts.go, touchScript',
    ...{ does: 'extend', arguments: [MINUTE], done: 1, otherwise: 0 },
    script: `
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("PEXPIRE", KEYS[1], ARGV[2])
	else
		return 0
	end
`,
  },
  {
    source: 'redlock 3.1.0, redlock.js, lockScript',
    ...{ does: 'acquire', arguments: [MINUTE], done: '+OK', otherwise: null },
    script: 'return redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])',
  },
  {
    source: 'redlock 3.1.0, redlock.js, unlockScript',
    ...{ does: 'release', arguments: [], done: 1, otherwise: 0 },
    script: 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end',
  },
  {
    source: 'redlock 3.1.0, redlock.js, extendScript',
    ...{ does: 'extend', arguments: [MINUTE], done: 1, otherwise: 0 },
    script:
      'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end',
  },
  {
    source: 'redlock 4.2.0, redlock.js, lockScript; redlock 5.0.0-beta.2, ACQUIRE_SCRIPT',
    ...{ does: 'acquire', arguments: [MINUTE], done: 1, otherwise: 0 },
    script: `
	-- Return 0 if an entry already exists.
	for i, key in ipairs(KEYS) do
		if redis.call("exists", key) == 1 then
			return 0
		end
	end

	-- Create an entry for each provided key.
	for i, key in ipairs(KEYS) do
		redis.call("set", key, ARGV[1], "PX", ARGV[2])
	end

	-- Return the number of entries added.
	return #KEYS
`,
  },
  {
    source: 'redlock 4.2.0, redlock.js, unlockScript; redlock 5.0.0-beta.2, RELEASE_SCRIPT',
    ...{ does: 'release', arguments: [], done: 1, otherwise: 0 },
    script: `
	local count = 0
	for i, key in ipairs(KEYS) do
		-- Only remove entries for *this* lock value.
		if redis.call("get", key) == ARGV[1] then
			redis.pcall("del", key)
			count = count + 1
		end
	end

	-- Return the number of entries removed.
	return count
`,
  },
  {
    source: 'redlock 4.2.0, redlock.js, extendScript; redlock 5.0.0-beta.2, EXTEND_SCRIPT',
    ...{ does: 'extend', arguments: [MINUTE], done: 1, otherwise: 0 },
    script: `
	-- Return 0 if an entry exists with a *different* lock value.
	for i, key in ipairs(KEYS) do
		if redis.call("get", key) ~= ARGV[1] then
			return 0
		end
	end

	-- Update the entry for each provided key.
	for i, key in ipairs(KEYS) do
		redis.call("set", key, ARGV[1], "PX", ARGV[2])
	end

	-- Return the number of entries updated.
	return #KEYS
`,
  },
  {
    source: 'redislock 0.9.4, redislock.go, luaObtain',
    ...{ does: 'acquire', arguments: ['3', MINUTE], done: '+OK', otherwise: null },
    script: `
if redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[3]) then return redis.status_reply("OK") end

local offset = tonumber(ARGV[2])
if redis.call("getrange", KEYS[1], 0, offset-1) == string.sub(ARGV[1], 1, offset) then return redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[3]) end
`,
  },
  {
    source: 'redislock 0.9.4, redislock.go, luaPTTL',
    ...{ does: 'remaining', arguments: [], done: 60_000, otherwise: -3 },
    script: 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pttl", KEYS[1]) else return -3 end',
  },
  {
    source: 'pottery 3.0.1, redlock.py, _acquired_script',
    ...{ does: 'remaining', arguments: [], done: 60_000, otherwise: 0 },
    script: `
                if redis.call('get', KEYS[1]) == ARGV[1] then
                    local pttl = redis.call('pttl', KEYS[1])
                    return (pttl > 0) and pttl or 0
                else
                    return 0
                end
            `,
  },
  {
    source: 'redislock, main branch, obtain.lua',
    ...{ does: 'acquire', arguments: ['3', MINUTE], done: '+OK', otherwise: null },
    script: `-- obtain.lua: arguments => [value, tokenLen, ttl]
-- Obtain.lua try to set provided keys's with value and ttl if they do not exists.
-- Keys can be overriden if they already exists and the correct value+tokenLen is provided.

local function pexpire(ttl)
	-- Update keys ttls.
	for _, key in ipairs(KEYS) do
		redis.call("pexpire", key, ttl)
	end
end

-- canOverrideLock check either or not the provided token match
-- previously set lock's tokens.
local function canOverrideKeys()
	local offset = tonumber(ARGV[2])

	for i, key in ipairs(KEYS) do
		if redis.call("getrange", key, 0, offset-1) ~= string.sub(ARGV[1], 1, offset) then
			return false
		end
	end
	return true
end

-- Prepare mset arguments.
local setArgs = {}
for i, key in ipairs(KEYS) do
	table.insert(setArgs, key)
	table.insert(setArgs, ARGV[1])
end

if redis.call("msetnx", unpack(setArgs)) ~= 1 then
	if canOverrideKeys() == false then
		return false
	end
	redis.call("mset", unpack(setArgs))
end

pexpire(ARGV[3])
return redis.status_reply("OK")`,
  },
  {
    source: 'redislock, main branch, release.lua',
    ...{ does: 'release', arguments: [], done: '+OK', otherwise: null },
    script: `-- release.lua: => Arguments: [value]
-- Release.lua deletes provided keys if all their values match the input.

-- Check all keys values matches provided input.
local values = redis.call("mget", unpack(KEYS))
for i, _ in ipairs(KEYS) do
	if values[i] ~= ARGV[1] then
		return false
	end
end

-- Delete keys.
redis.call("del", unpack(KEYS))

return redis.status_reply("OK")`,
  },
  {
    source: 'redislock, main branch, refresh.lua',
    ...{ does: 'extend', arguments: [MINUTE], done: '+OK', otherwise: null },
    script: `-- refresh.lua: => Arguments: [value, ttl]
-- refresh.lua refreshes provided keys's ttls if all their values match the input.

-- Check all keys values matches provided input.
local values = redis.call("mget", unpack(KEYS))
for i, _ in ipairs(KEYS) do
	if values[i] ~= ARGV[1] then
		return false
	end
end

-- Update keys ttls.
for _, key in ipairs(KEYS) do
	redis.call("pexpire", key, ARGV[2])
end

return redis.status_reply("OK")`,
  },
  {
    source: 'redislock, main branch, pttl.lua',
    ...{ does: 'remaining', arguments: [], done: 60_000, otherwise: -3 },
    script: `local values = redis.call("mget", unpack(KEYS))
local ttl = -3
for i, _ in ipairs(KEYS) do
	if values[i] == ARGV[1] then
		ttl = redis.call("pttl", KEYS[i])
    else
        return -3
	end
end
return ttl`,
  },
  {
    source: 'redis-semaphore 5.8.0, mutex/release.js',
    ...{ does: 'release', arguments: [], done: 1, otherwise: 0 },
    script: `
  local key = KEYS[1]
  local identifier = ARGV[1]

  if redis.call('get', key) == identifier then
    return redis.call('del', key)
  end

  return 0
  `,
  },
  {
    source: 'redis-semaphore 5.8.0, mutex/refresh.js',
    ...{ does: 'extend', arguments: [MINUTE], done: 1, otherwise: 0 },
    script: `
  local key = KEYS[1]
  local identifier = ARGV[1]
  local lockTimeout = ARGV[2]

  local value = redis.call('get', key)

  if value == identifier then
    redis.call('pexpire', key, lockTimeout)
    return 1
  end

  return 0
  `,
  },
  {
    source: 'Spring Integration 7.0, RedisLockRegistry, OBTAIN_LOCK_SCRIPT',
    ...{ does: 'acquire', arguments: [MINUTE], done: 1, otherwise: null },
    script: `local lockClientId = redis.call('GET', KEYS[1])
if lockClientId == ARGV[1] then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return true
elseif not lockClientId then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
	return true
end
return false
`,
  },
  {
    source: 'Spring Integration 7.0, RedisLockRegistry, RENEW_SCRIPT',
    ...{ does: 'extend', arguments: [MINUTE], done: 1, otherwise: null },
    script: `if (redis.call('GET', KEYS[1]) == ARGV[1]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return true
end
return false
`,
  },
  {
    source: 'Spring Integration 7.0, RedisLockRegistry.RedisSpinLock, UNLINK_UNLOCK_SCRIPT',
    ...{ does: 'release', arguments: [], done: 1, otherwise: null },
    script: `local lockClientId = redis.call('GET', KEYS[1])
if lockClientId == ARGV[1] then
	redis.call('UNLINK', KEYS[1])
	return true
end
return false
`,
  },
] as LibraryScript[];
