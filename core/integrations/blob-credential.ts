import type { Config } from '../config/config.ts';
import type { BlobInstance } from '../config/source-settings.ts';
import type { ManagedAccount } from '../connectors/blob/account-settings.ts';
import type { TokenSource } from '../connectors/cloud-http/token-source.ts';
import { ConnectorError } from '../connectors/connector.ts';
import { type EntraIdentity, entraTokens } from '../connectors/entra-tokens.ts';
import { GRAPH_CLOUDS } from '../connectors/m365/graph-cloud.ts';

/** The same in every cloud. */
const STORAGE = 'https://storage.azure.com';

type StorageCloud = { authorityOrigin: string; managementUrl: string };
const GLOBAL: StorageCloud = {
  authorityOrigin: GRAPH_CLOUDS.global.authorityOrigin,
  managementUrl: 'https://management.azure.com',
};
/** By the end of an account's address. Others are in the global cloud. */
const CLOUDS: readonly (readonly [suffix: string, StorageCloud])[] = [
  [
    '.usgovcloudapi.net',
    {
      authorityOrigin: GRAPH_CLOUDS.usgov.authorityOrigin,
      managementUrl: 'https://management.usgovcloudapi.net',
    },
  ],
  [
    '.chinacloudapi.cn',
    {
      authorityOrigin: GRAPH_CLOUDS.china.authorityOrigin,
      managementUrl: 'https://management.chinacloudapi.cn',
    },
  ],
];

/**
 * How the service signs in to a storage account: with a secret of the account, or as an identity of the directory, whose
 * credential is found again for each token. Null if the secret is not found.
 */
export function blobCredential(
  config: Config,
  fields: BlobInstance,
): { secret: string } | { tokens: TokenSource; managed?: ManagedAccount } | null {
  const { accountId: id, accountUrl, azureIdentity, clientId, filesUrl, tenantId } = fields;
  if (!azureIdentity && (tenantId === undefined || clientId === undefined)) {
    const secret = secretOf(config, fields);
    return secret === null ? null : { secret };
  }
  const host = new URL(accountUrl ?? filesUrl ?? STORAGE).hostname;
  const { authorityOrigin, managementUrl } = CLOUDS.find(([suffix]) => host.endsWith(suffix))?.[1] ?? GLOBAL;
  const tokensFor = (resource: string) =>
    entraTokens(
      { authorityOrigin, resource, diagnostic: 'blob_token' },
      () => identityOf(config, fields),
      () => undefined,
    );
  return {
    tokens: tokensFor(STORAGE),
    ...(id !== undefined && { managed: { id, managementUrl, tokens: tokensFor(managementUrl) } }),
  };
}

const secretOf = (config: Config, { credentialRef }: BlobInstance) =>
  credentialRef === undefined ? null : config.secretIn(credentialRef);

function identityOf(config: Config, fields: BlobInstance): EntraIdentity {
  const { azureIdentity, tenantId, clientId } = fields;
  if (azureIdentity) return { kind: 'host', clientId };
  const secret = secretOf(config, fields);
  if (tenantId === undefined || clientId === undefined || secret === null)
    throw new ConnectorError('auth', 'blob_token_refused');
  return { kind: 'secret', tenantId, clientId, secret };
}
