import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SettingsSchema } from '../../core/config/config.ts';
import { PRODUCT_VERSION } from '../../core/controlplane/product-version.ts';
import { DOORBELL_QUEUE } from '../../core/work/doorbell.ts';
import { keyOf, readByProcess, readWithFiles, SECRETS, SETTINGS } from '../support/every-setting.ts';
import { CHART, fetchHelm, lintChart, renderChart } from '../support/helm.ts';
import { type Manifest, manifestsIn, type Workload, workloadsOf } from '../support/manifests.ts';
import { isSetting } from '../support/packaged-settings.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Everything that the chart can make. */
const EVERYTHING = {
  images: { pullSecrets: ['registry'] },
  authorities: { configMap: 'authorities' },
  serviceAccount: { annotations: { 'example.com/owner': 'data' } },
  workloadIdentity: { clientId: '3fa85f64-5717-4562-b3fc-2c963f66afa6' },
  host: { scale: { enabled: true } },
  worker: { scale: { enabled: true } },
  shares: [
    { name: 'finance', claim: 'share-finance' },
    { name: 'people', claim: 'share-people' },
  ],
  ingress: { enabled: true, className: 'nginx', annotations: { 'example.com/tls': 'yes' }, tlsSecret: 'tls' },
  httpRoute: { enabled: true, parentRefs: [{ name: 'gateway', namespace: 'gateways' }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  networkPolicy: { ingressNamespaces: ['ingress-nginx'], metricsNamespaces: ['monitoring'] },
};

let build: string;
let bare: Manifest[];
let full: Manifest[];
beforeAll(async () => {
  await fetchHelm();
  [bare, full] = await Promise.all([renderChart({}), renderChart(EVERYTHING)]);
  build = await mkdtemp(path.join(root, '.build-'));
});
afterAll(() => rm(build, { recursive: true, force: true }));

const named = (manifests: readonly Manifest[], kind: string, name: string) => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
};
const settingsOf = (manifests: readonly Manifest[]) =>
  z.object({ data: z.record(z.string(), z.string()) }).parse(named(manifests, 'ConfigMap', 'governance'))
    .data;

const MODULES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};
const moduleOf = ({ apiVersion }: Manifest) =>
  `${MODULES[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}`;

test('Helm finds nothing to say of the chart', async () => {
  expect(await lintChart()).toContain('0 chart(s) failed');
});

test('the chart makes what a deployment needs, and no more than its values ask for', () => {
  const kindsOf = (manifests: readonly Manifest[]) => [...new Set(manifests.map(({ kind }) => kind))].sort();
  const always = [
    'ConfigMap',
    'CronJob',
    'Deployment',
    'Job',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Service',
  ];
  expect(kindsOf(bare)).toEqual([...always, 'ServiceAccount']);
  expect(kindsOf(full)).toEqual(
    [
      ...always,
      'HTTPRoute',
      'Ingress',
      'ScaledObject',
      'ServiceAccount',
      'ServiceMonitor',
      'TriggerAuthentication',
    ].sort(),
  );
});

test('the chart has the release as its version and as the tag of its images', async () => {
  const [year, month, day, x] = PRODUCT_VERSION.split('.');
  const chart = await readFile(path.join(CHART, 'Chart.yaml'), 'utf8');
  expect(chart).toContain(`\nversion: ${year}.${month}${day}.${x}\nappVersion: ${PRODUCT_VERSION}\n`);
  const images = workloadsOf(bare).flatMap(({ pod }) => pod.containers.map(({ image }) => image));
  expect(new Set(images)).toEqual(
    new Set(
      ['host', 'worker'].map((name) => `registry.example/data-governance-service-${name}:${PRODUCT_VERSION}`),
    ),
  );
});

