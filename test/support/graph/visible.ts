import { badRequest, GraphError, itemNotFound } from './errors.ts';
import type { Call } from './route.ts';
import type { Drive, Item, Site } from './state.ts';

/** Recorded for what an application may not see, whatever it is. */
const accessDenied = (): GraphError => new GraphError(403, 'accessDenied', 'Access denied');

const ALL_SITES = /^(Sites|Files)\.(Read|ReadWrite|FullControl)\.All$/;

/** With `Sites.Selected` alone, an application sees the sites that an administrator chose. */
function assertSees({ app }: Call, siteId: string): void {
  if (app.permissions.some((permission) => ALL_SITES.test(permission))) return;
  if (!app.siteIds.includes(siteId)) throw accessDenied();
}

export function siteSeen(call: Call, site: Site | undefined): Site {
  if (site === undefined) throw itemNotFound();
  assertSees(call, site.id);
  return site;
}

export function driveNamed(call: Call): Drive {
  const id = call.values.drive ?? '';
  // Seen (dust-tt/dust#23802): a 400 that says so, where the id cannot be one of a drive.
  if (!id.startsWith('b!'))
    throw badRequest('The provided drive id appears to be malformed, or does not represent a valid drive.');
  const drive = call.tenant.drives.get(id);
  if (drive === undefined) throw itemNotFound();
  assertSees(call, drive.siteId);
  return drive;
}

export function itemNamed(call: Call): { drive: Drive; item: Item } {
  const drive = driveNamed(call);
  const item = drive.items.get(call.values.item ?? '');
  if (item === undefined || item.deleted) throw itemNotFound();
  return { drive, item };
}
