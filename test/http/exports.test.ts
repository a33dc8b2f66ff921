import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { assetPages } from '../../core/exports/export-assets.ts';
import { CANARY, storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { recordStatements, type StatementRecord } from '../support/statement-record.ts';

const FORMULA = `=HYPERLINK("//x","${CANARY}")`;
const MANY = 60_000;
/** Bytes: half of all of them. */
const MAX_KEPT = 30_000_000;
/** Bytes after which it is looked at what is kept. */
const STRIDE = 10_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let database: TestDatabase;
let service: TestService;
let governance: SignedIn;
let auditor: SignedIn;
let finance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  finance = await service.signInAs(PERSONA.financeOwner);
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_mine', name: FORMULA, said: [invoices()], labelName: `+${CANARY}` },
    { assetId: 'ast_both', said: [invoices(), payroll()] },
    { assetId: 'ast_theirs', said: [payroll()] },
    { assetId: 'ast_nobodys' },
  ]);
  await database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at)
    select tenant_id, 'fnd_' || asset_id, asset_id, 'exposure', 'high', 'open', 'To anyone.', '1', now(), now() from assets`);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const exported = async (who: SignedIn, target: string) => {
  const { status, text } = await who.get(`/api/exports/${target}`);
  expect(status).toBe(200);
  return text;
};
/** Rows of an NDJSON export, which says itself that it is whole. */
const rowsOf = async <T>(who: SignedIn, target: string) => {
  const all = lines(await exported(who, target)).map((line) => JSON.parse(line));
  const end = all.pop();
  expect(end).toEqual({ end: true, count: all.length });
  return all as T[];
};
const idsOf = async (who: SignedIn, query = '') =>
  (await rowsOf<{ assetId: string }>(who, `assets?format=ndjson${query}`))
    .map(({ assetId }) => assetId)
    .sort();

test('each sees in an export what the list shows them, by the same filters', async () => {
  expect(await idsOf(governance)).toEqual(['ast_both', 'ast_mine', 'ast_nobodys', 'ast_theirs']);
  expect(await idsOf(finance)).toEqual(['ast_both', 'ast_mine']);
  expect(await idsOf(finance, '&labelState=labeled')).toEqual(['ast_mine']);
  expect(await idsOf(finance, '&q=theirs')).toEqual([]);
  const listed = (await finance.get<{ items: object[] }>('/api/assets')).body.items;
  expect(await rowsOf(finance, 'assets?format=ndjson')).toEqual(listed);

  const findings = await rowsOf<{ assetId: string }>(finance, 'findings?format=ndjson');
  expect(findings.map(({ assetId }) => assetId)).toEqual(['ast_both', 'ast_mine']);
  expect(await rowsOf(auditor, 'findings?format=ndjson&status=resolved')).toEqual([]);
  expect(await rowsOf(auditor, 'findings?format=ndjson')).toHaveLength(4);
  const ofPeople = await rowsOf(auditor, 'findings?format=ndjson&domainId=dom_human_resources&kind=exposure');
  expect(ofPeople).toHaveLength(2);
  expect(await rowsOf(finance, 'findings?format=ndjson&domainId=dom_human_resources')).toEqual([]);
});

test('actions and tasks are exported as their lists show them, with their filters', async () => {
  const people = await service.signInAs(PERSONA.peopleOwner);
  const approver = await service.signInAs(PERSONA.approver);
  const drafted = await finance.post<{ actionId: string }>('/api/actions', {
    kind: 'internal_task',
    targetAssetId: 'ast_mine',
    justification: 'It is asked about every year',
    taskTitle: '=1+1',
  });
  const { actionId } = drafted.body;
  const idsOfMine = async (who: SignedIn, mine: string) =>
    (await who.get<{ items: { actionId: string }[] }>(`/api/actions?mine=${mine}`)).body.items.map(
      (action) => action.actionId,
    );
  expect((await finance.post(`/api/actions/${actionId}/submit`)).status).toBe(200);
  expect([await idsOfMine(finance, 'requested'), await idsOfMine(finance, 'to_approve')]).toEqual([
    [actionId],
    [],
  ]);
  expect([await idsOfMine(approver, 'requested'), await idsOfMine(approver, 'to_approve')]).toEqual([
    [],
    [actionId],
  ]);
  const approval = { decision: 'approve', reason: 'Agreed' };
  expect((await approver.post(`/api/actions/${actionId}/approval`, approval)).status).toBe(200);
  for (const list of ['actions', 'tasks']) {
    const { items, total } = (await finance.get<{ items: object[]; total: number }>(`/api/${list}`)).body;
    expect([items.length, total], list).toEqual([1, 1]);
    expect(await rowsOf(finance, `${list}?format=ndjson&domainId=dom_finance`), list).toEqual(items);
    const none = await Promise.all([
      rowsOf(finance, `${list}?format=ndjson&domainId=dom_human_resources`),
      rowsOf(people, `${list}?format=ndjson`),
      rowsOf(finance, `${list}?format=ndjson&ids=nothing`),
    ]);
    expect(none.flat(), list).toEqual([]);
    expect((await service.anonymous.get(`/api/exports/${list}?format=csv`)).status, list).toBe(401);
  }
  const csv = await exported(auditor, 'actions?format=csv&status=verified');
  expect(csv).toContain(`"${actionId}","internal_task","verified","ast_mine"`);
  expect(csv).toContain('"approve"');
  const tasks = await exported(finance, 'tasks?format=csv&mine=assigned&status=open');
  expect(tasks).toContain(`"'=1+1"`);
  expect(lines(tasks)).toHaveLength(2);
});

test('a table is for spreadsheets: text is quoted, formulas are none', async () => {
  const answer = await finance.get('/api/exports/assets?format=csv');
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="assets-\d{4}-\d\d-\d\d\.csv"$/,
  );
  const rows = answer.text.replace(/^\uFEFF/, '').split('\r\n');
  expect(rows[0]).toMatch(/^"assetId","name","path",/);
  expect(rows).toHaveLength(4);
  expect(answer.text).toContain(`"'${FORMULA.replaceAll('"', '""')}"`);
  expect(answer.text).toContain(`"'+${CANARY}"`);
  expect(answer.text).toContain('"dom_finance","Finance"');
  expect(await exported(auditor, 'findings?format=csv')).toContain('"fnd_ast_mine","exposure","high","open"');
});

