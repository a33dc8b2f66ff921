import { createHash } from 'node:crypto';
import {
  type Connector,
  ConnectorError,
  type Permissions,
  ScopeRefused,
  type SharingMarks,
  type SourceFolder,
} from '../connectors/connector.ts';
import { nextStep } from '../work/retry-policy.ts';
import type { WorkUnit } from '../work/unit.ts';
import type { ReadFolder } from './folders.sql.ts';
import type { CampaignScope } from './inventory.sql.ts';

/** The scope of a unit, with its connector. */
export type SourceOfUnit<C extends Connector = Connector> = { scope: CampaignScope; connector: C };

/**
 * Reads the permissions of folders, if files of the source inherit them. Read them before the files in the folders are
 * processed: a file then never has older permissions than its folder.
 */
export async function readFolders(
  unit: WorkUnit,
  { scope, connector }: SourceOfUnit,
  folders: readonly SourceFolder[],
  signal: AbortSignal,
  sharing: SharingMarks = {},
): Promise<ReadFolder[]> {
  const keys = connector.inheritsPermissions
    ? await permissionsKeys(
        unit,
        { scope, connector },
        folders.map((folder) => folder.externalId),
        signal,
      )
    : new Map<string, string | null>();
  return folders.map((folder) => ({
    ...folder,
    permissionsKey: keys.get(folder.externalId) ?? null,
    sharing: sharing[folder.externalId] ?? null,
  }));
}

/** What the folders grant, by id, as digests; null where the source does not say. */
export async function permissionsKeys(
  unit: WorkUnit,
  { scope, connector }: SourceOfUnit,
  externalIds: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string | null>> {
  const keys = externalIds.map(async (externalId) => {
    const permissions = await unlessRefused(unit, () =>
      connector.getPermissions(scope.externalId, externalId, signal),
    );
    return [externalId, permissions && keyOf(permissions)] as const;
  });
  return new Map(await Promise.all(keys));
}

/** Null if the source refuses or, at the last attempt, fails to answer. Throws `ScopeRefused`. */
export async function unlessRefused<T>(unit: WorkUnit, read: () => Promise<T | 'denied'>): Promise<T | null> {
  try {
    const answer = await read();
    return answer === 'denied' ? null : answer;
  } catch (error) {
    if (!failsForGood(unit, error)) throw error;
    return null;
  }
}

/** Whether no further attempt asks for it. A source that asks to wait will answer. */
export function failsForGood({ attempt, maxAttempts }: WorkUnit, error: unknown): boolean {
  if (!(error instanceof ConnectorError) || error instanceof ScopeRefused) return false;
  if (error.retryClass === 'throttled') return false;
  return nextStep(error.retryClass, attempt, maxAttempts, error.retryAfterMs).kind === 'dead';
}

/** Whether a grant is inherited makes no difference to what is in the folder. */
function keyOf({ grants }: Permissions): string {
  const terms = grants.map(({ principal, principalKind, external, role }) =>
    JSON.stringify([principal, principalKind, external, role]),
  );
  return createHash('sha256')
    .update(JSON.stringify([...new Set(terms)].sort()))
    .digest('base64url');
}
