import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createChannelSource } from '../../../core/connectors/chat/channel-source.ts';
import { latestChanges } from '../../../core/connectors/latest-changes.ts';
import { Group, page, Subscription } from '../../../core/connectors/m365/graph-answers.ts';
import { createGraphClient, type GraphClient } from '../../../core/connectors/m365/graph-client.ts';
import type { GraphCloud } from '../../../core/connectors/m365/graph-cloud.ts';
import { createGraphConnector } from '../../../core/connectors/m365/graph-connector.ts';
import { createGraphDirectory } from '../../../core/connectors/m365/graph-directory.ts';
import { createGraphLabelWriter } from '../../../core/connectors/m365/graph-label-writer.ts';
import { readOrganization } from '../../../core/connectors/m365/organization.ts';
import { graphNotifications } from '../../../core/connectors/m365/subscriptions.ts';
import { createMailSource } from '../../../core/connectors/mail/mail-source.ts';
import { selectedMailboxes } from '../../../core/connectors/mail/mailboxes.ts';
import { WITHOUT_BOUND } from '../graph/connect.ts';
import type { Besides, ReplayedCall } from './given.ts';
import { MAILBOX, MESSAGE_CALLS } from './graph-message-calls.ts';
import type { Recording } from './recording.ts';

export const DRIVE = 'b!replayed';
const ITEM = '01REPLAYED';
const TARGET = { scopeExternalId: DRIVE, externalId: ITEM };
const PERSON = '00000000-0000-4000-8000-000000000001';
const EXPIRES = new Date('2030-01-01T00:00:00Z');
const MAX_BYTES = 64 * 1024 * 1024;
/** Addresses of recordings name tenants and carry secrets, so others stand for them. */
const DOCUMENTS = 'https://replayed.sharepoint.com';
const MONITOR = `${DOCUMENTS}/_api/v2.0/monitor/replayed`;
const live = new AbortController().signal;

export function partsOf(cloud: GraphCloud, tenantId: string | null) {
  const mailboxes = selectedMailboxes([MAILBOX]);
  const client: GraphClient = createGraphClient({
    cloud,
    mailboxes,
    tokens: { token: async () => 'replayed' },
    gate: WITHOUT_BOUND,
    priority: 'background',
    clock: Date.now,
    writesLabels: true,
    count: () => undefined,
    wait: async () => undefined,
  });
  const connectorTo = (sites: 'all' | readonly string[]) =>
    createGraphConnector({
      client,
      cloud,
      selected: { family: 'm365', sites },
      tenantId,
      readsLabels: true,
      clock: Date.now,
    });
  return {
    client,
    connector: connectorTo([]),
    scopes: async (sites: 'all' | readonly string[]) =>
      (await connectorTo(sites).listScopes(null, live)).scopes,
    directory: createGraphDirectory(client),
    notifications: graphNotifications(client, Date.now),
    writer: createGraphLabelWriter(client),
    channels: (selected: readonly string[]) =>
      createChannelSource({ client, cloud, selected, tenantId, clock: Date.now }),
    mail: createMailSource({ client, cloud, mailboxes, clock: Date.now }),
  };
}
export type GraphParts = ReturnType<typeof partsOf>;

/** Asked for beside other calls. */
export const ORGANIZATION = /\/organization\?/;

const json = (body: unknown, status = 200) => Response.json(body, { status });
const asList = (entry: unknown) => ({ value: [entry] });
const deltaLink = `/v1.0/drives/${DRIVE}/root/delta?token=replayed`;
/** A list of items has no link to a delta, which ends a feed. */
const asFeed = (body: unknown) => ({ ...(body as object), '@odata.deltaLink': deltaLink });
const hasToken = ({ request }: Recording) => /token=(?!latest)/i.test(request.url);

const SITE: Besides[number] = [/\/sites\/replayed$/, () => json({ id: 'replayed', name: 'replayed' })];
/** One library for each site. */
const LIBRARY: Besides[number] = [
  /\/drives$/,
  (request) => json(asList({ id: `b!${idFor(request)}`, name: 'replayed', driveType: 'documentLibrary' })),
];
/** The library is there, whatever is answered about an item or a cursor of it. */
const SERVED: Besides[number] = [/\/drives\/[^/?]+\?/, () => json({ id: DRIVE })];
const LABELLED: Besides[number] = [
  /\/items\/[^/]+\?/,
  () => json({ id: ITEM, name: 'replayed.docx', eTag: 'replayed', file: {} }),
];
const idFor = (request: string): string => createHash('sha256').update(request).digest('hex').slice(0, 40);

