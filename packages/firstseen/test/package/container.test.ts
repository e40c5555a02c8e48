// The files of deploy/, and the packed server as they run it: another user, one folder that can be written, and the first process.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canContain, containedWords, NOBODY } from '../../../../tools/contained.mjs';
import { kafkaRows } from '../../src/options/kafka.js';
import { serveRows } from '../../src/options/serve.js';
import { variableOf } from '../../src/options/settings.js';
import { finished } from '../cli/support/command.js';
import { started } from '../cli/support/server.js';
import { Client } from '../serve/support/client.js';
import { repositoryFolder } from '../support/folders.js';
import { packed, unpack } from '../support/packed.js';
import { requiresNodeForOthers } from '../support/platform.js';
import { documentsIn } from '../support/yaml.js';

const textOf = (name: string) => readFileSync(join(repositoryFolder, 'deploy', name), 'utf8');
const variables = serveRows.map((row) => variableOf(row));

const kafkaVariables = kafkaRows.map((row) => variableOf(row));

type Instruction = readonly [name: string, rest: string];

/** The instructions of the stages of the Dockerfile, by their names. */
function stagesOf(): ReadonlyMap<string, readonly Instruction[]> {
  const lines = textOf('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const stages = new Map<string, Instruction[]>();
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    const [, stage] = /^FROM \S+ AS (\S+)$/.exec(line) ?? [];
    if (stage) stages.set(stage, []);
    [...stages.values()].at(-1)?.push([name, rest]);
  }
  return stages;
}

