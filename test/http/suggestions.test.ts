import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Suggestion = { kind: string; id: string; name: string; within: string | null; detail: string | null };

const HASH = 'ab'.repeat(32);

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let people: SignedIn;
let auditor: SignedIn;
let admin: SignedIn;
let approver: SignedIn;
let nobody: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 0 });
  service = await startService(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  auditor = await service.signInAs(PERSONA.auditor);
  admin = await service.signInAs(PERSONA.platformAdmin);
  approver = await service.signInAs(PERSONA.approver);
  nobody = await service.signInAs(PERSONA.nobody);
  // Copies in one scope: one is finance's, one human resources', one is of both.
  await storeScanned(database.db, DEV, [
    {
      assetId: 'ast_mine',
      name: 'Quokka plan.docx',
      path: 'A/Quokka plan.docx',
      contentHash: HASH,
      said: [invoices()],
    },
    {
      assetId: 'ast_theirs',
      name: 'Quokka plan.docx',
      path: 'B/Quokka plan.docx',
      contentHash: HASH,
      said: [payroll()],
    },
    {
      assetId: 'ast_both',
      name: 'Our quokka.docx',
      path: 'C/Our quokka.docx',
      contentHash: HASH,
      said: [invoices(), payroll()],
    },
    { assetId: 'ast_nobodys', name: 'Lost quokka.docx', path: 'D/Lost quokka.docx' },
    { assetId: 'ast_in_folder', name: 'Notes.docx', path: 'Quokka/Notes.docx', said: [invoices()] },
    { assetId: 'ast_removed', name: 'Quokka gone.docx', path: 'E/Quokka gone.docx', said: [invoices()] },
  ]);
  await database.inspect(sql`
    update assets set status = 'deleted', deleted_at = now() where tenant_id = ${DEV} and asset_id = 'ast_removed'`);
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    values (${DEV}, 'dom_quokka', 'Quokka 100% care', now(), now())`);
  await database.inspect(sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
    values (${DEV}, 'ift_quokka', 'dom_quokka', 'Twin type', now(), now()),
           (${DEV}, 'ift_twin', 'dom_human_resources', 'Twin type', now(), now()),
           (${DEV}, 'ift_twin_finance', 'dom_finance', 'Twin type', now(), now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, expected_domain_id, created_at)
    select ${DEV}, s.id, connector_instance_id, 'm365', s.id || '-external', 'Quokka reserve', 'site', s.domain, now()
      from scopes, (values ('scp_theirs', 'dom_human_resources'), ('scp_mine', 'dom_finance')) as s (id, domain)
     where tenant_id = ${DEV} and external_id = 'site-test'`);
  await database.inspect(sql`
    insert into principals (tenant_id, principal_id, display_name, title, department, email)
    values (${DEV}, 'pri_quokka', 'Quentin Quokka', 'Keeper', 'Zoo', 'q.quokka@zoo.example'),
           (${DEV}, 'pri_other_quokka', 'Quentin Quokka', '', '', null)`);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const suggested = async (who: SignedIn, q: string) => {
  const { status, body } = await who.get<{ items: Suggestion[] }>(
    `/api/suggestions?q=${encodeURIComponent(q)}`,
  );
  expect(status).toBe(200);
  return body.items;
};
const namesOf = async (who: SignedIn, q: string) =>
  (await suggested(who, q)).map(({ kind, id }) => `${kind} ${id}`).sort();

