import { z } from 'zod';
import { systemClock } from '../../kernel/clock.ts';
import type { Grant } from '../connector.ts';
import { jsonFrom } from '../json-answer.ts';
import { kept } from '../kept.ts';
import type { BlobCalls } from './blob-calls.ts';
import { storedPolicies } from './blob-exposure.ts';
import { dropOldest } from './drop-oldest.ts';
import { grantsOf } from './share-access.ts';

const POLICIES_KEPT_MS = 60_000;
const LISTS_KEPT = 1_000;

const FilePermission = z.object({ permission: z.string() });

/**
 * Who has access to a file of a share, by the key of its access list: the list itself, which thousands of files share, and
 * the stored access policies of the share. What the service refuses to say is left out.
 */
export function createShareGrants(calls: BlobCalls, share: string) {
  const lists = new Map<string, Grant[]>();

  const policies = kept(systemClock, POLICIES_KEPT_MS, async (signal) => {
    const { status, bytes } = await calls.get(`/${share}`, { restype: 'share', comp: 'acl' }, signal);
    return status === 200 && bytes !== null ? storedPolicies(bytes) : [];
  });

  const listOf = async (key: string, signal: AbortSignal): Promise<Grant[]> => {
    const known = lists.get(key);
    if (known !== undefined) return known;
    const query = { restype: 'share', comp: 'filepermission' };
    const headers = { 'x-ms-file-permission-key': key };
    const { status, bytes } = await calls.get(`/${share}`, query, signal, { headers });
    const read = FilePermission.safeParse(status === 200 && bytes !== null ? jsonFrom(bytes) : null);
    if (!read.success) return [];
    const grants = grantsOf(read.data.permission);
    lists.set(key, grants);
    dropOldest(lists, LISTS_KEPT);
    return grants;
  };

  /** @param key null if the service gives none */
  return async (key: string | null, signal: AbortSignal): Promise<Grant[]> => {
    const [grants, links] = await Promise.all([key === null ? [] : listOf(key, signal), policies(signal)]);
    return [...grants, ...links];
  };
}
