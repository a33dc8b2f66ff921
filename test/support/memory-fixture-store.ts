import type { Fixture, FixtureStore } from '../../infra/local/fixture/fixture-store.ts';

/** The fixture tenant in memory, for tests of one process. */
export function memoryFixtureStore({ scopes, items }: Fixture): FixtureStore {
  const scopeRows = new Map(scopes.map((scope) => [scope.externalId, scope]));
  const itemRows = new Map(items.map((item) => [`${item.scopeExternalId}/${item.externalId}`, item]));
  const inScope = (scopeId: string) =>
    [...itemRows.values()].filter((item) => item.scopeExternalId === scopeId);
  const byId = (a: { externalId: string }, b: { externalId: string }) =>
    a.externalId < b.externalId ? -1 : 1;
  return {
    scopes: async () => [...scopeRows.values()].sort(byId),
    items: async (scopeId, after, limit) =>
      inScope(scopeId)
        .filter((item) => !item.deleted && (after === null || item.externalId > after))
        .sort(byId)
        .slice(0, limit),
    item: async (scopeId, externalId) => itemRows.get(`${scopeId}/${externalId}`) ?? null,
    changes: async (scopeId, afterSeq, limit) =>
      inScope(scopeId)
        .filter((item) => item.changeSeq > afterSeq)
        .sort((a, b) => a.changeSeq - b.changeSeq)
        .slice(0, limit),
    update: async (scopeId, externalId, change) => {
      const scope = scopeRows.get(scopeId);
      if (scope === undefined) return null;
      const result = change(scope, itemRows.get(`${scopeId}/${externalId}`) ?? null);
      scopeRows.set(scopeId, result.scope);
      if (result.item !== null) itemRows.set(`${scopeId}/${result.item.externalId}`, result.item);
      return result;
    },
  };
}
