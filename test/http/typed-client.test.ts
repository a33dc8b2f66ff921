import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPersona, type CallerOptions, withAccessToken, withSession } from '../../client/callers.ts';
import { partsOf, rowsOf } from '../../client/exports.ts';
import { assetsGet, assetsList } from '../../client/generated/assets/assets.ts';
import { exportsAssets } from '../../client/generated/exports/exports.ts';
import { findingsList } from '../../client/generated/findings/findings.ts';
import { reviewDecide, reviewListQueue } from '../../client/generated/review/review.ts';
import type { AssetSummary } from '../../client/generated/service.schemas.ts';
import { isRefusal } from '../../client/refusal.ts';
import { currentSession, providerSignIn, signOut } from '../../client/sign-in.ts';
import { storeScanned } from '../support/assets.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/* What a program does with the typed client, against the service. */
let database: TestDatabase;
let service: TestService;
let owner: CallerOptions;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_first', said: [invoices()] },
    { assetId: 'ast_second?with=signs', said: [invoices()] },
  ]);
  owner = await asPersona(service.url, PERSONA.financeOwner);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('nothing was refused'),
    (error: unknown) => error,
  );

test('an owner reads the queue and answers', async () => {
  const { items, total } = await reviewListQueue({ limit: 1 }, owner);
  expect([items.length, total]).toEqual([1, 2]);
  const [{ candidateId, revision } = expect.unreachable('nothing is asked')] = items;
  const answer = await reviewDecide(candidateId, { decision: 'mine', revision }, owner);
  expect(answer).toMatchObject({ candidateId, decision: 'mine', status: 'confirmed' });

  const late = await refusalOf(reviewDecide(candidateId, { decision: 'not_a_match', revision }, owner));
  expect(isRefusal(late, 'conflict') && late.body.message).toMatch(/\w/);
});

test('what the service refuses is refused by its code', async () => {
  const absent = await refusalOf(assetsGet('ast_absent', {}, owner));
  expect(isRefusal(absent, 'not_found') && absent.status).toBe(404);
  const stranger = await refusalOf(findingsList({}, { baseUrl: service.url }));
  expect(isRefusal(stranger, 'authentication_required') && stranger.correlationId).toMatch(/\w/);
  const forged = withAccessToken(service.url, 'a.b.c');
  expect(isRefusal(await refusalOf(findingsList({}, forged)), 'authentication_required')).toBe(true);
});

test('an id with the signs of an address is sent as it is', async () => {
  expect((await assetsGet('ast_second?with=signs', {}, owner)).assetId).toBe('ast_second?with=signs');
});

test('an export is read row by row, and as CSV in pieces', async () => {
  const listed = (await assetsList({}, owner)).items.map(({ assetId }) => assetId);
  const exported: string[] = [];
  for await (const { assetId } of rowsOf<AssetSummary>(await exportsAssets({ format: 'ndjson' }, owner)))
    exported.push(assetId);
  expect(exported).toEqual(listed);
  let csv = '';
  for await (const part of partsOf(await exportsAssets({ format: 'csv' }, owner))) csv += part;
  expect(csv.trim().split('\n')).toHaveLength(1 + listed.length);
});

test('a session can be taken over by its cookie, and ends with the sign-out', async () => {
  const { cookie } = await service.signInAs(PERSONA.auditor);
  const auditor = await withSession(service.url, cookie);
  expect(await currentSession(auditor)).toMatchObject({ principalId: PERSONA.auditor });
  expect(await signOut(auditor)).toBeNull();
  expect(await currentSession(auditor)).toBeNull();
});

test('a persona that does not exist is refused', async () => {
  const error = await refusalOf(asPersona(service.url, 'pri_nobody_knows'));
  expect(isRefusal(error, 'not_found') || isRefusal(error, 'validation_failed')).toBe(true);
});

test('the link to the provider says where to return to', () => {
  expect(providerSignIn({ returnTo: '/review?q=a b' })).toBe(
    '/api/auth/idp/login?returnTo=%2Freview%3Fq%3Da+b',
  );
});
