/** Longer than any link that was seen; tokens of pages and signed download addresses have about 2 KB. */
const MAX_LINK = 16 * 1024;

/** An absolute URL without credentials and fragment, or null. */
export function plainAddress(link: string): URL | null {
  const url = link.length <= MAX_LINK ? URL.parse(link) : null;
  return url === null || url.username !== '' || url.password !== '' || url.hash !== '' ? null : url;
}

/** Where contents may lie that a source gives addresses of. They get no bearer. */
export type ContentHosts = {
  /** Hosts below these domains, by HTTPS at its default port. */
  contentDomains: readonly string[];
  /** Further origins: those of a fake. */
  contentOrigins: readonly string[];
};

/**
 * The address of a content, if it lies on a host of the source's contents; else null. Such hosts are named, so an IP
 * address, the machine itself and its metadata service are none.
 */
export function addressOn({ contentDomains, contentOrigins }: ContentHosts, address: string): URL | null {
  const url = plainAddress(address);
  if (url === null) return null;
  const isBelow =
    url.protocol === 'https:' &&
    url.port === '' &&
    contentDomains.some((domain) => url.hostname.endsWith(`.${domain}`));
  return isBelow || contentOrigins.includes(url.origin) ? url : null;
}
