import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import type { CloudDriveCall } from '../../kernel/vocabulary.ts';
import { type CountCall, countEnd } from '../cloud-http/exchange.ts';
import { fieldOf } from '../cloud-http/read-body.ts';
import { requestToken } from '../cloud-http/request-token.ts';
import { isThrottlingStatus } from '../cloud-http/retry.ts';
import { type AcquiredToken, keptTokens, type TokenSource } from '../cloud-http/token-source.ts';
import { ConnectorError } from '../connector.ts';
import { jsonFrom } from '../json-answer.ts';
import type { DriveCloud } from './drive-cloud.ts';

/** Reads files, permissions and changes. */
export const READS = 'https://www.googleapis.com/auth/drive.readonly';
/** Changes files. The service never asks for it but to prove that nobody delegated it. */
export const WRITES = 'https://www.googleapis.com/auth/drive';

/** Reads what labels and their choices are called. */
export const READS_LABELS = 'https://www.googleapis.com/auth/drive.labels.readonly';
/** Reads people of the organization, and their groups with who is in them. */
export const READS_PEOPLE = 'https://www.googleapis.com/auth/admin.directory.user.readonly';
export const READS_GROUPS = 'https://www.googleapis.com/auth/admin.directory.group.readonly';
export type DriveScope =
  | typeof READS
  | typeof WRITES
  | typeof READS_LABELS
  | typeof READS_PEOPLE
  | typeof READS_GROUPS;

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIVES_FOR_S = 3600;

const Key = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1).max(320),
  private_key: z.string().min(1).max(16_384),
  private_key_id: z.string().max(256).optional(),
});

const malformed = () => new ConnectorError('auth', 'cloud_drive_token_key_malformed');

export type DelegationParts = {
  cloud: DriveCloud;
  /** The text of the key file of the service account; null if it is not found. Asked for again for each token. */
  keyNow: () => string | null;
  count: CountCall<CloudDriveCall>;
};

/** Tokens of a service account in the name of a person, by domain-wide delegation. */
export const delegatedTokens = (
  { cloud, keyNow, count }: DelegationParts,
  person: string,
  scope: DriveScope = READS,
): TokenSource =>
  keptTokens(async () => ask(cloud, count, await assertionFor(cloud, keyNow(), person, scope)));

async function assertionFor(
  { tokenOrigin }: DriveCloud,
  text: string | null,
  person: string,
  scope: string,
): Promise<string> {
  const key = Key.safeParse(jsonFrom(text ?? ''));
  if (!key.success) throw malformed();
  const { client_email, private_key, private_key_id } = key.data;
  const signing = await importPKCS8(private_key, 'RS256').catch(() => {
    // The package's message may quote the key.
    throw malformed();
  });
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(private_key_id && { kid: private_key_id }) })
    .setIssuer(client_email)
    .setSubject(person)
    .setAudience(`${tokenOrigin}/token`)
    .setIssuedAt()
    .setExpirationTime(`${LIVES_FOR_S}s`)
    .sign(signing);
}

/** `unauthorized_client`: the scope is not delegated. `invalid_grant`: the person is unknown or suspended. */
const REASONS = new Map<unknown, string>([
  ['unauthorized_client', 'not_delegated'],
  ['invalid_grant', 'person_refused'],
]);

/** The key goes nowhere; the assertion goes to the authority alone. */
const ask = (
  { tokenOrigin }: DriveCloud,
  count: CountCall<CloudDriveCall>,
  assertion: string,
): Promise<AcquiredToken> =>
  requestToken({
    url: new URL('/token', tokenOrigin),
    form: { grant_type: GRANT_TYPE, assertion },
    source: 'cloud_drive',
    count: (status) => countEnd(count, 'token', status, isThrottlingStatus(status)),
    reasonOf: (body) => REASONS.get(fieldOf(body, 'error')) ?? null,
  });
