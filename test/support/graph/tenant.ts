import { type TeamSpec, teamsOf } from './chat-state.ts';
import { driveIdOf, guidOf, idPrefixOf, rootIdOf } from './ids.ts';
import { createMailbox } from './mail-acts.ts';
import type { App, Drive, Group, Item, Label, Person, Quirks, Site, Tenant } from './state.ts';

/** A tenant before anything happened in it. Ids follow from names, so they are the same in each run. */
export type TenantSpec = {
  /** Names the tenant; its ids follow from it. */
  name: string;
  apps: readonly (Partial<App> & Pick<App, 'clientId' | 'permissions'>)[];
  sites: readonly SiteSpec[];
  teams?: readonly TeamSpec[];
  people?: readonly Person[];
  groups?: readonly Group[];
  labels?: readonly Label[];
  /** Addresses of mailboxes. */
  mailboxes?: readonly string[];
  /** Besides that of the tenant's host. */
  domains?: readonly string[];
  quirks?: Partial<Quirks>;
};

type SiteSpec = {
  name: string;
  /** After the host; default: `sites/` and the name without spaces. `''` is the root site. */
  path?: string;
  libraries: readonly string[];
  /** A OneDrive. Its libraries are personal drives. */
  personal?: boolean;
  /** Id of the person whose OneDrive it is. */
  ownerId?: string;
};

const QUIRKS: Quirks = {
  ...{ deltaOmitsContentTag: false, deltaShowsPath: false, deletedFolderAlone: false },
  ...{ inherited: 'empty', sharingChangesTag: 'people', labelChangesContentTag: false },
  ...{ withUnknownFields: false, labelsUnderValue: false, links: 'call', pageOverflow: 0 },
  ...{ refusesDuplicateSubscriptions: true, emptyDeltaPages: 1, expandedReplies: 1000 },
  mailMovesShowInTarget: false,
};

export function createTenant(spec: TenantSpec, now: number): Tenant {
  const hostName = `${spec.name.toLowerCase()}.sharepoint.com`;
  const tenant: Tenant = {
    ...{ id: guidOf(`tenant/${spec.name}`), hostName, sites: [], drives: new Map() },
    teams: teamsOf(spec.teams ?? [], spec.name, now),
    people: new Map(spec.people?.map((person) => [person.id, person])),
    groups: new Map(spec.groups?.map((group) => [group.id, group])),
    labels: [...(spec.labels ?? [])],
    domains: [`${spec.name.toLowerCase()}.onmicrosoft.example`, ...(spec.domains ?? [])],
    apps: new Map(spec.apps.map((app) => [app.clientId, appOf(app)])),
    mailboxes: new Map(spec.mailboxes?.map((address) => [address.toLowerCase(), createMailbox(address)])),
    ...{ subscriptions: new Map(), operations: new Map(), quirks: { ...QUIRKS, ...spec.quirks } },
  };
  tenant.sites = spec.sites.map((site) => siteOf(tenant, site, now));
  for (const site of tenant.sites) for (const drive of site.drives) tenant.drives.set(drive.id, drive);
  return tenant;
}

const appOf = (app: TenantSpec['apps'][number]): App => ({
  ...{ secret: null, certificates: [], siteIds: [], mailboxes: [], metered: true },
  ...app,
});

function siteOf(tenant: Tenant, spec: SiteSpec, now: number): Site {
  const { name, personal = false } = spec;
  const path = spec.path ?? `sites/${name.replaceAll(' ', '')}`;
  const key = `${tenant.id}/${path}`;
  const guid = guidOf(key);
  const webGuid = guidOf(`${key}/web`);
  const site: Site = {
    ...{ id: `${tenant.hostName},${guid},${webGuid}`, guid, webGuid, path, name, personal, createdAt: now },
    ownerId: spec.ownerId ?? null,
    ...{ drives: [], grants: [], refusal: null },
  };
  site.grants = (['Owners', 'Members', 'Visitors'] as const).map((kind) => ({
    ...{ to: 'siteGroup', name: `${name} ${kind}`, expiresAt: null },
    id: Buffer.from(guidOf(`${key}/${kind}`)).toString('base64url'),
    role: ({ Owners: 'owner', Members: 'write', Visitors: 'read' } as const)[kind],
  }));
  site.drives = spec.libraries.map((library) => driveOf(tenant, site, key, library, now));
  return site;
}

function driveOf(tenant: Tenant, site: Site, siteKey: string, name: string, now: number): Drive {
  const key = `${siteKey}/${name}`;
  const idPrefix = idPrefixOf(key);
  const folder = name === 'Documents' ? 'Shared Documents' : name;
  const webUrl = [`https://${tenant.hostName}`, site.path, folder]
    .filter((part) => part !== '')
    .map((part, at) => (at === 0 ? part : encodeURI(part)))
    .join('/');
  const by = { id: guidOf('system account'), displayName: 'System Account' };
  const root: Item = {
    ...{ id: rootIdOf(idPrefix), guid: guidOf(`${key}/root`), kind: 'folder', name: 'root', parentId: null },
    ...{ content: null, target: null, createdAt: now, createdBy: by, modifiedAt: now, modifiedBy: by },
    ...{
      revision: 1,
      contentRevision: 1,
      earlier: [],
      grants: [],
      label: null,
      lock: null,
      foreignLabels: [],
    },
    ...{ malware: false, refused: false, deleted: false, changed: 0, changedBeyondSharing: 0, shared: -1 },
  };
  return {
    ...{
      key,
      idPrefix,
      id: driveIdOf(key),
      guid: guidOf(key),
      name,
      siteId: site.id,
      personal: site.personal,
    },
    ...{ webUrl, createdAt: now, rootId: root.id, epoch: 1, refusal: null },
    items: new Map([[root.id, root]]),
    children: new Map([[root.id, new Set()]]),
    log: [{ id: root.id, sharing: false }],
    resync: { code: 'resyncRequired', withLocation: true },
  };
}
