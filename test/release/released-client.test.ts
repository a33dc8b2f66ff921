import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeScanned } from '../support/assets.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { unpackApp } from '../support/release/app.ts';
import { clientFrom, compilerOn } from '../support/release/generated-client.ts';
import { startHost } from '../support/release/processes.ts';
import { presentVersion, readCode, recordedReleases, releaseBefore } from '../support/release/recorded.ts';
import { invoices } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** The main journey of an owner, as somebody has written it with the client of the release before. */
const JOURNEY = `
import * as api from './client.ts';

declare const process: { argv: string[] };
const [, , url = '', principalId = ''] = process.argv;
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(url + path, init);

function ok<T extends { status: number; data: unknown }>(answer: T): Extract<T, { status: 200 }>['data'] {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return answer.data as Extract<T, { status: 200 }>['data'];
}

const login = await api.authDevLogin({ principalId });
const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
const as = { headers: { cookie, 'x-svc-csrf': ok(login).csrfToken } };
const me = ok(await api.authShowPrincipal(as));
const home = ok(await api.homeShow(as));
const before = ok(await api.reviewListQueue({ limit: 10 }, as)).items;
const [question] = before;
if (question === undefined) throw new Error('nothing is asked');
const detail = ok(await api.reviewGetCandidate(question.candidateId, {}, as));
const answer = ok(await api.reviewDecide(question.candidateId, { decision: 'mine', revision: detail.revision }, as));
const after = ok(await api.reviewListQueue({ limit: 10 }, as)).items;
const assets = ok(await api.assetsList({}, as)).items;
const asset = ok(await api.assetsGet(question.assetId, {}, as));
const findings = ok(await api.findingsList({}, as)).items;
const late = await api.reviewDecide(question.candidateId, { decision: 'not_a_match', revision: detail.revision }, as);
console.log(JSON.stringify({
  who: me.principalId,
  home: home.domains.length,
  asked: [before.length, after.length],
  summary: question.summary.length > 0,
  decision: [answer.decision, answer.status],
  assets: assets.map(({ assetId }) => assetId).sort(),
  asset: asset.assetId === question.assetId,
  findings: findings.map(({ assetId, severity }) => [assetId === question.assetId, severity]),
  late: [late.status, late.status === 409 ? late.data.error : null],
}));
`;

const before = releaseBefore(await presentVersion(), await recordedReleases());
let folder: string;
let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'released-client-'));
  database = await createSeededDatabase();
  await mkdir(path.join(folder, 'then'));
  await writeFile(path.join(folder, 'then/journey.ts'), JOURNEY);
  await writeFile(path.join(folder, 'then/package.json'), '{"type":"module"}');
  const host = await startHost(
    await unpackApp(await readCode(before), path.join(folder, 'release')),
    database.url,
  );
  try {
    const document = (await (await fetch(`${host.url}/api/openapi.json`)).json()) as object;
    expect(document).toMatchObject({ info: { version: before.version } });
    await clientFrom(document, path.join(folder, 'then'));
  } finally {
    await host.stop();
  }
  service = await startService(database);
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_first', said: [invoices()] },
    { assetId: 'ast_second', said: [invoices()] },
  ]);
});
afterAll(async () => {
  await service?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

test('a client of the release before does the main journey on this service', async () => {
  const journey = path.join(folder, 'then/journey.ts');
  const args = [journey, service.url, PERSONA.financeOwner];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({
    who: PERSONA.financeOwner,
    home: 1,
    asked: [2, 1],
    summary: true,
    decision: ['mine', 'confirmed'],
    assets: ['ast_first', 'ast_second'],
    asset: true,
    findings: [[true, 'medium']],
    late: [409, 'conflict'],
  });
});

test('what was written with that client compiles', async () => {
  expect(await compilerOn(path.join(folder, 'then'), 'journey.ts')).toBe('');
});
