import type { SourceScope } from '../connector.ts';
import { Drive, page, Site } from './graph-answers.ts';
import type { GraphAnswer, GraphClient } from './graph-client.ts';
import { pagesOf } from './pages.ts';

/** The sites to read: all of them, or these by id or address (`contoso.sharepoint.com:/sites/hr`). */
export type SiteSelection = 'all' | readonly string[];

const MAX_PAGES = 1_000;
/** Sites whose libraries are listed at once. */
const SITES_AT_ONCE = 8;

export const SitePage = page(Site);
export const DrivePage = page(Drive);

/**
 * The document libraries of the selected sites, each a scope. Personal sites and drives are left out: they hold the files
 * of one person, whom nobody has selected.
 */
export async function listLibraries(
  client: GraphClient,
  selection: SiteSelection,
  signal: AbortSignal,
): Promise<SourceScope[]> {
  const sites =
    selection === 'all' ? await allSites(client, signal) : await namedSites(client, selection, signal);
  const unique = [...new Map(sites.map((site) => [site.id, site])).values()];
  const libraries: SourceScope[] = [];
  for (let from = 0; from < unique.length; from += SITES_AT_ONCE) {
    const some = unique.slice(from, from + SITES_AT_ONCE);
    libraries.push(...(await Promise.all(some.map((site) => librariesOf(client, site, signal)))).flat());
  }
  const once = new Map(libraries.map((scope) => [scope.externalId, scope]));
  return [...once.values()].sort((a, b) => compare(a.name, b.name) || compare(a.externalId, b.externalId));
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

export const isShared = ({ isPersonalSite, webUrl }: Site): boolean =>
  isPersonalSite !== true && !/^https:\/\/[^/]*-my\.sharepoint/i.test(webUrl ?? '');

export const isLibrary = ({ driveType }: Drive): boolean => driveType === 'documentLibrary';

async function allSites(client: GraphClient, signal: AbortSignal): Promise<Site[]> {
  const { body } = await pagesOf(client, 'sites_all', {}, { schema: SitePage, maxPages: MAX_PAGES, signal });
  return body.filter(isShared);
}

/** A site that is selected by its id or its address. */
export function readSite<E extends number>(
  client: GraphClient,
  name: string,
  options: { expect: readonly E[]; signal: AbortSignal },
): Promise<GraphAnswer<Site, E>> {
  const [, host, sitePath] = /^([^:/]+):\/(.+)$/.exec(name) ?? [];
  return host === undefined || sitePath === undefined
    ? client.call('site', { siteId: name }, { ...options, schema: Site })
    : client.call('site_by_path', { host, sitePath }, { ...options, schema: Site });
}

/** A site that does not exist, or that the application may not read, has no libraries. */
async function namedSites(
  client: GraphClient,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Site[]> {
  const options = { expect: [403, 404] as const, signal };
  const found = await Promise.all(names.map((name) => readSite(client, name, options)));
  return found.flatMap((answer) => (answer.ok && isShared(answer.body) ? [answer.body] : []));
}

async function librariesOf(client: GraphClient, site: Site, signal: AbortSignal): Promise<SourceScope[]> {
  const options = { schema: DrivePage, maxPages: MAX_PAGES, expect: [403, 404] as const, signal };
  const answer = await pagesOf(client, 'site_drives', { siteId: site.id }, options);
  const siteName = site.displayName || site.name || site.id;
  return (answer.ok ? answer.body : [])
    .filter(isLibrary)
    .map(({ id, name }) => ({ externalId: id, name: `${siteName} / ${name || id}`, kind: 'drive' }));
}
