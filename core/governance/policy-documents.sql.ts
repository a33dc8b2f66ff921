import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { PolicySection } from './policy-sections.ts';

/** A version of a policy document. */
export type StoredPolicy = {
  documentId: string;
  title: string;
  filename: string;
  version: number;
  /** Offsets are in UTF-16 code units of the text. */
  sections: PolicySection[];
  uploadedAt: Date;
  uploadedBy: string;
};

const columns = sql`
  d.document_id as "documentId", d.title, v.filename, v.version, v.sections, v.created_at as "uploadedAt",
  v.uploaded_by as "uploadedBy"`;
const newest = sql`
  policy_documents d join policy_document_versions v using (tenant_id, document_id, version)`;

/** The newest version of each document, ordered by title; at most `limit`. */
export const listPolicies = (tx: Tx, limit: number): Promise<StoredPolicy[]> =>
  tx.query<StoredPolicy>(sql`
    select ${columns} from ${newest}
     where tenant_id = ${tx.tenantId} order by lower(d.title), document_id limit ${limit}`);

/** The same with the beginning of each text. */
export const listPolicyTexts = (
  tx: Tx,
  { documents, characters }: { documents: number; characters: number },
): Promise<(StoredPolicy & { text: string })[]> =>
  tx.query(sql`
    select ${columns}, left(v.content, ${characters}) as text from ${newest}
     where tenant_id = ${tx.tenantId} order by lower(d.title), document_id limit ${documents}`);

/** A version with its text, or null. `version` null means the newest. */
export async function findPolicy(
  tx: Tx,
  documentId: string,
  version: number | null,
): Promise<(StoredPolicy & { text: string; newestVersion: number }) | null> {
  const [policy] = await tx.query<StoredPolicy & { text: string; newestVersion: number }>(sql`
    select ${columns}, v.content as text, d.version as "newestVersion"
      from policy_documents d join policy_document_versions v using (tenant_id, document_id)
     where tenant_id = ${tx.tenantId} and document_id = ${documentId}
       and v.version = coalesce(${version}::int, d.version)`);
  return policy ?? null;
}

/**
 * Finds or creates the document of this title and locks it until the transaction ends. `version` is 0 for a new
 * document. `same` holds the sections of the newest version if that has the same file name and text, otherwise null.
 */
export async function lockPolicy(
  tx: Tx,
  { title, filename, text }: { title: string; filename: string; text: string },
  now: number,
): Promise<{ documentId: string; version: number; same: PolicySection[] | null }> {
  await tx.execute(sql`
    insert into policy_documents (tenant_id, document_id, title, version, created_at, updated_at)
    values (${tx.tenantId}, ${newId('pol', now)}, ${title}, 0, ${new Date(now)}, ${new Date(now)})
    on conflict (tenant_id, lower(title)) do nothing`);
  const [document] = await tx.query<{ documentId: string; version: number }>(sql`
    select document_id as "documentId", version from policy_documents
     where tenant_id = ${tx.tenantId} and lower(title) = lower(${title}) for update`);
  if (document === undefined) throw new Error('The policy document was not created');
  const [known] = await tx.query<{ sections: PolicySection[] }>(sql`
    select sections from policy_document_versions
     where tenant_id = ${tx.tenantId} and document_id = ${document.documentId} and version = ${document.version}
       and filename = ${filename} and content = ${text}`);
  return { ...document, same: known?.sections ?? null };
}

export async function insertPolicyVersion(
  tx: Tx,
  policy: { documentId: string; title: string; filename: string; version: number; text: string },
  { sections, uploadedBy, now }: { sections: readonly PolicySection[]; uploadedBy: string; now: number },
): Promise<void> {
  await tx.execute(sql`
    insert into policy_document_versions (tenant_id, document_id, version, filename, content, sections, uploaded_by,
                                          created_at)
    values (${tx.tenantId}, ${policy.documentId}, ${policy.version}, ${policy.filename}, ${policy.text},
            ${sql.json(sections)}::jsonb, ${uploadedBy}, ${new Date(now)})`);
  await tx.execute(sql`
    update policy_documents set title = ${policy.title}, version = ${policy.version}, updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and document_id = ${policy.documentId}`);
}

export async function countPolicies(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from policy_documents where tenant_id = ${tx.tenantId}`);
  return row?.count ?? 0;
}
