import { startAzurite } from '../../infra/local/azurite.ts';
import { blobAt, blobWrites } from '../../infra/local/blob-writes.ts';

/** A storage account of the emulator, as its owner changes it. */
export type BlobAccount = {
  url: string;
  connectionString: string;
  key: string;
  createContainer(name: string, access?: 'container' | 'blob'): Promise<void>;
  deleteContainer(name: string): Promise<void>;
  setPolicies(container: string, policies: Readonly<Record<string, string>>): Promise<void>;
  put(container: string, name: string, text: string, headers?: Record<string, string>): Promise<void>;
  setTier(container: string, name: string, tier: 'Archive' | 'Hot'): Promise<void>;
  setTags(container: string, name: string, tags: Readonly<Record<string, string>>): Promise<void>;
  remove(container: string, name: string): Promise<void>;
  stop(): Promise<void>;
};

export async function startBlobAccount(): Promise<BlobAccount> {
  const azurite = await startAzurite({ inMemory: true, log: () => undefined });
  const { blobUrl: url, connectionString, accountKey: key } = azurite;
  const write = blobWrites(url, key);
  const call = async (...request: Parameters<typeof write>) => {
    if (!(await write(...request))) throw new Error(`${request[0]} ${request[1]} is refused: it exists`);
  };
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return {
    url,
    connectionString,
    key,
    createContainer: (name, access) =>
      call('PUT', `/${name}?restype=container`, access && { 'x-ms-blob-public-access': access }),
    deleteContainer: (name) => call('DELETE', `/${name}?restype=container`),
    setPolicies: (container, policies) => {
      const members = Object.entries(policies).map(
        ([id, permission]) =>
          `<SignedIdentifier><Id>${id}</Id><AccessPolicy><Permission>${permission}</Permission></AccessPolicy></SignedIdentifier>`,
      );
      const xml = `<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>${members.join('')}</SignedIdentifiers>`;
      return call(
        'PUT',
        `/${container}?restype=container&comp=acl`,
        { 'content-type': 'application/xml' },
        xml,
      );
    },
    put: (container, name, text, headers) =>
      call(
        'PUT',
        blobAt(container, name),
        { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'text/plain', ...headers },
        text,
      ),
    setTier: (container, name, tier) =>
      call('PUT', `${blobAt(container, name)}?comp=tier`, { 'x-ms-access-tier': tier }),
    setTags: (container, name, tags) => {
      const members = Object.entries(tags).map(
        ([key, value]) => `<Tag><Key>${escaped(key)}</Key><Value>${escaped(value)}</Value></Tag>`,
      );
      const xml = `<?xml version="1.0" encoding="utf-8"?><Tags><TagSet>${members.join('')}</TagSet></Tags>`;
      return call('PUT', `${blobAt(container, name)}?comp=tags`, { 'content-type': 'application/xml' }, xml);
    },
    remove: (container, name) => call('DELETE', blobAt(container, name)),
    stop: azurite.stop,
  };
}
