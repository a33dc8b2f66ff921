import { z } from 'zod';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { lineOf } from '../kernel/line.ts';
import type { By } from './by.ts';
import {
  countPolicies,
  findPolicy,
  insertPolicyVersion,
  listPolicies,
  lockPolicy,
  type StoredPolicy,
} from './policy-documents.sql.ts';
import { parsePolicySections } from './policy-sections.ts';

export const MAX_POLICIES = 50;
const MAX_VERSIONS = 50;
const MAX_TEXT_BYTES = 1024 * 1024;
/** The size of the request in JSON, where some characters take more bytes than in UTF-8. */
export const MAX_UPLOAD_BYTES = 3 * 1024 * 1024;

export const PolicyUploadSchema = z.strictObject({
  title: lineOf(200),
  filename: lineOf(255),
  text: z
    .string()
    .max(MAX_TEXT_BYTES)
    .refine((text) => text.trim() !== '', 'Must contain text.')
    .refine((text) => Buffer.byteLength(text) <= MAX_TEXT_BYTES, 'Must not exceed 1 MiB of text.'),
});

/**
 * `start` and `end` are UTF-16 offsets into the text, `end` exclusive. `level` 0 is the text before the first
 * heading.
 */
const SectionSchema = z.object({
  anchor: z.string(),
  heading: z.string(),
  level: z.int(),
  start: z.int(),
  end: z.int(),
});

export const ListedPolicySchema = z.object({
  documentId: z.string(),
  title: z.string(),
  filename: z.string(),
  version: z.int(),
  uploadedAt: z.iso.datetime(),
  uploadedBy: z.string(),
  sections: z.array(SectionSchema),
});

export const PolicySchema = ListedPolicySchema.extend({ newestVersion: z.int(), text: z.string() });

export const UploadedPolicySchema = z.object({
  documentId: z.string(),
  version: z.int(),
  /** False if the newest version already has this file name and text. */
  created: z.boolean(),
  sections: z.array(SectionSchema),
});

const shownPolicy = <P extends StoredPolicy>(policy: P): Omit<P, 'uploadedAt'> & { uploadedAt: string } => ({
  ...policy,
  uploadedAt: policy.uploadedAt.toISOString(),
});

/**
 * Stores a document, or the next version of the document with the same title in any case. An unchanged document is
 * not stored again. Throws `conflict` if there are too many documents or versions.
 */
export async function uploadPolicy(
  tx: Tx,
  { principal, audit, now }: By,
  upload: z.infer<typeof PolicyUploadSchema>,
): Promise<z.infer<typeof UploadedPolicySchema>> {
  const { documentId, version: former, same } = await lockPolicy(tx, upload, now);
  if (same !== null) return { documentId, version: former, created: false, sections: same };
  if (former === 0 && (await countPolicies(tx)) > MAX_POLICIES)
    throw new ServiceError(
      'conflict',
      `There are already ${MAX_POLICIES} documents. Upload a new version of one of them.`,
    );
  if (former >= MAX_VERSIONS)
    throw new ServiceError(
      'conflict',
      `There are already ${MAX_VERSIONS} versions. Upload it under another title.`,
    );
  const version = former + 1;
  const sections = parsePolicySections(upload.text);
  await insertPolicyVersion(
    tx,
    { ...upload, documentId, version },
    { sections, uploadedBy: principal.principalId, now },
  );
  audit({
    category: 'governance',
    type: 'policy_document_uploaded',
    target: { kind: 'policy_document', id: documentId },
    details: { version, sections: sections.length },
  });
  return { documentId, version, created: true, sections };
}

export const listedPolicies = async (tx: Tx): Promise<z.infer<typeof ListedPolicySchema>[]> =>
  (await listPolicies(tx, MAX_POLICIES + 1)).map(shownPolicy);

/** A version of a document with its text, by default the newest. Throws `not_found`. */
export async function readPolicy(
  tx: Tx,
  documentId: string,
  version: number | undefined,
): Promise<z.infer<typeof PolicySchema>> {
  const policy = await findPolicy(tx, documentId, version ?? null);
  if (policy === null) throw notFound();
  return shownPolicy(policy);
}