describe('the Dockerfile', () => {
  const stages = stagesOf();
  const of = (stage: string, name: string) =>
    (stages.get(stage) ?? []).filter(([word]) => word === name).map(([, rest]) => rest);

  test('has instructions that there are', () => {
    const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'USER', 'ENV', 'EXPOSE', 'STOPSIGNAL'];
    known.push('HEALTHCHECK', 'ENTRYPOINT');
    const all = [...stages.values()].flat();
    expect(all.filter(([name]) => !known.includes(name))).toEqual([]);
    expect([...stages.keys()]).toEqual(['package', 'package-kafka', 'init', 'kafka', 'server']);
    const images = [...stages.keys()].flatMap((stage) => of(stage, 'FROM').map((rest) => rest.split(' ')[0]));
    expect(new Set(images)).toEqual(new Set(['node:22-bookworm-slim', 'package', 'init']));
  });

  const containers = [
    { stage: 'server', folder: '/data', program: ['firstseen', 'serve'], names: variables },
    { stage: 'kafka', folder: '/state', program: ['firstseen', 'kafka'], names: kafkaVariables },
  ];
  test.each(containers)('runs $stage as another user than root, in a folder for a volume', (row) => {
    const { stage, folder, program, names } = row;
    expect(of(stage, 'USER')).toEqual(['1000:1000']);
    expect(of(stage, 'WORKDIR').at(-1)).toBe(folder);
    expect(of(stage, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    const [init, ...words] = JSON.parse(of(stage, 'ENTRYPOINT')[0] as string) as string[];
    expect(words).toEqual(['-s', '--', ...program]);
    // Process 1 is one that handles signals before Node does.
    expect(of(stage, 'FROM')).toEqual([`init AS ${stage}`]);
    expect(of('init', 'RUN')[0]).toContain(` ${init} `);
    expect(of(stage, 'ENV').filter((one) => !names.includes(one.split('=')[0] as string))).toEqual([]);
  });

  test('requires the data of an earlier start, as the first lines of the other files say', () => {
    expect(of('server', 'ENV')).toContain('FIRSTSEEN_REQUIRE_DATA=true');
    expect(textOf('compose.yaml')).toContain('docker compose run --rm firstseen --init');
    expect(textOf('kubernetes.yaml')).toContain('kubectl apply --filename kubernetes.init.yaml');
  });

  const checkOf = (stage: string): string[] =>
    JSON.parse(/CMD (.+)$/.exec(of(stage, 'HEALTHCHECK')[0] as string)?.[1] ?? '[]');

  test('asks the server whether it answers', () => {
    expect(checkOf('server')).toEqual(['firstseen', 'serve', '--check']);
  });

  test('asks the worker for Kafka whether it lives, at its port', () => {
    const [command, ...words] = checkOf('kafka');
    expect(command).toBe('node');
    const port = of('kafka', 'ENV')
      .find((one) => one.startsWith('FIRSTSEEN_HTTP_PORT='))
      ?.split('=')[1];
    expect(words.at(-1)).toContain(`http://127.0.0.1:${port}/livez`);
    // Nobody answers here.
    expect(spawnSync(process.execPath, words).status).toBe(1);
  });

  test('has the client of Kafka that the tests against brokers use', () => {
    const [install = ''] = of('package-kafka', 'RUN');
    const [client = ''] = /@confluentinc\/\S+/.exec(install) ?? [];
    expect(readFileSync(join(repositoryFolder, 'tools/support/kafka/fetch.mjs'), 'utf8')).toContain(`'${client}'`);
  });
});

/** The files of the repository; undefined where it is not a clone. */
function trackedFiles(): string[] | undefined {
  const { status, stdout } = spawnSync('git', ['ls-files'], { cwd: repositoryFolder, encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n') : undefined;
}

test.skipIf(trackedFiles() === undefined)('the image is built from all files of the repository', () => {
  const isIgnored = picomatch(textOf('Dockerfile.dockerignore').trim().split('\n'), { dot: true });
  /** A file, and the folders that it is in. */
  const pathsOf = (file: string) => file.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  expect(trackedFiles()?.filter((file) => pathsOf(file).some((path) => isIgnored(path)))).toEqual([]);
  for (const path of ['.git', 'build', 'node_modules', 'packages/lab/build', 'packages/lab/dist']) {
    expect([path, isIgnored(path)]).toEqual([path, true]);
  }
});

/** The documents of a YAML file; undefined where nothing reads it. */
const yaml = (name: string) => documentsIn(textOf(name));

describe.skipIf(yaml('compose.yaml') === undefined)('the files in YAML', () => {
  test('compose.yaml runs the image read-only, with variables that there are', () => {
    const [compose] = yaml('compose.yaml') as [{ services: { firstseen: Record<string, unknown> } }];
    const { read_only, user, environment, volumes } = compose.services.firstseen;
    expect({ read_only, user, volumes }).toEqual({ read_only: true, user: '1000:1000', volumes: ['data:/data'] });
    expect(Object.keys(environment as object).filter((name) => !variables.includes(name))).toEqual([]);
  });

  test('kubernetes.yaml has a set of one process, whose probes are routes', () => {
    const [service, set] = yaml('kubernetes.yaml') as [Record<string, unknown>, Record<string, unknown>];
    expect([service.kind, set.kind]).toEqual(['Service', 'StatefulSet']);
    const { replicas, serviceName, template, volumeClaimTemplates } = set.spec as {
      replicas: number;
      serviceName: string;
      template: {
        spec: { securityContext: Record<string, unknown>; containers: Record<string, unknown>[]; volumes: object[] };
      };
      volumeClaimTemplates: { metadata: { name: string } }[];
    };
    const { securityContext, containers, volumes } = template.spec;
    expect({ replicas, serviceName }).toEqual({ replicas: 1, serviceName: 'firstseen' });
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    const [container] = containers as [Record<string, unknown>];
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/livez', port: 'http' } });
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
    const names = (container.env as { name: string }[]).map(({ name }) => name);
    expect(names.filter((name) => !variables.includes(name))).toEqual([]);
    const mounted = (container.volumeMounts as { name: string }[]).map(({ name }) => name);
    expect(mounted).toEqual([
      ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
      ...volumes.map((one) => (one as { name: string }).name),
    ]);
  });

  test('kubernetes.init.yaml makes the data folder in the volume of the set', () => {
    const [job] = yaml('kubernetes.init.yaml') as [{ spec: { template: { spec: Record<string, unknown> } } }];
    const [, set] = yaml('kubernetes.yaml') as [
      unknown,
      { spec: { template: { metadata: { labels: unknown }; spec: Record<string, unknown> } } },
    ];
    const { containers, volumes, securityContext, affinity } = job.spec.template.spec;
    const [container] = containers as [Record<string, unknown>];
    const [served] = set.spec.template.spec.containers as [Record<string, unknown>];
    expect(container.args).toEqual(['--init']);
    expect([container.image, container.securityContext]).toEqual([served.image, served.securityContext]);
    expect(securityContext).toEqual(set.spec.template.spec.securityContext);
    expect(container.volumeMounts).toEqual((served.volumeMounts as unknown[]).slice(0, 1));
    // The pod of the set waits with the volume, which cannot be on a second node.
    const labelSelector = { matchLabels: set.spec.template.metadata.labels };
    const sameNode = [{ labelSelector, topologyKey: 'kubernetes.io/hostname' }];
    expect(affinity).toEqual({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: sameNode } });
    // The name that the set gives the claim of its first process.
    expect(volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-firstseen-0' } }]);
  });

  test('compose.kafka.yaml runs workers that see one volume, with names that stay', () => {
    const [compose] = yaml('compose.kafka.yaml') as [{ services: Record<string, Record<string, unknown>> }];
    const workers = Object.entries(compose.services);
    expect(workers.length).toBeGreaterThan(1);
    for (const [name, { hostname, build, read_only, user, environment, volumes }] of workers) {
      expect({ hostname, read_only, user, volumes }).toEqual({
        ...{ hostname: name, read_only: true, user: '1000:1000', volumes: ['state:/state'] },
      });
      expect(build).toMatchObject({ target: 'kafka' });
      expect(Object.keys(environment as object).filter((one) => !kafkaVariables.includes(one))).toEqual([]);
    }
  });

  test('kubernetes.kafka.yaml has a set of workers that see one volume', () => {
    const documents = yaml('kubernetes.kafka.yaml') as { kind: string; spec: unknown }[];
    expect(documents.map(({ kind }) => kind)).toEqual(['Service', 'PersistentVolumeClaim', 'StatefulSet']);
    const [claim, set] = documents.slice(1).map(({ spec }) => spec) as [object, PodSet];
    expect(claim).toMatchObject({ accessModes: ['ReadWriteMany'] });
    const { securityContext, containers, volumes } = set.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    const [container] = containers as [PodContainer];
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/livez', port: 'http' } });
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
    expect(container.env.filter(({ name }) => !kafkaVariables.includes(name))).toEqual([]);
    expect(container.volumeMounts).toEqual([{ name: 'state', mountPath: '/state' }]);
    expect(volumes).toEqual([{ name: 'state', persistentVolumeClaim: { claimName: 'firstseen-kafka' } }]);
  });
});

interface PodContainer {
  securityContext: object;
  livenessProbe: object;
  readinessProbe: object;
  env: { name: string }[];
  volumeMounts: object[];
}

interface PodSet {
  template: { spec: { securityContext: object; containers: PodContainer[]; volumes: object[] } };
}

describe.skipIf(!canContain())('the packed server', () => {
  test('runs as the first process of another user, where only its folder can be written', async () => {
    requiresNodeForOthers(NOBODY);
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-container-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    const [installed, data] = [join(folder, 'installed'), join(folder, 'data')];
    unpack(join(installed, 'node_modules/firstseen'), packed('firstseen'));
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, NOBODY, NOBODY);
    writeFileSync(join(folder, 'token'), 'admin-0123456789\n', { mode: 0o440 });
    chownSync(join(folder, 'token'), 0, NOBODY);
    const bin = join(installed, 'node_modules/firstseen/bin/firstseen.js');
    const env = {
      PATH: process.env.PATH,
      ...{ FIRSTSEEN_HOST: '0.0.0.0', FIRSTSEEN_PORT: '0', FIRSTSEEN_HTTP_PORT: '0' },
      FIRSTSEEN_TOKEN_ADMIN_FILE: join(folder, 'token'),
    };
    const run = async () => {
      const place = { folder: data, readOnly: installed };
      const [command, ...words] = containedWords(place, [process.execPath, bin, 'serve']);
      const child = spawn(command, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
      const ended = finished(child);
      const { port, url } = await started(child);
      const first = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1'));
      const client = await Client.open(port);
      expect(await client.send('AUTH', 'admin-0123456789')).toBe('+OK');
      return { first, port, url, ended, client };
    };
    const one = await run();
    expect(readFileSync(`/proc/${one.first}/status`, 'latin1')).toMatch(/^Uid:\t65534\t[\s\S]*^NSpid:\t\d+\t1$/m);
    expect(await one.client.send('FS.CREATE', 'd', 'memory', '64KiB')).toBe('+OK');
    expect(await one.client.send('FS.OBSERVE', 'd', 'a')).toEqual(['+distinct']);
    expect(await one.client.send('FS.SAVE')).toBe(0);
    expect((await fetch(`${one.url.replace('0.0.0.0', '127.0.0.1')}readyz`)).status).toBe(200);
    execFileSync(process.execPath, [bin, 'serve', '--check'], { env: { ...env, FIRSTSEEN_PORT: String(one.port) } });
    process.kill(one.first, 'SIGTERM');
    expect(await one.ended).toMatchObject({ code: 0, stderr: '' });
    const two = await run();
    expect(await two.client.send('FS.OBSERVE', 'd', 'a')).toEqual(['+duplicate']);
    process.kill(two.first, 'SIGTERM');
    expect(await two.ended).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(data)).toEqual(['firstseen-data']);
    expect(existsSync(join(folder, 'installed', 'probe'))).toBe(false);
  });
});
