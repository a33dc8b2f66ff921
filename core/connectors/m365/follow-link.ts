import type { GraphCall } from '../../kernel/vocabulary.ts';
import { ConnectorError } from '../connector.ts';
import type { AllowedCall } from './allowed-calls.ts';
import { isPathOf, type PathValues } from './call-path.ts';
import type { GraphCloud } from './graph-cloud.ts';

/** Longer than any link that was seen; delta tokens and signed download addresses have about 2 KB. */
const MAX_LINK = 16 * 1024;

const refused = (name: GraphCall) => new ConnectorError('permanent', `graph_${name}_link_refused`);

/**
 * A link that Graph gave, if it lies on the Graph host and has the shape of the call with these values. `link` is an
 * absolute URL, or a path with its query as `linkPath` returns it. Throws `ConnectorError` `graph_<call>_link_refused`.
 */
export function graphLink(cloud: GraphCloud, name: AllowedCall, values: PathValues, link: string): URL {
  const absolute = /^\/[^/\\]/.test(link) ? `${cloud.graphOrigin}${link}` : link;
  const url = parsed(absolute);
  if (url === null || url.origin !== cloud.graphOrigin || !isPathOf(name, values, url.pathname))
    throw refused(name);
  return url;
}

/** What to store of a link: path and query, without the host. Throws as `graphLink` does. */
export function linkPath(cloud: GraphCloud, name: AllowedCall, values: PathValues, link: string): string {
  const { pathname, search } = graphLink(cloud, name, values, link);
  return `${pathname}${search}`;
}

/**
 * The address of a content or a monitor, if it lies on a host of the cloud's contents. Such hosts are named, so an IP
 * address, the machine itself and its metadata service are none. Throws `ConnectorError` `graph_<call>_link_refused`.
 */
export function contentAddress(cloud: GraphCloud, name: 'download' | 'monitor', address: string): URL {
  const url = parsed(address);
  if (url === null) throw refused(name);
  const isOfCloud =
    url.protocol === 'https:' &&
    url.port === '' &&
    cloud.contentDomains.some((domain) => url.hostname.endsWith(`.${domain}`));
  if (!isOfCloud && !cloud.contentOrigins.includes(url.origin)) throw refused(name);
  return url;
}

/** An absolute URL without credentials and fragment, or null. */
function parsed(link: string): URL | null {
  const url = link.length <= MAX_LINK ? URL.parse(link) : null;
  return url === null || url.username !== '' || url.password !== '' || url.hash !== '' ? null : url;
}
