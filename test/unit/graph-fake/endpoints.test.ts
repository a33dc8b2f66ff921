import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { besideRepository } from '../../support/beside-repository.ts';
import { asker } from '../../support/graph/ask.ts';
import { READER, startGraphFixture, WRITER } from '../../support/graph/fixture-tenant.ts';
import type { GraphFake } from '../../support/graph/graph-fake.ts';
import { quickXorHash } from '../../support/graph/quick-xor-hash.ts';
import type { GraphType } from '../../support/graph/schemas.ts';

const METADATA = besideRepository('vendor-schemas/graph.schema.json');

let fake: GraphFake;
let ask: ReturnType<typeof asker>;
let write: ReturnType<typeof asker>;

beforeAll(async () => {
  fake = await startGraphFixture();
  ask = asker(fake, READER.clientId);
  write = asker(fake, WRITER.clientId);
});
afterAll(() => fake.close());

const itemIn = (library: string, start: string) => {
  const { drive } = fake.library('General', library);
  const item = [...drive.items.values()].find(({ name }) => name.startsWith(start));
  if (item === undefined) throw new Error(`No item starts with ${start}.`);
  return `/drives/${drive.id}/items/${item.id}`;
};

describe('the endpoints of the fake of Graph', () => {
  test('give answers that its schemas take, in a walk over all of them', async () => {
    const { id: driveId, drive } = fake.library('Finance');
    const items = [...drive.items.values()].filter(({ kind }) => kind === 'file');
    const person = [...fake.tenant().people.values()][3];
    const group = [...fake.tenant().groups.values()][1];
    const host = fake.tenant().hostName;
    const eventual = { consistencylevel: 'eventual' };
    const walked: [string, GraphType, Record<string, string>?][] = [
      ['/sites/getAllSites', 'site'],
      [`/sites/${fake.tenant().sites[0]?.id}`, 'site'],
      [`/sites/${host}:/sites/Finance`, 'site'],
      [`/sites/${fake.tenant().sites[0]?.id}/drives`, 'drive'],
      [`/drives/${driveId}`, 'drive'],
      [`/drives/${driveId}/root/delta?$top=50`, 'driveItem'],
      [`/drives/${driveId}/root/delta?token=latest`, 'driveItem'],
      [`/drives/${fake.library('General').id}/root/delta`, 'driveItem'],
      ...items.slice(0, 20).flatMap(({ id }): [string, GraphType][] => [
        [`/drives/${driveId}/items/${id}`, 'driveItem'],
        [`/drives/${driveId}/items/${id}/permissions`, 'permission'],
        [`/drives/${driveId}/items/${id}/versions`, 'driveItemVersion'],
      ]),
      [`/drives/${driveId}/items/${drive.rootId}/permissions`, 'permission'],
      ['/security/dataSecurityAndGovernance/sensitivityLabels', 'sensitivityLabel'],
      [`/users?$search="displayName:anna"&$count=true&$top=5`, 'user', eventual],
      [`/users/${person?.id}?$expand=manager($select=id,displayName)`, 'user'],
      [`/users/${person?.id}/manager`, 'user'],
      [`/groups?$filter=startswith(displayName,'Fin')`, 'group'],
      [`/groups/${group?.id}`, 'group'],
      [`/groups/${group?.id}/members`, 'user'],
      [`/groups/${group?.id}/transitiveMembers/microsoft.graph.user`, 'user'],
      [`/groups/${group?.id}/owners`, 'user'],
    ];
    const vendor = vendorValidator();
    for (const [target, type, headers] of walked) {
      const { status, body } = await ask.get(target, headers);
      expect([target, status]).toEqual([target, 200]);
      for (const entity of Array.isArray(body.value) ? body.value : [body]) vendor(type, entity);
    }
    const file = `/drives/${driveId}/items/${items[0]?.id}`;
    vendor('extractSensitivityLabelsResult', (await ask.post(`${file}/extractSensitivityLabels`)).body);
    vendor('publicError', (await ask.get('/users/nobody')).body.error);
    expect(fake.violations).toEqual([]);
  });

  test('refuse a call without a token, with an expired one, and without the permission', async () => {
    const target = `${fake.graphOrigin}/v1.0/sites/getAllSites`;
    expect((await fetch(target)).status).toBe(401);
    const forged = await fetch(target, { headers: { authorization: 'Bearer forged' } });
    expect(await forged.json()).toMatchObject({ error: { code: 'InvalidAuthenticationToken' } });
    fake.setTokenSeconds(0);
    const late = asker(fake, READER.clientId);
    fake.setTokenSeconds(3600);
    expect((await late.get('/sites/getAllSites')).status).toBe(401);
    expect(await write.get('/sites/getAllSites')).toMatchObject({
      status: 403,
      body: { error: { code: 'accessDenied' } },
    });
    expect(await write.get('/users')).toMatchObject({
      ...{ status: 403, body: { error: { code: 'Authorization_RequestDenied' } } },
    });
  });

  test('give an application with chosen sites those sites only', async () => {
    const app = fake.app(WRITER.clientId);
    const [first, second] = fake.tenant().sites;
    const held = { permissions: app.permissions, siteIds: app.siteIds };
    Object.assign(app, { permissions: ['Sites.Selected'], siteIds: [first?.id ?? ''] });
    const chosen = asker(fake, WRITER.clientId);
    Object.assign(app, held);
    expect((await chosen.get(`/sites/${first?.id}/drives`)).status).toBe(200);
    expect((await chosen.get(`/sites/${second?.id}/drives`)).status).toBe(403);
    expect((await chosen.get(`/drives/${second?.drives[0]?.id}/root/delta`)).status).toBe(403);
    expect((await chosen.get('/sites/getAllSites')).status).toBe(403);
  });

  test('answer for what is not there, and for methods and segments that are not', async () => {
    const { id: driveId } = fake.library('Finance');
    expect(await ask.get(`/drives/${driveId}/items/01NOBODY`)).toMatchObject({
      ...{ status: 404, body: { error: { code: 'itemNotFound' } } },
    });
    expect((await ask.get('/drives/nonsense')).status).toBe(400);
    expect((await ask.get('/sites/nowhere.sharepoint.com:/sites/None')).status).toBe(404);
    expect((await ask.delete(`/drives/${driveId}`)).status).toBe(405);
    expect((await ask.get('/me/messages')).status).toBe(400);
    expect((await ask.get(`/drives/${driveId}?$select=invented`)).status).toBe(400);
  });

  test('give the selected fields only', async () => {
    const { body } = await ask.get(`${itemIn('Projects', 'Architecture')}?$select=id,eTag,cTag,size,file`);
    expect(
      Object.keys(body)
        .filter((name) => !name.startsWith('@'))
        .sort(),
    ).toEqual(['cTag', 'eTag', 'file', 'id', 'size']);
  });

  test('page through sites by links that carry a skip token', async () => {
    const seen: string[] = [];
    let link = '/sites/getAllSites?$top=1';
    while (link !== undefined) {
      const { body } = await ask.get(link);
      seen.push(...body.value.map(({ id }) => id));
      link = body['@odata.nextLink'];
    }
    expect(seen).toEqual(fake.tenant().sites.map(({ id }) => id));
  });

  test('give content by a URL that takes no bearer and expires', async () => {
    const item = itemIn('Projects', 'Architecture');
    const { status, location } = await ask.get(`${item}/content`);
    expect(status).toBe(302);
    expect(location.startsWith(fake.documentOrigin)).toBe(true);
    const bytes = new Uint8Array(await (await fetch(location)).arrayBuffer());
    const { body } = await ask.get(`${item}?$select=size,file`);
    expect(body).toMatchObject({
      size: bytes.length,
      file: { hashes: { quickXorHash: quickXorHash(bytes) } },
    });
    const partly = await fetch(location, { headers: { range: 'bytes=2-5' } });
    expect([partly.status, (await partly.arrayBuffer()).byteLength]).toEqual([206, 4]);
    expect((await fetch(location.replace('tempauth=v1.', 'tempauth=v1.x'))).status).toBe(401);
  });

  test('refuse the content of flagged and guarded files, and have none of a notebook', async () => {
    expect(await ask.get(`${itemIn('Documents', 'Tool from')}/content`)).toMatchObject({
      ...{ status: 403, body: { error: { code: 'malwareDetected' } } },
    });
    expect((await ask.get(`${itemIn('Projects', 'Locked case file')}/content`)).status).toBe(403);
    expect((await ask.get(`${itemIn('Documents', 'Team notebook')}/content`)).status).toBe(400);
  });

  test('show every form of grant, inherited ones with an empty origin', async () => {
    const { drive } = fake.library('Finance');
    const planning = [...drive.items.values()].find(({ name }) => name === 'Planning');
    const child = [...drive.items.values()].find(({ parentId }) => parentId === planning?.id);
    const own = (await ask.get(`/drives/${drive.id}/items/${planning?.id}/permissions`)).body.value;
    const inherited = (await ask.get(`/drives/${drive.id}/items/${child?.id}/permissions`)).body.value;
    expect(own.filter(({ inheritedFrom }) => inheritedFrom === undefined)).toHaveLength(2);
    expect(new Set(inherited.map(({ inheritedFrom }) => JSON.stringify(inheritedFrom)))).toEqual(
      new Set(['{}']),
    );
    expect(own.find(({ expirationDateTime }) => expirationDateTime !== undefined)).toMatchObject({
      roles: ['write'],
    });
    const everyone = (await ask.get(`${itemIn('Documents', 'News')}/permissions`)).body.value;
    expect(everyone[0]).toMatchObject({
      grantedToV2: { siteUser: { loginName: expect.stringContaining('spo-grid-all-users/') } },
    });
  });

  test('throttle a batch entry by entry, and answer its entries in another order', async () => {
    const item = itemIn('Projects', 'Architecture');
    fake.fail({ on: 'permissions', fault: { kind: 'throttle', retryAfter: 7 } });
    const requests = [1, 2, 3].map((n) => ({ id: `${n}`, method: 'GET', url: `${item}/permissions` }));
    const { status, body } = await ask.post('/$batch', { requests });
    expect(status).toBe(200);
    expect(body.responses.map(({ id, status: each }) => [id, each])).toEqual([
      ['3', 429],
      ['2', 200],
      ['1', 200],
    ]);
    expect(body.responses[0]?.headers['Retry-After']).toBe('7');
    const many = Array.from({ length: 21 }, (_, n) => ({ id: `${n}`, method: 'GET', url: item }));
    expect((await ask.post('/$batch', { requests: many })).status).toBe(400);
    const ordered = [{ ...requests[0] }, { ...requests[1], dependsOn: ['1'] }];
    expect((await ask.post('/$batch', { requests: ordered })).status).toBe(400);
  });
});

/** Holds an entity against the vendor's type of it, where the metadata lies beside the repository. */
function vendorValidator(): (type: GraphType, entity: unknown) => void {
  if (!existsSync(METADATA)) return () => undefined;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(readFileSync(METADATA, 'utf8')), 'graph');
  return (type, entity) => {
    const validate = ajv.getSchema(`graph#/definitions/${type}`);
    const { manager: _, ...known } = entity as { manager?: unknown };
    expect([type, validate?.(known), validate?.errors]).toEqual([type, true, null]);
  };
}
