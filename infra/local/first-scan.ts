import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { SCOPE_EXPECTATIONS } from './fixture/development-tenant.ts';
import type { SignInAs } from './sign-in-as.ts';

type Source = {
  scopeId: string;
  externalId: string;
  family: string;
  selected: boolean;
  expectation: { domainId: string } | null;
};
type Scan = {
  campaignId: string;
  scopeId: string | null;
  status: string;
  workUnits: { pending: number; leased: number; completed: number; dead: number; cancelled: number };
};

const POLL_MS = 250;

/** Progress of all scans together: settled units, and all units known so far. */
export type Progress = (settled: number, total: number) => void;

/** The scopes of a first scan, and its campaigns, including those that were already running. */
export type Scanned = { scopeIds: readonly string[]; campaignIds: readonly string[] };

/** Connects a source family through the API, scans all its scopes, and resolves when every scan has ended. */
export async function scanFamily(
  signInAs: SignInAs,
  family: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Scanned> {
  const client = await signInAs('platform_admin');
  const connected = await client.post<{ message?: string }>('/api/sources/connect', { family });
  if (connected.status !== 200) throw new Error(`the source was not connected: ${connected.body.message}`);
  const sources = await client.get<{ items: Source[] }>('/api/sources');
  const scopes = sources.items.filter((source) => source.family === family && source.selected);
  if (family === 'm365') await setExpectations(signInAs, scopes);
  const mine = new Set<string>();
  for (const { scopeId } of scopes) {
    const started = await client.post<{ campaignId?: string; message?: string }>('/api/scans', {
      scopeId,
      kind: 'inventory',
    });
    if (started.body.campaignId !== undefined) mine.add(started.body.campaignId);
    // A conflict is a scan that an earlier run has started. It continues and is watched like the others.
    else if (started.status !== 409) throw new Error(`a scan was not started: ${started.body.message}`);
  }
  const scopeIds = new Set(scopes.map(({ scopeId }) => scopeId));
  await watch(client, scopeIds, mine, progress, signal);
  return { scopeIds: [...scopeIds], campaignIds: [...mine] };
}

/** Subscribes to changes of scopes, as a platform administrator would. */
export async function subscribeTo(signInAs: SignInAs, scopeIds: readonly string[]): Promise<void> {
  const client = await signInAs('platform_admin');
  for (const scopeId of scopeIds) {
    const { status, body } = await client.post<{ message?: string }>('/api/admin/notifications/subscribe', {
      scopeId,
    });
    if (status !== 200) throw new Error(`changes of a scope are not notified: ${body.message}`);
  }
}

/** Sets the expected domain of each site of the fixture tenant, as a governance administrator would. */
async function setExpectations(signInAs: SignInAs, scopes: readonly Source[]): Promise<void> {
  const client = await signInAs('governance_admin');
  for (const { scopeExternalId, domainId } of SCOPE_EXPECTATIONS) {
    const scope = scopes.find((each) => each.externalId === scopeExternalId);
    if (scope?.expectation !== null || domainId === null) continue;
    await client.post(`/api/sources/${scope.scopeId}/expectation`, { domainId });
  }
}

const isOpen = (scan: Scan) => ['pending', 'running'].includes(scan.status);

async function watch(
  client: ApiClient,
  scopeIds: ReadonlySet<string | null>,
  campaignIds: Set<string>,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { items } = await client.get<{ items: Scan[] }>('/api/scans');
    for (const scan of items)
      if (isOpen(scan) && scopeIds.has(scan.scopeId)) campaignIds.add(scan.campaignId);
    const watched = items.filter((scan) => campaignIds.has(scan.campaignId));
    const sum = (pick: (units: Scan['workUnits']) => number) =>
      watched.reduce((total, { workUnits }) => total + pick(workUnits), 0);
    const settled = sum((units) => units.completed + units.dead + units.cancelled);
    progress(settled, settled + sum((units) => units.pending + units.leased));
    if (!watched.some(isOpen)) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
