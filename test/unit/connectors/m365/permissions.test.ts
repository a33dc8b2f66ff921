import { expect, test } from 'vitest';
import type { Grant } from '../../../../core/connectors/connector.ts';
import type { GraphClient } from '../../../../core/connectors/m365/graph-client.ts';
import { readPermissions } from '../../../../core/connectors/m365/permissions.ts';

const NOW = Date.parse('2026-05-01T00:00:00Z');
const live = new AbortController().signal;

/** A client whose every answer is this list of permissions. */
const answering = (value: unknown): GraphClient => {
  const batched: GraphClient['batched'] = async (_name, _values, { schema }) => ({
    ok: true,
    status: 200,
    body: schema.parse({ value }),
    location: null,
  });
  return { batched } as GraphClient;
};

async function grantsOf(...value: unknown[]): Promise<Grant[]> {
  const read = await readPermissions(answering(value), { driveId: 'd', itemId: 'i' }, NOW, live);
  return read === 'denied' ? expect.unreachable('The source tells.') : read.grants;
}

const ADA = { user: { id: '35f', displayName: 'Ada' } };

test('the smallest time is no expiry, and a time that has passed is one', async () => {
  const expiring = (expirationDateTime: string) =>
    grantsOf({ roles: ['read'], grantedToV2: ADA, expirationDateTime });
  expect(await expiring('0001-01-01T00:00:00Z')).toHaveLength(1);
  expect(await expiring('2026-06-01T00:00Z')).toHaveLength(1);
  expect(await expiring('2026-04-30T23:59:59.9999999Z')).toEqual([]);
  expect(await expiring('soon')).toHaveLength(1);
});

test.each<[string, unknown, Partial<Grant>]>([
  [
    'a person',
    { user: { id: '1', displayName: 'Ada', email: 'ada@c.example' } },
    { principal: 'ada@c.example' },
  ],
  [
    'a guest, whose account the site alone tells',
    {
      user: { displayName: 'Jo' },
      siteUser: { loginName: 'i:0#.f|membership|jo_x.example#ext#@c.onmicrosoft.com' },
    },
    { principalKind: 'user', external: true },
  ],
  ['a group', { group: { id: '2', displayName: 'HR' } }, { principal: 'HR', principalKind: 'group' }],
  [
    'a group that the site tells as a user',
    { user: { displayName: 'HR' }, siteUser: { displayName: 'HR', loginName: 'c:0t.c|tenant|2' } },
    { principal: 'HR', principalKind: 'group' },
  ],
  [
    'a group of the site',
    { siteGroup: { id: '5', displayName: '', loginName: 'Owners' } },
    { principal: '5' },
  ],
  [
    'a group of SharePoint',
    { sharePointGroup: { id: 'g', principalId: '7', title: 'Readers' } },
    { principal: 'Readers', principalKind: 'group' },
  ],
  [
    'an application that the site knows as a user',
    { application: { id: '9', displayName: 'Flow' }, siteUser: { id: '3', loginName: 'i:0i.t|9@t' } },
    { principal: 'Flow', external: false },
  ],
  ['a device', { device: { id: 'd', displayName: 'Kiosk' } }, { principal: 'Kiosk' }],
  [
    'everyone in the organisation',
    { siteUser: { displayName: 'Alle', loginName: 'c:0-.f|rolemanager|spo-grid-all-users/t' } },
    { principalKind: 'organization', external: false },
  ],
])('a grant to %s is kept', async (_what, grantedToV2, grant) => {
  expect(await grantsOf({ roles: ['read'], grantedToV2 })).toEqual([expect.objectContaining(grant)]);
});

test.each<[string, object, string[]]>([
  ['anonymous', { link: { scope: 'anonymous', type: 'view' } }, ['anyone']],
  ['without a scope, as documented', { link: { type: 'view', webUrl: 'x' } }, ['anyone']],
  ['of the organisation', { link: { scope: 'organization' } }, ['organization']],
  ['for people, named in the older property', { link: {}, grantedToIdentities: [ADA] }, ['user']],
  [
    'for people, named twice',
    { link: { scope: 'users' }, grantedToIdentitiesV2: [ADA, ADA], grantedToIdentities: [ADA] },
    ['user'],
  ],
  ['for nobody', { link: { scope: 'users' }, grantedToIdentitiesV2: [] }, []],
  ['for those who have access', { roles: ['read'], link: { scope: 'existingAccess' } }, []],
  ['of a scope that nobody knows', { link: { scope: 'partners' }, grantedToIdentitiesV2: [] }, ['link']],
])('a link %s grants what it says', async (_what, permission, kinds) => {
  expect((await grantsOf(permission)).map((grant) => grant.principalKind)).toEqual(kinds);
});

test('an odd permission or identity loses itself alone', async () => {
  const grants = await grantsOf(
    'no permission',
    { roles: 'owner', grantedToV2: ADA },
    { roles: [7, 'Write'], grantedToV2: {}, grantedTo: ADA },
    { roles: ['read'], grantedToIdentitiesV2: [3, { user: { displayName: 'Eve', email: [] } }] },
  );
  expect(grants).toMatchObject([
    { principal: 'Ada', role: 'write' },
    { principal: 'Eve', role: 'read' },
  ]);
});

test('a grant is inherited if it says from where', async () => {
  const from = (inheritedFrom: unknown) => grantsOf({ roles: ['owner'], grantedToV2: ADA, inheritedFrom });
  expect(await from({})).toMatchObject([{ inherited: false }]);
  expect(await from({ id: null })).toMatchObject([{ inherited: false }]);
  expect(await from({ id: '01A' })).toMatchObject([{ inherited: true }]);
});
