export type Server = { host: string; port: number };

const POSTGRES_PORT = 5432;

/** The server of a database URL; null for a socket of this machine. */
export function serverOf(url: string): Server | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (host === '' || host.startsWith('/')) return null;
  return { host: withoutBrackets(host), port: Number(port || POSTGRES_PORT) };
}

/** An IPv6 address is in brackets in a URL. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

export const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '::1'].includes(host);
