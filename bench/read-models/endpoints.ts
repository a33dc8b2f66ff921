import { withClient } from '../../core/db/client.ts';
import { at } from '../support/at.ts';
import type { Call } from '../support/load.ts';
import {
  ADMIN,
  APPROVER,
  AUDITOR,
  DOMAINS,
  domainIdOf,
  LARGE_TENANT,
  ownerIdOf,
  TENANT_ID,
  TYPES_PER_DOMAIN,
} from './tenant.ts';

export const CALLERS = 20;

/** A signed-in person, with ids of some assets that they may see. */
export type Caller = {
  principalId: string;
  cookie: string;
  domainIds: readonly string[] | null;
  assetIds: readonly string[];
};

/** What is measured: the callers, and the path of their nth call. */
export type Measured = {
  name: string;
  callers: readonly Caller[];
  pathOf: (caller: Caller, nth: number) => string;
};

/** Sixteen owners, of whom every fourth has large domains, and one reader of the whole tenant. */
const OWNERS = Array.from({ length: 16 }, (_, at) => ownerIdOf(at % 4 === 0 ? at * 10 : at * 7));
const SEEING_ALL = [ADMIN, APPROVER, AUDITOR, AUDITOR];

async function signIn(url: string, principalId: string): Promise<string> {
  const login = await fetch(`${url}/api/auth/dev/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ principalId }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`Sign-in was answered with ${login.status}`);
  return cookie;
}

/** Assets of one caller, spread over all they may see. */
async function assetsOf(adminUrl: string, domainIds: readonly string[] | null): Promise<string[]> {
  return withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ asset_id: string }>(
      `select asset_id from candidates
        where tenant_id = $1 and ($2::text[] is null or domain_id = any($2)) and status in ('pending', 'confirmed')
        order by hashtext(candidate_id) limit 200`,
      [TENANT_ID, domainIds],
    );
    return rows.map(({ asset_id }) => asset_id);
  });
}

export async function signInAll(url: string, adminUrl: string): Promise<Caller[]> {
  const seenByAll = await assetsOf(adminUrl, null);
  const callers: Caller[] = [];
  for (const principalId of [...OWNERS, ...SEEING_ALL]) {
    const owned = LARGE_TENANT.assignments.filter((each) => each.principalId === principalId);
    const domainIds = owned.length === 0 ? null : owned.map(({ domainId }) => domainId);
    callers.push({
      principalId,
      cookie: await signIn(url, principalId),
      domainIds,
      assetIds: domainIds === null ? seenByAll : await assetsOf(adminUrl, domainIds),
    });
  }
  return callers;
}

/** Frequent words, several words, a rare word, a part of a word, and a word without a match. */
const SOUGHT = [
  'invoice',
  'quarterly report',
  'signed contract pdf',
  '7777',
  'nvoic',
  'supplier',
  'zebra',
  'annual budget xlsx',
];
/** What a person has typed so far. */
const BEGUN = ['inv', 'invoice', 'quarterly rep', '7777', 'offers of', 'finance', 'zeb', 'a'];
const FILTERS = ['labelState=labeled', 'riskSeverity=critical', 'labelState=unlabeled&riskSeverity=high'];
/** Filters that an index answers in part or not at all. */
const FURTHER = [
  'scopeId=scp_large_3',
  'fileFormat=pdf',
  'labelGuid=guid-1&riskSeverity=high',
  'exposure=anyone',
  'identifier=iban&identifierFinds=sure',
  'domainId=dom_0&fileFormat=eml',
  'ownerId=pri_large_owner_0&exposure=organization',
  'contentState=available&fileFormat=xlsx',
  `changedBefore=${new Date(Date.now() - 100 * 86_400_000).toISOString()}&scopeId=scp_large_7`,
];
const SORTED = [...FURTHER, 'sort=changed', 'sort=-risk', 'sort=name'];
const OF_QUEUE = [
  'band=high',
  'riskSeverity=critical',
  'scopeId=scp_large_3',
  'askedBecause=inferred',
  'sort=created',
];
/** Of findings, filters and orders that an index answers, and others. */
const OF_FINDINGS = [
  'severity=critical',
  'kind=label',
  'status=all&kind=exposure',
  'domainId=dom_0',
  'actionKind=internal_task&severity=high',
  'sort=-changed',
  'sort=due',
  'status=resolved',
];
const OF_ACTIONS = [
  '',
  'status=awaiting_approval',
  'mine=to_approve',
  'domainId=dom_0&mine=requested',
  'sort=-changed',
];
const OF_TASKS = ['', 'status=open', 'mine=assigned', 'sort=changed'];
const typeOf = ({ domainIds }: Caller, nth: number) =>
  `informationTypeId=ift_${at(domainIds ?? [domainIdOf(nth % DOMAINS)], nth).slice('dom_'.length)}_${nth % TYPES_PER_DOMAIN}`;
const filterOf = (caller: Caller, nth: number) => (nth % 4 === 3 ? typeOf(caller, nth) : at(FILTERS, nth));

/** The length of a page of search results. */
const PAGE = 50;

export function measuredEndpoints(all: readonly Caller[]): Measured[] {
  const owners = all.filter(({ domainIds }) => domainIds !== null);
  const readers = [...owners, ...all.filter(({ principalId }) => principalId === AUDITOR)];
  const sought = (nth: number) => `q=${encodeURIComponent(at(SOUGHT, nth))}`;
  const both = (caller: Caller, nth: number) =>
    `${sought(nth)}&${filterOf(caller, Math.floor(nth / SOUGHT.length))}`;
  return [
    { name: 'home', callers: all, pathOf: () => '/api/home' },
    { name: 'landscape', callers: all, pathOf: () => '/api/landscape' },
    { name: 'assets', callers: all, pathOf: () => '/api/assets' },
    {
      name: 'assets, search',
      callers: all,
      pathOf: (_, nth) => `/api/assets?limit=${PAGE}&${sought(nth)}`,
    },
    { name: 'assets, search, all', callers: all, pathOf: (_, nth) => `/api/assets?${sought(nth)}` },
    { name: 'assets, filter', callers: all, pathOf: (caller, nth) => `/api/assets?${filterOf(caller, nth)}` },
    {
      name: 'assets, both',
      callers: all,
      pathOf: (caller, nth) => `/api/assets?limit=${PAGE}&${both(caller, nth)}`,
    },
    { name: 'assets, both, all', callers: all, pathOf: (caller, nth) => `/api/assets?${both(caller, nth)}` },
    {
      name: 'assets, further filters',
      callers: all,
      pathOf: (_, nth) => `/api/assets?limit=${PAGE}&${at(SORTED, nth)}`,
    },
    {
      name: 'assets, facets',
      callers: all,
      pathOf: (caller, nth) => `/api/assets/facets?${nth % 2 === 0 ? '' : filterOf(caller, nth)}`,
    },
    {
      name: 'assets, facets, further filters',
      callers: all,
      pathOf: (_, nth) => `/api/assets/facets?${at(FURTHER, nth)}`,
    },
    {
      name: 'suggestions',
      callers: all,
      pathOf: (_, nth) => `/api/suggestions?q=${encodeURIComponent(at(BEGUN, nth))}`,
    },
    { name: 'queue', callers: owners, pathOf: () => '/api/review/queue' },
    {
      name: 'queue, filter',
      callers: owners,
      pathOf: (_, nth) => `/api/review/queue?limit=${PAGE}&${at(OF_QUEUE, nth)}`,
    },
    {
      name: 'queue, facets',
      callers: owners,
      pathOf: (_, nth) => `/api/review/queue/facets?${nth % 2 === 0 ? '' : at(OF_QUEUE, nth % 4)}`,
    },
    {
      name: 'asset detail',
      callers: all,
      pathOf: (caller, nth) => `/api/assets/${at(caller.assetIds, nth)}`,
    },
    {
      name: 'connections',
      callers: all,
      pathOf: (caller, nth) => `/api/assets/${at(caller.assetIds, nth)}/connections`,
    },
    { name: 'findings', callers: readers, pathOf: () => '/api/findings' },
    {
      name: 'findings, filter',
      callers: readers,
      pathOf: (_, nth) => `/api/findings?limit=${PAGE}&${at(OF_FINDINGS, nth)}`,
    },
    {
      name: 'findings, facets',
      callers: readers,
      pathOf: (_, nth) => `/api/findings/facets?${nth % 2 === 0 ? '' : at(OF_FINDINGS, nth % 5)}`,
    },
    {
      name: 'actions',
      callers: all,
      pathOf: (_, nth) => `/api/actions?limit=${PAGE}&${at(OF_ACTIONS, nth)}`,
    },
    {
      name: 'actions, facets',
      callers: all,
      pathOf: (_, nth) => `/api/actions/facets?${at(OF_ACTIONS, nth % 4)}`,
    },
    { name: 'tasks', callers: all, pathOf: (_, nth) => `/api/tasks?limit=${PAGE}&${at(OF_TASKS, nth)}` },
  ];
}

/** Each connection has its own caller as long as there are enough callers. */
export const callerOf = ({ callers }: Measured, connection: number): Caller => at(callers, connection);

/** The nth call of a connection. Each connection begins at another call. */
export const callOf =
  (measured: Measured) =>
  (connection: number, nth: number): Call => {
    const caller = callerOf(measured, connection);
    return { path: measured.pathOf(caller, nth + 3 * connection), cookie: caller.cookie };
  };
