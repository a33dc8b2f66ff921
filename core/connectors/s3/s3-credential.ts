import { z } from 'zod';
import { ConnectorError } from '../connector.ts';
import { jsonFrom } from '../json-answer.ts';

export type S3Credential = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** As `aws sts assume-role --query Credentials` and the programs of `credential_process` write it. */
const Credentials = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  SessionToken: z.string().min(1).optional(),
});

/** Reads `ID:SECRET`, `ID:SECRET:SESSION_TOKEN`, or their JSON. Throws `ConnectorError` (`auth`) for anything else. */
export function credentialFrom(secret: string): S3Credential {
  const [AccessKeyId, SecretAccessKey, SessionToken] = secret.trim().split(':');
  const given = secret.trim().startsWith('{')
    ? jsonFrom(secret)
    : { AccessKeyId, SecretAccessKey, ...(SessionToken !== undefined && { SessionToken }) };
  const { data } = Credentials.safeParse(given);
  if (data === undefined) throw new ConnectorError('auth', 's3_credential_malformed');
  return {
    accessKeyId: data.AccessKeyId,
    secretAccessKey: data.SecretAccessKey,
    ...(data.SessionToken !== undefined && { sessionToken: data.SessionToken }),
  };
}
