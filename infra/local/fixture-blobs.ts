import type { LocalStorage } from './azurite.ts';
import { type BlobWrite, blobAt, blobWrites } from './blob-writes.ts';
import { fixtureBytes } from './fixture/fixture-content.ts';
import type { FixtureItem } from './fixture/fixture-store.ts';
import { seedFixture } from './fixture/seed-fixture.ts';

/** Anyone can list and read this container, so that a scan has something to find. */
const PUBLIC = 'site-operations';
const AT_ONCE = 8;
const KEY = 'SVC_LOCAL_BLOB_KEY';

/**
 * Fills containers of the emulator with the files of the fixture tenant, one container a site. Containers that exist stay
 * as they are. Returns the settings with which the service reads them.
 */
export async function fixtureBlobs({ blobUrl, accountKey }: LocalStorage): Promise<Record<string, string>> {
  const write = blobWrites(blobUrl, accountKey);
  const { scopes, items } = seedFixture('blob');
  for (const { externalId } of scopes) {
    const access = externalId === PUBLIC ? { 'x-ms-blob-public-access': 'container' } : {};
    if (!(await write('PUT', `/${externalId}?restype=container`, access))) continue;
    await putAll(
      write,
      items.filter((item) => item.scopeExternalId === externalId && item.readable),
    );
  }
  return {
    SVC_BLOB_ENABLED: 'true',
    SVC_BLOB_ACCOUNT_URL: blobUrl,
    SVC_BLOB_CREDENTIAL_REF: KEY,
    [KEY]: accountKey,
    SVC_BLOB_CONTAINERS: scopes.map(({ externalId }) => externalId).join(','),
  };
}

async function putAll(write: BlobWrite, items: readonly FixtureItem[]): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const some = items.slice(at, at + AT_ONCE);
    await Promise.all(
      some.map((item) =>
        write(
          'PUT',
          blobAt(item.scopeExternalId, `${item.folder}/${item.name}`),
          { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'application/octet-stream' },
          fixtureBytes(item),
        ),
      ),
    );
  }
}