test('each object fits the schema of its kind', async () => {
  type Model = new (data: object) => { validate(): void };
  const example = manifestsIn(await readFile(path.join(CHART, 'examples/smb-volume.yaml'), 'utf8'));
  for (const each of [...bare, ...full, ...example]) {
    const models = (await import(moduleOf(each))) as Record<string, Model>;
    const Kind = models[each.kind];
    if (Kind === undefined) throw new Error(`${moduleOf(each)} knows no ${each.kind}.`);
    expect(() => new Kind(each).validate(), `${each.kind} ${each.metadata.name}`).not.toThrow();
  }
});

test('no object has a field that its kind does not know', async () => {
  // The schemas allow unknown fields. The types do not, and the compiler names what is misspelt.
  const lines = [...bare, ...full].map(
    (each, at) => `export const m${at}: import('${moduleOf(each)}').I${each.kind} = ${JSON.stringify(each)};`,
  );
  const file = path.join(build, 'manifests.ts');
  const compile = async (text: string) => {
    await writeFile(file, text);
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    return execFileSync(process.execPath, [compiler, '--ignoreConfig', ...options, file], {
      encoding: 'utf8',
    });
  };
  expect(await compile(lines.join('\n'))).toBe('');
  await expect(
    compile(lines.join('\n').replace('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"')),
  ).rejects.toThrow();
});

test.each([
  [
    'a setting that is misspelt',
    { settings: { SVC_ENVIRONMENT: 'production' } },
    "'SVC_ENVIRONMENT' not allowed",
  ],
  [
    'a secret among the settings',
    { settings: { SVC_SESSION_SECRET: 'x' } },
    "'SVC_SESSION_SECRET' not allowed",
  ],
  ['a setting that is no text', { settings: { SVC_WORKER_CONCURRENCY: 8 } }, 'got number, want string'],
  ['an unknown value', { hosts: 2 }, "'hosts' not allowed"],
  [
    'a credential among the settings',
    { settings: { AZURE_CLIENT_SECRET: 'x' } },
    "'AZURE_CLIENT_SECRET' not allowed",
  ],
  ['a plain setting among the secrets', { secretSettings: { SVC_ENV: 'env' } }, "'SVC_ENV'"],
  [
    'settings that follow from shares',
    { ...EVERYTHING, settings: { SVC_SMB_SHARES: 'a' } },
    'follows from the shares',
  ],
  ['two shares of one name', { shares: [...EVERYTHING.shares, ...EVERYTHING.shares] }, 'a name of its own'],
  [
    'metrics at the port of the API',
    { serviceMonitor: { enabled: true, port: 8080 } },
    '/serviceMonitor/port',
  ],
  [
    'a scaler with more at least than at most',
    { host: { scale: { enabled: true, min: 9 } } },
    'min is above max',
  ],
  [
    'a scaler without a credential',
    { secretSettings: { AzureWebJobsStorage: null }, worker: { scale: { enabled: true } } },
    'worker.scale needs the queue',
  ],
  [
    'a scaler by an identity that knows no account',
    {
      secretSettings: { AzureWebJobsStorage: null },
      workloadIdentity: EVERYTHING.workloadIdentity,
      worker: { scale: { enabled: true } },
    },
    'AzureWebJobsStorage__accountName',
  ],
  ['no login of the database', { secretSettings: { SVC_DATABASE_URL: null } }, "'SVC_DATABASE_URL'"],
  ['a route without a gateway', { httpRoute: { enabled: true } }, 'minItems'],
])('Helm refuses %s', async (_, values, message) => {
  await expect(renderChart(values)).rejects.toThrow(message);
});

test.each(['1gov', 'my.gov', 'a'.repeat(43)])('Helm refuses the name %s of a release', async (name) => {
  await expect(renderChart({}, name)).rejects.toThrow('The name of the release');
});

test('the longest name of a release makes names that Kubernetes takes', async () => {
  const made = await renderChart(EVERYTHING, 'a'.repeat(42));
  expect(Math.max(...made.map(({ metadata }) => metadata.name.length))).toBeLessThanOrEqual(63);
  expect(made.find(({ kind }) => kind === 'CronJob')?.metadata.name.length).toBeLessThanOrEqual(52);
});

