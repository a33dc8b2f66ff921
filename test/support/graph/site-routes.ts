import { personNamed } from './directory-routes.ts';
import { driveTypeOf } from './drive-item-json.ts';
import { type Answer, GraphError, itemNotFound } from './errors.ts';
import { pageOfList } from './lists.ts';
import { type Call, READ_FILES, READ_SITES, type Route } from './route.ts';
import type { Drive, Site, Tenant } from './state.ts';
import { assertServes, driveNamed, siteSeen } from './visible.ts';

const at = (ms: number): string => new Date(ms).toISOString();

function siteJson({ hostName }: Tenant, site: Site) {
  const isRoot = site.path === '';
  return {
    ...{ id: site.id, name: site.path.split('/').at(-1) || 'root', displayName: site.name },
    ...{ createdDateTime: at(site.createdAt), lastModifiedDateTime: at(site.createdAt) },
    webUrl: isRoot ? `https://${hostName}` : `https://${hostName}/${site.path}`,
    isPersonalSite: site.personal,
    root: {},
    siteCollection: { hostname: hostName, ...(isRoot ? { root: {} } : {}) },
  };
}

function driveJson({ id: tenantId, hostName, people }: Tenant, site: Site, drive: Drive) {
  const owner = people.get(site.ownerId ?? '');
  const used = [...drive.items.values()].reduce((sum, item) => sum + (item.content?.size ?? 0), 0);
  const total = 27_487_790_694_400;
  return {
    ...{ id: drive.id, name: drive.name, description: '', driveType: driveTypeOf(drive) },
    ...{ createdDateTime: at(drive.createdAt), lastModifiedDateTime: at(drive.createdAt) },
    webUrl: drive.webUrl,
    owner: {
      user: owner ? { id: owner.id, displayName: owner.displayName } : { displayName: 'System Account' },
    },
    quota: { state: 'normal', total, used, remaining: total - used, deleted: 0 },
    sharePointIds: {
      ...{ tenantId, siteId: site.guid, webId: site.webGuid, listId: drive.guid },
      siteUrl: `https://${hostName}/${site.path}`,
    },
  };
}

function siteNamed(call: Call): Site {
  const { id = '', path } = call.values;
  const wanted = path === undefined ? undefined : `${id}:/${path}`.replace(/:?\/?$/, '').toLowerCase();
  const site = call.tenant.sites.find((each) =>
    wanted === undefined
      ? each.id === id ||
        (id === call.tenant.hostName && each.path === '') ||
        (id === 'root' && each.path === '')
      : `${call.tenant.hostName}:/${each.path}`.toLowerCase() === wanted,
  );
  return siteSeen(call, site);
}

/**
 * Seen for people who never opened it and for those without a licence (microsoftgraph/msgraph-sdk-dotnet#579): an
 * application never makes one.
 */
const noPersonalSite = (): GraphError => new GraphError(404, 'ResourceNotFound', "User's mysite not found.");

function personalDrive(call: Call): Answer {
  const { id } = personNamed(call);
  const site = call.tenant.sites.find(({ ownerId }) => ownerId === id);
  const drive = site?.drives[0];
  if (site === undefined || drive === undefined) throw noPersonalSite();
  assertServes(call.tenant, drive);
  return { status: 200, body: driveJson(call.tenant, siteSeen(call, site), drive) };
}

const drivesOf = (call: Call) => {
  const site = siteNamed(call);
  return pageOfList(
    call,
    site.drives
      .filter(({ refusal }) => refusal !== 'gone')
      .map((drive) => driveJson(call.tenant, site, drive)),
    'drives',
  );
};

/** Documented: the path of the link to more sites. */
const MORE_SITES = '/sites/oneDrive.getAllSites';

const allSites = (path: string): Route => ({
  ...{ family: 'sites_all', method: 'GET', path, of: 'site', list: true },
  // Documented: sites that are chosen one by one cannot be listed.
  permissions: READ_SITES.filter((permission) => permission !== 'Sites.Selected'),
  answer: (call) => {
    const sites = call.tenant.sites.map((site) => siteJson(call.tenant, site));
    return pageOfList(call, sites, 'sites', { path: MORE_SITES });
  },
});

export const SITE_ROUTES: readonly Route[] = [
  ...['/sites/getAllSites', MORE_SITES].map(allSites),
  {
    ...{ family: 'site', method: 'GET', path: '/sites/{id}', of: 'site', permissions: READ_SITES },
    answer: (call) => ({ status: 200, body: siteJson(call.tenant, siteNamed(call)) }),
  },
  {
    ...{ family: 'site_drives', method: 'GET', path: '/sites/{id}/drives', of: 'drive', list: true },
    permissions: READ_FILES,
    answer: drivesOf,
  },
  {
    ...{ family: 'site_permissions', method: 'GET', path: '/sites/root/permissions' },
    ...{ of: 'permission', list: true },
    // Documented (`site-list-permissions`): no other permission lists them. They are those of applications.
    permissions: ['Sites.FullControl.All'],
    answer: (call) => pageOfList(call, [], 'permissions'),
  },
  {
    ...{
      family: 'site_by_path',
      method: 'GET',
      path: '/sites/{id}:/{path*}',
      of: 'site',
      permissions: READ_SITES,
    },
    answer: (call) => ({ status: 200, body: siteJson(call.tenant, siteNamed(call)) }),
  },
  {
    ...{ family: 'user_drive', method: 'GET', path: '/users/{user}/drive', of: 'drive' },
    permissions: READ_FILES,
    answer: personalDrive,
  },
  {
    ...{ family: 'drive', method: 'GET', path: '/drives/{drive}', of: 'drive', permissions: READ_FILES },
    answer: (call) => {
      const drive = driveNamed(call);
      const site = call.tenant.sites.find(({ id }) => id === drive.siteId);
      if (site === undefined) throw itemNotFound();
      return { status: 200, body: driveJson(call.tenant, site, drive) };
    },
  },
];
