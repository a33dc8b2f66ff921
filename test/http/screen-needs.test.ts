import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { Signal } from '../../core/detectors/detector.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, invoices, payroll, reviewIn } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
let people: SignedIn;
let approver: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  approver = await service.signInAs(PERSONA.approver);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const signal = (detectorId: string, tiers: Signal['tiers'], confidence: number): Signal => ({
  ...{ detectorId, detectorVersion: 1, family: 'bank', confidence, tiers, positions: [] },
  count: Object.values(tiers).reduce((sum, each) => sum + each, 0),
});

describe('an asset', () => {
  type Detail = {
    signals: { detectorId: string; title: string; sure: number; doubtful: number }[];
    provenance: {
      items: { principalName: string | null; routedDomainName: string | null; decision: string | null }[];
    };
  };
  const detail = async (who: SignedIn, assetId: string) => {
    const { status, body } = await who.get<Detail>(`/api/assets/${assetId}`);
    expect(status).toBe(200);
    return body;
  };

  test('shows what was found by display name: how many are sure, how many doubtful', async () => {
    await database.inspect(sql`
      insert into custom_detectors (tenant_id, detector_id, version, updated_at) values (${DEV}, 'custom_project', 1, now())`);
    const definition = { title: 'Project number' };
    await database.inspect(sql`
      insert into custom_detector_versions (tenant_id, detector_id, version, definition, principal_id, created_at)
      values (${DEV}, 'custom_project', 1, ${sql.json(definition)}::jsonb, ${PERSONA.governanceAdmin}, now())`);
    const signals = [
      signal('custom_project', { pattern: 2 }, 0.4),
      signal('iban', { checksum_and_context: 16, checksum: 1 }, 0.98),
    ];
    await storeScanned(database.db, DEV, [{ assetId: 'ast_signals', said: [invoices()], signals }]);
    const expected = [
      {
        detectorId: 'iban',
        title: 'International bank account number',
        family: 'bank',
        sure: 16,
        doubtful: 1,
      },
      { detectorId: 'custom_project', title: 'Project number', family: 'bank', sure: 0, doubtful: 2 },
    ];
    // Whoever may see the asset sees them: an approver reads no excerpts.
    for (const who of [finance, approver])
      expect((await detail(who, 'ast_signals')).signals).toEqual(expected);
    expect((await people.get('/api/assets/ast_signals')).status).toBe(404);
  });

  test('names who said what, unless the person is of another domain and left no note', async () => {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, {
      decision: 'another_domain',
      routedDomainId: 'dom_human_resources',
    });
    const received = (await detail(people, assetId)).provenance.items.at(-1);
    expect(received).toMatchObject({
      decision: 'another_domain',
      principalName: null,
      routedDomainName: 'Human Resources',
    });
    const sent = (await detail(approver, assetId)).provenance.items.at(-1);
    expect(sent).toMatchObject({ principalName: 'Amara Okafor', routedDomainName: 'Human Resources' });
    const own = await review.ask(payroll());
    await decided(people, own.candidateId, { decision: 'mine' });
    expect((await detail(people, own.assetId)).provenance.items.at(-1)).toMatchObject({
      principalName: 'Lena Vogel',
      routedDomainName: null,
    });
  });
});