test('the trail is exported whole, or as a table of one category', async () => {
  const whole = lines(await exported(auditor, 'audit?format=ndjson')).map((line) => JSON.parse(line));
  expect(whole[0].export).toMatchObject({ format: 'audit-trail', tenantId: DEV });
  expect(whole.filter((line) => 'record' in line)).toHaveLength(whole[0].export.head.seq);
  const all = lines(await exported(auditor, 'audit?format=csv'));
  const some = lines(await exported(auditor, 'audit?format=csv&category=evidence_access'));
  expect(some.length).toBeLessThan(all.length);
  expect(some.slice(1).every((line) => line.includes('"evidence_access"'))).toBe(true);
  expect((await auditor.get('/api/exports/audit?format=ndjson&category=auth')).status).toBe(400);
  const ofOne = await exported(
    auditor,
    `audit?format=csv&principalId=${PERSONA.auditor}&type=export_started&targetKind=export&targetId=audit&from=2020-01-01T00:00:00Z`,
  );
  expect(lines(ofOne).length).toBeGreaterThan(3);
  expect(
    lines(ofOne)
      .slice(1)
      .every((line) => line.includes(`"export_started","${PERSONA.auditor}"`)),
  ).toBe(true);
  expect(lines(await exported(auditor, 'audit?format=csv&before=2020-01-01T00:00:00Z'))).toHaveLength(1);
  expect((await auditor.get('/api/exports/audit?format=ndjson&from=2020-01-01T00:00:00Z')).status).toBe(400);
});

