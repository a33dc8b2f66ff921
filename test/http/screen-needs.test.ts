import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ActionRequestSchema } from '../../core/actions/action-schema.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { Signal } from '../../core/detectors/detector.ts';
import { recomputeRisk } from '../../core/findings/recompute.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, EXCERPTS, invoices, payroll, reviewIn, said } from '../support/review.ts';
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
        byChance: 1e-4,
        columns: null,
      },
      {
        detectorId: 'custom_project',
        title: 'Project number',
        family: 'bank',
        sure: 0,
        doubtful: 2,
        byChance: null,
        columns: null,
      },
    ];
    // Whoever may see the asset sees them: an approver reads no excerpts.
    for (const who of [finance, approver])
      expect((await detail(who, 'ast_signals')).signals).toEqual(expected);
    const question = await review.candidateOf('ast_signals', 'dom_finance');
    const { body } = await finance.get<Pick<Detail, 'signals'>>(`/api/review/candidates/${question}`);
    expect(body.signals.map(({ title }) => title).sort()).toEqual(expected.map(({ title }) => title));
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

describe('a question on one screen', () => {
  type Question = {
    candidateId: string;
    assetId: string;
    asset: Record<string, unknown>;
    relatedCount: number;
    firstExcerpt: object | null;
  };
  type Group = { count: number; items: { principal: string | null }[]; truncated: boolean };
  type Access = Record<'anyone' | 'organization' | 'outside' | 'inside', Group>;
  type Detail = Question & { access: Access; reranks: Record<string, number>; excerpts: object[] };

  const grant = (principal: string, principalKind: string, external = false) => ({
    ...{ principal, principalKind, external },
    ...{ role: 'read', inherited: false },
  });
  const GRANTS = [
    grant('anonymous link', 'anyone', true),
    grant('Everyone except external users', 'organization'),
    grant('All employees', 'group'),
    grant('Payroll team', 'group'),
    grant('l.vogel@contoso.example', 'user'),
    { ...grant('l.vogel@contoso.example', 'user'), role: 'write' },
    grant('guest@partner.example', 'user', true),
  ];
  const queue = async (who: SignedIn, query = '') => {
    const { status, body } = await who.get<{ items: Question[] }>(`/api/review/queue${query}`);
    expect(status).toBe(200);
    return body.items;
  };
  const detail = async (candidateId: string, query = '') => {
    const { status, body } = await finance.get<Detail>(`/api/review/candidates/${candidateId}${query}`);
    expect(status).toBe(200);
    return body;
  };
  const excerptsReadOf = async (assetId: string) =>
    (
      await database.inspect<{ n: number }>(sql`
        select count(*)::int as n from audit_events
         where record like '%asset_excerpts_read%' and record like ${`%"${assetId}"%`}`)
    )[0]?.n;

  const asked = async () => {
    const question = await review.ask();
    await database.inspect(sql`
      update assets set grants = ${sql.json(GRANTS)}::jsonb, modified_by = 'L. Vogel', source_url = 'https://contoso.example/a',
                        source_modified_at = '2026-06-01T10:00:00Z', label_name = 'General', label_state = 'labeled'
       where asset_id = ${question.assetId}`);
    return question;
  };

  test('its item says who changed it and when, label, who can open it, and where it is', async () => {
    const { candidateId } = await asked();
    const item = (await queue(finance)).find((each) => each.candidateId === candidateId);
    expect(item?.asset).toEqual({
      ...{ kind: 'file', sizeBytes: 100, format: 'docx' },
      ...{ labelState: 'labeled', labelName: 'General', labeledElsewhere: false },
      exposure: 'anyone',
      exposureInWords:
        'Anyone with a link, everyone in the organisation, a group that holds nearly everyone, 2 people and 1 group ' +
        'can open it, 1 of them outside the organisation. The source does not report every grant.',
      sourceUrl: 'https://contoso.example/a',
      sourceModifiedAt: '2026-06-01T10:00:00.000Z',
      modifiedBy: 'L. Vogel',
    });
    expect((await detail(candidateId)).asset).toMatchObject(item?.asset ?? {});
  });

  test('its detail groups the grants by reach, with their names', async () => {
    const { access } = await detail((await asked()).candidateId);
    const shown = (reach: keyof Access) => access[reach].items.map(({ principal }) => principal);
    expect(shown('anyone')).toEqual(['anonymous link']);
    expect(shown('organization')).toEqual(['Everyone except external users', 'All employees']);
    expect(shown('outside')).toEqual(['guest@partner.example']);
    expect(shown('inside')).toEqual(['Payroll team', 'l.vogel@contoso.example', 'l.vogel@contoso.example']);
    expect(access).toMatchObject({ complete: false, observedAt: expect.any(String) });
  });

  test('its first excerpt is shown if it is asked for, and each asset is audited once', async () => {
    const { assetId, candidateId } = await review.ask();
    const item = async (query = '') =>
      (await queue(finance, query)).find((each) => each.candidateId === candidateId);
    expect((await item())?.firstExcerpt).toBeNull();
    expect(await excerptsReadOf(assetId)).toBe(0);
    expect((await item('?excerpts=first'))?.firstExcerpt).toEqual(EXCERPTS[0]);
    expect(await excerptsReadOf(assetId)).toBe(1);
    const unread = await detail(candidateId, '?excerpts=none');
    expect(unread.excerpts).toEqual([]);
    expect(await excerptsReadOf(assetId)).toBe(1);
    expect((await detail(candidateId)).excerpts).toEqual(EXCERPTS);
    expect(await excerptsReadOf(assetId)).toBe(2);
  });

  test('an asset that two domains of the reader are asked about is audited once', async () => {
    const both = [
      payroll(),
      { ...payroll(), domainId: 'dom_health_and_safety', informationTypeId: 'ift_accidents' },
    ];
    await storeScanned(database.db, DEV, [{ assetId: 'ast_twice', said: both, excerpts: EXCERPTS }]);
    const items = (await queue(people, '?excerpts=first')).filter(({ assetId }) => assetId === 'ast_twice');
    expect(items.map(({ firstExcerpt }) => firstExcerpt)).toEqual([EXCERPTS[0], EXCERPTS[0]]);
    expect(await excerptsReadOf('ast_twice')).toBe(1);
  });

  test('under a profile that keeps no text, the queue shows and audits no excerpt', async () => {
    const { assetId, candidateId } = await review.ask();
    await database.inspect(
      sql`update tenants set data_handling_profile = 'metadata_only' where tenant_id = ${DEV}`,
    );
    const item = (await queue(finance, '?excerpts=first')).find((each) => each.candidateId === candidateId);
    await database.inspect(
      sql`update tenants set data_handling_profile = 'minimized_evidence' where tenant_id = ${DEV}`,
    );
    expect(item?.firstExcerpt).toBeNull();
    expect(await excerptsReadOf(assetId)).toBe(0);
  });

  test('counts by likeness what an answer scores again, in the own domain only', async () => {
    const contentHash = 'cd'.repeat(32);
    await storeScanned(database.db, DEV, [
      { assetId: 'ast_copy_0', said: [invoices()], contentHash },
      { assetId: 'ast_copy_1', said: [invoices()], contentHash },
      { assetId: 'ast_copy_2', said: [invoices(), payroll()], contentHash },
      { assetId: 'ast_copy_3', said: [payroll()], contentHash },
    ]);
    const { reranks } = await detail(await review.candidateOf('ast_copy_0', 'dom_finance'));
    expect(reranks).toEqual({ total: 2, identicalBytes: 2, nearDuplicates: 0, sameTemplate: 0 });
  });
});