const SUBSCRIBING = {
  scopeExternalId: DRIVE,
  clientState: 'replayed',
  notificationUrl: 'https://replayed.example/n',
  lifecycleUrl: 'https://replayed.example/l',
  expiresAt: EXPIRES,
};
const SUBSCRIPTION = { subscriptionId: 'replayed' };
const WITHOUT_BODY = { schema: z.undefined(), signal: live };
const LabelRequest = z.object({ sensitivityLabelId: z.string(), justificationText: z.string() }).partial();

/** The feed of a drive, not of people, sites or lists. */
const DELTA =
  /\/(?:root|drive|drives\/[^/]+|(?<!lists\/[^/]+\/)items\/[^/]+|root:\/.*:)\/delta(?:\([^/]*\))?$/;

/**
 * The call of the connector that an address belongs to, by how its path ends. Recordings below other roots (`me/drive`,
 * `users/{id}/drive`) have the same answers. The first that fits counts.
 */
export const CALLS: readonly ReplayedCall<GraphParts>[] = [
  ...MESSAGE_CALLS,
  {
    ...{ call: 'monitor', at: 'api', path: /\/(?:monitor|operations)\/[^/]+$/i },
    read: ({ writer }) => writer.outcomeOf(MONITOR, live),
  },
  {
    ...{ call: 'monitor', at: 'elsewhere', path: /\/(?:monitor|operations|jobstatus)(?:\/|$)/i },
    read: ({ writer }) => writer.outcomeOf(MONITOR, live),
  },
  {
    ...{ call: 'download', at: 'elsewhere', path: /./, method: 'GET' },
    answers: /\.com\/download$/,
    besides: [
      [
        /\/content$/,
        () => new Response(null, { status: 302, headers: { location: `${DOCUMENTS}/download` } }),
      ],
    ],
    read: ({ connector }) => connector.readContent(DRIVE, ITEM, MAX_BYTES, live),
  },
  {
    ...{ call: 'delta', at: 'api', path: DELTA, when: hasToken },
    answers: /token=replayed/,
    besides: [SERVED, [/\/delta\?/, () => json(asFeed({ value: [] }))]],
    read: async ({ connector }) => {
      const cursor = (await connector.listItems(DRIVE, null, live)).deltaCursor ?? '';
      if (connector.delta !== 'feed') return null;
      const delta = await connector.listDelta(DRIVE, cursor, null, live);
      return { ...delta, changes: latestChanges(delta.changes) };
    },
  },
  {
    ...{ call: 'delta', at: 'api', path: DELTA },
    read: ({ connector }) => connector.listItems(DRIVE, null, live),
  },
  {
    ...{ call: 'permissions', at: 'api', path: /\/(?:permissions|invite)$/ },
    read: ({ connector }) => connector.getPermissions(DRIVE, ITEM, live),
  },
  {
    ...{ call: 'permissions', at: 'api', path: /\/(?:permissions\/[^/]+|createLink)$/, as: asList },
    read: ({ connector }) => connector.getPermissions(DRIVE, ITEM, live),
  },
  {
    ...{ call: 'labels_extract', at: 'api', path: /\/extractSensitivityLabels$/i },
    read: ({ connector }) => connector.getLabel(DRIVE, ITEM, live),
  },
  {
    ...{ call: 'label_assign', at: 'api', path: /\/assignSensitivityLabel$/i },
    answers: /\/assignSensitivityLabel$/,
    besides: [LABELLED],
    read: ({ writer }, { request }) => {
      const asked = LabelRequest.safeParse(request.body).data;
      const wanted = {
        labelGuid: asked?.sensitivityLabelId || null,
        justification: asked?.justificationText ?? 'replayed',
      };
      return writer.writeLabel({ ...TARGET, ifSourceVersion: 'replayed' }, wanted, live);
    },
  },
  {
    ...{ call: 'label_catalogue', at: 'api', path: /\/sensitivityLabels$/i },
    read: ({ connector }) => connector.listLabels(live),
  },
  {
    ...{ call: 'label_catalogue', at: 'api', path: /\/sensitivityLabels\/[^/]+$/i, as: asList },
    read: ({ connector }) => connector.listLabels(live),
  },
  {
    ...{ call: 'content', at: 'api', path: /\/content$/ },
    besides: [[/^/, () => new Response('replayed')]],
    read: ({ connector }) => connector.readContent(DRIVE, ITEM, MAX_BYTES, live),
  },
  {
    ...{ call: 'sites_all', at: 'api', path: /\/sites(?:\/getAllSites)?$/i, besides: [LIBRARY] },
    read: ({ scopes }) => scopes('all'),
  },
  {
    ...{ call: 'site_drives', at: 'api', path: /\/drives$/, answers: /\/drives$/, besides: [SITE] },
    read: ({ scopes }) => scopes(['replayed']),
  },
  {
    ...{ call: 'site_drives', at: 'api', path: /\/(?:drives\/[^/]+|drive)$/, as: asList },
    ...{ answers: /\/drives$/, besides: [SITE] },
    read: ({ scopes }) => scopes(['replayed']),
  },
  {
    ...{ call: 'site', at: 'api', path: /\/sites\/(?!delta$)[^/]+(?::\/[^:]*)?$/, besides: [LIBRARY] },
    read: ({ scopes }) => scopes(['replayed']),
  },
  {
    ...{ call: 'organization', at: 'api', path: /\/organization$/, answers: ORGANIZATION },
    read: async ({ client }) => {
      const organization = await readOrganization(client, live);
      return organization && { ...organization, domains: [...(organization.domains ?? [])] };
    },
  },
  {
    ...{ call: 'user_manager', at: 'api', path: /\/manager$/ },
    read: async ({ directory }) => [...(await directory.managersOf([PERSON], live)).values()],
  },
  {
    ...{ call: 'group_members', at: 'api', path: /\/(?:transitiveMembers|members)(?:\/user)?$/ },
    read: ({ directory }) => directory.membersOf(PERSON, 1_000, live),
  },
  {
    ...{ call: 'group_owners', at: 'api', path: /\/owners$/ },
    read: async ({ directory }) => [...(await directory.ownersOfGroups([PERSON], live)).values()].flat(),
  },
  {
    ...{ call: 'groups', at: 'api', path: /\/groups$/ },
    read: async ({ client }) =>
      (await client.call('groups', {}, { schema: page(Group), signal: live })).body.value,
  },
  {
    ...{ call: 'users', at: 'api', path: /\/users$/ },
    read: ({ directory }) => directory.peopleBehind([PERSON], live),
  },
  {
    ...{ call: 'user', at: 'api', path: /\/(?:users\/[^/]+|me)$/ },
    read: ({ directory }) => directory.person(PERSON, live),
  },
  {
    ...{ call: 'subscriptions', at: 'api', path: /\/subscriptions$/, method: 'GET' },
    read: async ({ client }) =>
      (await client.call('subscriptions', {}, { schema: page(Subscription), signal: live })).body.value,
  },
  {
    ...{ call: 'subscription_create', at: 'api', path: /\/subscriptions$/, method: 'POST' },
    answers: /^POST /,
    besides: [[/^GET /, () => json({ value: [] })]],
    read: ({ notifications }) => notifications.subscribe(SUBSCRIBING, live),
  },
  {
    ...{ call: 'subscription_delete', at: 'api', path: /\/subscriptions\/[^/]+$/, method: 'DELETE' },
    read: ({ client }) => client.call('subscription_delete', SUBSCRIPTION, WITHOUT_BODY),
  },
  {
    ...{ call: 'subscription_renew', at: 'api', path: /\/subscriptions\/[^/]+$/, method: 'PATCH' },
    read: ({ notifications }) => notifications.renew('replayed', EXPIRES, live),
  },
  {
    ...{ call: 'items', at: 'api', as: asFeed },
    path: /\/(?:children|search(?:\([^/]*\))?|recent|sharedWithMe|following|bundles)$/,
    read: ({ connector }) => connector.listItems(DRIVE, null, live),
  },
  {
    ...{ call: 'item', at: 'api', besides: [SERVED] },
    path: /^(?!.*\/lists\/[^/]+\/items\/[^/]+$).*\/(?:items\/[^/]+|root|root:\/.*|special\/[^/]+|driveItem)$/,
    read: ({ connector }) => connector.getItem(DRIVE, ITEM, live),
  },
];
