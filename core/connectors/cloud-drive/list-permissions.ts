import { ASKED, type DrivePermission, PermissionPage } from './drive-answers.ts';
import type { DriveClient } from './drive-client.ts';

const PAGE_SIZE = 100;
const REFUSED = [403, 404, 410] as const;

export type ListedPermissions = { permissions: DrivePermission[]; isWhole: boolean };

/**
 * The permissions of a file, a folder or a shared drive. The status if Drive refuses them.
 * @param asAdmin of a shared drive that the administrator is no member of
 * @param maxPages after which the list is left as it is
 */
export async function listPermissions(
  client: DriveClient,
  fileId: string,
  { asAdmin, maxPages }: { asAdmin: boolean; maxPages: number },
  signal: AbortSignal,
): Promise<ListedPermissions | (typeof REFUSED)[number]> {
  const permissions: DrivePermission[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const query = {
      fields: ASKED.permissions,
      pageSize: PAGE_SIZE,
      supportsAllDrives: 'true',
      ...(asAdmin && { useDomainAdminAccess: 'true' }),
      ...(pageToken !== undefined && { pageToken }),
    };
    const options = { query, schema: PermissionPage, expect: REFUSED, signal };
    const answer = await client.call('permissions', { fileId }, options);
    if (!answer.ok) return answer.status;
    permissions.push(...(answer.body.permissions ?? []));
    pageToken = answer.body.nextPageToken ?? undefined;
    if (pageToken === undefined) return { permissions, isWhole: true };
  }
  return { permissions, isWhole: false };
}
