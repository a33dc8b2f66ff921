import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { IMAGE_FILES, type Image } from '../../infra/container/image-files.ts';
import { readProject } from '../../infra/container/prove/compose-file.ts';
import { isSetting } from '../support/packaged-settings.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** A tag of a full version, or a digest: the same image tomorrow. */
const PINNED = /(:\d+\.\d+(\.\d+)?(-[a-z0-9]+)*|@sha256:[0-9a-f]{64})$/;
/** Microsoft publishes no tag of a version with this Node: docs/deployment.md says how a release pins its digest. */
const BY_DIGEST_AT_RELEASE = ['mcr.microsoft.com/azure-functions/node:4-node24'];

describe.each<[string, Image]>([
  ['Dockerfile', 'host'],
  ['Dockerfile.worker', 'worker'],
])('%s', (name, image) => {
  const text = read(`infra/container/${name}`);
  const stageOf = (name: string) => text.split(/^FROM /m).find((each) => each.startsWith(`${name}\n`)) ?? '';
  const stage = stageOf('$' + '{BASE} AS product');

  test('has no problem that a linter sees', () => {
    expect(validate(text)).toEqual([]);
    expect(validate(text.replace('WORKDIR', 'WORKDIRECTORY'))).not.toEqual([]);
  });

  test('takes every base image from an argument, whose default is pinned', () => {
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(
      bases.every(
        (base) =>
          ['build', 'product'].includes(base ?? '') || base === '$' + '{BUILD}' || base === '$' + '{BASE}',
      ),
    ).toBe(true);
    const defaults = [...text.matchAll(/^ARG \w+=(\S+)$/gm)].map(([, value]) => value ?? '');
    expect(defaults).toHaveLength(2);
    expect(defaults.filter((each) => !PINNED.test(each) && !BY_DIGEST_AT_RELEASE.includes(each))).toEqual([]);
  });

  test('assembles the list of its image, and copies nothing else into it', () => {
    expect(text).toContain(`node infra/container/assemble.ts ${image} /app`);
    const copies = [...stage.matchAll(/^COPY (.+)$/gm)].map(([, args]) =>
      args?.split(' ').slice(0, -1).join(' '),
    );
    const scripts = ['entrypoint.sh', ...(image === 'worker' ? ['run-command.sh'] : [])];
    expect(copies).toEqual([
      '--from=build /dependencies',
      '--from=build /app',
      ...scripts.map((script) => `--chmod=0555 infra/container/${script}`),
    ]);
  });

  test('adds the fixture company to its stage of development alone', () => {
    expect(stage).not.toContain('infra ');
    expect(stageOf('product AS development')).toMatch(
      /^COPY --from=build \/src\/dist\/infra \S+\/dist\/infra$/m,
    );
    // What `docker build` makes without a target.
    expect(text).toMatch(/\nFROM product\n$/);
  });

  test('runs as nobody in particular, with its version in its labels', () => {
    expect(stage).toMatch(/^USER 10001:10001$/m);
    expect(stage).toContain('org.opencontainers.image.version="$' + '{VERSION}"');
    expect(stage).toContain('org.opencontainers.image.revision="$' + '{COMMIT}"');
    expect(stage).toMatch(/^HEALTHCHECK /m);
    expect(stage).toMatch(/^VOLUME \["\/tmp"/m);
  });

  test.runIf(image === 'host')('lets the host write below HOME where App Service sets it', () => {
    const owned = /chown 10001:10001 ([^\n]+)/.exec(stage)?.[1]?.split(' ');
    expect(owned).toEqual(['/azure-functions-host/Secrets', '/home/LogFiles', '/home/data']);
  });
});

test('the context of the build has what the list needs, and no secrets', () => {
  const kept = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = Object.values(IMAGE_FILES).flatMap((patterns) =>
    patterns.filter((pattern) => !pattern.startsWith('dist/')).map((pattern) => pattern.split('/')[0]),
  );
  // What is below dist/ is built of these.
  expect(kept).toEqual(expect.arrayContaining([...copied, 'core', 'functions', 'main.ts', 'web', 'client']));
  expect(kept.filter((file) => file.startsWith('infra')).sort()).toEqual([
    'infra/app',
    'infra/compose/seed-development-tenant.ts',
    'infra/console',
    'infra/container',
    'infra/local',
  ]);
  for (const file of kept) expect(() => statSync(path.join(root, file)), file).not.toThrow();
});

test('a mounted secret of the storage account reaches the host, which knows no files', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'entrypoint-'));
  const file = path.join(folder, 'storage');
  const run = (env: Record<string, string>) =>
    execFileSync(path.join(root, 'infra/container/entrypoint.sh'), ['env'], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
  try {
    cpSync(path.join(root, 'host.json'), file);
    const lines = run({ AzureWebJobsStorage_FILE: file });
    expect(lines).toContain(`AzureWebJobsStorage=${readFileSync(file, 'utf8').trim()}`);
    expect(lines).not.toContain('AzureWebJobsStorage_FILE');
    expect(run({ AzureWebJobsStorage: 'as given' })).toContain('AzureWebJobsStorage=as given\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the worker image runs each command by its name, and no other file', () => {
  const script = path.join(root, 'infra/container/run-command.sh');
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'commands-')));
  const commands = path.join(folder, 'dist/core/commands');
  const run = (...args: string[]) =>
    execFileSync(script, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  try {
    mkdirSync(commands, { recursive: true });
    const names = ['worker', 'migrate', 'tenant', 'doctor', 'audit-verify', 'audit-resume'];
    for (const name of [...names, 'options'])
      writeFileSync(path.join(commands, `${name}.js`), 'console.log(process.argv.slice(1).join(" "))');
    for (const name of names) expect(run(name, '--help')).toBe(`${path.join(commands, name)}.js --help\n`);
    for (const name of ['options', '../x', ''])
      expect(() => run(name)).toThrow(`${names.slice(0, -1).join(', ')} or`);
    expect(readdirSync(path.join(root, 'core/commands'))).toEqual(
      expect.arrayContaining(names.map((name) => `${name}.ts`)),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('compose', () => {
  const file = path.join(root, 'infra/compose/compose.yaml');
  const Service = z.looseObject({
    image: z.string(),
    environment: z.record(z.string(), z.string()).default({}),
    secrets: z.array(z.string()).default([]),
    depends_on: z.record(z.string(), z.looseObject({ condition: z.string() })).default({}),
  });
  const { services, secrets } = z
    .looseObject({
      services: z.record(z.string(), Service),
      secrets: z.record(z.string(), z.object({ file: z.string() })),
    })
    .parse(parse(read('infra/compose/compose.yaml'), { merge: true }));
  const ours = Object.entries(services).filter(([name]) => !['postgres', 'azurite'].includes(name));

  test('fits the compose schema, and a linter has nothing against it', () => {
    const off = [
      // An image that is built here has a name as well; the address of the port is a variable.
      ...['no-build-and-image', 'no-unbound-port-interfaces', 'service-image-require-explicit-tag'],
      // It asks for single quotes, the formatter for double ones.
      'require-quotes-in-ports',
      // The order is that of the start.
      ...['service-keys-order', 'services-alphabetical-order', 'top-level-properties-order'],
      ...['service-dependencies-alphabetical-order', 'service-ports-alphabetical-order'],
    ];
    const linter = new DCLinter({
      rules: Object.fromEntries(off.map((rule) => [rule, 0])),
      quiet: false,
      debug: false,
      exclude: [],
    });
    const files = [file, path.join(root, 'infra/compose/compose.rotation.yaml')];
    const results: { messages: { line: number; message: string }[] }[] = linter.lintFiles(files, false);
    expect(
      results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`)),
    ).toEqual([]);
    expect(results).toHaveLength(files.length);
  });

  test('a rotation gives the former session secret to all that check sessions', () => {
    const added = {
      environment: { SVC_SESSION_SECRET_PREVIOUS_FILE: '/run/secrets/session-secret-previous' },
      secrets: ['session-secret-previous'],
    };
    expect(parse(read('infra/compose/compose.rotation.yaml'), { merge: true })).toMatchObject({
      services: { host: added, worker: added },
      secrets: { 'session-secret-previous': { file: './secrets/session-secret-previous' } },
    });
    expect(isSetting('SVC_SESSION_SECRET_PREVIOUS_FILE')).toBe(true);
  });

  test('images of others are pinned', () => {
    const images = ['postgres', 'azurite'].map((name) => services[name]?.image ?? '');
    expect(images.filter((image) => !PINNED.test(image))).toEqual([]);
  });

  test('our containers are confined, with settings that the service knows', () => {
    for (const [name, service] of ours) {
      expect(service, name).toMatchObject({
        user: '10001:10001',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(
        Object.keys(service.environment).filter((setting) => !isSetting(setting)),
        name,
      ).toEqual([]);
    }
  });

  test('a container has the files that its settings name, and the owner where needed', () => {
    for (const [name, { environment, secrets: given }] of Object.entries(services)) {
      const wanted = Object.entries(environment).filter(([setting]) => setting.endsWith('_FILE'));
      const extra = name === 'azurite' ? ['azurite-accounts'] : [];
      const names = wanted.map(([, value]) => value.replace('/run/secrets/', ''));
      expect([...given].sort(), name).toEqual([...names, ...extra].sort());
    }
    const owning = Object.entries(services).filter(([, service]) =>
      service.secrets.includes('migration-database-url'),
    );
    expect(owning.map(([name]) => name)).toEqual(['migrate', 'development-tenant']);
  });

  test('host and workers start when the migrations have ended', () => {
    for (const name of ['host', 'worker']) {
      expect(services[name]?.depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        azurite: { condition: 'service_healthy' },
        'development-tenant': { condition: 'service_completed_successfully', required: false },
      });
    }
    expect(services).toMatchObject({
      worker: { deploy: { replicas: 2 } },
      migrate: { restart: 'no' },
      'development-tenant': { profiles: ['development'] },
    });
  });

  test('only the host is reached from outside, at the port of the Functions host', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).toEqual(['host']);
    expect(published[0]?.[1].ports).toEqual([expect.stringMatching(/:8080$/)]);
  });

  describe('prepare.sh', () => {
    let folder: string;
    const prepare = (...args: string[]) =>
      execFileSync(path.join(folder, 'prepare.sh'), args, { encoding: 'utf8', stdio: 'pipe' });
    const secretsNow = () =>
      Object.fromEntries(
        readdirSync(path.join(folder, 'secrets')).map((name) => [
          name,
          readFileSync(path.join(folder, 'secrets', name), 'utf8'),
        ]),
      );
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'compose-'));
      cpSync(path.join(root, 'infra/compose'), folder, { recursive: true });
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('makes every secret, for containers to read and for no other user of the machine', () => {
      expect(prepare('--development')).toContain('compose.yaml up');
      const made = readdirSync(path.join(folder, 'secrets'));
      for (const { file: secret } of Object.values(secrets)) expect(made).toContain(path.basename(secret));
      expect(statSync(path.join(folder, 'secrets')).mode & 0o777).toBe(0o700);
      const modeOf = (name: string) => statSync(path.join(folder, 'secrets', name)).mode & 0o777;
      // The provider makes the client secret, and a person writes it here.
      const expected = (name: string) => (name === 'idp-client-secret' ? 0o644 : 0o444);
      expect(made.filter((name) => modeOf(name) !== expected(name))).toEqual([]);
      expect(parseEnv(readFileSync(path.join(folder, '.env'), 'utf8'))).toMatchObject({
        COMPOSE_PROFILES: 'development',
        SVC_ENV: 'development',
        SVC_AUTH_MODE: 'dev',
        IMAGE_TARGET: 'development',
      });
    });

    test('what it makes is what the proof without an engine starts', async () => {
      const { services: started } = await readProject(path.join(folder, 'compose.yaml'));
      expect([...started.keys()]).toEqual(Object.keys(services));
      const imagesOf = (project: typeof started) =>
        ['host', 'worker', 'migrate'].map((name) => [
          project.get(name)?.image,
          project.get(name)?.build?.target,
        ]);
      expect(imagesOf(started)).toEqual([
        ['data-governance-service-host-development', 'development'],
        ['data-governance-service-worker-development', 'development'],
        ['data-governance-service-worker-development', 'development'],
      ]);
      const deployed = await readProject(path.join(folder, 'compose.yaml'), '.env.example');
      expect(imagesOf(deployed.services)).toEqual([
        ['data-governance-service-host', 'product'],
        ['data-governance-service-worker', 'product'],
        ['data-governance-service-worker', 'product'],
      ]);
      expect(started.get('host')).toMatchObject({
        ports: ['127.0.0.1:7071:8080'],
        environment: { SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_IDP_ISSUER: '' },
      });
      // `$$` is a dollar for the shell of the container.
      expect(started.get('azurite')?.entrypoint?.at(-1)).toContain('"$(cat /run/secrets/azurite-accounts)"');
    });

    test('keeps what there is, and refuses what it does not know', () => {
      const before = secretsNow();
      prepare();
      expect(secretsNow()).toEqual(before);
      expect(() => prepare('--producton')).toThrow();
    });
  });
});
