// Hadoop for tests and benchmarks: jobs in one process, or in the containers of a cluster that runs in one process.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository } from '../paths.mjs';

const OPENS = '--add-opens java.base/java.lang=ALL-UNNAMED --add-opens java.base/java.util=ALL-UNNAMED';
const SPLIT_BYTES = 300_000;
const STREAMING = 'org.apache.hadoop.streaming.HadoopStreaming';

function word(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function properties(values) {
  return Object.entries(values)
    .map(([name, value]) => `-D ${word(`${name}=${value}`)}`)
    .join(' ');
}

function javaHome() {
  const java = process.env.PATH.split(':')
    .map((folder) => join(folder, 'java'))
    .find(existsSync);
  return process.env.JAVA_HOME ?? dirname(dirname(realpathSync(java)));
}

/** Runs a program to its end; resolves to { code, log }. */
export function finished(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const log = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => log.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, log: Buffer.concat(log).toString('latin1') }));
  });
}

/** A counter of a job, from its log, where the totals are last; 0 without it. */
export function counter(log, name) {
  const found = [...log.matchAll(new RegExp(`^\\s+${name}=(\\d+)$`, 'gm'))];
  return Number(found.at(-1)?.[1] ?? 0);
}

/** The command that submits a job which runs in one process. */
export function localStreaming({ libs, folder }, more = {}) {
  const local = properties({
    'mapreduce.framework.name': 'local',
    'hadoop.tmp.dir': join(folder, 'tmp'),
    ...more,
  });
  return `java -Xmx400m -cp ${word(`${libs}/*`)} ${STREAMING} ${local}`;
}

/** Jobs in one process, with several splits in a file. */
export function localHadoop(place) {
  return engine(localStreaming(place, { 'fs.local.block.size': SPLIT_BYTES }));
}

/** A way to submit jobs with engines/hadoop/run. */
function engine(streaming, more = []) {
  return {
    /** @param args of engines/hadoop/run before --, and `flags` after it */
    submit: (args, flags, { cwd, env = {} }) =>
      finished(join(repository, 'engines/hadoop/run'), ['--streaming', streaming, ...more, ...args, '--', ...flags], {
        cwd,
        env: { ...process.env, ...env },
      }),
  };
}

/** Starts HDFS, and YARN unless `more` has -nomr; resolves to its ports, its class path, `fs`, `hdfs` and `stop`. */
async function startServices({ libs, folder }, more = []) {
  const conf = join(folder, 'conf');
  mkdirSync(conf, { recursive: true });
  const details = join(folder, 'details.json');
  const log = openSync(join(folder, 'cluster.log'), 'w');
  const args = [
    ...[
      '-Xmx900m',
      ...OPENS.split(' '),
      '-cp',
      `${libs}/*`,
      'org.apache.hadoop.mapreduce.MiniHadoopClusterManager',
      '-format',
      ...more,
    ],
    ...['-D', 'yarn.is.minicluster=true', '-D', 'yarn.nodemanager.resource.memory-mb=6144'],
    ...['-D', 'yarn.nodemanager.disk-health-checker.enable=false'],
    ...['-writeConfig', join(conf, 'core-site.xml'), '-writeDetails', details],
  ];
  const env = { ...process.env, JAVA_HOME: javaHome() };
  const cluster = spawn('java', args, { cwd: folder, env, stdio: ['ignore', log, log] });
  for (let waited = 0; !existsSync(details); waited++) {
    if (waited > 240 || cluster.exitCode !== null) {
      cluster.kill();
      throw new Error(`the cluster did not start: ${readFileSync(join(folder, 'cluster.log'), 'latin1').slice(-500)}`);
    }
    await sleep(500);
  }
  await sleep(500);
  const { namenode_port: names, resourcemanager_port: manager } = JSON.parse(readFileSync(details, 'utf8'));
  const classPath = `${conf}:${libs}/*`;
  const script = join(folder, 'fs.sh');
  writeFileSync(script, `exec java -Xmx200m -cp ${word(classPath)} org.apache.hadoop.fs.FsShell "$@"\n`);
  return {
    manager,
    classPath,
    fsCommand: `sh ${script}`,
    /** Runs `hadoop fs`. */
    fs: (...words) => finished('sh', [script, ...words]),
    hdfs: `hdfs://localhost:${names}`,
    stop: () => new Promise((resolve) => cluster.on('close', resolve).kill('SIGKILL')),
  };
}

/** Starts HDFS alone. */
export function startHdfs(place) {
  return startServices(place, ['-nomr']);
}

/** Starts HDFS and YARN; resolves to a way to submit jobs, `fs`, `hdfs` and `stop`. */
export async function startCluster({ libs, folder }) {
  const { manager, classPath, fsCommand, ...services } = await startServices({ libs, folder });
  const containers = properties({
    'mapreduce.framework.name': 'yarn',
    'yarn.is.minicluster': true,
    'yarn.resourcemanager.address': `localhost:${manager}`,
    'mapreduce.application.classpath': `${libs}/*`,
    'yarn.application.classpath': `${libs}/*`,
    'yarn.app.mapreduce.am.resource.mb': 1024,
    'yarn.app.mapreduce.am.command-opts': `-Xmx512m ${OPENS}`,
    'mapreduce.map.java.opts': `-Xmx300m ${OPENS}`,
    'mapreduce.reduce.java.opts': `-Xmx300m ${OPENS}`,
    'mapreduce.map.memory.mb': 512,
    'mapreduce.reduce.memory.mb': 512,
    'mapreduce.job.maps': 3,
  });
  const home = `JAVA_HOME=${word(javaHome())}`;
  return {
    ...engine(`${home} java -Xmx400m -cp ${word(classPath)} ${STREAMING} ${containers}`, ['--fs', fsCommand]),
    ...services,
  };
}
