import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asker } from '../../support/graph/ask.ts';
import { directoryGuidOf, READER, startGraphFixture } from '../../support/graph/fixture-tenant.ts';
import type { GraphFake } from '../../support/graph/graph-fake.ts';

const EVENTUAL = { consistencylevel: 'eventual' };

let fake: GraphFake;
let ask: ReturnType<typeof asker>;
beforeAll(async () => {
  fake = await startGraphFixture();
  ask = asker(fake, READER.clientId);
});
afterAll(() => fake.close());

const names = async (path: string, headers: Record<string, string> = EVENTUAL) =>
  (await ask.get(path, headers)).body.value.map(({ displayName }) => displayName);

describe('the directory of the fake of Graph', () => {
  test('searches the parts of names by their beginnings, and other fields by their start', async () => {
    expect(await names('/users?$search="displayName:oka ama"')).toEqual(['Amara Okafor']);
    expect(await names('/users?$search="mail:amara.ok"')).toEqual(['Amara Okafor']);
    expect(await names('/users?$search="mail:okafor"')).toEqual([]);
    expect(await names('/users?$search="displayName:okafor" OR "displayName:solberg"')).toEqual([
      ...['Amara Okafor', 'Ingrid Solberg'],
    ]);
    expect(await names('/groups?$search="displayName:all emp"')).toEqual(['All Employees']);
  });

  test('counts and searches need the header of advanced queries', async () => {
    for (const path of ['/users?$search="displayName:a"', '/users?$count=true']) {
      expect(await ask.get(path)).toMatchObject({
        ...{ status: 400, body: { error: { code: 'Request_UnsupportedQuery' } } },
      });
      expect((await ask.get(path, EVENTUAL)).status).toBe(200);
    }
  });

  test('filters by equality, by lists of at most 15, by start, and by several of them', async () => {
    expect(await names("/users?$filter=mail eq 'AMARA.okafor@nordwind.example'")).toEqual(['Amara Okafor']);
    expect(await names("/users?$filter=displayName in ('Amara Okafor','Noor Haddad')")).toEqual([
      ...['Amara Okafor', 'Noor Haddad'],
    ]);
    expect(
      await names("/users?$filter=startswith(displayName,'Amara') and department eq 'Finance'"),
    ).toHaveLength(1);
    expect(await names("/users?$filter=(mail eq 'x' or displayName eq 'O''Hara') and mail eq 'y'")).toEqual(
      [],
    );
    const sixteen = Array.from({ length: 16 }, (_, n) => `'${n}'`).join();
    for (const filter of [`displayName in (${sixteen})`, 'displayName ne 1', "mail eq 'a", 'mail']) {
      expect((await ask.get(`/users?$filter=${encodeURIComponent(filter)}`)).status).toBe(400);
    }
  });

  test('knows who manages whom, and who nobody manages', async () => {
    const amara = directoryGuidOf('pri_amara_okafor');
    const chief = directoryGuidOf('dir_greta_hoffmann');
    expect((await ask.get(`/users/${amara}/manager?$select=id`)).body.id).toBe(chief);
    expect((await ask.get(`/users/${chief}/manager`)).status).toBe(404);
    expect(
      (await ask.get(`/users/${amara}?$expand=manager($select=displayName)`)).body.manager,
    ).toMatchObject({
      ...{ id: chief, displayName: 'Greta Hoffmann' },
    });
    expect((await ask.get('/users/amara.okafor@nordwind.example')).body.id).toBe(amara);
  });

  test('lists members of a group alone, and through the groups inside it', async () => {
    const visitors = directoryGuidOf('grp_finance_visitors');
    expect((await ask.get(`/groups/${visitors}/members`)).body.value).toMatchObject([
      { '@odata.type': '#microsoft.graph.group', displayName: 'All Employees' },
    ]);
    const people: string[] = [];
    let link = `/groups/${visitors}/transitiveMembers/microsoft.graph.user?$top=200&$select=id`;
    while (link !== undefined) {
      const { body } = await ask.get(link);
      people.push(...body.value.map(({ id }) => id));
      link = body['@odata.nextLink'];
    }
    expect(people.length).toBeGreaterThan(400);
    expect(new Set(people).size).toBe(people.length);
    expect((await ask.get(`/groups/${directoryGuidOf('nobody')}/members`)).status).toBe(404);
  });

  test('holds a company of a plausible size', () => {
    const drives = [...fake.tenant().drives.values()].filter(({ personal }) => !personal);
    const files = drives.flatMap(({ items }) => [...items.values()].filter(({ kind }) => kind === 'file'));
    expect(drives).toHaveLength(4);
    expect(files.length).toBeGreaterThan(140);
    const endings = new Set(files.map(({ name }) => name.split('.').at(-1)));
    expect([...endings]).toEqual(
      expect.arrayContaining(['docx', 'pdf', 'csv', 'xlsx', 'pptx', 'eml', 'txt']),
    );
    expect(files.some(({ content }) => content?.size === 0)).toBe(true);
  });
});
