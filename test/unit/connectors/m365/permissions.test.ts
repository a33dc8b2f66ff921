import { describe, expect, test } from 'vitest';
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

const grantsOf = (...value: unknown[]): Promise<Grant[]> => grantsKnowing(null, ...value);
/** @param own our domains, as the directory tells them */
async function grantsKnowing(own: readonly string[] | null, ...value: unknown[]): Promise<Grant[]> {
  const known = { ownDomains: own && new Set(own), now: NOW };
  const read = await readPermissions(answering(value), { driveId: 'd', itemId: 'i' }, known, live);
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

test('a grant with an origin, even an empty one, is inherited, else unknown', async () => {
  const from = (inheritedFrom: unknown) => grantsOf({ roles: ['owner'], grantedToV2: ADA, inheritedFrom });
  expect(await from({})).toMatchObject([{ inherited: true }]);
  expect(await from({ id: null })).toMatchObject([{ inherited: true }]);
  expect(await from({ id: '01A' })).toMatchObject([{ inherited: true }]);
  expect(await from(undefined)).toMatchObject([{ inherited: null }]);
  expect(await from(null)).toMatchObject([{ inherited: null }]);
});

const OURS = ['contoso.com', 'contoso.onmicrosoft.com'];
const member = (account: string) => `i:0#.f|membership|${account}`;

describe('a person is external', () => {
  const externals = async (own: readonly string[] | null, ...value: object[]) =>
    (await grantsKnowing(own, ...value.map((each) => ({ roles: ['read'], ...each })))).map(
      ({ external }) => external,
    );
  const JO = { user: { id: '7', displayName: 'Jo' } };

  test.each<[string, readonly string[] | null, object, boolean]>([
    ['who accepted an invitation', null, { grantedToV2: JO, invitation: { email: 'jo@x.example' } }, true],
    [
      'who accepted one, our domains known',
      OURS,
      { grantedToV2: JO, invitation: { email: 'jo@x.example' } },
      true,
    ],
    [
      'not whom an invitation names by an address of ours',
      OURS,
      { grantedToV2: JO, invitation: { email: 'jo@Contoso.com' } },
      false,
    ],
    [
      'not who accepted with an account of ours',
      OURS,
      {
        grantedToV2: { ...JO, siteUser: { loginName: member('jo@contoso.com') } },
        invitation: { email: 'jo@x.example' },
      },
      false,
    ],
    ['who has not accepted yet', null, { invitation: { email: 'jo@x.example' } }, true],
    ['not who was invited by an address of ours', OURS, { invitation: { email: 'jo@contoso.com' } }, false],
    ['by address', OURS, { grantedToV2: { user: { email: 'jo@x.example' } } }, true],
    [
      'not by address while our domains are unknown',
      null,
      { grantedToV2: { user: { email: 'jo@x.example' } } },
      false,
    ],
    ['not by an address of ours', OURS, { grantedToV2: { user: { email: 'jo@contoso.com' } } }, false],
    [
      'not by the address of a member',
      OURS,
      { grantedToV2: { user: { email: 'jo@x.example' }, siteUser: { loginName: member('jo@contoso.com') } } },
      false,
    ],
    [
      'by an account elsewhere',
      OURS,
      { grantedToV2: { siteUser: { loginName: member('jo@x.example') } } },
      true,
    ],
    ['not without an address', OURS, { grantedToV2: JO }, false],
    [
      'as a guest of ours',
      OURS,
      { grantedToV2: { siteUser: { loginName: member('jo_x.example#ext#@contoso.onmicrosoft.com') } } },
      true,
    ],
  ])('%s', async (_who, own, permission, external) => {
    expect(await externals(own, permission)).toEqual([external]);
  });

  const link = (...people: object[]) => ({ link: { scope: 'users' }, grantedToIdentitiesV2: people });

  test('in a link to specific people, by address', async () => {
    const people = [{ user: { email: 'ada@contoso.com' } }, { user: { email: 'jo@x.example' } }];
    expect(await externals(OURS, link(...people))).toEqual([false, true]);
    expect(await externals(null, link(...people))).toEqual([false, false]);
  });

  test('in a link that nobody has opened yet', async () => {
    const pending = { ...link(), invitation: { email: 'jo@x.example' } };
    expect(await grantsOf(pending)).toMatchObject([{ principal: 'jo@x.example', external: true }]);
    expect(await grantsOf({ link: {}, invitation: { email: 'jo@x.example' } })).toMatchObject([
      { principalKind: 'user' },
    ]);
  });

  test('in every permission if one of them shows it', async () => {
    const guest = { email: 'jo@x.example', loginName: member('jo_x.example#ext#@c.onmicrosoft.com') };
    const direct = { roles: ['write'], grantedToV2: { siteUser: guest } };
    expect(await externals(null, link({ user: { email: 'jo@x.example' } }), direct)).toEqual([true, true]);
  });
});

test('what a newer property of a permission lacks is taken from the older one', async () => {
  const older = { user: { id: '7', displayName: 'Jo', email: 'jo@contoso.com' } };
  const newer = { user: { displayName: 'Jo', email: null }, siteUser: { loginName: null } };
  const of = async (permission: object) =>
    (await grantsOf({ roles: ['read'], ...permission })).map(({ principal }) => principal);
  expect(await of({ grantedToV2: newer, grantedTo: older })).toEqual(['jo@contoso.com']);
  const lists = { link: { scope: 'users' }, grantedToIdentitiesV2: [newer] };
  expect(await of({ ...lists, grantedToIdentities: [older] })).toEqual(['jo@contoso.com']);
  const other = { user: { id: '8', displayName: 'Eve', email: 'eve@contoso.com' } };
  expect(await of({ ...lists, grantedToIdentities: [other] })).toEqual(['Jo']);
});

test('what the older property calls a user stays the group or application that it is', async () => {
  const named = { user: { displayName: 'HR', email: 'hr@contoso.com' } };
  const of = (grantedToV2: object) => grantsOf({ roles: ['read'], grantedToV2, grantedTo: named });
  expect(await of({ group: { displayName: 'HR' } })).toMatchObject([
    { principal: 'HR', principalKind: 'group' },
  ]);
  expect(await of({ application: { displayName: 'Flow' } })).toMatchObject([{ principal: 'Flow' }]);
});

const HR = '1b7f0a52-5d0c-4c6a-8f0e-0e7a1f0b9d3c';
test.each<[string, object, string | undefined]>([
  ['the directory', { group: { id: HR.toUpperCase(), displayName: 'HR Members' } }, HR],
  ['a claim', { siteUser: { displayName: 'HR', loginName: `c:0t.c|tenant|${HR}` } }, HR],
  [
    'the claim of a group of Microsoft 365',
    {
      user: { displayName: 'HR' },
      siteUser: { loginName: `c:0o.c|federateddirectoryclaimprovider|${HR}_o` },
    },
    HR,
  ],
  ['a site, which has none', { siteGroup: { id: '5', displayName: 'HR Members' } }, undefined],
])('a grant to a group has its id from %s', async (_where, grantedToV2, groupId) => {
  const [grant] = await grantsOf({ roles: ['write'], grantedToV2 });
  expect(grant?.principalKind).toBe('group');
  expect(grant?.groupId).toBe(groupId);
});

const GRID = 'c:0-.f|rolemanager|spo-grid-all-users/9c1f';
test.each<[string, object]>([
  [
    'as a user of the site',
    { siteUser: { displayName: 'Jeder, außer externen Benutzern', loginName: GRID } },
  ],
  [
    'as a group',
    { group: { displayName: 'Tout le monde sauf les externes', loginName: GRID.toUpperCase() } },
  ],
  ['as a group of the site', { siteGroup: { displayName: 'Alle', loginName: GRID } }],
  ['by id', { user: { displayName: 'Alle', id: 'spo-grid-all-users/9c1f' } }],
])('everyone in the organisation is recognised in any language %s', async (_how, grantedToV2) => {
  expect(await grantsOf({ roles: ['read'], grantedToV2 })).toMatchObject([
    { principalKind: 'organization', external: false },
  ]);
});
