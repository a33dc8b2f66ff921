import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { blocked, everywhere, notConfigured, OK, type Probed, probed, type SourceProbe } from '../probe.ts';
import { ALLOWED_CALLS } from './allowed-calls.ts';
import { DriveItemPage, type Site, Subscription } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import { reportsSharing } from './reports-sharing.ts';
import { DrivePage, isLibrary, isShared, readSite, SitePage, type SiteSelection } from './sites.ts';
import { withoutPermission } from './without-permission.ts';

export type GraphProbeParts = {
  /** Asks the authority for a new token. */
  acquireToken: (signal: AbortSignal) => Promise<void>;
  /** Calls with a new token too, so that it has the permissions of now. */
  client: GraphClient;
  /** Null if none is selected. */
  sites: SiteSelection | null;
  readsLabels: boolean;
  /** The addresses for notifications, or why there are none. */
  notifications: { notificationUrl: string; lifecycleUrl: string } | Probed;
  now: number;
};

/** Of a long selection, the first sites. */
const SITES = 20;
/** Graph makes shorter times this long. The subscription is deleted at once. */
const SUBSCRIBED_MS = 45 * 60_000;

const Any = z.looseObject({});

/** Tests Microsoft 365, capability by capability. Makes one call of each kind that a scan makes, and throws nothing. */
export async function probeGraph(parts: GraphProbeParts, signal: AbortSignal): Promise<SourceProbe> {
  const look = (what: () => Promise<Probed>) => probed(what, signal);
  const token = await look(async () => {
    await parts.acquireToken(signal);
    return OK;
  });
  // Without a token every call would fail for the same reason.
  if (token.state !== 'ok') return everywhere(token);
  const [sharing, labels, directory, places] = await Promise.all([
    look(() => probeSharing(parts.client, signal)),
    look(() => probeLabels(parts, signal)),
    look(() => probeDirectory(parts.client, signal)),
    probePlaces(parts, look, signal),
  ]);
  const none = notConfigured('not_part_of_source');
  return { token, sharing, labels, directory, ...places, reach: none, files: none };
}

/** 401 too: the label service refuses a valid token without the permission so. */
const isRefused = (status: number) => status === 401 || status === 403;

/** Without it, deltas compare listings, so nothing is blocked. */
const probeSharing = async (client: GraphClient, signal: AbortSignal): Promise<Probed> =>
  (await reportsSharing(client, signal))
    ? OK
    : notConfigured('optional_permission', ALLOWED_CALLS.site_permissions.permission ?? '');

async function probeLabels({ client, readsLabels }: GraphProbeParts, signal: AbortSignal): Promise<Probed> {
  if (!readsLabels) return notConfigured('switched_off', 'SVC_LABEL_READ_ENABLED');
  const options = { schema: Any, expect: [401, 403, 404] as const, signal };
  const answer = await client.call('label_catalogue', {}, options);
  if (answer.ok) return OK;
  return isRefused(answer.status) ? withoutPermission('label_catalogue') : blocked('not_offered');
}

async function probeDirectory(client: GraphClient, signal: AbortSignal): Promise<Probed> {
  const options = { schema: Any, expect: [403] as const, signal };
  const queries = { users: { $top: 1 }, groups: { $top: 1 }, organization: {} };
  const answers = await Promise.all(
    (['users', 'groups', 'organization'] as const).map(async (call) => {
      const query = { ...queries[call], $select: 'id' };
      return [call, await client.call(call, {}, { ...options, query })] as const;
    }),
  );
  const refused = answers.flatMap(([call, { ok }]) => (ok ? [] : call));
  return refused.length === 0 ? OK : withoutPermission(...refused);
}

/** Sites, then a library of one of them, then a subscription to it: each needs the one before. */
async function probePlaces(
  parts: GraphProbeParts,
  look: (what: () => Promise<Probed>) => Promise<Probed>,
  signal: AbortSignal,
): Promise<Pick<SourceProbe, 'sites' | 'drive' | 'notifications'>> {
  const readable: Site[] = [];
  const sites = await look(() => probeSites(parts, readable, signal));
  let driveId: string | undefined;
  const drive = await look(async () => {
    if (readable.length === 0) return sites.state === 'ok' ? blocked('no_site') : sites;
    const found = await probeLibrary(parts.client, readable, signal);
    if (typeof found !== 'string') return found;
    driveId = found;
    return OK;
  });
  const notifications = await look(async () => {
    if ('state' in parts.notifications) return parts.notifications;
    return driveId === undefined ? drive : probeSubscription(parts, parts.notifications, driveId, signal);
  });
  return { sites, drive, notifications };
}

