import type { ContentRead } from '../connector.ts';
import type { DriveFile } from './drive-answers.ts';
import type { DriveClient } from './drive-client.ts';
import { notReadOf } from './drive-items.ts';
import { EXPORT_LIMIT_BYTES, exportedAs } from './native-formats.ts';

const INACCESSIBLE: ContentRead = { state: 'inaccessible' };
const REASONS = new Map<string, Extract<ContentRead, { state: 'inaccessible' }>['reason']>([
  ['cannotDownloadAbusiveFile', 'malware'],
  ['cannotDownloadFile', 'no_download'],
]);
const PAST_THE_LIMIT: ContentRead = { state: 'too_large', sizeBytes: EXPORT_LIMIT_BYTES + 1 };

/**
 * The content of a file, or of a native document as an office format. `inaccessible`: the drive forbids to download it, it is
 * encrypted by the client, Google holds it for harmful, or it has no content. `too_large` for an export past the limit.
 */
export async function readContent(
  client: DriveClient,
  file: DriveFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ContentRead> {
  const { id: fileId, mimeType } = file;
  const reason = notReadOf(file);
  if (reason !== null) return reason === 'package' ? INACCESSIBLE : { state: 'inaccessible', reason };
  const asOffice = exportedAs(mimeType);
  if (asOffice !== null) return exported(client, fileId, asOffice, maxBytes, signal);
  const sizeBytes = file.size ?? 0;
  if (sizeBytes > maxBytes) return { state: 'too_large', sizeBytes };
  const query = { alt: 'media', supportsAllDrives: 'true' };
  const content = await client.bytes('content', { fileId }, query, maxBytes, signal);
  return content.state === 'refused' ? refusedBy(content.codes) : content;
}

/** Why Drive refuses a content, if it says. */
function refusedBy(codes: readonly string[]): ContentRead {
  const reason = codes.map((code) => REASONS.get(code)).find((known) => known !== undefined);
  return reason === undefined ? INACCESSIBLE : { state: 'inaccessible', reason };
}

/** Past the limit the answer is a 403. (It would be a 500 of a PDF, which nothing is exported as.) */
async function exported(
  client: DriveClient,
  fileId: string,
  mimeType: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ContentRead> {
  const content = await client.bytes('export', { fileId }, { mimeType }, maxBytes, signal);
  if (content.state !== 'refused') return content;
  return content.codes.includes('exportSizeLimitExceeded') ? PAST_THE_LIMIT : refusedBy(content.codes);
}
