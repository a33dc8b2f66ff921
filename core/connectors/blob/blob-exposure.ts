import { z } from 'zod';
import type { Grant, Permissions } from '../connector.ts';
import { many, xmlFrom } from '../xml-answer.ts';
import type { BlobAnswer, BlobCalls } from './blob-calls.ts';

/**
 * Who can read a container without a grant of their own. It is never complete: shared access signatures, account keys
 * and role assignments cannot be listed here.
 */
export const UNKNOWN_EXPOSURE: Permissions = { grants: [], complete: false };

/** `container`: anyone can list and read. `blob`: anyone who knows the name can read. */
type PublicAccess = 'container' | 'blob';

/**
 * Reads how far a container is open. An address that the service answers without a credential is open to anyone, whatever
 * its settings say. One that its settings open counts as open too, unless the account forbids public access.
 * @param path of the container
 * @param itemPath of any blob in it, which is asked for without a credential
 */
export async function readExposure(
  calls: BlobCalls,
  path: string,
  itemPath: string,
  signal: AbortSignal,
): Promise<Permissions> {
  const list = { restype: 'container', comp: 'list', maxresults: '1' };
  const [acl, listed, read] = await Promise.all([
    calls.get(path, { restype: 'container', comp: 'acl' }, signal),
    calls.get(path, list, signal, { anonymous: true }),
    calls.get(itemPath, {}, signal, { anonymous: true, maxBytes: 0 }),
  ]);
  const access = publicAccess(acl, listed, read);
  const grants = acl.status === 200 && acl.bytes !== null ? await storedPolicies(acl.bytes) : [];
  if (access !== null)
    grants.unshift({
      principal: ANYONE[access],
      principalKind: 'anyone',
      external: true,
      role: 'read',
      inherited: true,
    });
  return { grants, complete: false };
}

const ANYONE: Readonly<Record<PublicAccess, string>> = {
  container: 'Anyone (public container)',
  blob: 'Anyone who knows the address (public blobs)',
};

const isOk = ({ status }: BlobAnswer) => status === 200;
const isForbidden = ({ code }: BlobAnswer) => code === 'PublicAccessNotPermitted';

function publicAccess(acl: BlobAnswer, listed: BlobAnswer, read: BlobAnswer): PublicAccess | null {
  if (isOk(listed)) return 'container';
  if (isOk(read)) return 'blob';
  if (isForbidden(listed) || isForbidden(read) || !isOk(acl)) return null;
  const setting = acl.header('x-ms-blob-public-access');
  return setting === 'container' || setting === 'blob' ? setting : null;
}

const Policies = z.object({
  SignedIdentifier: many(
    z.object({ Id: z.string(), AccessPolicy: z.object({ Permission: z.string().default('') }).optional() }),
  ),
});

/** Stored access policies show that signatures exist, or once did. Whoever has one has its permissions. */
async function storedPolicies(xml: Uint8Array): Promise<Grant[]> {
  const policies = Policies.safeParse(await xmlFrom(xml));
  if (!policies.success) return [];
  return policies.data.SignedIdentifier.map(({ Id, AccessPolicy }) => ({
    principal: `Shared access signatures by the stored policy ${Id}`,
    principalKind: 'link',
    external: false,
    role: /[acdw]/.test(AccessPolicy?.Permission ?? '') ? 'write' : 'read',
    inherited: true,
  }));
}