test('the queue is a table without formulas, of the own domains alone', async () => {
  const table = await exported(finance, 'queue?format=csv');
  expect(table).toContain(`"'${FORMULA.replaceAll('"', '""')}"`);
  expect(lines(table)).toHaveLength(3);
  const rows = await rowsOf<{ domainId: string; assetId: string }>(finance, 'queue?format=ndjson&band=high');
  expect(rows.map(({ assetId }) => assetId).sort()).toEqual(['ast_both', 'ast_mine']);
  expect(new Set(rows.map(({ domainId }) => domainId))).toEqual(new Set(['dom_finance']));
  expect(await rowsOf(finance, 'queue?format=ndjson&domainId=dom_human_resources')).toEqual([]);
  expect(lines(await exported(finance, 'decisions?format=csv&by=anyone'))).toHaveLength(1);
  expect(lines(await exported(governance, 'scans?format=csv'))).toHaveLength(1);
});

test('who may not read may not export; a format is needed; HEAD reads nothing', async () => {
  const admin = await service.signInAs(PERSONA.platformAdmin);
  for (const kind of ['assets', 'findings', 'audit', 'decisions', 'queue']) {
    expect((await admin.get(`/api/exports/${kind}?format=csv`)).status, kind).toBe(403);
    expect((await service.anonymous.get(`/api/exports/${kind}?format=csv`)).status, kind).toBe(401);
  }
  expect((await finance.get('/api/exports/audit?format=csv')).status).toBe(403);
  expect((await governance.get('/api/exports/assets')).status).toBe(400);
  expect((await governance.get('/api/exports/assets?format=xlsx')).status).toBe(400);
  const before = await auditedExports();
  const head = await governance.request('HEAD', '/api/exports/assets?format=csv');
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers.get('content-disposition')).toMatch(/^attachment/);
  expect(await auditedExports()).toEqual(before);
});

const auditedExports = async () =>
  (
    await database.inspect<{ record: string }>(sql`
      select record from audit_events
       where tenant_id = ${DEV} and category = 'evidence_access' and record like '%"kind":"export"%' order by seq`)
  ).map(({ record }) => JSON.parse(record).event);

test('an export is audited at begin and end, without its content in trail or log', async () => {
  await exported(finance, `assets?format=csv&q=${CANARY}&labelState=labeled`);
  const events = (await auditedExports()).slice(-2);
  const about = { principalId: PERSONA.financeOwner, target: { kind: 'export', id: 'assets' } };
  expect(events).toMatchObject([
    { ...about, type: 'export_started', details: { format: 'csv', filters: 'labelState.q' } },
    { ...about, type: 'export_completed' },
  ]);
  expect(JSON.stringify(await auditedExports())).not.toContain(CANARY);
  expect(service.logs.join('\n')).not.toContain(CANARY);
});

