import { STORAGE_RIGHTS } from './account-settings.ts';
import type { BlobCalls } from './blob-calls.ts';

/** The rights to what is known of a container beside its blobs that the service refuses. */
export async function refusedOfContainer(
  calls: BlobCalls,
  container: string,
  signal: AbortSignal,
): Promise<string[]> {
  const isRefused = async (query: Readonly<Record<string, string>>) => {
    const answer = await calls.get(`/${container}`, { restype: 'container', ...query }, signal);
    return answer.status === 403;
  };
  const [tags, properties, access] = await Promise.all([
    isRefused({ comp: 'list', maxresults: '1', include: 'tags' }),
    isRefused({}),
    isRefused({ comp: 'acl' }),
  ]);
  const containers = `${STORAGE_RIGHTS}blobServices/containers/`;
  return [
    ...(tags ? [`${containers}blobs/tags/read`] : []),
    ...(properties ? [`${containers}read`] : []),
    ...(access ? [`${containers}getAcl/action`] : []),
  ];
}

/** The same of a share and its files. */
export async function refusedOfShare(
  calls: BlobCalls,
  share: string,
  signal: AbortSignal,
): Promise<string[]> {
  const { status } = await calls.get(`/${share}`, { restype: 'share', comp: 'acl' }, signal);
  return status === 403 ? [`${STORAGE_RIGHTS}fileServices/shares/read`] : [];
}
