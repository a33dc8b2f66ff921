import { expect, test } from 'vitest';
import { z } from 'zod';
import { page } from '../../../../core/connectors/m365/graph-answers.ts';
import type { GraphClient } from '../../../../core/connectors/m365/graph-client.ts';
import { pagesOf } from '../../../../core/connectors/m365/pages.ts';
import { clientOf } from '../../../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../../../support/graph/graph-fake.ts';
import { guidOf } from '../../../support/graph/ids.ts';

const READER = 'reader';
const live = new AbortController().signal;
const TEAM = guidOf('team');
const MEMBERS = Array.from({ length: 25 }, (_, n) => guidOf(`member ${n}`));
const schema = page(z.object({ id: z.string() }));

const withTeam = async (act: (fake: GraphFake, client: GraphClient) => Promise<void>): Promise<void> => {
  const fake = await startGraphFake({
    tenants: [
      {
        name: 'Contoso',
        apps: [{ clientId: READER, permissions: ['GroupMember.Read.All', 'User.Read.All'] }],
        sites: [],
        people: MEMBERS.map((id) => ({
          ...{ id, displayName: id, mail: null, userPrincipalName: id, jobTitle: null, department: null },
          ...{ managerId: null, guest: false },
        })),
        groups: [{ id: TEAM, displayName: 'Team', memberIds: MEMBERS, groupIds: [], ownerIds: [] }],
      },
    ],
  });
  try {
    await act(fake, clientOf(fake, READER));
    expect(fake.violations).toEqual([]);
  } finally {
    await fake.close();
  }
};
const options = { schema, signal: live, query: { $top: 10 }, maxPages: 3 };
const membersOf = (client: GraphClient, more: Partial<Parameters<typeof pagesOf>[3]> = {}) =>
  pagesOf(client, 'group_members', { groupId: TEAM }, { ...options, expect: [403, 404], ...more });
const calls = (fake: GraphFake) => fake.callsOf('group_members').length;

test('reads all pages, the first one in a batch too', () =>
  withTeam(async (fake, client) => {
    for (const by of ['call', 'batched'] as const) {
      fake.clearCalls();
      const { body } = await pagesOf(client, 'group_members', { groupId: TEAM }, { ...options, by });
      expect(body.map(({ id }) => id)).toEqual(MEMBERS);
      expect(calls(fake)).toBe(3);
    }
  }));

test('reads no further than enough', () =>
  withTeam(async (fake, client) => {
    const answer = await membersOf(client, { enough: 11 });
    expect(answer).toMatchObject({ ok: true, body: { length: 20 } });
    expect(calls(fake)).toBe(2);
  }));

test('takes no part of a list for the whole', () =>
  withTeam(async (fake, client) => {
    await expect(membersOf(client, { maxPages: 2 })).rejects.toMatchObject({
      ...{ retryClass: 'permanent', safeDiagnostic: 'graph_group_members_too_large' },
    });
    expect(calls(fake)).toBe(2);
  }));

test('answers with the expected status of a later page', () =>
  withTeam(async (fake, client) => {
    fake.fail({
      on: 'group_members',
      after: 1,
      fault: { kind: 'error', status: 403, code: 'Authorization_RequestDenied' },
    });
    expect(await membersOf(client)).toMatchObject({ ok: false, status: 403 });
  }));

test('follows no link to another host', () =>
  withTeam(async (fake, client) => {
    fake.fail({ on: 'group_members', fault: { kind: 'foreignLink', origin: 'https://evil.example' } });
    await expect(membersOf(client)).rejects.toMatchObject({
      safeDiagnostic: 'graph_group_members_link_refused',
    });
    expect(calls(fake)).toBe(1);
  }));
