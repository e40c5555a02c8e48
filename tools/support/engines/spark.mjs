// Spark for tests and benchmarks: in one process, or as a standalone cluster of a master and a worker.

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '../paths.mjs';
import { finished } from './hadoop.mjs';

export const dedup = join(repository, 'engines/spark/dedup.py');

function sparkHome(python) {
  const lib = join(dirname(dirname(python)), 'lib');
  const [version] = readdirSync(lib).filter((name) => name.startsWith('python'));
  return join(lib, version, 'site-packages/pyspark');
}

/** What a program of Spark finds in its environment. */
export function sparkEnvironment(python, master, conf = {}) {
  const properties = { 'spark.master': master, 'spark.driver.memory': '600m', 'spark.ui.enabled': false, ...conf };
  const words = Object.entries(properties).map(([name, value]) => `--conf ${name}=${value}`);
  return {
    PYSPARK_PYTHON: python,
    SPARK_LOCAL_IP: '127.0.0.1',
    PYSPARK_SUBMIT_ARGS: `${words.join(' ')} pyspark-shell`,
  };
}

/** A way to run programs on Spark. */
function engine(python, master) {
  return {
    /** @param conf properties of Spark */
    submit: (args, { cwd, conf, env = {}, program = dedup }) =>
      finished(python, [program, ...args], {
        cwd,
        env: { ...process.env, ...sparkEnvironment(python, master, conf), ...env },
      }),
  };
}

/** Spark in one process, with this number of attempts for each task. */
export function localSpark(python, { attempts = 3 } = {}) {
  return engine(python, `local[2,${attempts}]`);
}

/** Starts a program of Spark; resolves to what a line of its log shows. */
function started(home, words, shows) {
  const child = spawn(join(home, 'bin/spark-class'), words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, SPARK_LOCAL_IP: '127.0.0.1', SPARK_DAEMON_MEMORY: '256m', SPARK_DAEMON_JAVA_OPTS: '' },
  });
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
      const found = shows.exec(log);
      if (found) resolve({ child, found });
    });
    child.on('error', reject);
    child.on('close', () => reject(new Error(`Spark did not start: ${log.slice(-500)}`)));
  });
}

/** The addresses of the workers. Spark repeats a slow task only on another one. */
const WORKERS = ['127.0.0.1', '127.0.0.2'];

/** Starts a master and workers; resolves to a way to run programs, and `stop`. */
export async function startSpark(python, folder) {
  const home = sparkHome(python);
  const at = (host) => ['--host', host, '--port', '0', '--webui-port', '0'];
  const master = await started(
    home,
    ['org.apache.spark.deploy.master.Master', ...at('127.0.0.1')],
    /Starting Spark master at (spark:\/\/\S+)/,
  );
  const [, url] = master.found;
  const size = ['--cores', '1', '--memory', '1536m', '--work-dir', folder];
  const start = (host) =>
    started(
      home,
      ['org.apache.spark.deploy.worker.Worker', ...at(host), ...size, url],
      /Successfully registered with master/,
    );
  const workers = await Promise.all(WORKERS.map(start));
  const end = (child) => new Promise((resolve) => child.removeAllListeners('close').on('close', resolve).kill());
  return {
    ...engine(python, url),
    stop: async () => {
      for (const { child } of [...workers, master]) await end(child);
    },
  };
}