type Finding = {
  findingId: string;
  assetId: string;
  kind: string;
  severity: string;
  status: string;
  revision: number;
  path: string;
  sourceUrl: string | null;
  openedAt: string;
  since: string;
  dueAt: string | null;
  toDo: string | null;
  requiredLabel: { labelGuid: string; labelName: string } | null;
  expectedPlaces: { scopeId: string; scopeName: string }[];
  proposedAction: Record<string, string> | null;
  latestAction: { actionId: string; status: string } | null;
  acknowledgeNote: string | null;
};

describe('a finding', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const findings = async (who: SignedIn, query = '') => {
    const { status, body } = await who.get<{ items: Finding[] }>(`/api/findings${query}`);
    expect(status).toBe(200);
    return body.items;
  };
  const ofKind = async (who: SignedIn, assetId: string, kind: string, query = '') => {
    const found = (await findings(who, query)).find((each) => each.assetId === assetId && each.kind === kind);
    expect(found, `${kind} of ${assetId}`).toBeDefined();
    return found as Finding;
  };
  const taxPapers = said('dom_finance', 'ift_tax_papers');
  /** A document of finance, confirmed; people may be asked about it too. */
  const confirmed = async (assetId: string, others: ReturnType<typeof said>[] = []) => {
    await storeScanned(database.db, DEV, [{ assetId, said: [taxPapers, ...others] }]);
    await decided(finance, await review.candidateOf(assetId, 'dom_finance'), { decision: 'mine' });
  };

  beforeAll(async () => {
    const labels = ['Public', 'General', 'Confidential', 'Restricted'];
    await database.inspect(sql`delete from sensitivity_labels where tenant_id = ${DEV}`);
    await database.inspect(sql`
      insert into sensitivity_labels (tenant_id, label_guid, name, rank, updated_at)
      select ${DEV}, 'guid-' || place, name, place - 1, now() from unnest(${labels}::text[]) with ordinality as l (name, place)`);
    await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
      registerScopes(
        tx,
        'm365',
        'mock',
        ['Ledger', 'Umbraxis vault'].map((name) => ({ externalId: name, name, kind: 'site' })),
        Date.now(),
      ),
    );
    await database.inspect(sql`update scopes set expected_domain_id = 'dom_finance' where name = 'Ledger'`);
    await database.inspect(
      sql`update scopes set expected_domain_id = 'dom_human_resources' where name = 'Umbraxis vault'`,
    );
  });

  test('names the label that is required, and its action can be drafted as it is', async () => {
    await confirmed('ast_label');
    const found = await ofKind(finance, 'ast_label', 'label');
    expect(found).toMatchObject({
      path: expect.stringContaining('ast_label'),
      sourceUrl: null,
      since: found.openedAt,
      dueAt: new Date(Date.parse(found.openedAt) + 90 * DAY).toISOString(),
      severity: 'medium',
      toDo: 'Give it the label “Confidential” or a stronger one.',
      requiredLabel: { labelGuid: 'guid-3', labelName: 'Confidential' },
    });
    expect(found.proposedAction).toMatchObject({
      kind: 'sensitivity_label_set',
      targetAssetId: 'ast_label',
      findingId: found.findingId,
      desiredLabelGuid: 'guid-3',
    });
    // Exactly as it is.
    expect(ActionRequestSchema.parse(found.proposedAction)).toEqual(found.proposedAction);
  });

  test('names the places that are expected in the own domains, and none of a foreign one', async () => {
    await confirmed('ast_place', [payroll(0.6)]);
    const found = await ofKind(finance, 'ast_place', 'location');
    expect(found.expectedPlaces.map(({ scopeName }) => scopeName)).toEqual(['Ledger']);
    expect(found.toDo).toBe('Move it to “Ledger”, where such documents are governed.');
    const theirs = await ofKind(people, 'ast_place', 'location');
    expect(theirs.expectedPlaces.map(({ scopeName }) => scopeName)).toEqual(['Umbraxis vault']);
    const drafted = await finance.post('/api/actions', found.proposedAction);
    expect([drafted.status, drafted.body]).toMatchObject([200, { taskTitle: found.toDo }]);
  });

  test('proposes an action to those who may draft it, wherever it is shown', async () => {
    await confirmed('ast_shown');
    const auditor = await service.signInAs(PERSONA.auditor);
    const seen = await ofKind(auditor, 'ast_shown', 'label');
    expect([seen.proposedAction, seen.toDo]).toEqual([
      null,
      'Give it the label “Confidential” or a stronger one.',
    ]);
    const found = await ofKind(finance, 'ast_shown', 'label');
    type Grouped = { items: { assetId: string; findings: Finding[] }[] };
    const grouped = (await finance.get<Grouped>('/api/findings/by-asset')).body.items;
    const ofAsset = (await finance.get<{ findings: Finding[] }>('/api/assets/ast_shown')).body.findings;
    for (const same of [grouped.find(({ assetId }) => assetId === 'ast_shown')?.findings, ofAsset])
      expect(same?.find(({ kind }) => kind === 'label')).toMatchObject({
        findingId: found.findingId,
        toDo: found.toDo,
        proposedAction: found.proposedAction,
      });
  });

  test('names its newest action to those who may see that action', async () => {
    await confirmed('ast_action', [payroll(0.6)]);
    const { proposedAction, latestAction: none } = await ofKind(finance, 'ast_action', 'location');
    expect(none).toBeNull();
    const draft = async () => {
      const { body } = await finance.post<{ actionId: string }>('/api/actions', proposedAction);
      return body.actionId;
    };
    await finance.post(`/api/actions/${await draft()}/withdraw`);
    const actionId = await draft();
    // Finance saw the file through its own domain, so the action is not one of the other owners.
    for (const [who, expected] of [
      [finance, { actionId, status: 'draft' }],
      [await service.signInAs(PERSONA.auditor), { actionId, status: 'draft' }],
      [people, null],
    ] as const)
      expect((await ofKind(who, 'ast_action', 'location')).latestAction).toEqual(expected);
  });

  test('names a label that fits what each of its domains says', async () => {
    await confirmed('ast_both', [payroll(0.6)]);
    for (const who of [finance, people])
      expect((await ofKind(who, 'ast_both', 'label')).requiredLabel?.labelName).toBe('Restricted');
  });

  test('that is resolved asks for nothing; that comes back is due from then on', async () => {
    await confirmed('ast_back');
    const { findingId, openedAt } = await ofKind(finance, 'ast_back', 'label');
    const label = async (state: string, now: number) => {
      await database.inspect(sql`
        update assets set label_state = ${state}, label_guid = ${state === 'labeled' ? 'guid-4' : null} where asset_id = 'ast_back'`);
      await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => recomputeRisk(tx, 'ast_back', now));
    };
    await label('labeled', Date.now());
    const resolved = await ofKind(finance, 'ast_back', 'label', '?status=resolved');
    expect(resolved).toMatchObject({ findingId, toDo: null, dueAt: null, proposedAction: null });
    await label('unlabeled', Date.now() + 5 * DAY);
    const again = await ofKind(finance, 'ast_back', 'label');
    expect(again).toMatchObject({ findingId, status: 'reopened', openedAt });
    expect(Date.parse(again.since) - Date.parse(openedAt)).toBeGreaterThanOrEqual(5 * DAY);
    expect(Date.parse(again.dueAt ?? '') - Date.parse(again.since)).toBe(90 * DAY);
  });

  test('an acknowledgement can get another note and be taken back, each audited', async () => {
    await confirmed('ast_noted', [payroll(0.6)]);
    const { findingId } = await ofKind(finance, 'ast_noted', 'label');
    const path = `/api/findings/${findingId}`;
    const acknowledged = (body: object) => finance.post<Finding>(`${path}/acknowledge`, body);
    const notes = [];
    for (const body of [
      { note: 'we know' },
      { note: 'by June', revision: 1 },
      {},
      { note: null, revision: 2 },
    ])
      notes.push((await acknowledged(body)).body.acknowledgeNote);
    expect(notes).toEqual(['we know', 'by June', 'by June', null]);
    // Who does not name the revision may not have seen the note.
    expect((await acknowledged({ note: 'unseen' })).status).toBe(409);
    expect((await people.post(`${path}/acknowledge`, { note: 'ours too' })).status).toBe(409);
    expect((await people.post(`${path}/take-back`, {})).status).toBe(409);
    const taken = await finance.post<Finding>(`${path}/take-back`, { revision: 3 });
    expect([taken.status, taken.body]).toMatchObject([
      200,
      { status: 'reopened', revision: 4, acknowledgedBy: null, acknowledgedAt: null, acknowledgeNote: null },
    ]);
    expect((await finance.post(`${path}/take-back`, {})).status).toBe(409);
    const { revision } = (await acknowledged({ note: 'again' })).body;
    expect((await people.post(`${path}/take-back`, { revision })).status).toBe(200);
    const stranger = await service.signInAs(PERSONA.legalOwner);
    expect((await stranger.post(`${path}/take-back`, {})).status).toBe(404);
    const events = await database.inspect<{ type: string }>(sql`
      select record::jsonb -> 'event' ->> 'type' as type from audit_events
       where record like ${`%${findingId}%`} order by seq`);
    expect(events.map(({ type }) => type)).toEqual([
      'finding_acknowledged',
      'finding_note_changed',
      'finding_note_changed',
      'finding_acknowledgement_taken_back',
      'finding_acknowledged',
      'finding_acknowledgement_taken_back',
    ]);
  });
});
