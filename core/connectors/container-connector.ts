import { untilAborted } from './abort.ts';
import {
  type ComparisonConnector,
  ConnectorError,
  type ContentRead,
  DeltaCursorInvalid,
  type InventoryPage,
  type Permissions,
  type SourceFamily,
  type SourceItem,
} from './connector.ts';

/** Reads of one container. Each throws `ScopeRefused` if the service refuses the container. */
export type ContainerReads = {
  readonly name: string;
  /** If it is another than that of the connector. */
  readonly kind?: string;
  page(pageToken: string | null, signal: AbortSignal): Promise<InventoryPage>;
  /** Null if there is no such item. */
  item(externalId: string, signal: AbortSignal): Promise<SourceItem | null>;
  permissions(externalId: string, signal: AbortSignal): Promise<Permissions>;
  content(externalId: string, maxBytes: number, signal: AbortSignal): Promise<ContentRead>;
};

/**
 * A connector of a store whose scopes are selected by name: containers, buckets, shares. It has no labels and no feed.
 * @param select the selected containers by the id of their scope. Called with the first call: a wrong setting fails the
 *   calls to the source, not the code that creates the connector
 */
export function containerConnector(
  { family, kind, scopeIds }: { family: SourceFamily; kind: string; scopeIds: ReadonlySet<string> },
  select: () => ReadonlyMap<string, ContainerReads>,
): ComparisonConnector & { scopeIds: ReadonlySet<string> } {
  let selected: ReadonlyMap<string, ContainerReads> | undefined;
  const containers = () => {
    selected ??= select();
    return selected;
  };
  const inContainer = <T>(
    scopeId: string,
    signal: AbortSignal,
    run: (container: ContainerReads) => Promise<T>,
  ) =>
    untilAborted(signal, async () => {
      const container = containers().get(scopeId);
      if (container === undefined) throw new ConnectorError('permanent', 'scope_unknown');
      return run(container);
    });

  return {
    family,
    mode: 'live',
    delta: 'comparison',
    inheritsPermissions: true,
    scopeIds,
    listScopes: (pageToken, signal) =>
      untilAborted(signal, async () => {
        if (pageToken !== null) throw new DeltaCursorInvalid();
        const scopes = Array.from(containers(), ([externalId, reads]) => ({
          externalId,
          name: reads.name,
          kind: reads.kind ?? kind,
        }));
        return { scopes, nextPageToken: null };
      }),
    listLabels: async () => [],
    listItems: (scopeId, pageToken, signal) =>
      inContainer(scopeId, signal, (container) => container.page(pageToken, signal)),
    getItem: (scopeId, externalId, signal) =>
      inContainer(scopeId, signal, (container) => container.item(externalId, signal)),
    getPermissions: (scopeId, externalId, signal) =>
      inContainer(scopeId, signal, (container) => container.permissions(externalId, signal)),
    getLabel: (scopeId, _externalId, signal) =>
      inContainer(scopeId, signal, async () => ({ state: 'unknown' })),
    readContent: (scopeId, externalId, maxBytes, signal) =>
      inContainer(scopeId, signal, (container) => container.content(externalId, maxBytes, signal)),
  };
}