/** What the process in a container reads from its environment. */
function environmentOf(manifests: readonly Manifest[], { pod }: Workload): Record<string, string> {
  const [container] = pod.containers;
  if (container === undefined) throw new Error('There is no container.');
  const shared = container.envFrom === undefined ? {} : settingsOf(manifests);
  const own = container.env.map(({ name, value }) => [name, value ?? 'from-the-pod'] as const);
  return { ...shared, ...Object.fromEntries(own) };
}

describe.each(['host', 'worker', 'migrate', 'command'])('the pods of %s', (name) => {
  const podsOf = () =>
    [bare, full].map((manifests) => {
      const workload = workloadsOf(manifests).find((each) => each.name === `governance-${name}`);
      if (workload === undefined) throw new Error(`There is no ${name}.`);
      return { manifests, workload, pod: workload.pod };
    });

  test('fit the restricted standard, and can write to stated paths only', () => {
    for (const { pod } of podsOf()) {
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
        expect(volumeMounts.map((mount) => mount.name).sort()).toEqual(
          pod.volumes.map((each) => each.name).sort(),
        );
      }
    }
  });

  test('have bounds, and settings that the service knows', () => {
    for (const { manifests, workload, pod } of podsOf()) {
      for (const { resources } of pod.containers)
        expect(resources).toMatchObject({
          requests: { cpu: expect.anything() },
          limits: { memory: expect.anything() },
        });
      const unknown = Object.keys(environmentOf(manifests, workload)).filter(
        (setting) => !isSetting(setting),
      );
      expect(unknown).toEqual([]);
    }
  });

  test('are given the file of every secret that a setting names', () => {
    for (const { manifests, workload, pod } of podsOf()) {
      const mounted = pod.containers.flatMap(({ volumeMounts }) =>
        volumeMounts.filter((mount) =>
          pod.volumes.some((volume) => volume.name === mount.name && volume.secret !== undefined),
        ),
      );
      const folders = mounted.map(({ mountPath }) => mountPath);
      const files = Object.entries(environmentOf(manifests, workload)).filter(([setting]) =>
        setting.endsWith('_FILE'),
      );
      expect(files.filter(([, file]) => !folders.includes(path.posix.dirname(file)))).toEqual([]);
    }
  });
});

test('only the migration and the commands are given the login that owns the schema', () => {
  const owning = workloadsOf(full).filter(({ pod }) => JSON.stringify(pod).includes('governance-owner'));
  expect(owning.map(({ name }) => name).sort()).toEqual(['governance-command', 'governance-migrate']);
});

test('hosts and workers are given every key of the secret', () => {
  for (const name of ['governance-host', 'governance-worker']) {
    const secrets = workloadsOf(full)
      .find((each) => each.name === name)
      ?.pod.volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
    expect(secrets).toEqual([{ secretName: 'governance', defaultMode: 0o440 }]);
  }
});

test('the settings of the chart fit as the service reads them', () => {
  expect(SettingsSchema.partial().safeParse(settingsOf(bare)).error).toBeUndefined();
});

test('the migration ends before the pods of its release start', () => {
  const { metadata, spec } = named(bare, 'Job', 'governance-migrate');
  // A pod that is restarted is removed with its log when it has failed too often.
  expect(spec).toMatchObject({ template: { spec: { restartPolicy: 'Never' } } });
  expect(metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
  const [workload] = workloadsOf(bare).filter(({ name }) => name === 'governance-migrate');
  // The chart's own service account and settings do not exist yet.
  expect(workload?.pod).not.toHaveProperty('serviceAccountName');
  expect(workload?.pod.containers[0]).not.toHaveProperty('envFrom');
  expect(workload?.pod.containers[0]?.env.map(({ name }) => name)).toEqual([
    'SVC_DATABASE_URL_FILE',
    'SVC_MIGRATION_DATABASE_URL_FILE',
  ]);
  // The policies of the release before let out what that release needed.
  expect(named(bare, 'NetworkPolicy', 'governance-migrate-out')).toMatchObject({
    metadata: { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade', 'helm.sh/hook-weight': '-1' } },
    spec: {
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'migrate' } },
      egress: z
        .looseObject({ egress: z.array(z.unknown()) })
        .parse(named(bare, 'NetworkPolicy', 'governance-out').spec).egress,
    },
  });
});