describe('GET /api/suggestions', () => {
  test('suggests what the caller may see of each kind, with what tells equal names apart', async () => {
    expect(await suggested(auditor, 'quokka')).toEqual([
      { kind: 'domain', id: 'dom_quokka', name: 'Quokka 100% care', within: null, detail: null },
      { kind: 'scope', id: 'scp_mine', name: 'Quokka reserve', within: 'm365', detail: 'scp_mine-external' },
      {
        kind: 'scope',
        id: 'scp_theirs',
        name: 'Quokka reserve',
        within: 'm365',
        detail: 'scp_theirs-external',
      },
      { kind: 'principal', id: 'pri_other_quokka', name: 'Quentin Quokka', within: null, detail: null },
      {
        kind: 'principal',
        id: 'pri_quokka',
        name: 'Quentin Quokka',
        within: 'Zoo',
        detail: 'q.quokka@zoo.example',
      },
      ...(await suggested(auditor, 'quokka')).filter(({ kind }) => kind === 'asset'),
    ]);
    expect(await suggested(auditor, 'twin type')).toMatchObject([
      { kind: 'information_type', name: 'Twin type', within: 'Finance' },
      { kind: 'information_type', name: 'Twin type', within: 'Human Resources' },
      { kind: 'information_type', name: 'Twin type', within: 'Quokka 100% care' },
    ]);
  });

  test('a domain owner never sees a name of a foreign domain', async () => {
    expect(await namesOf(finance, 'quokka')).toEqual([
      'asset ast_both',
      'asset ast_in_folder',
      'asset ast_mine',
      'scope scp_mine',
    ]);
    expect(await namesOf(people, 'quokka')).toEqual([
      'asset ast_both',
      'asset ast_theirs',
      'scope scp_theirs',
    ]);
    expect(await suggested(finance, 'twin')).toMatchObject([{ id: 'ift_twin_finance', within: 'Finance' }]);
    expect(await suggested(finance, 'human')).toEqual([]);
    expect(await suggested(people, 'payroll')).toMatchObject([
      { kind: 'information_type', id: 'ift_payroll' },
    ]);
    expect(await suggested(finance, 'payroll')).toEqual([]);
    expect(await suggested(finance, 'quentin')).toEqual([]);
  });

  test('each kind is suggested to those who may list it', async () => {
    expect(await namesOf(admin, 'quokka')).toEqual([
      'principal pri_other_quokka',
      'principal pri_quokka',
      'scope scp_mine',
      'scope scp_theirs',
    ]);
    const assets = [
      'asset ast_both',
      'asset ast_in_folder',
      'asset ast_mine',
      'asset ast_nobodys',
      'asset ast_theirs',
    ];
    expect(await namesOf(approver, 'quokka')).toEqual(assets);
    expect(await namesOf(nobody, 'quokka')).toEqual([]);
    expect((await service.anonymous.get('/api/suggestions?q=quokka')).status).toBe(401);
  });

  test('the last word may be unfinished; assets that are named so come first', async () => {
    const assets = (await suggested(finance, 'quok')).filter(({ kind }) => kind === 'asset');
    expect(assets).toHaveLength(3);
    expect(assets.at(-1)).toEqual({
      kind: 'asset',
      id: 'ast_in_folder',
      name: 'Notes.docx',
      within: 'Test site',
      detail: 'Quokka/Notes.docx',
    });
    expect(await namesOf(finance, 'plan quok')).toEqual(['asset ast_mine']);
    expect(await namesOf(auditor, '"plan quok"')).toEqual(['asset ast_mine', 'asset ast_theirs']);
  });

  test('signs are not placeholders; names equal to the words come before others', async () => {
    expect(await namesOf(auditor, '100%')).toEqual(['domain dom_quokka']);
    expect(await namesOf(auditor, '1%0')).toEqual([]);
    expect(await namesOf(auditor, '_wi')).toEqual([]);
    await database.inspect(sql`
      insert into domains (tenant_id, domain_id, name, created_at, updated_at)
      values (${DEV}, 'dom_care', 'Care', now(), now()), (${DEV}, 'dom_aftercare', 'Aftercare', now(), now()),
             (${DEV}, 'dom_caretaking', 'Caretaking', now(), now())`);
    expect((await suggested(auditor, 'care')).map(({ id }) => id)).toEqual([
      'dom_care',
      'dom_caretaking',
      'dom_aftercare',
      'dom_quokka',
    ]);
  });

  test('there are at most ten, of each kind as many as there is room for', async () => {
    await database.inspect(sql`
      insert into domains (tenant_id, domain_id, name, created_at, updated_at)
      select ${DEV}, 'dom_many_' || n, 'Quokka ' || n, now(), now() from generate_series(1, 30) as n`);
    const items = await suggested(auditor, 'quokka');
    const counts = Object.fromEntries(
      [...Map.groupBy(items, ({ kind }) => kind)].map(([kind, of]) => [kind, of.length]),
    );
    expect(counts).toEqual({ domain: 3, scope: 2, principal: 2, asset: 3 });
    expect(await suggested(auditor, 'quokka 1')).toHaveLength(10);
  });

  test.each(['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=a&limit=3'])(
    '%s is refused',
    async (query) => {
      expect((await auditor.get(`/api/suggestions${query}`)).status).toBe(400);
    },
  );

  test('a text without letters and digits finds no asset', async () => {
    expect(await suggested(auditor, '"')).toEqual([]);
    expect(await suggested(finance, '-- ;')).toEqual([]);
  });
});
