import {
  createDefaultHttpClient,
  createEmptyPipeline,
  createHttpHeaders,
  createPipelineRequest,
  type HttpMethods,
} from '@azure/core-rest-pipeline';
import { storageSharedKeyCredentialPolicy } from '@azure/storage-common';
import { accountNameOf } from '../../core/connectors/blob/blob-credential.ts';

/** Sends a signed call to a storage account. False if what it makes exists. Throws if it is refused otherwise. */
export type BlobWrite = (
  method: HttpMethods,
  path: string,
  headers?: Readonly<Record<string, string>>,
  body?: Uint8Array | string,
) => Promise<boolean>;

const CONFLICT = 409;

/** Writes to the local emulator, as the owner of the account. The service itself has no such calls. */
export function blobWrites(url: string, accountKey: string): BlobWrite {
  const pipeline = createEmptyPipeline();
  pipeline.addPolicy(
    storageSharedKeyCredentialPolicy({
      accountName: accountNameOf(new URL(url)),
      accountKey: Buffer.from(accountKey, 'base64'),
    }),
  );
  const http = createDefaultHttpClient();
  return async (method, path, headers = {}, body = '') => {
    const request = createPipelineRequest({
      url: `${url}${path}`,
      method,
      body,
      headers: createHttpHeaders({
        'x-ms-version': '2021-12-02',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      }),
      allowInsecureConnection: true,
    });
    const { status } = await pipeline.sendRequest(http, request);
    if (status >= 300 && status !== CONFLICT)
      throw new Error(`The storage emulator answered ${method} with ${status}`);
    return status !== CONFLICT;
  };
}

/** The path of a blob, encoded. */
export const blobAt = (container: string, name: string): string =>
  `/${container}/${name.split('/').map(encodeURIComponent).join('/')}`;