/** @param readable gets the sites that can be read */
async function probeSites(
  { client, sites }: GraphProbeParts,
  readable: Site[],
  signal: AbortSignal,
): Promise<Probed> {
  if (sites === null) return notConfigured('setting_missing', 'SVC_GRAPH_SITES');
  if (sites === 'all') {
    const answer = await client.call('sites_all', {}, { schema: SitePage, expect: [403], signal });
    if (!answer.ok) return withoutPermission('sites_all');
    readable.push(...answer.body.value.filter(isShared).slice(0, SITES));
    return readable.length > 0 || answer.body['@odata.nextLink'] ? OK : blocked('no_site');
  }
  const options = { expect: [400, 403, 404] as const, signal };
  const answers = await Promise.all(
    sites.slice(0, SITES).map((name) => probedSite(() => readSite(client, name, options), signal)),
  );
  readable.push(...answers.flatMap((answer) => ('site' in answer ? [answer.site] : [])));
  const at = answers.findIndex((answer) => !('site' in answer));
  const first = answers[at];
  if (first === undefined || 'site' in first || first.problem.state === 'ok') return OK;
  return { ...first.problem, position: at + 1 };
}

/** One site that cannot be read does not hide the others. */
async function probedSite(
  read: () => ReturnType<typeof readSite<400 | 403 | 404>>,
  signal: AbortSignal,
): Promise<{ site: Site } | { problem: Probed }> {
  let site: Site | undefined;
  const problem = await probed(async () => {
    const answer = await read();
    if (!answer.ok) return answer.status === 403 ? withoutPermission('site') : blocked('site_not_found');
    // Nothing is scanned of a personal site.
    if (!isShared(answer.body)) return blocked('no_library');
    site = answer.body;
    return OK;
  }, signal);
  return site === undefined ? { problem } : { site };
}

/** The id of a library that can be listed, or why there is none. */
async function probeLibrary(
  client: GraphClient,
  sites: readonly Site[],
  signal: AbortSignal,
): Promise<string | Probed> {
  const expect = [403, 404] as const;
  for (const { id: siteId } of sites) {
    const answer = await client.call('site_drives', { siteId }, { schema: DrivePage, expect, signal });
    if (!answer.ok && answer.status === 403) return withoutPermission('site_drives');
    const driveId = answer.ok ? answer.body.value.find(isLibrary)?.id : undefined;
    if (driveId === undefined) continue;
    const query = { $top: 1, $select: 'id' };
    const page = await client.call(
      'delta',
      { driveId },
      { query, schema: DriveItemPage, expect: [403], signal },
    );
    return page.ok ? driveId : withoutPermission('delta');
  }
  return blocked('no_library');
}

/**
 * Subscribes for a moment. Graph calls the webhook before it answers, so this proves that it can. Nobody knows the secret
 * of this subscription, so the service drops what comes of it meanwhile.
 */
async function probeSubscription(
  { client, now }: GraphProbeParts,
  { notificationUrl, lifecycleUrl }: { notificationUrl: string; lifecycleUrl: string },
  driveId: string,
  signal: AbortSignal,
): Promise<Probed> {
  const answer = await client.call(
    'subscription_create',
    {},
    {
      body: {
        changeType: 'updated',
        resource: `/drives/${driveId}/root`,
        notificationUrl,
        lifecycleNotificationUrl: lifecycleUrl,
        expirationDateTime: new Date(now + SUBSCRIBED_MS).toISOString(),
        clientState: randomUUID(),
      },
      schema: Subscription,
      expect: [400, 403, 409],
      signal,
    },
  );
  if (!answer.ok) {
    // Graph may refuse a second subscription to a library. The first one passed the same test.
    if (answer.status === 409) return OK;
    // The request itself is well formed, so what is refused is the answer of the webhook.
    return answer.status === 403 ? withoutPermission('subscription_create') : blocked('webhook_refused');
  }
  const options = { schema: z.undefined(), expect: [404] as const, signal };
  await client.call('subscription_delete', { subscriptionId: answer.body.id }, options);
  return OK;
}
