import { badRequest, GraphError, itemNotFound } from './errors.ts';
import type { Call } from './route.ts';
import type { Drive, Item, Refusal, Site, Tenant } from './state.ts';

/** Recorded for what an application may not see, whatever it is. */
const accessDenied = (): GraphError => new GraphError(403, 'accessDenied', 'Access denied');

const ALL_SITES = /^(Sites|Files)\.(Read|ReadWrite|FullControl)\.All$/;

/** With `Sites.Selected` alone, an application sees the sites that an administrator chose. */
function assertSees({ app }: Call, siteId: string): void {
  if (app.permissions.some((permission) => ALL_SITES.test(permission))) return;
  if (!app.siteIds.includes(siteId)) throw accessDenied();
}

/** Seen (dust-tt/dust#23802). */
const malformedDriveId = (): GraphError =>
  badRequest('The provided drive id appears to be malformed, or does not represent a valid drive.');

/** Seen for locked and archived sites (dust-tt/dust#20377, a question of 2026 at Microsoft Q&A). */
const blocked = (): GraphError =>
  new GraphError(
    423,
    'notAllowed',
    'Access to this site has been blocked. Please contact the administrator to resolve this problem.',
  );

const REFUSALS: Readonly<Record<Refusal, () => GraphError>> = {
  malformed: malformedDriveId,
  denied: accessDenied,
  gone: itemNotFound,
  locked: blocked,
};

function assertServed({ refusal }: { refusal: Refusal | null }): void {
  if (refusal !== null) throw REFUSALS[refusal]();
}

/** Throws what the service answers to everything that is asked of the library, or of its site. */
export function assertServes({ sites }: Tenant, drive: Drive): void {
  const site = sites.find(({ id }) => id === drive.siteId);
  if (site !== undefined) assertServed(site);
  assertServed(drive);
}

export function siteSeen(call: Call, site: Site | undefined): Site {
  if (site === undefined) throw itemNotFound();
  assertServed(site);
  assertSees(call, site.id);
  return site;
}

export function driveNamed(call: Call): Drive {
  const id = call.values.drive ?? '';
  if (!id.startsWith('b!')) throw malformedDriveId();
  const drive = call.tenant.drives.get(id);
  if (drive === undefined) throw itemNotFound();
  assertServes(call.tenant, drive);
  assertSees(call, drive.siteId);
  return drive;
}

export function itemNamed(call: Call): { drive: Drive; item: Item } {
  const drive = driveNamed(call);
  const item = drive.items.get(call.values.item ?? '');
  if (item === undefined || item.deleted) throw itemNotFound();
  return { drive, item };
}
