import { BlockList } from 'node:net';

/**
 * How an address without TLS is taken. Whoever is on the way can read what is sent to one. `own_machine`: loopback
 * alone. `own_network`: nothing secret is sent there.
 */
type WithoutTls = 'no' | 'own_machine' | 'own_network';

type Settings = Readonly<{
  SVC_ENV?: string;
  SVC_AI_ENDPOINT?: string | undefined;
  SVC_AI_PRIVATE_NETWORK?: boolean;
  SVC_AI_AZURE_IDENTITY?: boolean;
  SVC_IDP_ISSUER?: string | undefined;
  SVC_BLOB_ACCOUNT_URL?: string | undefined;
  SVC_BLOB_FILES_URL?: string | undefined;
  SVC_BLOB_INSTANCES?: ReadonlyMap<string, BlobInstance> | undefined;
  SVC_S3_INSTANCES?: ReadonlyMap<string, { endpoint?: string | undefined }> | undefined;
  SVC_S3_ENDPOINT?: string | undefined;
  SVC_TRACES_ENDPOINT?: string | undefined;
  SVC_LICENSE_SERVICE_URL?: string | undefined;
  SVC_TELEMETRY_URL?: string | undefined;
}>;

type BlobInstance = {
  accountUrl?: string | undefined;
  filesUrl?: string | undefined;
};

type AddressName = Extract<keyof Settings, `${string}_${'ENDPOINT' | 'ISSUER' | 'URL'}`>;
type Address = { label: string; name: AddressName; address: string };

const ofVendor = ({ SVC_ENV }: Settings): WithoutTls => (SVC_ENV === 'development' ? 'own_machine' : 'no');
const withCredential = ({ SVC_ENV }: Settings): WithoutTls =>
  SVC_ENV === 'development' ? 'own_network' : 'no';

/** Every address that the service calls, with what it may do without TLS. */
const ADDRESSES: Readonly<Record<AddressName, (settings: Settings) => WithoutTls>> = {
  SVC_AI_ENDPOINT: (settings) => {
    if (settings.SVC_AI_AZURE_IDENTITY) return 'no';
    return settings.SVC_AI_PRIVATE_NETWORK ? 'own_network' : withCredential(settings);
  },
  SVC_IDP_ISSUER: ({ SVC_ENV }) => (SVC_ENV === 'development' ? 'own_network' : 'own_machine'),
  SVC_BLOB_ACCOUNT_URL: withCredential,
  SVC_BLOB_FILES_URL: withCredential,
  SVC_S3_ENDPOINT: withCredential,
  SVC_TRACES_ENDPOINT: () => 'own_network',
  SVC_LICENSE_SERVICE_URL: ofVendor,
  SVC_TELEMETRY_URL: ofVendor,
};

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** Names of services that give the credentials of a machine to any process on it. */
const OF_THE_CLOUD: readonly string[] = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
];
/** Link-local addresses, the address of no machine, and further ones of such services. */
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
REFUSED.addSubnet('0.0.0.0', 8, 'ipv4');
REFUSED.addSubnet('fe80::', 10, 'ipv6');
// Link-local addresses behind NAT64.
REFUSED.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
for (const address of ['168.63.129.16', '100.100.100.200', '192.0.0.192'])
  REFUSED.addAddress(address, 'ipv4');
for (const address of ['::', 'fd00:ec2::254', 'fd20:ce::254']) REFUSED.addAddress(address, 'ipv6');

/** What is wrong with the addresses that the service calls. The one rule for all of them. */
export const outgoingProblems = (settings: Settings): string[] =>
  addressesIn(settings).flatMap(({ label, name, address }) =>
    problemsOf(new URL(address), ADDRESSES[name](settings), name, settings).map(
      (problem) => `${label}: ${problem}`,
    ),
  );

/** Those of named instances of a source follow the rule of its setting. */
const addressesIn = (settings: Settings): Address[] => [
  ...ADDRESS_NAMES.flatMap((name) => addressOf(name, name, settings[name])),
  ...[...(settings.SVC_BLOB_INSTANCES ?? [])].flatMap(([name, { accountUrl, filesUrl }]) => [
    ...addressOf(`SVC_BLOB_INSTANCES.${name}.accountUrl`, 'SVC_BLOB_ACCOUNT_URL', accountUrl),
    ...addressOf(`SVC_BLOB_INSTANCES.${name}.filesUrl`, 'SVC_BLOB_FILES_URL', filesUrl),
  ]),
  ...[...(settings.SVC_S3_INSTANCES ?? [])].flatMap(([name, { endpoint }]) =>
    addressOf(`SVC_S3_INSTANCES.${name}.endpoint`, 'SVC_S3_ENDPOINT', endpoint),
  ),
];

const addressOf = (label: string, name: AddressName, address: string | undefined): Address[] =>
  address === undefined ? [] : [{ label, name, address }];

const ADDRESS_NAMES = Object.keys(ADDRESSES).filter((name): name is AddressName => name in ADDRESSES);

function problemsOf(url: URL, withoutTls: WithoutTls, name: AddressName, settings: Settings): string[] {
  const problems: string[] = [];
  if (!isTaken(url, withoutTls)) problems.push(needsTls(name, withoutTls, settings));
  // `fetch` refuses them, and people see the address.
  if (url.username !== '' || url.password !== '') problems.push('must have no user name and no password');
  if (isRefused(url.hostname))
    problems.push(
      'must not be a link-local address, nor a service of the cloud that gives credentials to a machine',
    );
  return problems;
}

function isTaken({ protocol, hostname }: URL, withoutTls: WithoutTls): boolean {
  if (protocol === 'https:' || withoutTls === 'own_network') return true;
  return withoutTls === 'own_machine' && LOOPBACK.includes(hostname);
}

function needsTls(name: AddressName, withoutTls: WithoutTls, settings: Settings): string {
  if (name === 'SVC_AI_ENDPOINT')
    return settings.SVC_AI_AZURE_IDENTITY
      ? 'must begin with https, since SVC_AI_AZURE_IDENTITY sends a token there'
      : 'must begin with https; set SVC_AI_PRIVATE_NETWORK for a model server on the own network that takes no key';
  return withoutTls === 'own_machine' || name === 'SVC_LICENSE_SERVICE_URL' || name === 'SVC_TELEMETRY_URL'
    ? `must be https, except for an address of this machine${name === 'SVC_IDP_ISSUER' ? '' : ' in development'}`
    : 'must be https';
}

function isRefused(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  if (OF_THE_CLOUD.includes(host)) return true;
  const family = hostname.startsWith('[') ? 'ipv6' : 'ipv4';
  return REFUSED.check(host, family);
}
