import type { GraphCall } from '../../kernel/vocabulary.ts';
import type { PathValues } from '../cloud-http/call-path.ts';
import { addressOn, plainAddress } from '../cloud-http/checked-address.ts';
import { ConnectorError } from '../connector.ts';
import type { AllowedCall } from './allowed-calls.ts';
import { isPathOf } from './call-path.ts';
import type { GraphCloud } from './graph-cloud.ts';

const refused = (name: GraphCall) => new ConnectorError('permanent', `graph_${name}_link_refused`);

/**
 * A link that Graph gave, if it lies on the Graph host and has the shape of the call with these values. `link` is an
 * absolute URL, or a path with its query as `linkPath` returns it. Throws `ConnectorError` `graph_<call>_link_refused`.
 */
export function graphLink(cloud: GraphCloud, name: AllowedCall, values: PathValues, link: string): URL {
  const absolute = /^\/[^/\\]/.test(link) ? `${cloud.graphOrigin}${link}` : link;
  const url = plainAddress(absolute);
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
  const url = addressOn(cloud, address);
  if (url === null) throw refused(name);
  return url;
}
