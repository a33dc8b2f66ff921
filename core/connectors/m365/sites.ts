import { compareText } from '../../kernel/compare-text.ts';
import type { Answer } from '../cloud-http/calls.ts';
import {
  ConnectorError,
  DeltaCursorInvalid,
  type RefusedSite,
  type ScopePage,
  type SourceScope,
} from '../connector.ts';
import { linkPath } from './follow-link.ts';
import { Drive, page, Site } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { pagesOf } from './pages.ts';
import { REFUSED, scopeRefusalOf } from './scope-refusal.ts';

/** The sites to read: all of them, or these by id or address (`contoso.sharepoint.com:/sites/hr`). */
export type SiteSelection = 'all' | readonly string[];

/** Of one site. */
const MAX_LIBRARY_PAGES = 100;
/** After so many sites, or pages of Graph, a page ends, so that it fits in the time of a request even if Graph is slow. */
const SITES_OF_PAGE = 500;
const GRAPH_PAGES_OF_PAGE = 10;

export const SitePage = page(Site);
export const DrivePage = page(Drive);

type Source = { client: GraphClient; cloud: GraphCloud; sites: SiteSelection };

/**
 * A page of the document libraries of the selected sites, each a scope: of all named sites, or of some hundreds of
 * all sites. Personal sites and drives are left out: they hold the files of one person, whom nobody has selected. A site
 * that Graph refuses is named. The page token is Graph's link to more sites.
 */
export async function listLibraries(
  source: Source,
  pageToken: string | null,
  signal: AbortSignal,
): Promise<ScopePage> {
  const { client, sites } = source;
  if (sites === 'all') return librariesOfAll(source, pageToken, signal);
  if (pageToken !== null) throw new DeltaCursorInvalid();
  const { named, refused } = await namedSites(client, sites, signal);
  const libraries = await Promise.all(named.map((each) => librariesOf(client, each, signal)));
  return { ...joined([...libraries, { scopes: [], refused }]), nextPageToken: null };
}

/** The libraries of a page of sites are asked for while the next page is on its way. */
async function librariesOfAll(
  { client, cloud }: Source,
  pageToken: string | null,
  signal: AbortSignal,
): Promise<ScopePage> {
  const libraries: Promise<Libraries>[] = [];
  let link = pageToken === null ? null : linkIn(cloud, pageToken);
  for (let pages = 1; ; pages++) {
    const { sites, next } = await sitesAt(client, link, signal);
    libraries.push(
      ...sites.map((site) => {
        const listed = librariesOf(client, { site, names: [] }, signal);
        // If the next page fails, nobody waits for this one.
        listed.catch(() => undefined);
        return listed;
      }),
    );
    link = next && linkPath(cloud, 'sites_all', {}, next);
    if (link === null || libraries.length >= SITES_OF_PAGE || pages === GRAPH_PAGES_OF_PAGE) break;
  }
  const page = joined(await Promise.all(libraries));
  return { ...page, nextPageToken: link && Buffer.from(link).toString('base64url') };
}

function linkIn(cloud: GraphCloud, pageToken: string): string {
  try {
    return linkPath(cloud, 'sites_all', {}, Buffer.from(pageToken, 'base64url').toString());
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    throw new DeltaCursorInvalid();
  }
}

async function sitesAt(
  client: GraphClient,
  link: string | null,
  signal: AbortSignal,
): Promise<{ sites: Site[]; next: string | null }> {
  const options = { schema: SitePage, signal };
  const answer = await (link === null
    ? client.call('sites_all', {}, options)
    : client.follow('sites_all', {}, link, { ...options, expect: [400, 410] }));
  if (!answer.ok) throw new DeltaCursorInvalid();
  const { value, '@odata.nextLink': next } = answer.body;
  return { sites: onceById(value.filter(isShared)), next: next ?? null };
}

const onceById = (sites: readonly Site[]): Site[] => [
  ...new Map(sites.map((site) => [site.id, site])).values(),
];

/** Each library once, by name. */
const joined = (libraries: readonly Libraries[]): Libraries => {
  const scopes = libraries.flatMap((each) => each.scopes);
  return {
    scopes: [...new Map(scopes.map((scope) => [scope.externalId, scope])).values()].sort(
      (a, b) => compareText(a.name, b.name) || compareText(a.externalId, b.externalId),
    ),
    refused: libraries.flatMap((each) => each.refused),
  };
};

export const isShared = ({ isPersonalSite, webUrl }: Site): boolean =>
  isPersonalSite !== true && !/^https:\/\/[^/]*-my\.sharepoint/i.test(webUrl ?? '');

export const isLibrary = ({ driveType }: Drive): boolean => driveType === 'documentLibrary';

/** A site that is selected by its id or its address. */
export function readSite<E extends number>(
  client: GraphClient,
  name: string,
  options: { expect: readonly E[]; signal: AbortSignal },
): Promise<Answer<Site, E>> {
  const [, host, sitePath] = /^([^:/]+):\/(.+)$/.exec(name) ?? [];
  return host === undefined || sitePath === undefined
    ? client.call('site', { siteId: name }, { ...options, schema: Site })
    : client.call('site_by_path', { host, sitePath }, { ...options, schema: Site });
}

/** The libraries of sites, and the sites whose libraries Graph refuses to list. */
type Libraries = { scopes: SourceScope[]; refused: RefusedSite[] };

/** A site and how the configuration names it. */
type NamedSite = { site: Site; names: string[] };

/** The selected sites, each once. */
async function namedSites(
  client: GraphClient,
  selected: readonly string[],
  signal: AbortSignal,
): Promise<{ named: NamedSite[]; refused: RefusedSite[] }> {
  const options = { expect: REFUSED, signal };
  const answers = await Promise.all(
    selected.map(async (name) => ({ name, answer: await readSite(client, name, options) })),
  );
  const byId = new Map<string, NamedSite>();
  const refused: RefusedSite[] = [];
  for (const { name, answer } of answers) {
    const siteId = name.toLowerCase();
    if (!answer.ok) refused.push({ siteId, name, reason: scopeRefusalOf(answer.status) });
    else if (isShared(answer.body)) {
      const { body: site } = answer;
      byId.set(site.id, { site, names: [...(byId.get(site.id)?.names ?? []), siteId] });
    }
  }
  return { named: [...byId.values()], refused };
}

async function librariesOf(
  client: GraphClient,
  { site, names }: NamedSite,
  signal: AbortSignal,
): Promise<Libraries> {
  const options = { schema: DrivePage, maxPages: MAX_LIBRARY_PAGES, expect: REFUSED, signal };
  const answer = await pagesOf(client, 'site_drives', { siteId: site.id }, { by: 'batched', ...options });
  const siteName = site.displayName || site.name || site.id;
  const siteId = site.id.toLowerCase();
  if (!answer.ok)
    return { scopes: [], refused: [{ siteId, name: siteName, reason: scopeRefusalOf(answer.status) }] };
  const siteIds = [...new Set([siteId, ...addressOf(site), ...names])];
  const scopes = answer.body
    .filter(isLibrary)
    .map(({ id, name }) => ({ externalId: id, name: `${siteName} / ${name || id}`, kind: 'drive', siteIds }));
  return { scopes, refused: [] };
}

/** The address of a site as the configuration may name it. */
function addressOf({ webUrl }: Site): string[] {
  const url = webUrl ? URL.parse(webUrl) : null;
  return url === null ? [] : [`${url.host}:${url.pathname}`.toLowerCase()];
}
