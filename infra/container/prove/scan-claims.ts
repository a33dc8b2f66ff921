import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../../core/db/client.ts';
import type { ApiClient } from '../../local/api-client.ts';
import { proved } from './claims.ts';
import type { Project } from './compose-file.ts';
import { proveEndOf } from './container-claims.ts';
import type { RunningProject } from './project.ts';

const SCANNED_WITHIN_MS = 600_000;
/** Longer than a heartbeat, with which a process tells what it has done. */
const REPORTED_WITHIN_MS = 60_000;
const POLL_MS = 100;

type Scan = {
  campaignId: string;
  status: string;
  workUnits: Record<'pending' | 'leased' | 'completed' | 'dead' | 'cancelled', number>;
};
type Scanner = { workloadId: string; displayName: string; processed: number; currentLeases: number };

/** Starts the scan of a share. */
async function startScan(person: ApiClient, share: string): Promise<string> {
  const { items } = await person.get<{ items: { scopeId: string; name: string }[] }>('/api/sources');
  const scopeId = items.find(({ name }) => name === share)?.scopeId;
  const started = await person.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' });
  if (started.status !== 200) throw new Error(`the scan was answered with ${started.status}`);
  return started.body.campaignId;
}

async function completed(person: ApiClient, campaignId: string): Promise<Scan> {
  const scan = await seen(SCANNED_WITHIN_MS, async () => {
    const asked = await person.get<Scan>(`/api/scans/${campaignId}`);
    return ['pending', 'running'].includes(asked.status) ? null : asked;
  });
  const { pending, leased, dead, cancelled } = scan.workUnits;
  if (scan.status !== 'completed' || pending + leased + dead + cancelled > 0) {
    throw new Error(`the scan ended as ${JSON.stringify(scan)}`);
  }
  return scan;
}

/** Asks until there is an answer. Throws after the time. */
async function seen<T>(withinMs: number, ask: () => Promise<T | null>): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; ) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > deadline) throw new Error(`not seen within ${withinMs / 1000} s`);
    await sleep(POLL_MS);
  }
}

const fleetOf = async (person: ApiClient) =>
  (await person.get<{ fleet: Scanner[] }>('/api/ops/overview')).fleet;

/** Connects the shares and scans one of them to its end. */
export async function proveScan(person: ApiClient, share: string): Promise<void> {
  await proved(
    `a scan of the folder ${share}`,
    async () => {
      const connected = await person.post('/api/sources/connect', { family: 'smb' });
      if (connected.status !== 200) throw new Error(`connecting was answered with ${connected.status}`);
      return completed(person, await startScan(person, share));
    },
    ({ workUnits }) => `${workUnits.completed} units completed, none dead`,
  );
}

/** Each process of the fleet tells with its heartbeats how much it has done. */
export async function proveSharedWork(person: ApiClient, names: readonly string[]): Promise<void> {
  await proved(
    'all processes share the work',
    () =>
      seen(REPORTED_WITHIN_MS, async () => {
        const working = (await fleetOf(person)).filter(({ processed }) => processed > 0);
        return names.every((name) => working.some(({ displayName }) => displayName === name))
          ? working
          : null;
      }),
    (working) => working.map(({ displayName, processed }) => `${displayName} ${processed}`).join(', '),
  );
}

/** Ends the host and a worker in the middle of a scan. The other worker and their successors go on with their units. */
export async function proveHandover(
  running: RunningProject,
  project: Project,
  { person, share }: { person: ApiClient; share: string },
): Promise<void> {
  const leaving = [running.containers('host')[0], running.containers('worker')[0]].filter(
    (container) => container !== undefined,
  );
  const campaignId = await startScan(person, share);
  const holders = await seen(REPORTED_WITHIN_MS, async () => {
    const fleet = await fleetOf(person);
    const found = leaving.map(({ name }) =>
      fleet.find(({ displayName, currentLeases }) => name.startsWith(displayName) && currentLeases > 0),
    );
    return found.every((each) => each !== undefined) ? found : null;
  });
  const held = holders.map(({ displayName, currentLeases }) => `${displayName} ${currentLeases}`).join(', ');
  await Promise.all(leaving.map(proveEndOf));
  await proved(
    'units are handed back',
    async () => {
      const left = await leasesOf(
        project,
        holders.map(({ workloadId }) => workloadId),
      );
      if (left > 0) throw new Error(`${left} are held still`);
    },
    () => `held before: ${held}; after: none`,
  );
  await proved('up --wait starts what has ended', running.up);
  await proved(
    'the scan goes on and completes',
    () => completed(person, campaignId),
    ({ workUnits }) => `${workUnits.completed} units completed, none dead`,
  );
}

/** How many units these processes hold, as the database has it. */
async function leasesOf(project: Project, scannerIds: readonly string[]): Promise<number> {
  const password = await readFile(path.join(project.folder, 'secrets/postgres-password'), 'utf8');
  return withClient(`postgres://postgres:${password}@127.0.0.1:5432/governance`, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from work_units
        where status = 'leased' and split_part(lease_owner, ':', 1) = any($1)`,
      [scannerIds],
    );
    return rows[0]?.count ?? Number.NaN;
  });
}
