import { describe, expect, it } from 'vitest';
import { ConnectorError, DeltaCursorInvalid } from '../../../core/connectors/connector.ts';
import { type InstancePart, joinedConnector } from '../../../core/connectors/joined-connector.ts';

const signal = new AbortController().signal;

function part(name: string, scopes: string[], failure?: ConnectorError): InstancePart {
  return {
    name,
    connector: {
      family: 'blob',
      mode: 'live',
      delta: 'comparison',
      scopeIds: new Set(scopes),
      listScopes: async (pageToken) => {
        if (failure !== undefined) throw failure;
        const at = Number(pageToken ?? 0);
        const [externalId] = scopes.slice(at);
        return {
          scopes: externalId === undefined ? [] : [{ externalId, name: externalId, kind: 'container' }],
          nextPageToken: at + 1 < scopes.length ? String(at + 1) : null,
        };
      },
      listLabels: async () => [],
      listItems: async () => ({ items: [], nextPageToken: name, deltaCursor: null }),
      getItem: async () => null,
      getPermissions: async () => 'denied',
      getLabel: async () => ({ state: 'unknown' }),
      readContent: async () => ({ state: 'inaccessible' }),
    },
  };
}

async function scopesOf({ connector }: { connector: InstancePart['connector'] }) {
  const scopes: string[] = [];
  const refused: unknown[] = [];
  let token: string | null = null;
  do {
    const page = await connector.listScopes(token, signal);
    scopes.push(...page.scopes.map(({ externalId }) => externalId));
    refused.push(...(page.refused ?? []));
    token = page.nextPageToken;
  } while (token !== null);
  return { scopes, refused };
}

describe('several instances of a family', () => {
  it('list the scopes of all, and read each scope by the instance that selects it', async () => {
    const connector = joinedConnector(part('default', ['a/one', 'a/two']), part('hr', ['b/one']));
    expect((await scopesOf({ connector })).scopes).toEqual(['a/one', 'a/two', 'b/one']);
    expect([...(connector.scopeIds ?? [])]).toEqual(['a/one', 'a/two', 'b/one']);
    expect((await connector.listItems('a/two', null, signal)).nextPageToken).toBe('default');
    expect((await connector.listItems('b/one', null, signal)).nextPageToken).toBe('hr');
  });

  it('a scope that two select belongs to the first', async () => {
    const connector = joinedConnector(part('default', ['a/one']), part('hr', ['a/one', 'b/one']));
    expect((await scopesOf({ connector })).scopes).toEqual(['a/one', 'b/one']);
    expect((await connector.listItems('a/one', null, signal)).nextPageToken).toBe('default');
  });

  it('one that cannot list its scopes is refused by name, and the others are listed', async () => {
    const connector = joinedConnector(
      part('default', ['a/one'], new ConnectorError('auth', 'blob_credential_malformed')),
      part('hr', ['b/one']),
      part('legal', ['c/one'], new ConnectorError('transient', 'blob_unreachable')),
    );
    expect(await scopesOf({ connector })).toEqual({
      scopes: ['b/one'],
      refused: [
        { siteId: 'instance:default', name: 'default', reason: 'denied' },
        { siteId: 'instance:legal', name: 'legal', reason: 'unreachable' },
      ],
    });
  });

  it('refuse a scope of none of them, and a page token that nobody gave', async () => {
    const connector = joinedConnector(part('default', ['a/one']), part('hr', ['b/one']));
    await expect(connector.listItems('c/one', null, signal)).rejects.toMatchObject({
      safeDiagnostic: 'scope_unknown',
    });
    for (const token of ['7 ', 'nonsense', '-1 x'])
      await expect(connector.listScopes(token, signal)).rejects.toBeInstanceOf(DeltaCursorInvalid);
  });

  it('one alone is itself', async () => {
    const only = part('default', ['a/one']);
    expect(joinedConnector(only)).toBe(only.connector);
  });
});
