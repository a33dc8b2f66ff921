import type { ContentHosts } from '../cloud-http/checked-address.ts';

/**
 * Where a cloud of the productivity suite answers. Only a test or the local launcher makes another one. Contents and
 * monitors lie on its content hosts.
 */
export type GraphCloud = ContentHosts & {
  /** Scheme, host and port of Graph, the only ones that get the bearer. */
  graphOrigin: string;
  /** Scheme, host and port of the authority that issues tokens. */
  authorityOrigin: string;
};

/**
 * Microsoft's published endpoints. `usgov` is GCC High (L4), `usgov_dod` is DoD (L5). GCC uses `global`. Media and
 * thumbnails of all but China lie on `svc.ms`.
 */
export const GRAPH_CLOUDS = {
  global: {
    graphOrigin: 'https://graph.microsoft.com',
    authorityOrigin: 'https://login.microsoftonline.com',
    contentDomains: ['sharepoint.com', 'sharepointonline.com', 'svc.ms'],
    contentOrigins: [],
  },
  usgov: {
    graphOrigin: 'https://graph.microsoft.us',
    authorityOrigin: 'https://login.microsoftonline.us',
    contentDomains: ['sharepoint.us', 'svc.ms'],
    contentOrigins: [],
  },
  usgov_dod: {
    graphOrigin: 'https://dod-graph.microsoft.us',
    authorityOrigin: 'https://login.microsoftonline.us',
    contentDomains: ['sharepoint-mil.us', 'dps.mil', 'svc.ms'],
    contentOrigins: [],
  },
  china: {
    graphOrigin: 'https://microsoftgraph.chinacloudapi.cn',
    authorityOrigin: 'https://login.partner.microsoftonline.cn',
    contentDomains: ['sharepoint.cn'],
    contentOrigins: [],
  },
} as const satisfies Readonly<Record<string, GraphCloud>>;
