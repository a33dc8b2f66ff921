import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeAlike, vectorAt } from '../support/alike.ts';
import { CANARY, type ScannedAsset } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { wordsFrom } from '../support/words-from.ts';

type Node = {
  nodeId: string;
  depth: number;
  label: string;
  redacted: boolean;
  assetId: string | null;
  path: string | null;
  scopeId: string | null;
  scopeName: string | null;
};
type Edge = { from: string; to: string; reason: string; similarity: number | null };
type Graph = { nodes: Node[]; edges: Edge[]; truncated: boolean };

const hashOf = (byte: string) => byte.repeat(32);

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let auditor: SignedIn;

const store = (asset: ScannedAsset, has?: Parameters<typeof storeAlike>[2]) =>
  storeAlike(database.db, asset, has);

/**
 * root: copy (mine), theirs (a copy of another domain), version (mine), near in meaning; version: mail by an attachment;
 * theirs: behind by an attachment; mail: third by its bytes, which is too far.
 */
beforeAll(async () => {
  database = await createSeededDatabase();
  const text = wordsFrom(0, 300);
  await store(
    { assetId: 'ast_root', said: [invoices()], contentHash: hashOf('aa') },
    { text, vector: vectorAt(0) },
  );
  await store({ assetId: 'ast_copy', said: [invoices()], contentHash: hashOf('aa') }, { text });
  await store(
    { assetId: 'ast_0_theirs', name: 'Foreign.docx', said: [payroll()], contentHash: hashOf('aa') },
    { text, contains: [hashOf('bb')] },
  );
  await store({ assetId: 'ast_behind', said: [invoices()], contentHash: hashOf('bb') });
  await store(
    { assetId: 'ast_version', said: [invoices()], contentHash: hashOf('cc') },
    { text: `${text} ${wordsFrom(9_000, 30)}` },
  );
  await store(
    { assetId: 'ast_mail', said: [invoices()], contentHash: hashOf('dd') },
    { contains: [hashOf('cc')] },
  );
  await store({ assetId: 'ast_third', said: [invoices()], contentHash: hashOf('dd') });
  await store({ assetId: 'ast_meaning', said: [invoices()] }, { vector: vectorAt(20) });
  await store({ assetId: 'ast_untied', name: 'Untied.docx' }, { vector: vectorAt(30) });
  await store({ assetId: 'ast_gone', said: [invoices()], contentHash: hashOf('aa') }, { text });
  await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_gone'`);
  await store(
    { assetId: 'ast_root', said: [invoices()], contentHash: hashOf('aa') },
    { text, tenantId: OTHER },
  );
  service = await startService(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const graphOf = async (caller: SignedIn, assetId: string) => {
  const { status, body, text } = await caller.get<Graph>(`/api/assets/${assetId}/connections`);
  expect(status).toBe(200);
  return { ...body, text };
};
const nodesOf = ({ nodes }: Graph) => nodes.map(({ assetId, depth }) => [assetId, depth]);
const edgesOf = ({ nodes, edges }: Graph) => {
  const names = new Map(nodes.map(({ nodeId, assetId }) => [nodeId, assetId]));
  return edges.map(({ from, to, reason }) => [names.get(from), names.get(to), reason]);
};

describe('two levels', () => {
  test('a reader of all sees all, breadth first, the strongest first, with reasons', async () => {
    const graph = await graphOf(auditor, 'ast_root');
    expect(nodesOf(graph)).toEqual([
      ['ast_root', 0],
      ['ast_0_theirs', 1],
      ['ast_copy', 1],
      ['ast_version', 1],
      ['ast_meaning', 1],
      ['ast_untied', 1],
      ['ast_behind', 2],
      ['ast_mail', 2],
    ]);
    expect(edgesOf(graph)).toEqual(
      expect.arrayContaining([
        ['ast_root', 'ast_0_theirs', 'identical_bytes'],
        ['ast_root', 'ast_copy', 'identical_bytes'],
        ['ast_root', 'ast_version', 'near_duplicate'],
        ['ast_root', 'ast_meaning', 'semantic_neighbor'],
        ['ast_version', 'ast_mail', 'attachment_copy'],
        ['ast_0_theirs', 'ast_behind', 'attachment_copy'],
      ]),
    );
    expect(graph.truncated).toBe(false);
    expect(graph.nodes.every(({ redacted }) => !redacted)).toBe(true);
    expect(graph.edges.every(({ similarity }) => similarity !== null)).toBe(true);
  });

  test('there is one edge for a pair, and each leads between nodes of the answer', async () => {
    for (const root of ['ast_root', 'ast_version', 'ast_behind', 'ast_mail']) {
      const { nodes, edges } = await graphOf(auditor, root);
      const ids = new Set(nodes.map(({ nodeId }) => nodeId));
      expect(ids.size).toBe(nodes.length);
      const pairs = edges.map(({ from, to }) => [from, to].sort().join());
      expect(new Set(pairs).size).toBe(pairs.length);
      expect(edges.flatMap(({ from, to }) => [from, to]).every((id) => ids.has(id))).toBe(true);
    }
  });

  test('the same is told twice', async () => {
    expect((await graphOf(finance, 'ast_root')).text).toBe((await graphOf(finance, 'ast_root')).text);
  });
});

describe('what the caller may not see', () => {
  test('is an empty node after the visible ones, and is not followed', async () => {
    const graph = await graphOf(finance, 'ast_root');
    expect(nodesOf(graph)).toEqual([
      ['ast_root', 0],
      ['ast_copy', 1],
      [null, 1],
      ['ast_version', 1],
      ['ast_meaning', 1],
      [null, 1],
      ['ast_mail', 2],
    ]);
    for (const node of graph.nodes.filter(({ redacted }) => redacted)) {
      expect(node).toEqual({
        nodeId: expect.stringMatching(/^node-\d+$/),
        depth: 1,
        label: 'Restricted asset',
        redacted: true,
        assetId: null,
        path: null,
        scopeId: null,
        scopeName: null,
      });
      const edges = graph.edges.filter(({ from, to }) => from === node.nodeId || to === node.nodeId);
      expect(edges.every(({ similarity }) => similarity === null)).toBe(true);
    }
    for (const hidden of ['ast_0_theirs', 'Foreign', 'ast_untied', 'Untied', 'ast_behind', 'ast_gone']) {
      expect(graph.text, hidden).not.toContain(hidden);
    }
    expect(graph.text).toContain(CANARY);
  });

  test('is no root: 404 as for missing or foreign assets, 403 without capability', async () => {
    const probes: [SignedIn, string][] = [
      [finance, 'ast_missing'],
      [finance, 'ast_0_theirs'],
      [finance, 'ast_untied'],
      [finance, 'ast_gone'],
      [await service.signInAs(inOther(PERSONA.auditor)), 'ast_copy'],
    ];
    const answers = await Promise.all(
      probes.map(([caller, id]) => caller.get(`/api/assets/${id}/connections`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(probes.map(() => 404));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const admin = await service.signInAs(PERSONA.platformAdmin);
    expect((await admin.get('/api/assets/ast_root/connections')).status).toBe(403);
    expect(nodesOf(await graphOf(await service.signInAs(inOther(PERSONA.auditor)), 'ast_root'))).toEqual([
      ['ast_root', 0],
    ]);
  });
});

test('shows at most 30 nodes, visible ones first, and says that there is more', async () => {
  for (let at = 0; at < 40; at++) {
    await store({
      assetId: `ast_many_${String(at).padStart(2, '0')}`,
      said: [at % 2 === 0 ? payroll() : invoices()],
      contentHash: hashOf('ee'),
    });
  }
  const graph = await graphOf(finance, 'ast_many_01');
  expect(graph.nodes).toHaveLength(30);
  expect(graph.truncated).toBe(true);
  expect(graph.nodes.map(({ redacted }) => redacted)).toEqual([
    ...Array.from({ length: 20 }, () => false),
    ...Array.from({ length: 10 }, () => true),
  ]);
  const all = await graphOf(auditor, 'ast_many_01');
  expect(all.nodes).toHaveLength(30);
  expect(all.nodes.some(({ redacted }) => redacted)).toBe(false);
});

test('deleted assets take no place among semantic neighbors', async () => {
  await database.inspect(sql`
    with gone as (
      insert into assets (tenant_id, asset_id, scope_id, external_id, status, name, path, kind, size_bytes, source_version,
                          content_version, first_seen_at, last_seen_at)
      select ${DEV}, 'ast_gone_' || n, (select scope_id from assets where tenant_id = ${DEV} and asset_id = 'ast_root'),
             'gone-' || n, 'deleted', 'gone', 'gone', 'file', 1, '1', '1', now(), now()
        from generate_series(1, 1000) as n
      returning asset_id
    )
    insert into asset_vectors (tenant_id, asset_id, space, vector, bits, cell)
    select ${DEV}, gone.asset_id, v.space, v.vector, v.bits, v.cell
      from gone, asset_vectors v where v.tenant_id = ${DEV} and v.asset_id = 'ast_root'`);
  const { body } = await auditor.get<{ items: { assetId: string }[] }>(
    '/api/assets/ast_root/semantic-neighbors',
  );
  expect(body.items.map(({ assetId }) => assetId)).toEqual(['ast_meaning', 'ast_untied']);
  expect(nodesOf(await graphOf(auditor, 'ast_root'))).toContainEqual(['ast_meaning', 1]);
});
