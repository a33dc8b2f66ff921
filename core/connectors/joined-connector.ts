import { throwIfAborted } from './abort.ts';
import { type ComparisonConnector, ConnectorError, DeltaCursorInvalid } from './connector.ts';
import { eachLabelOnce } from './container-connector.ts';

/** One instance of a family. The configuration alone says which scopes are its own. */
export type InstancePart = {
  name: string;
  connector: ComparisonConnector & { scopeIds: ReadonlySet<string> };
};

/**
 * Several instances of a family as one connector. A scope belongs to the first instance that selects it. An instance that
 * cannot list its scopes is a refused site, so that the others are listed all the same.
 */
export function joinedConnector(
  first: InstancePart,
  ...others: readonly InstancePart[]
): InstancePart['connector'] {
  if (others.length === 0) return first.connector;
  const parts = [first, ...others];
  const of = (scopeId: string) => {
    const owner = parts.find(({ connector }) => connector.scopeIds.has(scopeId));
    if (owner === undefined) throw new ConnectorError('permanent', 'scope_unknown');
    return owner.connector;
  };
  return {
    family: first.connector.family,
    mode: first.connector.mode,
    delta: 'comparison',
    ...(parts.some(({ connector }) => connector.inheritsPermissions) && { inheritsPermissions: true }),
    scopeIds: new Set(parts.flatMap(({ connector }) => [...connector.scopeIds])),
    listScopes: async (pageToken, signal) => {
      const at = pageToken === null ? 0 : Number(pageToken.slice(0, pageToken.indexOf(' ')));
      const part = parts[at];
      if (part === undefined) throw new DeltaCursorInvalid();
      const inner = pageToken === null ? null : pageToken.slice(pageToken.indexOf(' ') + 1) || null;
      const next = at + 1 < parts.length ? `${at + 1} ` : null;
      const siteId = `instance:${part.name}`;
      try {
        const page = await part.connector.listScopes(inner, signal);
        const scopes = page.scopes.filter(({ externalId }) => of(externalId) === part.connector);
        return {
          ...page,
          scopes: scopes.map((scope) => ({ ...scope, siteIds: [siteId] })),
          nextPageToken: page.nextPageToken === null ? next : `${at} ${page.nextPageToken}`,
        };
      } catch (error) {
        throwIfAborted(signal);
        if (!(error instanceof ConnectorError) || error instanceof DeltaCursorInvalid) throw error;
        const reason = error.retryClass === 'auth' ? 'denied' : 'unreachable';
        return { scopes: [], refused: [{ siteId, name: part.name, reason }], nextPageToken: next };
      }
    },
    refusedRights: async (scopeId, ...args) => (await of(scopeId).refusedRights?.(scopeId, ...args)) ?? null,
    listLabels: async (signal) =>
      eachLabelOnce((await Promise.all(parts.map(({ connector }) => connector.listLabels(signal)))).flat()),
    listItems: async (scopeId, ...args) => of(scopeId).listItems(scopeId, ...args),
    getItem: async (scopeId, ...args) => of(scopeId).getItem(scopeId, ...args),
    getPermissions: async (scopeId, ...args) => of(scopeId).getPermissions(scopeId, ...args),
    getLabel: async (scopeId, ...args) => of(scopeId).getLabel(scopeId, ...args),
    readContent: async (scopeId, ...args) => of(scopeId).readContent(scopeId, ...args),
  };
}
