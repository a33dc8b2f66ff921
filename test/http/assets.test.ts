import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { CANARY, storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Row = {
  assetId: string;
  name: string;
  scopeName: string;
  riskSeverity: string | null;
  classification: { informationTypeId: string; domainId: string; confidence: number; status: string } | null;
};
type Detail = {
  assetId: string;
  classifications: { domainId: string; informationTypeId: string }[];
  versions: { items: { version: number; name: string }[]; truncated: boolean };
  permissions: { complete: boolean; caveat: string; grants: { items: object[]; truncated: boolean } };
  provenance: { items: { statement: string; domainId: string; confidence: number | null }[] };
  clusters: { kind: string; assets: { items: { assetId: string }[]; truncated: boolean } }[];
  excerpts: { detectorId: string; text: string }[];
  riskComponents: unknown[];
  findings: unknown[];
};

const invoices = (confidence: number) => ({
  informationTypeId: 'ift_invoices',
  domainId: 'dom_finance',
  confidence,
});
const results = (confidence: number) => ({
  informationTypeId: 'ift_financial_results',
  domainId: 'dom_finance',
  confidence,
});
const payroll = (confidence: number) => ({
  informationTypeId: 'ift_payroll',
  domainId: 'dom_human_resources',
  confidence,
});

const start = Date.UTC(2026, 0, 1);
const hash = 'ab'.repeat(32);
const excerpts = [{ detectorId: 'iban', text: 'IBAN DE•• •••• 3000' }];

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let people: SignedIn;
let auditor: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  await storeScanned(database.db, DEV, [
    {
      assetId: 'ast_invoice',
      said: [invoices(0.9), results(0.6)],
      contentHash: hash,
      excerpts,
      seenAt: start,
    },
    { assetId: 'ast_shared', said: [invoices(0.55), payroll(0.85)], contentHash: hash, seenAt: start },
    { assetId: 'ast_payroll', said: [payroll(0.95)], contentHash: hash, seenAt: start + 1_000 },
    {
      assetId: 'ast_below',
      said: [invoices(0.3)],
      name: '100%_off\\.TXT',
      labelName: 'Secret',
      seenAt: start,
    },
    {
      assetId: 'ast_plain',
      name: 'Échéancier.pdf',
      path: 'Divers/Échéancier.pdf',
      format: 'pdf',
      seenAt: start,
    },
    { assetId: 'ast_gone', said: [invoices(0.9)], contentHash: hash, seenAt: start },
  ]);
  await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_gone'`);
  // The same ids elsewhere: a query without its tenant would find them.
  await storeScanned(database.db, OTHER, [
    { assetId: 'ast_invoice', name: 'Elsewhere.docx', said: [invoices(0.9)], contentHash: hash, excerpts },
    { assetId: 'ast_elsewhere', said: [invoices(0.9)], contentHash: hash },
  ]);
  service = await startService(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const rowsOf = async (caller: SignedIn, query = '') => {
  const { status, body } = await caller.get<{ items: Row[]; truncated: boolean }>(`/api/assets${query}`);
  expect(status).toBe(200);
  return body.items;
};
const idsOf = async (caller: SignedIn, query = '') =>
  (await rowsOf(caller, query)).map(({ assetId }) => assetId);
const detailOf = async (caller: SignedIn, assetId: string) => {
  const { status, body } = await caller.get<Detail>(`/api/assets/${assetId}`);
  expect(status).toBe(200);
  return body;
};
const excerptReads = () =>
  database.inspect<{ record: string }>(
    sql`select record from audit_events where tenant_id = ${DEV} and category = 'evidence_access' order by seq`,
  );

describe('the list', () => {
  test('tenant-wide readers see all there is, the most recently seen first, then by id', async () => {
    const all = ['ast_payroll', 'ast_shared', 'ast_plain', 'ast_invoice', 'ast_below'];
    expect(await idsOf(auditor)).toEqual(all);
    for (const persona of [PERSONA.governanceAdmin, PERSONA.approver])
      expect(await idsOf(await service.signInAs(persona)), persona).toEqual(all);
  });

  test('a domain owner sees what ties a candidate to the domain, and only that domain', async () => {
    expect(await idsOf(finance)).toEqual(['ast_shared', 'ast_invoice']);
    const [shared, invoice] = await rowsOf(finance);
    expect(shared?.classification).toMatchObject({ domainId: 'dom_finance', confidence: 0.55 });
    expect(invoice?.classification).toMatchObject({
      informationTypeId: 'ift_invoices',
      confidence: 0.9,
      status: 'pending',
    });
    expect(invoice).toMatchObject({ scopeName: 'Test site', riskSeverity: null });
    expect(await idsOf(people)).toEqual(['ast_payroll', 'ast_shared']);
    const forAuditor = (await rowsOf(auditor)).find(({ assetId }) => assetId === 'ast_shared');
    expect(forAuditor?.classification).toMatchObject({ domainId: 'dom_human_resources', confidence: 0.85 });
    expect(await idsOf(await service.signInAs(PERSONA.legalOwner))).toEqual([]);
  });

  test('another tenant sees its own', async () => {
    const rows = await rowsOf(await service.signInAs(inOther(PERSONA.auditor)));
    expect(rows.map(({ assetId }) => assetId).sort()).toEqual(['ast_elsewhere', 'ast_invoice']);
    expect(rows.map(({ name }) => name)).toContain('Elsewhere.docx');
  });

  test.each([
    ['?q=ÉCHÉANCIER', ['ast_plain']],
    ['?q=divers%2F', ['ast_plain']],
    ['?q=PDF', ['ast_plain']],
    ['?q=payroll', ['ast_payroll', 'ast_shared']],
    ['?q=100%25_OFF', ['ast_below']],
    ['?q=%25', []],
    ['?q=1', ['ast_below']],
    ['?q=100%25_', ['ast_below']],
    ['?q=%C3%89', ['ast_plain']],
    ['?q=%C3%89c', ['ast_plain']],
    ['?q=_o', []],
    ['?q=00', []],
    ['?q=0__o', []],
    ['?q=_off%5C.', ['ast_below']],
    ['?q=1__%25', []],
    [`?q=${encodeURIComponent("' or 1=1 --")}`, []],
    ['?q=', ['ast_payroll', 'ast_shared', 'ast_plain', 'ast_invoice', 'ast_below']],
    ['?labelState=labeled', ['ast_below']],
    ['?labelState=unknown', []],
    ['?informationTypeId=ift_invoices', ['ast_shared', 'ast_invoice']],
    ['?informationTypeId=ift_invoices&q=ast_sha', ['ast_shared']],
    ['?informationTypeId=ift_unknown', []],
    ['?riskSeverity=high', []],
  ])('%s', async (query, expected) => {
    expect(await idsOf(auditor, query)).toEqual(expected);
  });

  test('a filter by type shows that classification, and none of a foreign domain', async () => {
    const [row] = await rowsOf(finance, '?informationTypeId=ift_financial_results');
    expect(row).toMatchObject({
      assetId: 'ast_invoice',
      classification: { informationTypeId: 'ift_financial_results', confidence: 0.6 },
    });
    expect(await idsOf(finance, '?informationTypeId=ift_payroll')).toEqual([]);
    expect(await idsOf(finance, '?q=Payroll%20and')).toEqual([]);
  });

  test('a filter that is not one is refused', async () => {
    for (const query of ['?labelState=x', '?riskSeverity=x', `?q=${'x'.repeat(201)}`, '?page=2'])
      expect((await auditor.get(`/api/assets${query}`)).status, query).toBe(400);
  });

  test('is as long as is asked for, and says whether that was all', async () => {
    const all = ['ast_payroll', 'ast_shared', 'ast_plain', 'ast_invoice', 'ast_below'];
    for (const [query, matching] of [
      ['', all],
      ['&q=payroll', ['ast_payroll', 'ast_shared']],
      ['&q=_off%5C.', ['ast_below']],
      ['&informationTypeId=ift_invoices', ['ast_shared', 'ast_invoice']],
      ['&labelState=unknown', []],
    ] as const) {
      for (const limit of [1, 2, 4, 5, 6]) {
        const path = `/api/assets?limit=${limit}${query}`;
        const { body } = await auditor.get<{ items: Row[]; truncated: boolean }>(path);
        const ids = body.items.map(({ assetId }) => assetId);
        expect([ids, body.truncated], path).toEqual([matching.slice(0, limit), matching.length > limit]);
      }
    }
  });

  test('says when there is more than it gives', async () => {
    const many = Array.from({ length: 201 }, (_, n) => ({
      assetId: `ast_many_${n}`,
      said: [{ informationTypeId: 'ift_commercial_contracts', domainId: 'dom_legal', confidence: 0.9 }],
    }));
    const owner = await service.signInAs(PERSONA.legalOwner);
    const shown = async (query = '') => {
      const { body } = await owner.get<{ items: Row[]; truncated: boolean }>(`/api/assets${query}`);
      return [body.items.length, body.truncated];
    };
    await storeScanned(database.db, DEV, many.slice(0, 200));
    expect(await shown()).toEqual([200, false]);
    expect(await shown('?limit=200')).toEqual([200, false]);
    expect(await shown('?limit=199')).toEqual([199, true]);
    await storeScanned(database.db, DEV, many.slice(200));
    expect(await shown()).toEqual([200, true]);
    expect(await shown('?limit=200')).toEqual([200, true]);
  });
});

describe('one asset', () => {
  test('history, permissions with caveat, provenance, and no risk that was not computed', async () => {
    const asset = await detailOf(auditor, 'ast_invoice');
    expect(asset.versions.items.map(({ version, name }) => [version, name])).toEqual([
      [2, `${CANARY} ast_invoice.docx`],
      [1, 'Former name.docx'],
    ]);
    expect(asset.permissions).toMatchObject({
      complete: false,
      caveat: expect.stringContaining('not evidence of absence'),
      grants: { items: [{ principalKind: 'group' }], truncated: false },
    });
    expect(asset.provenance.items.map(({ statement, confidence }) => [statement, confidence]).sort()).toEqual(
      [
        ['belongs_to', 0.6],
        ['belongs_to', 0.9],
      ],
    );
    expect(asset).toMatchObject({ riskComponents: [], findings: [], label: { state: 'unlabeled' } });
    expect(asset).toHaveProperty('sourceUrl', null);
  });

  test('grants are bounded, and it says so', async () => {
    const grant = { principal: 'p', principalKind: 'user', external: false, role: 'read', inherited: false };
    await storeScanned(database.db, DEV, [{ assetId: 'ast_granted' }]);
    const many = sql.json(Array.from({ length: 201 }, () => grant));
    await database.inspect(sql`update assets set grants = ${many}::jsonb where asset_id = 'ast_granted'`);
    const { permissions } = await detailOf(auditor, 'ast_granted');
    expect([permissions.grants.items.length, permissions.grants.truncated]).toEqual([200, true]);
  });

  test('shows a domain owner the part of the own domains only', async () => {
    const shared = await detailOf(finance, 'ast_shared');
    expect(shared.classifications.map(({ domainId }) => domainId)).toEqual(['dom_finance']);
    expect(shared.provenance.items.map(({ domainId }) => domainId)).toEqual(['dom_finance']);
    const copiesOf = async (caller: SignedIn) =>
      (await detailOf(caller, 'ast_shared')).clusters.map(({ kind, assets }) => [
        kind,
        assets.items.map(({ assetId }) => assetId),
      ]);
    expect(await copiesOf(finance)).toEqual([['identical_bytes', ['ast_invoice']]]);
    expect(await copiesOf(people)).toEqual([['identical_bytes', ['ast_payroll']]]);
    expect(await copiesOf(auditor)).toEqual([['identical_bytes', ['ast_invoice', 'ast_payroll']]]);
    expect((await detailOf(auditor, 'ast_plain')).clusters).toEqual([]);
  });

  test('missing, deleted, of a foreign domain or of another tenant: the same 404', async () => {
    const probes: [SignedIn, string][] = [
      [finance, 'ast_missing'],
      [finance, 'ast_payroll'],
      [finance, 'ast_plain'],
      [finance, 'ast_below'],
      [finance, 'ast_gone'],
      [finance, 'ast_elsewhere'],
      [auditor, 'ast_gone'],
      [auditor, 'ast_elsewhere'],
      [finance, 'x'.repeat(65)],
    ];
    const answers = await Promise.all(probes.map(([caller, id]) => caller.get(`/api/assets/${id}`)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
  });

  test.each(['rejected', 'routed', 'withdrawn'])(
    'a candidate that is %s ties it to no domain',
    async (status) => {
      const assetId = `ast_${status}`;
      await storeScanned(database.db, DEV, [{ assetId, said: [invoices(0.9)] }]);
      expect(await idsOf(finance, `?q=${assetId}`)).toEqual([assetId]);
      await database.inspect(sql`update candidates set status = ${status} where asset_id = ${assetId}`);
      expect(await idsOf(finance, `?q=${assetId}`)).not.toContain(assetId);
      expect((await finance.get(`/api/assets/${assetId}`)).status).toBe(404);
      expect((await detailOf(auditor, assetId)).classifications).toEqual([]);
    },
  );

  test('without the capability it is refused', async () => {
    for (const persona of [PERSONA.platformAdmin, PERSONA.nobody]) {
      const caller = await service.signInAs(persona);
      for (const path of ['/api/assets', '/api/assets/ast_invoice', '/api/assets/ast_missing'])
        expect((await caller.get(path)).status, `${persona} ${path}`).toBe(403);
    }
  });
});

describe('excerpts', () => {
  test('an owner of the asset reads them, which is recorded without a name', async () => {
    const before = (await excerptReads()).length;
    expect((await detailOf(finance, 'ast_invoice')).excerpts).toEqual(excerpts);
    const records = (await excerptReads()).slice(before).map(({ record }) => record);
    expect(records.map((record) => JSON.parse(record).event)).toMatchObject([
      {
        category: 'evidence_access',
        type: 'asset_excerpts_read',
        principalId: PERSONA.financeOwner,
        target: { kind: 'asset', id: 'ast_invoice' },
        details: { excerpts: 1 },
      },
    ]);
    expect(records.join()).not.toContain(CANARY);
  });

  test('with `excerpts=none` none are read, and nothing is recorded', async () => {
    const before = (await excerptReads()).length;
    const { body } = await finance.get<{ excerpts: object[] }>('/api/assets/ast_invoice?excerpts=none');
    expect(body.excerpts).toEqual([]);
    expect((await excerptReads()).length).toBe(before);
  });

  test('nobody else gets any, auditors included, and nothing is recorded', async () => {
    const before = (await excerptReads()).length;
    for (const persona of [PERSONA.auditor, PERSONA.governanceAdmin, PERSONA.approver]) {
      const reader = await service.signInAs(persona);
      expect((await detailOf(reader, 'ast_invoice')).excerpts, persona).toEqual([]);
    }
    expect((await detailOf(finance, 'ast_shared')).excerpts).toEqual([]);
    expect((await excerptReads()).length).toBe(before);
  });

  test('an auditor who also owns a domain reads those of that domain only', async () => {
    const role = sql`insert into principal_roles (tenant_id, principal_id, role)
      values (${DEV}, ${PERSONA.legalOwner}, 'auditor')`;
    await database.inspect(role);
    const both = await service.signInAs(PERSONA.legalOwner);
    expect((await detailOf(both, 'ast_invoice')).excerpts).toEqual([]);
    await storeScanned(database.db, DEV, [
      {
        assetId: 'ast_contract',
        excerpts,
        said: [{ informationTypeId: 'ift_commercial_contracts', domainId: 'dom_legal', confidence: 0.9 }],
      },
    ]);
    expect((await detailOf(both, 'ast_contract')).excerpts).toEqual(excerpts);
  });

  test('a tenant that keeps metadata only shows none of those kept before', async () => {
    const profile = (name: string) =>
      database.inspect(sql`update tenants set data_handling_profile = ${name} where tenant_id = ${DEV}`);
    await profile('metadata_only');
    expect((await detailOf(finance, 'ast_invoice')).excerpts).toEqual([]);
    await profile('minimized_evidence');
    expect((await detailOf(finance, 'ast_invoice')).excerpts).toEqual(excerpts);
  });
});
