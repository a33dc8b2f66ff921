import { isBelow } from '../kernel/below.ts';
import type { Prices } from './setting-kinds.ts';

type SettingsOfAi = Readonly<{
  SVC_AI_ENDPOINT?: string | undefined;
  SVC_AI_DEPLOYMENT?: string | undefined;
  SVC_AI_CHAT_DEPLOYMENT?: string | undefined;
  SVC_AI_SECOND_OPINION?: boolean;
  SVC_AI_PRICES?: Prices | undefined;
  SVC_AI_MONTHLY_CAP?: number | undefined;
}>;

/** What is wrong with the settings of the AI provider. */
export function aiProblems(settings: SettingsOfAi): string[] {
  const { SVC_AI_ENDPOINT: endpoint, SVC_AI_SECOND_OPINION: asks } = settings;
  return asks && endpoint && !settings.SVC_AI_CHAT_DEPLOYMENT
    ? ['SVC_AI_CHAT_DEPLOYMENT: must be set where SVC_AI_SECOND_OPINION is on']
    : [];
}

/** A cap holds only if the cost of each call is known. */
export const priceProblems = ({ SVC_AI_MONTHLY_CAP: cap, SVC_AI_PRICES: known, ...settings }: SettingsOfAi) =>
  (['SVC_AI_DEPLOYMENT', 'SVC_AI_CHAT_DEPLOYMENT'] as const)
    .filter((name) => cap !== undefined && settings[name] !== undefined && !known?.has(settings[name]))
    .map((name) => `SVC_AI_PRICES: has no price for the model of ${name}, which SVC_AI_MONTHLY_CAP needs`);

const SHORTEST_LICENSE_SECRET = 32;

type SettingsOfVendor = Readonly<{
  SVC_ENV?: string;
  SVC_LICENSE_SECRET_REF?: string | undefined;
}>;

/** What is wrong with the settings of what the vendor offers. @param secretIn what the variable of a secret holds */
export function vendorProblems(
  settings: SettingsOfVendor,
  secretIn: (variable: string) => string | null,
): string[] {
  const { SVC_ENV, SVC_LICENSE_SECRET_REF: ref } = settings;
  if (ref === undefined) return [];
  if (SVC_ENV === 'production')
    return ['SVC_LICENSE_SECRET_REF: is refused when SVC_ENV is production; leave it out'];
  const secret = secretIn(ref);
  return secret !== null && secret.length < SHORTEST_LICENSE_SECRET
    ? [`SVC_LICENSE_SECRET_REF: the secret must have at least ${SHORTEST_LICENSE_SECRET} characters`]
    : [];
}

type SettingsOfDirectory = Readonly<{
  SVC_IDP_ISSUER?: string | undefined;
  SVC_IDP_TENANT_ID?: string | undefined;
  SVC_GRAPH_TENANT_ID?: string | undefined;
}>;

/** In the place of a directory, they stand for people of any one. `{tenantid}` is what its documents say there. */
const ANY_DIRECTORY = /^(?:common|organizations|consumers|.*(?:\{|%7b).*)$/i;
const MICROSOFT = /(?:^|\.)(?:microsoftonline\.(?:com|us|de|cn)|chinacloudapi\.cn|windows\.net)$/;
const ONE_DIRECTORY =
  'must be of one directory, named by its id (a GUID); common, organizations and consumers are people of any directory';

/** A directory that tokens and grants can be of. With another one nobody could ever sign in, and nothing be read. */
export function directoryProblems(settings: SettingsOfDirectory): string[] {
  const { SVC_IDP_ISSUER: issuer, SVC_IDP_TENANT_ID: tenant, SVC_GRAPH_TENANT_ID: graph } = settings;
  const problems: string[] = [];
  if (issuer !== undefined) {
    const { hostname, pathname } = new URL(issuer);
    if (MICROSOFT.test(hostname) && ANY_DIRECTORY.test(pathname.split('/')[1] ?? ''))
      problems.push(`SVC_IDP_ISSUER: ${ONE_DIRECTORY}`);
  }
  // Tokens name the id, whatever domain names the directory has.
  const isDomain = issuer === undefined && tenant?.includes('.');
  if (tenant !== undefined && (isDomain || ANY_DIRECTORY.test(tenant)))
    problems.push(`SVC_IDP_TENANT_ID: ${ONE_DIRECTORY}${isDomain ? '; a domain name is no id' : ''}`);
  if (graph !== undefined && ANY_DIRECTORY.test(graph))
    problems.push(`SVC_GRAPH_TENANT_ID: ${ONE_DIRECTORY}`);
  return problems;
}

type SettingsOfShares = Readonly<{ SVC_ENV?: string; SVC_SMB_SHARES?: readonly string[] }>;

/** In development, the doctor and the test of the connection report the same. */
export const shareProblems = ({ SVC_ENV, SVC_SMB_SHARES: shares = [] }: SettingsOfShares): string[] =>
  SVC_ENV === 'production' && !shares.every((share) => share === '.' || isBelow(share))
    ? ['SVC_SMB_SHARES: must name folders below SVC_SMB_ROOT, without `.` and `..` in them']
    : [];