test('a process reads every documented setting and secret from what the chart renders', async () => {
  const secretSettings = Object.fromEntries(Object.keys(SECRETS).map((name) => [name, keyOf(name)]));
  const rendered = settingsOf(await renderChart({ settings: SETTINGS, secretSettings }));
  expect(rendered).toMatchObject(SETTINGS);
  const files = Object.fromEntries(Object.entries(SECRETS).map(([name, value]) => [keyOf(name), value]));
  expect(await readWithFiles(rendered, '/run/secrets/governance', files)).toEqual(
    await readByProcess({ ...SETTINGS, ...SECRETS }),
  );
});

test('a host answers with as many processes as the values say', async () => {
  const processesOf = (manifests: readonly Manifest[]) =>
    workloadsOf(manifests)
      .find(({ name }) => name === 'governance-host')
      ?.pod.containers[0]?.env.find(({ name }) => name === 'FUNCTIONS_WORKER_PROCESS_COUNT')?.value;
  expect(processesOf(bare)).toBe('1');
  expect(processesOf(await renderChart({ host: { processes: 4 } }))).toBe('4');
});

test('pods reach Postgres and https in and outside the cluster, and not the node', () => {
  expect(named(bare, 'NetworkPolicy', 'governance-out').spec).toMatchObject({
    egress: [
      {},
      {
        to: [
          { namespaceSelector: {} },
          { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
          { ipBlock: { cidr: '::/0', except: ['fe80::/10'] } },
        ],
      },
    ],
  });
});

test('workers scale with the queue of doorbells, hosts with the use of processors', () => {
  expect(named(full, 'ScaledObject', 'governance-worker')).toMatchObject({
    spec: { triggers: [{ type: 'azure-queue', metadata: { queueName: DOORBELL_QUEUE } }] },
  });
  expect(named(full, 'ScaledObject', 'governance-host')).toMatchObject({
    spec: { minReplicaCount: 2, triggers: [{ type: 'cpu', metadata: { value: '70' } }] },
  });
  const counted = (manifests: readonly Manifest[]) =>
    manifests.flatMap(({ kind, spec }) =>
      kind === 'Deployment' ? [z.looseObject({}).parse(spec).replicas] : [],
    );
  expect(counted(bare)).toEqual([1, 1]);
  expect(counted(full)).toEqual([undefined, undefined]);
});

test('shares are mounted for reading, and the service knows them', () => {
  expect(settingsOf(full)).toMatchObject({
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_ROOT: '/mnt/shares',
    SVC_SMB_SHARES: 'finance,people',
  });
  for (const name of ['host', 'worker', 'command']) {
    const [workload] = workloadsOf(full).filter((each) => each.name === `governance-${name}`);
    expect(workload?.pod.containers[0]?.volumeMounts).toContainEqual({
      name: 'share-finance',
      mountPath: '/mnt/shares/finance',
      readOnly: true,
    });
  }
});

test('the host is probed, and only the API and the metrics can be reached', () => {
  const [host] = workloadsOf(bare).filter(({ name }) => name === 'governance-host');
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
      .array(
        z.looseObject({
          from: z.array(z.unknown()).min(1),
          ports: z.array(z.object({ port: z.number() })).min(1),
        }),
      )
      .default([]),
  });
  const policiesOf = (manifests: readonly Manifest[]) =>
    manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => Policy.parse(spec));
  const portsOf = (manifests: readonly Manifest[]) =>
    policiesOf(manifests).flatMap(({ ingress }) =>
      ingress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    );
  expect(portsOf(bare)).toEqual([]);
  expect(portsOf(full).sort()).toEqual([8080, 9464]);
  expect(policiesOf(bare)).toContainEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/instance': 'governance' } },
    policyTypes: ['Ingress'],
    ingress: [],
  });
});
