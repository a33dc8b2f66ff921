import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import type { GraphClient } from '../../../core/connectors/m365/graph-client.ts';
import type { Db } from '../../../core/db/tx.ts';
import { findMessageSource, selectsNothing } from '../../../core/integrations/message-source-for.ts';
import { fixtureCompany } from '../../../infra/local/fixture/fixture-company.ts';
import { noGraph } from '../../support/graph/no-graph.ts';

const found = (family: 'chat' | 'mail', settings: Record<string, string>, fixture = true, graph = noGraph) =>
  findMessageSource(
    {
      config: loadConfig({
        SVC_ENV: 'development',
        SVC_DATABASE_URL: 'postgres://localhost/x',
        SVC_SESSION_SECRET: 'a-session-secret-of-its-own',
        ...settings,
      }),
      ...{ db: {} as Db, clock: Date.now, graph, fixture: fixture ? fixtureCompany : null },
    },
    family,
  );
const SUITE = ['SVC_GRAPH_TENANT_ID', 'SVC_GRAPH_CLIENT_ID', 'SVC_GRAPH_CLIENT_SECRET_REF'];

describe.each([
  ['chat', 'SVC_CHAT_ENABLED', 'SVC_CHAT_TEAMS'],
  ['mail', 'SVC_MAIL_ENABLED', 'SVC_MAIL_MAILBOXES'],
] as const)('the source of %s', (family, flag, selection) => {
  test('is blocked with its flag off, and the flag and settings are named', () => {
    expect(found(family, {})).toEqual({ missing: [flag, ...SUITE, selection] });
  });

  test('is the made-up company if it is installed and nothing else is named', () => {
    expect(found(family, { [flag]: 'true' })).toMatchObject({ family, mode: 'mock' });
    expect(found(family, { [flag]: 'true' }, false)).toEqual({ missing: [...SUITE, selection] });
    expect(found(family, { [flag]: 'true', [selection]: 'one' })).toEqual({ missing: SUITE });
  });
});

test('the channels are those of the suite once all is configured', () => {
  const settings = {
    ...{ SVC_CHAT_ENABLED: 'true', SVC_CHAT_TEAMS: 'one', SVC_GRAPH_TENANT_ID: 'tenant' },
    ...{ SVC_GRAPH_CLIENT_ID: 'client', SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH', GRAPH: 'a secret' },
  };
  const graph = { ...noGraph, reads: () => ({}) as GraphClient };
  expect(found('chat', settings, true, graph)).toMatchObject({ family: 'chat', mode: 'live' });
});

test('nothing is selected only where the setting names nothing', () => {
  const nothing = (settings: Record<string, string>, fixture: boolean) => {
    const source = found('mail', settings, fixture);
    return 'missing' in source && selectsNothing(source, 'mail');
  };
  expect(nothing({}, false)).toBe(true);
  expect(nothing({ SVC_MAIL_ENABLED: 'true' }, false)).toBe(true);
  expect(nothing({ SVC_MAIL_MAILBOXES: 'ada@example.org' }, false)).toBe(false);
  expect(nothing({ SVC_MAIL_ENABLED: 'true' }, true)).toBe(false);
});
