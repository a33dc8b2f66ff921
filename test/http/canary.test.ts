import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { compose, type Runtime, useRuntime } from '../../core/runtime.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

/** One word that no code, schema or fixture holds, planted in every place that a source or a caller fills. */
const CANARY = 'Xylophonquagga';
const NUMBER = '4539148803436467';
const CALLERS_TRACE = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` };

let database: TestDatabase;
let service: TestService;
let runtime: Runtime;
let collector: TraceCollector;
let folder: string;
let secretCookie = '';
const logged: string[] = [];
const errorBodies: string[] = [];

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  folder = await mkdtemp(path.join(tmpdir(), 'canary-'));
  const share = path.join(folder, CANARY);
  await mkdir(path.join(share, `Folder ${CANARY}`), { recursive: true });
  const write = (name: string, content: string | Uint8Array) => writeFile(path.join(share, name), content);
  await write(`${CANARY} invoice.txt`, `Invoice for ${CANARY}, card ${NUMBER}, mail ${CANARY}@example.com`);
  await write(
    `Folder ${CANARY}/${CANARY}.html`,
    `<title>${CANARY}</title><p>IBAN DE89370400440532013000 ${NUMBER}`,
  );
  // Each fails in its own way.
  await write(
    `${CANARY} broken.docx`,
    Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.from(CANARY.repeat(20))]),
  );
  await write(`${CANARY} broken.pdf`, `%PDF-1.7\n${CANARY} ${NUMBER}\n`);
  await write(
    `${CANARY}.eml`,
    `Subject: ${CANARY}\nContent-Type: multipart/mixed; boundary=x\n\n--x\n${CANARY}`,
  );
  await write(
    `${CANARY}.png`,
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(64), Buffer.from(CANARY)]),
  );
  await write(`${CANARY} big.txt`, CANARY.repeat(120_000));

  collector = await startTraceCollector();
  const settings = {
    SVC_TRACES_ENDPOINT: collector.url,
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_ROOT: folder,
    SVC_SMB_SHARES: CANARY,
    SVC_EXTRACT_MAX_INPUT_MB: '1',
    SVC_GRAPH_CLIENT_ID: CANARY,
  };
  service = await startService(database, settings);
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_AUTH_MODE: 'dev',
    SVC_DATABASE_URL: database.url,
    SVC_LOG_LEVEL: 'debug',
    ...settings,
  });
  runtime = await compose(config, Date.now, { write: (line) => logged.push(line) });
  useRuntime(runtime);
  await runtime.traces?.start();
});
afterAll(async () => {
  await runtime.close();
  await service.close();
  await collector.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const drain = () => runtime.worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);

/** Calls with a canary wherever a caller may write, and keeps what errors say. */
async function provoke(who: SignedIn): Promise<void> {
  const json = (body: unknown) => ({ body, headers: {} });
  const attempts: [
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ][] = [
    ['GET', `/api/${CANARY}`],
    ['GET', `/api/assets/ast_${CANARY}`],
    ['GET', `/api/scans/${CANARY}`],
    ['GET', `/api/audit?category=${CANARY}`],
    ['GET', `/api/audit?${CANARY}=1`],
    ['GET', '/api/auth/me', { headers: { 'x-svc-correlation': `${CANARY} with spaces` } }],
    ['GET', '/api/auth/me', { headers: { traceparent: CANARY, tracestate: `x=${CANARY}` } }],
    [
      'GET',
      '/api/auth/me',
      { headers: { ...CALLERS_TRACE, tracestate: `x=${CANARY}`, baggage: `x=${CANARY}` } },
    ],
    ['GET', '/api/auth/me', { headers: { cookie: `svc_session=${CANARY}.${CANARY}` } }],
    ['POST', '/api/scans', json({ scopeId: CANARY, kind: 'inventory' })],
    ['POST', '/api/scans', json({ scopeId: 1, kind: CANARY, [CANARY]: CANARY })],
    ['POST', `/api/sources/${CANARY}/expectation`, json({ domainId: CANARY })],
    ['POST', '/api/sources/connect', json({ family: CANARY })],
    ['POST', '/api/sources/connect', json({ family: 'mail' })],
    ['POST', '/api/sources/connect', { body: {}, headers: { 'x-svc-csrf': CANARY } }],
    ['POST', `/api/review/candidates/${CANARY}/decision`, json({ decision: 'mine', note: CANARY })],
    ['POST', `/api/findings/${CANARY}/acknowledge`, json({ note: CANARY })],
    ['GET', `/api/assets?q=${CANARY}&${CANARY}=1`],
    ['GET', `/api/exports/assets?format=${CANARY}`],
    ['GET', `/api/governance/owner-suggestions?domainId=${CANARY}`],
    ['GET', `/api/governance/directory/people?q=${CANARY}&${CANARY}=1`],
    ['GET', `/api/governance/directory/groups/${CANARY}/people`],
    ['GET', `/api/onboarding/policy-documents/${CANARY}?version=${CANARY}`],
    ['POST', '/api/onboarding/policy-documents', json({ title: CANARY, text: CANARY, [CANARY]: CANARY })],
    ['POST', '/api/onboarding/profile', json({ name: 1, industries: CANARY })],
    ['PATCH', `/api/governance/domains/${CANARY}`, json({ name: CANARY, revision: CANARY })],
    ['POST', '/api/governance/owners', json({ principalId: CANARY, domainId: CANARY })],
    ['POST', '/api/governance/owners', json({ directoryId: CANARY, domainId: CANARY })],
    ['POST', '/api/governance/regulatory-mappings', json({ domainId: CANARY, jurisdiction: CANARY })],
    ['POST', '/api/actions', json({ kind: CANARY, targetAssetId: CANARY, justification: CANARY })],
    ['POST', `/api/actions/${CANARY}/approval`, json({ decision: 'approve', reason: CANARY })],
    ['POST', '/api/models/datasets', json({ name: CANARY, description: CANARY })],
    ['POST', '/api/models/releases/propose', json({ rationale: CANARY, configPatch: { [CANARY]: CANARY } })],
    ['POST', '/api/models/releases/propose', json({ datasetSnapshotId: CANARY, rationale: CANARY })],
    ['POST', `/api/models/releases/${CANARY}/approve`, json({ note: CANARY })],
    ['POST', '/api/auth/dev/login', json({ principalId: CANARY })],
    ['PUT', '/api/scans', json({ [CANARY]: CANARY })],
  ];
  for (const [method, target, options] of attempts) {
    const answer = await who.request(method, target, options);
    if (answer.status >= 400) errorBodies.push(answer.text);
  }
  const broken = await fetch(`${service.url}/api/auth/dev/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"principalId": ${CANARY}`,
  });
  errorBodies.push(await broken.text());
}

/** Everything that people may write is accepted with a canary in it, and read again. */
async function writeEverywhere(): Promise<void> {
  const governance = await service.signInAs(PERSONA.governanceAdmin);
  const owner = await service.signInAs(PERSONA.financeOwner);
  const approver = await service.signInAs(PERSONA.approver);
  const auditor = await service.signInAs(PERSONA.auditor);
  const accepted = async <T = { id: string }>(
    who: SignedIn,
    method: string,
    target: string,
    body?: object,
  ) => {
    const answer = await who.request<T>(method, target, body === undefined ? {} : { body });
    expect([target, answer.status, answer.status === 200 || answer.text]).toEqual([target, 200, true]);
    return answer.body;
  };
  type Listed<T> = { items: T[] };
  const texts = { description: CANARY, inclusion: CANARY, exclusion: CANARY };

  await accepted(governance, 'POST', '/api/onboarding/profile', {
    ...{ name: CANARY, industries: [CANARY], geographies: [CANARY], description: CANARY },
  });
  const { documentId, sections } = await accepted<{ documentId: string; sections: { anchor: string }[] }>(
    governance,
    'POST',
    '/api/onboarding/policy-documents',
    { title: CANARY, filename: `${CANARY}.md`, text: `# ${CANARY}\n\n${CANARY} ${NUMBER}` },
  );
  expect(sections).toMatchObject([{ anchor: CANARY.toLowerCase() }]);
  await accepted(governance, 'POST', '/api/onboarding/generate-taxonomy');
  const domains = '/api/governance/domains';
  const { id: domainId } = await accepted(governance, 'POST', domains, { name: CANARY, ...texts });
  await accepted(governance, 'PATCH', `${domains}/${domainId}`, { name: `${CANARY} 2` });
  await accepted(governance, 'POST', `${domains}/${domainId}/approve`);
  const types = '/api/governance/information-types';
  const { id: typeId } = await accepted(governance, 'POST', types, {
    ...{
      domainId,
      name: CANARY,
      definition: CANARY,
      sensitivityRationale: CANARY,
      expectedLocationNote: CANARY,
    },
    indicators: { keywords: [CANARY] },
  });
  await accepted(governance, 'PATCH', `${types}/${typeId}`, { definition: `${CANARY} 2` });
  await accepted(governance, 'POST', `${types}/${typeId}/approve`);
  const mappings = '/api/governance/regulatory-mappings';
  const { mappingId } = await accepted<{ mappingId: string }>(governance, 'POST', mappings, {
    ...{ domainId, jurisdiction: CANARY, regulation: CANARY, rationale: CANARY },
    citation: { documentId, anchor: sections[0]?.anchor },
  });
  for (const decision of ['approve', 'reject'])
    await accepted(governance, 'POST', `${mappings}/${mappingId}/${decision}`);
  const assignment = { principalId: PERSONA.financeOwner, domainId, attestationDays: 30 };
  const owners = '/api/governance/owners';
  const { assignmentId } = await accepted<{ assignmentId: string }>(governance, 'POST', owners, assignment);
  await accepted(owner, 'POST', `${owners}/${assignmentId}/attest`);
  await accepted(governance, 'GET', `/api/governance/owner-suggestions?domainId=${domainId}`);
  await accepted(governance, 'POST', `${owners}/${assignmentId}/end`);

  const queue = await accepted<Listed<{ candidateId: string; assetId: string }>>(
    owner,
    'GET',
    '/api/review/queue',
  );
  const [{ candidateId, assetId } = { candidateId: '', assetId: '' }] = queue.items;
  await accepted(owner, 'GET', `/api/review/candidates/${candidateId}`);
  await accepted(owner, 'POST', `/api/review/candidates/${candidateId}/decision`, {
    decision: 'mine',
    note: CANARY,
  });
  const [finding] = (await accepted<Listed<{ findingId: string }>>(owner, 'GET', '/api/findings')).items;
  await accepted(owner, 'POST', `/api/findings/${finding?.findingId}/acknowledge`, { note: CANARY });
  const actions = '/api/actions';
  const { actionId } = await accepted<{ actionId: string }>(owner, 'POST', actions, {
    ...{ kind: 'internal_task', targetAssetId: assetId, justification: `Because of ${CANARY}` },
    ...{ taskTitle: CANARY, taskNote: CANARY },
  });
  await accepted(owner, 'POST', `${actions}/${actionId}/submit`);
  const approval = { decision: 'approve', reason: CANARY };
  await accepted(approver, 'POST', `${actions}/${actionId}/approval`, approval);
  const [task] = (await accepted<Listed<{ taskId: string }>>(owner, 'GET', '/api/tasks')).items;
  await accepted(owner, 'POST', `/api/tasks/${task?.taskId}/status`, { status: 'done' });

  const releases = '/api/models/releases';
  const { releaseId } = await accepted<{ releaseId: string }>(governance, 'POST', `${releases}/propose`, {
    ...{ rationale: CANARY, configPatch: { candidateThreshold: 0.41 } },
  });
  await accepted(governance, 'POST', `${releases}/${releaseId}/evaluate`);
  const second = await service.signInAs(PERSONA.secondGovernanceAdmin);
  for (const step of ['approve', 'promote', 'rollback']) {
    await accepted(second, 'POST', `${releases}/${releaseId}/${step}`, { note: CANARY });
    await drain();
  }

  for (const target of ['/api/home', '/api/landscape', `/api/assets/${assetId}/connections`])
    await accepted(owner, 'GET', target);
  const found = await accepted<Listed<{ assetId: string }>>(owner, 'GET', `/api/assets?q=${CANARY}`);
  expect(found.items.map((each) => each.assetId)).toContain(assetId);
  await accepted(owner, 'GET', `/api/exports/assets?format=csv&q=${CANARY}`);
  await accepted(owner, 'GET', '/api/exports/findings?format=ndjson');
  await accepted(auditor, 'GET', '/api/exports/audit?format=ndjson');
}

