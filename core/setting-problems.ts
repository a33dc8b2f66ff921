import type { Prices } from './setting-kinds.ts';

type SettingsOfAi = Readonly<{
  SVC_AI_ENDPOINT?: string | undefined;
  SVC_AI_DEPLOYMENT?: string | undefined;
  SVC_AI_CHAT_DEPLOYMENT?: string | undefined;
  SVC_AI_AZURE_IDENTITY?: boolean;
  SVC_AI_SECOND_OPINION?: boolean;
  SVC_AI_PRICES?: Prices | undefined;
  SVC_AI_MONTHLY_CAP?: number | undefined;
}>;

/** What is wrong with the settings of the AI provider. */
export function aiProblems(settings: SettingsOfAi): string[] {
  const { SVC_AI_ENDPOINT: endpoint, SVC_AI_AZURE_IDENTITY: identity } = settings;
  const problems: string[] = [];
  if (identity && /^http:/i.test(endpoint ?? ''))
    problems.push('SVC_AI_ENDPOINT: must begin with https, since SVC_AI_AZURE_IDENTITY sends a token there');
  if (settings.SVC_AI_SECOND_OPINION && endpoint && !settings.SVC_AI_CHAT_DEPLOYMENT)
    problems.push('SVC_AI_CHAT_DEPLOYMENT: must be set where SVC_AI_SECOND_OPINION is on');
  return problems;
}

/** A cap holds only if the cost of each call is known. */
export const priceProblems = ({ SVC_AI_MONTHLY_CAP: cap, SVC_AI_PRICES: known, ...settings }: SettingsOfAi) =>
  (['SVC_AI_DEPLOYMENT', 'SVC_AI_CHAT_DEPLOYMENT'] as const)
    .filter((name) => cap !== undefined && settings[name] !== undefined && !known?.has(settings[name]))
    .map((name) => `SVC_AI_PRICES: has no price for the model of ${name}, which SVC_AI_MONTHLY_CAP needs`);

const SHORTEST_LICENSE_SECRET = 32;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

const ADDRESSES_OF_VENDOR = ['SVC_LICENSE_SERVICE_URL', 'SVC_TELEMETRY_URL'] as const;

type SettingsOfVendor = Readonly<{
  SVC_ENV?: string;
  SVC_LICENSE_SERVICE_URL?: string | undefined;
  SVC_TELEMETRY_URL?: string | undefined;
  SVC_LICENSE_SECRET_REF?: string | undefined;
}>;

/** What is wrong with the settings of what the vendor offers. @param secrets by the setting that refers to them */
export function vendorProblems(settings: SettingsOfVendor, secrets: ReadonlyMap<string, string>): string[] {
  const { SVC_ENV, SVC_LICENSE_SECRET_REF: ref } = settings;
  const mayBeSentTo = ({ protocol, hostname }: URL) =>
    protocol === 'https:' || (SVC_ENV === 'development' && LOOPBACK.includes(hostname));
  const problems: string[] = [];
  for (const name of ADDRESSES_OF_VENDOR) {
    if (settings[name] === undefined) continue;
    const address = new URL(settings[name]);
    if (!mayBeSentTo(address))
      problems.push(`${name}: must be https, except for an address of this machine in development`);
    // `fetch` refuses them, and people see the address.
    if (address.username !== '' || address.password !== '')
      problems.push(`${name}: must have no user name and no password`);
  }
  if (ref === undefined) return problems;
  const secret = secrets.get('SVC_LICENSE_SECRET_REF');
  if (SVC_ENV === 'production')
    problems.push('SVC_LICENSE_SECRET_REF: is refused when SVC_ENV is production; leave it out');
  else if (secret !== undefined && secret.length < SHORTEST_LICENSE_SECRET)
    problems.push(
      `SVC_LICENSE_SECRET_REF: the secret must have at least ${SHORTEST_LICENSE_SECRET} characters`,
    );
  return problems;
}
