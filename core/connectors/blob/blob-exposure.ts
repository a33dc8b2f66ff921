import { z } from 'zod';
import type { Grant, Permissions } from '../connector.ts';
import { many, xmlFrom } from '../xml-answer.ts';
import type { AccountSettings } from './account-settings.ts';
import type { BlobAnswer, BlobCalls } from './blob-calls.ts';

/**
 * Who can read a container without a grant of their own. It is never complete: shared access signatures, account keys
 * and role assignments cannot be listed here.
 */
export const UNKNOWN_EXPOSURE: Permissions = { grants: [], complete: false };

/**
 * `container`: anyone can list and read. `blob`: anyone who knows the name can read. `website`: the same, at another
 * address, if the account has a static website. No setting of the container or of public access closes it.
 */
type PublicAccess = 'container' | 'blob' | 'website';

/** The container of a static website. */
const WEBSITE = '/$web';

/**
 * Reads how far a container is open. An address that the service answers without a credential is open to anyone, whatever
 * its settings say. One that its settings open counts as open too, unless the account forbids public access. It is
 * unconfirmed if the settings of the account are not known.
 * @param path of the container
 * @param itemPath of any blob in it, which is asked for without a credential
 */
export async function readExposure(
  calls: BlobCalls,
  readSettings: (signal: AbortSignal) => Promise<AccountSettings>,
  path: string,
  itemPath: string,
  signal: AbortSignal,
): Promise<Permissions> {
  const list = { restype: 'container', comp: 'list', maxresults: '1' };
  const [settings, acl, listed, read] = await Promise.all([
    readSettings(signal),
    calls.get(path, { restype: 'container', comp: 'acl' }, signal),
    calls.get(path, list, signal, { anonymous: true }),
    calls.get(itemPath, {}, signal, { anonymous: true, maxBytes: 0 }),
  ]);
  const grants = acl.status === 200 && acl.bytes !== null ? await storedPolicies(acl.bytes) : [];
  const proven = provenAccess(listed, read);
  const isForbidden = settings.publicAccess === 'forbidden' || [listed, read].some(isRefusedByAccount);
  const access =
    proven ?? (isForbidden ? null : accessBySetting(acl)) ?? (path === WEBSITE ? 'website' : null);
  if (access !== null) {
    const isUnconfirmed = proven === null && (settings.publicAccess === 'unknown' || access === 'website');
    grants.unshift({
      ...grantToAnyone(access, settings.network === 'limited'),
      ...(isUnconfirmed && { unconfirmed: true as const }),
    });
  }
  return { grants, complete: false };
}

/** Only who may read blobs is answered that this one is gone, or in an archive. */
const ABOUT_THE_BLOB = new Set(['BlobNotFound', 'BlobArchived', 'BlobBeingRehydrated']);

const provenAccess = (listed: BlobAnswer, read: BlobAnswer): PublicAccess | null => {
  if (listed.status === 200) return 'container';
  return read.status === 200 || ABOUT_THE_BLOB.has(read.code) ? 'blob' : null;
};

const isRefusedByAccount = ({ code }: BlobAnswer) => code === 'PublicAccessNotPermitted';

function accessBySetting(acl: BlobAnswer): PublicAccess | null {
  const setting = acl.status === 200 ? acl.header('x-ms-blob-public-access') : null;
  return setting === 'container' || setting === 'blob' ? setting : null;
}

/** An account that only answers some networks opens a container to whoever is in them. */
const grantToAnyone = (access: PublicAccess, isLimited: boolean): Grant => ({
  principal: `Anyone${isLimited ? ' on the networks of the account' : ''}${HOW[access]}`,
  principalKind: isLimited ? 'organization' : 'anyone',
  external: !isLimited,
  role: 'read',
  inherited: true,
});

const HOW: Readonly<Record<PublicAccess, string>> = {
  container: ' (public container)',
  blob: ' who knows the address (public blobs)',
  website: ' who knows the address (static website)',
};

const Policies = z.object({
  SignedIdentifier: many(
    z.object({ Id: z.string(), AccessPolicy: z.object({ Permission: z.string().default('') }).optional() }),
  ),
});

/** Stored access policies show that signatures exist, or once did. Whoever has one has its permissions. */
export async function storedPolicies(xml: Uint8Array): Promise<Grant[]> {
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
