// Why the server answers otherwise than Redis with RedisBloom. docs/SERVER.md has them in a table.

export const reasons = {
  databases: 'There is one database.',
  greeting: 'It says what it is. Clients read `proto`, `id`, `mode` and `role`, which are there.',
  watch: 'A detector changes with each key. FS.OBSERVE tests and adds a key in one step.',
  ends: 'Redis skips two bytes, whatever they are. A client that counts wrongly would send other keys than it means to.',
  growth: 'A filter has fixed memory. The error names the command that reserves more.',
  words:
    'RedisBloom passes over words that it does not know. NONSCALING with a typing error would be a filter that grows.',
  zero: 'It says what NONSCALING says: the filter does not grow.',
  missing: 'A typing error would be a new filter. With `--auto-create`, the server makes one.',
  size: 'Another structure, of other memory.',
  expansion: 'A filter does not grow.',
  info: 'Another memory, no growth, and fields of our own after those of RedisBloom.',
  arity: 'A module checks arguments when a command is run. Here a wrong command is not queued, and EXEC runs none.',
  type: 'It is a detector of any family.',
  meaning: 'A detector knows whether a key was seen, and nothing else of it.',
  time: 'A key that is remembered longer or shorter than its program expects loses events, or repeats them.',
  forgets: 'A detector forgets no single key. An OK would be wrong.',
  scripts:
    'There is no Lua. The scripts of libraries of locks are known, and FS.ABORT compares the token and frees the key in one step.',
  left: 'A detector does not know when a key came.',
  unmapped: 'Keys have a detector by a map only.',
  dump: 'The bytes are the structure of RedisBloom.',
};
