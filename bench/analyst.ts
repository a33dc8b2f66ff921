import { answerQuestion } from '../core/analyst/answer.ts';
import { understand } from '../core/analyst/understand.ts';
import type { Vocabulary } from '../core/analyst/vocabulary.ts';
import type { Principal } from '../core/authz/principal.ts';
import { loadConfig } from '../core/config/config.ts';
import { withClient } from '../core/db/client.ts';
import { createPool } from '../core/db/pool.ts';
import type { DomainId, PrincipalId } from '../core/kernel/ids.ts';
import { compose } from '../core/runtime.ts';
import { seedTenant } from '../infra/local/seed.ts';
import { renderTable } from '../infra/local/table.ts';
import { fill } from './read-models/fill.ts';
import { domainIdOf, LARGE_TENANT, ownerIdOf, TENANT_ID } from './read-models/tenant.ts';
import { readOptions } from './support/command-line.ts';
import { startDatabase } from './support/database.ts';
import { serverMs } from './support/processor-time.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- analyst [--assets N] [--json]

Measures how long the grammar takes for a question, and one caller waits for its answer: the owner of the largest of 50
domains of a tenant with N assets. The processor time of an answer tells how long it takes on a quiet machine.

  --assets N  assets of the tenant (default 1000000)
  --json      end with one JSON object on the last line`;

const TARGET_MS = 500;
/** The largest domain is that of the first owner. */
const OWNER = 0;
const NAME = 'Invoices of division 1';
const QUESTIONS = [
  'how many files',
  `unlabelled files in “${NAME}”`,
  'files by label',
  'files by scope and risk',
  'files not confirmed with critical risk',
  'files modified since last month larger than 500 KB',
  'files older than one year shared with everyone',
  'files with more than 2 copies',
  'the 20 largest pdfs',
  'most copied files',
  'files with open findings and no label',
  'files about "annual invoice"',
  'total size by format',
  'open findings by severity',
  'pending candidates with confidence above 90%',
  'scopes with more than 1000 assets',
  'files in Marketing',
];

type Figure = {
  question: string;
  state: string;
  count: number | null;
  planMs: number;
  /** Processor time of an answer, in the process and in Postgres. Null if the system has no `/proc`. */
  busyMs: number | null;
  p50: number;
  p95: number;
  isWhole: boolean;
};

const principal: Principal = {
  tenantId: TENANT_ID,
  principalId: ownerIdOf(OWNER) as PrincipalId,
  kind: 'person',
  authMode: 'dev',
  displayName: '',
  title: '',
  department: '',
  roles: ['domain_owner'],
  ownedDomains: [domainIdOf(OWNER) as DomainId],
};
const names: Vocabulary = {
  domains: LARGE_TENANT.taxonomy.map(({ id, name }) => ({ id, name })),
  types: LARGE_TENANT.taxonomy.flatMap(({ informationTypes }) =>
    informationTypes.map(({ id, name }) => ({ id, name })),
  ),
  labels: [],
  scopes: [],
  people: LARGE_TENANT.personas.map(({ id, displayName: name }) => ({ id, name })),
  identifiers: [],
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Milliseconds of one call of the grammar with all names of the tenant. */
function planMs(question: string, rounds: number): number {
  const since = performance.now();
  for (let i = 0; i < rounds; i++) understand(question, names, Date.now());
  return (performance.now() - since) / rounds;
}

async function busyMs(server: number): Promise<number | null> {
  const ofServer = await serverMs(server);
  const { user, system } = process.cpuUsage();
  return ofServer === null ? null : ofServer + (user + system) / 1000;
}

async function run(workspace: Workspace, assets: number, rounds: number): Promise<Figure[]> {
  const { adminUrl, ownerUrl, url, pid } = await startDatabase(workspace, {
    settings: { shared_buffers: '1GB' },
  });
  const owner = createPool(ownerUrl, { max: 1, applicationName: 'bench' });
  await seedTenant(owner, LARGE_TENANT, Date.now()).finally(owner.close);
  console.error(`Making ${assets} assets, which takes some minutes`);
  await withClient(adminUrl, (client) => fill(client, assets, console.error));
  const runtime = await compose(
    loadConfig({
      SVC_ENV: 'development',
      SVC_AUTH_MODE: 'dev',
      SVC_DATABASE_URL: url,
      SVC_LOG_LEVEL: 'error',
    }),
    Date.now,
  );
  await workspace.untilEnd(Promise.resolve({ stop: () => runtime.close() }));
  const asker = { principal, visibility: { kind: 'domains' as const, domainIds: principal.ownedDomains } };
  const figures: Figure[] = [];
  for (const question of QUESTIONS) {
    const took: number[] = [];
    let answer = await answerQuestion(runtime, asker, question, Date.now());
    const before = await busyMs(pid);
    for (let i = 0; i < rounds; i++) {
      const since = performance.now();
      answer = await answerQuestion(runtime, asker, question, Date.now());
      took.push(performance.now() - since);
    }
    const after = await busyMs(pid);
    took.sort((a, b) => a - b);
    figures.push({
      question,
      state: answer.understanding.state,
      count: answer.result?.count ?? null,
      planMs: planMs(question, 50),
      busyMs: before === null || after === null ? null : (after - before) / rounds,
      p50: percentile(took, 0.5),
      p95: percentile(took, 0.95),
      isWhole: answer.coverage.isWhole,
    });
  }
  return figures;
}

const options = readOptions(USAGE, { assets: 1_000_000 });
const rounds = options.smoke ? 1 : 20;
const figures = await inWorkspace((workspace) => run(workspace, options.assets, rounds));
const tenth = (value: number) => Math.round(value * 10) / 10;
console.log(
  renderTable(
    [
      `ms at ${options.assets} assets`,
      'understood',
      'found',
      'grammar',
      'processor',
      'answer p50',
      'p95',
      `≤ ${TARGET_MS}`,
      'all looked at',
    ],
    figures.map((each) => [
      each.question,
      each.state,
      each.count ?? '',
      tenth(each.planMs),
      each.busyMs === null ? 'unknown' : tenth(each.busyMs),
      tenth(each.p50),
      tenth(each.p95),
      each.p95 <= TARGET_MS ? 'yes' : 'no',
      each.isWhole ? 'yes' : 'no',
    ]),
  ),
);
if (options.json) console.log(JSON.stringify({ assets: options.assets, questions: figures }));
