import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SettingsSchema } from '../../core/config/config.ts';
import { PRODUCT_VERSION } from '../../core/controlplane/product-version.ts';
import { DOORBELL_QUEUE } from '../../core/work/doorbell.ts';
import { type Manifest, manifestsIn, workloadsOf } from '../support/manifests.ts';
import { isSetting } from '../support/packaged-settings.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'infra/kubernetes');
const manifests = manifestsIn(folder);
const workloads = workloadsOf(manifests);
const kustomizations = manifests.filter(({ kind }) => kind === 'Kustomization');
/** What a cluster is given. Its schemas are known, save for that of KEDA's HTTP add-on. */
const resources = manifests.filter(({ kind }) => kind !== 'Kustomization' && kind !== 'InterceptorRoute');

let build: string;
beforeAll(() => {
  build = mkdtempSync(path.join(root, '.build-'));
});
afterAll(() => rmSync(build, { recursive: true, force: true }));

const moduleOf = ({ apiVersion }: Manifest) =>
  apiVersion.startsWith('keda.sh/')
    ? `@kubernetes-models/keda/${apiVersion}`
    : `kubernetes-models/${apiVersion}`;
const labelOf = ({ kind, metadata, file }: Manifest) => `${kind} ${metadata?.name} (${file})`;
const body = ({ file: _, ...manifest }: Manifest) => manifest;
const named = (kind: string, name: string) => {
  const found = manifests.find((each) => each.kind === kind && each.metadata?.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
};

test('there are manifests of every kind that a deployment needs', () => {
  expect(new Set(manifests.map(({ kind }) => kind))).toEqual(
    new Set([
      'ConfigMap',
      'CronJob',
      'Deployment',
      'InterceptorRoute',
      'Job',
      'Kustomization',
      'Namespace',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'ScaledObject',
      'Service',
      'ServiceAccount',
      'TriggerAuthentication',
    ]),
  );
});

test.each(resources.map((each) => [labelOf(each), each] as const))('%s fits its schema', async (_, each) => {
  type Model = new (data: object) => { validate(): void };
  const models = (await import(moduleOf(each))) as Record<string, Model>;
  const Kind = models[each.kind];
  if (Kind === undefined) throw new Error(`${moduleOf(each)} knows no ${each.kind}.`);
  expect(() => new Kind(body(each)).validate()).not.toThrow();
});

test('no manifest has a field that its kind does not know', () => {
  // The schemas allow unknown fields. The types do not, and the compiler names what is misspelt.
  const lines = resources.map(
    (each, index) =>
      `export const m${index}: import('${moduleOf(each)}').I${each.kind} = ${JSON.stringify(body(each))};`,
  );
  const file = path.join(build, 'manifests.ts');
  const compile = (text: string) => {
    writeFileSync(file, text);
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    // The options stand for themselves: those of the project are not read.
    return execFileSync(process.execPath, [compiler, '--ignoreConfig', ...options, file], {
      encoding: 'utf8',
    });
  };
  expect(compile(lines.join('\n'))).toBe('');
  expect(() =>
    compile(lines.join('\n').replace('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"')),
  ).toThrow();
});

test('the route of the HTTP add-on has the fields of its version', () => {
  const Route = z.strictObject({
    apiVersion: z.literal('http.keda.sh/v1beta1'),
    kind: z.literal('InterceptorRoute'),
    metadata: z.strictObject({ name: z.string() }),
    spec: z.strictObject({
      target: z.strictObject({ service: z.literal('host'), portName: z.literal('http') }),
      rules: z.array(z.strictObject({ hosts: z.array(z.string()).min(1) })).min(1),
      scalingMetric: z.strictObject({ concurrency: z.strictObject({ targetValue: z.int().min(1) }) }),
    }),
  });
  expect(Route.safeParse(body(named('InterceptorRoute', 'host'))).error).toBeUndefined();
});

describe('Kustomize', () => {
  test('every resource that is named exists, and every file is named', () => {
    const reached = kustomizations.flatMap(({ file, resources: names }) =>
      z
        .array(z.string())
        .parse(names)
        .map((name) => path.posix.join(path.posix.dirname(file), name)),
    );
    for (const file of reached) expect(existsSync(path.join(folder, file)), file).toBe(true);
    const files = new Set(resources.map(({ file }) => file));
    expect([...files].filter((file) => !reached.includes(file))).toEqual([]);
  });

  test('images have the release as their tag', () => {
    const images = kustomizations.find(({ file }) => file.startsWith('base/'))?.images;
    const Images = z.array(z.object({ name: z.string(), newTag: z.string() }));
    expect(Images.parse(images).map(({ name, newTag }) => `${name}:${newTag}`)).toEqual(
      ['host', 'worker'].map((image) => `data-governance-service-${image}:${PRODUCT_VERSION}`),
    );
  });

  test('each overlay sets how many there are, by number or by scaler', () => {
    const counted = (overlay: string) => {
      const own = manifests.filter(({ file }) => file.startsWith(`overlays/${overlay}/`));
      const replicas = own.flatMap(({ replicas }) =>
        z.array(z.object({ name: z.string() })).parse(replicas ?? []),
      );
      const scaled = own
        .filter(({ kind }) => kind === 'ScaledObject')
        .map(
          ({ spec }) =>
            z.object({ scaleTargetRef: z.object({ name: z.string() }) }).parse(spec).scaleTargetRef,
        );
      return [...replicas, ...scaled].map(({ name }) => name).sort();
    };
    expect(counted('small')).toEqual(['host', 'worker']);
    expect(counted('scaled')).toEqual(['host', 'worker']);
  });
});

describe.each(workloads)('the pods of $name', ({ pod }) => {
  test('fit the restricted standard, and can write to stated paths only', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const { securityContext, volumeMounts } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const writable = volumeMounts
        .filter(({ readOnly }) => readOnly !== true)
        .map((mount) => mount.mountPath);
      expect(['/tmp', '/azure-functions-host/Secrets']).toEqual(expect.arrayContaining(writable));
      expect(volumeMounts.map(({ name }) => name).sort()).toEqual(pod.volumes.map(({ name }) => name).sort());
    }
  });

  test('have bounds, and settings that the service knows', () => {
    for (const { resources: bounds, env } of pod.containers) {
      expect(bounds).toMatchObject({
        requests: { cpu: expect.anything() },
        limits: { memory: expect.anything() },
      });
      expect(env.map(({ name }) => name).filter((name) => !isSetting(name))).toEqual([]);
    }
  });

  test('are given the file of every secret that a setting names', () => {
    const { data } = z
      .object({ data: z.record(z.string(), z.string()) })
      .parse(named('ConfigMap', 'governance'));
    for (const { env, envFrom, volumeMounts } of pod.containers) {
      const shared = envFrom === undefined ? [] : Object.entries(data);
      const values = [...shared, ...env.map(({ name, value }) => [name, value ?? ''] as const)];
      const wanted = values.filter(([name]) => name.endsWith('_FILE')).map(([, file]) => file);
      const given = (file: string) =>
        pod.volumes.some(({ name, secret }) => {
          const mounted = volumeMounts.find((mount) => mount.name === name)?.mountPath;
          if (secret === undefined || path.posix.dirname(file) !== mounted) return false;
          // A secret without items is mounted whole.
          return secret.items?.some((item) => item.path === path.posix.basename(file)) ?? true;
        });
      expect(wanted.filter((file) => !given(file))).toEqual([]);
    }
  });
});