describe(`${MANY} assets`, () => {
  /** A request on a socket that nobody reads from until asked to. */
  const unread = async (target: string): Promise<Socket> => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.pause();
    socket.write(`GET ${target} HTTP/1.1\r\nhost: ${hostname}\r\ncookie: ${governance.cookie}\r\n\r\n`);
    return socket;
  };
  let statements: StatementRecord;
  /** Until nothing is read for as long as several pages take. */
  const nothingIsRead = async () => {
    do {
      statements.take();
      await sleep(1_000);
    } while (statements.take().length > 0);
  };
  /** Bytes that this process holds, service and client, once what nobody needs is gone. */
  const keptNow = () => {
    // Buffers are swept meanwhile, which the second one waits for.
    collectGarbage();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const begun = (count: number) =>
    expect
      .poll(async () => (await auditedExports()).filter(({ type }) => type === 'export_started').length)
      .toBe(count);
  const countOf = async (type: string) =>
    (await auditedExports()).filter((event) => event.type === type).length;

  beforeAll(async () => {
    // Without what keeps the projection: whoever sees all assets does not go by it.
    await withClient(database.adminUrl, async (client) => {
      await client.query('set session_replication_role = replica');
      await client.query(
        `insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                             content_version, first_seen_at, last_seen_at, changed_at)
         select tenant_id, 'ast_many_' || n, scope_id, n::text, repeat('n', 300) || n, repeat('p', 300), 'file', 1, '1', '1',
                now(), now(), to_timestamp(n)
           from generate_series(1, $1::int) n, (select tenant_id, scope_id from scopes where external_id = 'site-test') s`,
        [MANY],
      );
      await client.query('analyze assets');
    });
    await service.reconfigure({});
    statements = recordStatements(service.runtime().db);
  });

  test('leave one after the other, each once, and memory stays where it was', async () => {
    const response = await fetch(`${service.url}/api/exports/assets?format=ndjson`, {
      headers: { cookie: governance.cookie },
    });
    let kept = 0;
    let bytes = 0;
    let last = '';
    let next = MANY;
    const decoder = new TextDecoder();
    const before = keptNow();
    for await (const chunk of response.body ?? []) {
      if (Math.floor(bytes / STRIDE) < Math.floor((bytes + chunk.byteLength) / STRIDE))
        kept = Math.max(kept, keptNow() - before);
      bytes += chunk.byteLength;
      const pieces = (last + decoder.decode(chunk, { stream: true })).split('\n');
      last = pieces.pop() ?? '';
      for (const line of pieces) if (line.includes(`"ast_many_${next}"`)) next--;
    }
    expect(next).toBe(0);
    expect(bytes).toBeGreaterThan(1.9 * MAX_KEPT);
    expect(kept).toBeLessThan(MAX_KEPT);
  });

  test('of which a search did not look at the older ones are a list that is cut', async () => {
    const listed = async (q: string) => {
      const { body } = await governance.get<{ items: object[]; truncated: boolean }>(`/api/assets?q=${q}`);
      return [body.items.length, body.truncated];
    };
    expect(await listed('nn4')).toEqual([0, true]);
    expect(await listed(CANARY)).toEqual([4, false]);
  });

  test('miss none whose change was under way when they began', async () => {
    await database.inspect(sql`
      update assets set risk_severity = 'low' where asset_id in (
        select 'ast_many_' || n from generate_series(1, 1500) n)`);
    const pages = assetPages(
      (read) => withTx(database.db, { tenantId: DEV, mode: 'read' }, read),
      { kind: 'tenant' },
      { riskSeverity: 'low' },
      Date.now(),
    );
    const ids = (await pages.next()).value?.map(({ assetId }: { assetId: string }) => assetId) ?? [];
    await database.inspect(sql`
      update assets set changed_at = now() - interval '10 seconds' where asset_id = 'ast_many_1'`);
    for await (const page of pages) ids.push(...page.map(({ assetId }) => assetId));
    expect(ids.filter((id: string) => id === 'ast_many_1')).toHaveLength(1);
    expect(ids).toHaveLength(1_500);
  });

  test('wait for a client that does not read, and are forgotten with one that leaves', async () => {
    const [started, completed] = [await countOf('export_started'), await countOf('export_completed')];
    const before = keptNow();
    const sockets: Socket[] = [];
    for (let n = 1; n <= 4; n++) {
      sockets.push(await unread('/api/exports/assets?format=ndjson'));
      await begun(started + n);
    }
    await nothingIsRead();
    expect(keptNow() - before).toBeLessThan(MAX_KEPT);
    expect(await countOf('export_completed')).toBe(completed);
    expect((await governance.get('/api/exports/assets?format=csv')).status).toBe(409);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => (await governance.get('/api/exports/assets?format=csv&q=ast_mine')).status)
      .toBe(200);
  });

  test('break off where they cannot be read, so that nobody takes the file for whole', async () => {
    const started = await countOf('export_started');
    const socket = await unread('/api/exports/assets?format=ndjson');
    await begun(started + 1);
    await nothingIsRead();
    await database.inspect(sql`alter table assets rename to assets_away`);
    try {
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk) => {
        text = (text + chunk).slice(-1_000);
      });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined).resume();
      await closed;
      expect(text).not.toContain('"end":true');
      // The chunk that would end the answer.
      expect(text.endsWith('0\r\n\r\n')).toBe(false);
    } finally {
      await database.inspect(sql`alter table assets_away rename to assets`);
    }
    expect(service.logs.some((line) => line.includes('internal_error') && line.includes('exports'))).toBe(
      true,
    );
    // Part of a name; fewer might stand in an id.
    expect(service.logs.join('\n')).not.toContain('n'.repeat(20));
  });
});
