import { untilAborted } from './abort.ts';
import {
  type ComparisonConnector,
  ConnectorError,
  type ContentRead,
  DeltaCursorInvalid,
  type InventoryPage,
  type LabelObservation,
  type Permissions,
  ScopeRefused,
  type SensitivityLabel,
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
  /** Absent if the service has no labels. */
  label?(externalId: string, signal: AbortSignal): Promise<LabelObservation>;
  /** The labels that items of the container can have, the weakest first. Absent if the service has none. */
  labels?(signal: AbortSignal): Promise<SensitivityLabel[]>;
  content(externalId: string, maxBytes: number, signal: AbortSignal): Promise<ContentRead>;
  /** As of a connector. */
  refusedRights?(signal: AbortSignal): Promise<string[]>;
};

/**
 * A connector of a store whose scopes are selected by name: containers, buckets, shares, databases. It has no feed.
 * @param hasLabels whether containers may have labels
 * @param select the selected containers by the id of their scope. Called with the first call: a wrong setting fails the
 *   calls to the source, not the code that creates the connector
 */
export function containerConnector(
  {
    family,
    kind,
    scopeIds,
    hasLabels = false,
  }: { family: SourceFamily; kind: string; scopeIds: ReadonlySet<string>; hasLabels?: boolean },
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
    refusedRights: (scopeId, signal) =>
      inContainer(scopeId, signal, async (container) => (await container.refusedRights?.(signal)) ?? null),
    listLabels: (signal) =>
      untilAborted(signal, async () => {
        if (!hasLabels) return [];
        const found: SensitivityLabel[] = [];
        for (const container of containers().values())
          found.push(...((await container.labels?.(signal)) ?? []));
        return eachLabelOnce(found);
      }),
    listItems: (scopeId, pageToken, signal) =>
      inContainer(scopeId, signal, (container) => container.page(pageToken, signal)),
    getItem: (scopeId, externalId, signal) =>
      inContainer(scopeId, signal, (container) => container.item(externalId, signal)),
    getPermissions: (scopeId, externalId, signal) =>
      inContainer(scopeId, signal, (container) => container.permissions(externalId, signal)),
    getLabel: (scopeId, externalId, signal) =>
      inContainer(
        scopeId,
        signal,
        async (container) => (await container.label?.(externalId, signal)) ?? { state: 'unknown' },
      ),
    readContent: (scopeId, externalId, maxBytes, signal) =>
      inContainer(scopeId, signal, (container) => container.content(externalId, maxBytes, signal)),
  };
}

/** Of a container whose name the service cannot have: it alone is refused, whatever is asked, and nothing is sent. */
export function malformedContainer(name: string, diagnostic: string, kind?: string): ContainerReads {
  const refuse = async () => {
    throw new ScopeRefused('malformed_id', diagnostic);
  };
  return {
    name,
    ...(kind !== undefined && { kind }),
    page: refuse,
    item: refuse,
    permissions: refuse,
    content: refuse,
  };
}

/** Two containers may use the same label. */
export const eachLabelOnce = (labels: readonly SensitivityLabel[]): SensitivityLabel[] =>
  [...new Map(labels.toReversed().map((label) => [label.guid, label])).values()].toReversed();
