import { z } from 'zod';
import { jsonFrom } from '../json-answer.ts';

const Claims = z.object({ roles: z.array(z.string()).default([]) });

/**
 * The application permissions that a token carries. They hold in the whole tenant. Null if the token is not readable. It
 * is one of our own, so its signature is not checked.
 */
export function rolesIn(token: string): readonly string[] | null {
  const [, payload = ''] = token.split('.');
  const parsed = Claims.safeParse(jsonFrom(Buffer.from(payload, 'base64url')));
  return parsed.success ? parsed.data.roles : null;
}
