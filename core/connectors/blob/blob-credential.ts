import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import { storageSharedKeyCredentialPolicy } from '@azure/storage-common';
import type { TokenSource } from '../cloud-http/token-source.ts';
import { ConnectorError } from '../connector.ts';

/** A shared access signature, a key of the account, which may do everything, or tokens of an identity. */
export type BlobCredential =
  | { kind: 'token'; tokens: TokenSource }
  | { kind: 'sas'; query: Readonly<Record<string, string>> }
  | { kind: 'key'; account: string; key: Buffer };

const KEY_BYTES = 64;

/**
 * Reads a shared access signature, an account key or a connection string that holds one of both.
 * Throws `ConnectorError` (`auth`) for anything else.
 */
export function credentialFrom(secret: string, accountUrl: URL): BlobCredential {
  const members = new Map(
    secret
      .trim()
      .split(';')
      .flatMap((member) => {
        const [, name = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(member) ?? [];
        return name === '' ? [] : [[name, value] as const];
      }),
  );
  const signature = members.get('SharedAccessSignature') ?? secret.trim();
  const query = new URLSearchParams(signature.replace(/^\?/, ''));
  if (query.has('sig') && query.has('sv')) return { kind: 'sas', query: Object.fromEntries(query) };
  const key = Buffer.from(members.get('AccountKey') ?? secret.trim(), 'base64');
  if (key.length !== KEY_BYTES) throw new ConnectorError('auth', 'blob_credential_malformed');
  return { kind: 'key', account: members.get('AccountName') ?? accountNameOf(accountUrl), key };
}

/** The first label of the host, or the first segment of the path where the host is an address, as emulators have it. */
export function accountNameOf({ hostname, pathname }: URL): string {
  const isAddress = /^[\d.]+$|^\[|^localhost$/.test(hostname);
  return (isAddress ? pathname.split('/')[1] : hostname.split('.')[0]) ?? '';
}

/** Signs a request with the account key. Null for any other credential. */
export const signingOf = (credential: BlobCredential): PipelinePolicy | null =>
  credential.kind === 'key'
    ? storageSharedKeyCredentialPolicy({ accountName: credential.account, accountKey: credential.key })
    : null;