test('nothing that a source or a caller wrote is found where only codes and ids belong', async () => {
  const admin = await service.signInAs(PERSONA.platformAdmin);
  const auditor = await service.signInAs(PERSONA.auditor);
  secretCookie = admin.cookie.slice('svc_session='.length);
  expect((await admin.post('/api/sources/connect', { family: 'smb' })).status).toBe(200);
  const { body } = await admin.get<{ items: { scopeId: string; name: string }[] }>('/api/sources');
  // The canary is really there: names are shown to whoever may see them.
  expect(body.items[0]?.name).toContain(CANARY);
  const scopeId = body.items[0]?.scopeId;

  const scan = async () => {
    const started = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' });
    await drain();
    const { body: campaign } = await admin.get(`/api/scans/${started.body.campaignId}`);
    return campaign as { status: string; deadLetters: unknown[] };
  };
  expect(await scan()).toMatchObject({ status: 'completed', deadLetters: [] });
  const states = await database.inspect<{ content_state: string }>(
    sql`select distinct content_state from assets order by 1`,
  );
  expect(states.map((row) => row.content_state)).toEqual(['available', 'failed', 'unsupported']);

  await writeEverywhere();

  // The share goes away: every attempt fails, and the walk ends as a dead letter.
  await rename(path.join(folder, CANARY), path.join(folder, 'gone'));
  const { body: again } = await admin.post<{ campaignId: string }>('/api/scans', {
    scopeId,
    kind: 'inventory',
  });
  for (let attempt = 0; attempt < 4; attempt++) {
    await drain();
    await database.inspect(
      sql`update work_units set run_after = now() - interval '1 hour' where status = 'pending'`,
    );
  }
  const dead = (await admin.get<{ deadLetters: unknown[] }>(`/api/scans/${again.campaignId}`)).body
    .deadLetters;
  expect(dead).toMatchObject([{ kind: 'inventory_page', attempt: 4 }]);

  const others = [PERSONA.governanceAdmin, PERSONA.financeOwner, PERSONA.approver];
  const callers = [admin, auditor, ...(await Promise.all(others.map((each) => service.signInAs(each))))];
  for (const who of callers) await provoke(who);
  // The database itself fails: an internal error, with everything that a driver's error may quote.
  await database.inspect(sql`alter table campaigns rename to campaigns_away`);
  const internal = await admin.get('/api/scans');
  expect(internal.status).toBe(500);
  errorBodies.push(internal.text);
  await database.inspect(sql`alter table campaigns_away rename to campaigns`);

  const rows = await database.inspect(sql`
    select record as text from audit_events union all select to_jsonb(d)::text from dead_letters d
    union all select to_jsonb(c)::text from not_found_counts c union all select to_jsonb(e)::text from campaign_ends e`);
  await runtime.traces?.close();
  const emitted = {
    traces: collector.received.join('\n'),
    logs: logged.join('\n'),
    metrics: JSON.stringify(runtime.metrics.snapshot()),
    operations: `${(await admin.get('/api/ops/overview')).text}${(await admin.get('/api/ops/metrics')).text}`,
    support: (await admin.get('/api/support/diagnostics/preview')).text,
    telemetry: (await admin.get('/api/controlplane/telemetry-preview')).text,
    stored: JSON.stringify(rows),
    errors: errorBodies.join('\n'),
  };
  expect(logged.length).toBeGreaterThan(40);
  expect(errorBodies.length).toBeGreaterThan(25);
  expect(rows.length).toBeGreaterThan(10);
  for (const type of ['authorization_denied', 'not_found_answered', 'scan_completed']) {
    expect(emitted.stored).toContain(type);
  }
  expect(collector.spans().length).toBeGreaterThan(500);
  expect(emitted.traces).toContain('ab'.repeat(16));
  expect(emitted.metrics).toContain('extraction:');
  expect(emitted.operations).toMatch(/inventory_page.*http_request.*extraction:/);
  expect(emitted.support).toMatch(/SVC_SMB_ROOT.*extraction:.*inventory_page.*http_request.*insert into/);
  expect(emitted.telemetry).toContain('"productVersion"');

  const [id = '', signature = ''] = secretCookie.split('.');
  const planted = [
    CANARY,
    NUMBER,
    NUMBER.slice(0, 8),
    'DE8937040044',
    folder,
    id,
    signature,
    admin.csrfToken,
  ];
  for (const [place, text] of Object.entries(emitted)) {
    for (const word of planted) {
      expect(text.toLowerCase().includes(word.toLowerCase()), `${word} in ${place}`).toBe(false);
    }
  }
  // Nor is any digest of the content, which would let somebody test a guess.
  const hashes = await database.inspect<{ hash: string }>(
    sql`select encode(content_hash, 'hex') as hash from assets where content_hash is not null`,
  );
  for (const { hash } of hashes) {
    expect(Object.values({ ...emitted, stored: '' }).join()).not.toContain(hash);
  }
});