test('hosts and workers are given every key of the secret, and nothing of the owner', () => {
  for (const name of ['host', 'worker']) {
    const secrets = workloads
      .find((each) => each.name === name)
      ?.pod.volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
    expect(secrets).toMatchObject([{ secretName: 'governance' }]);
    expect(secrets?.[0]?.items).toBeUndefined();
  }
});

test('only the migration and the commands are given the login that owns the schema', () => {
  const owning = workloads.filter(({ pod }) => JSON.stringify(pod).includes('migration-database-url'));
  expect(owning.map(({ name }) => name).sort()).toEqual(['command', 'migrate']);
});

test('the migration is given the two logins of the database, and nothing else', () => {
  const [container] = workloads.find(({ name }) => name === 'migrate')?.pod.containers ?? [];
  expect(container?.envFrom).toBeUndefined();
  expect(container?.env.map(({ name }) => name).sort()).toEqual([
    'SVC_DATABASE_URL_FILE',
    'SVC_MIGRATION_DATABASE_URL_FILE',
  ]);
});

test('settings of the config map are known, and fit as the service reads them', () => {
  const { data } = z
    .object({ data: z.record(z.string(), z.string()) })
    .parse(named('ConfigMap', 'governance'));
  expect(Object.keys(data).filter((name) => !isSetting(name))).toEqual([]);
  expect(SettingsSchema.partial().safeParse(data).error).toBeUndefined();
});

test('workers scale with the queue of doorbells', () => {
  expect(named('ScaledObject', 'worker')).toMatchObject({
    spec: { triggers: [{ type: 'azure-queue', metadata: { queueName: DOORBELL_QUEUE } }] },
  });
});

test('the host is asked for its health, and reached by no other port than the API', () => {
  const host = workloads.find(({ name }) => name === 'host');
  const get = (route: string) => ({ httpGet: { path: route, port: 'http' } });
  expect(host?.pod.containers).toMatchObject([
    {
      ports: [{ name: 'http', containerPort: 8080 }],
      startupProbe: get('/api/health'),
      livenessProbe: get('/api/health'),
      readinessProbe: get('/api/ready'),
    },
  ]);
  const Policy = z.looseObject({
    podSelector: z.unknown(),
    policyTypes: z.array(z.string()),
    ingress: z
      .array(z.looseObject({ from: z.array(z.unknown()).min(1), ports: z.array(z.unknown()).min(1) }))
      .default([]),
  });
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => Policy.parse(spec));
  const ports = policies.flatMap(({ ingress }) => ingress.flatMap((rule) => rule.ports));
  expect(new Set(ports.map((port) => JSON.stringify(port)))).toEqual(
    new Set(['{"protocol":"TCP","port":8080}']),
  );
  expect(policies).toContainEqual({ podSelector: {}, policyTypes: ['Ingress'], ingress: [] });
});
