import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AlikeAssetSchema, MessageAttachmentSchema } from './message-schema.ts';

type Shown = z.infer<typeof MessageAttachmentSchema>;

export type AttachmentRow = Omit<Shown, 'signals' | 'canonicalDocument' | 'alike'> & {
  messageId: string;
  signals: { detectorId: string; count: number; confidence: number }[];
  isLinked: boolean;
  documentId: string | null;
  documentName: string | null;
  /** One more than `MAX_ALIKE` if there are more. */
  alike: z.infer<typeof AlikeAssetSchema>[];
};

export const MAX_ALIKE = 5;

/** The name of `assets a`, for a reader who may see it. */
const nameFor = (seen: Visibility | null): Statement =>
  seen === null ? sql`null::text` : sql`case when ${visibleAsset(seen)} then a.name end`;

/**
 * The attachments of messages, in their order. Documents and assets with the same bytes are looked up now: it makes no
 * difference whether the message or the asset was read first.
 * @param seen which assets the reader may see by name; null if none
 */
export const readAttachments = (
  tx: Tx,
  messageIds: readonly string[],
  seen: Visibility | null,
): Promise<AttachmentRow[]> =>
  tx.query<AttachmentRow>(
    sql.unprepared(sql`
      select t.message_id as "messageId", t.kind, t.name, t.mime_type as "mimeType",
             t.size_bytes::float8 as "sizeBytes", t.content_state as "contentState",
             t.content_reason as "contentReason", t.signals, t.backing_external_id is not null as "isLinked",
             d.asset_id as "documentId", d.name as "documentName", coalesce(e.alike, '[]') as alike
        from message_attachments t
        left join lateral (
          select a.asset_id, ${nameFor(seen)} as name
            from scopes s join assets a on a.tenant_id = s.tenant_id and a.scope_id = s.scope_id
           where s.tenant_id = t.tenant_id and s.family in ('m365', 'drive')
             and s.external_id = t.backing_scope_external_id
             and a.external_id = t.backing_external_id and a.status = 'active'
           order by s.family desc, a.asset_id limit 1) d on t.backing_external_id is not null
        left join lateral (
          select jsonb_agg(jsonb_build_object('assetId', a.asset_id, 'name', ${nameFor(seen)}) order by a.asset_id) as alike
            from (select * from assets
                   where tenant_id = t.tenant_id and content_hash = t.content_hash and status = 'active'
                   order by asset_id limit ${sql.whole(MAX_ALIKE + 1)}) a) e on t.content_hash is not null
       where t.tenant_id = ${tx.tenantId} and t.message_id = any(${messageIds}::text[])
       order by t.message_id, t.position`),
  );
