import type { Tx } from '../db/tx.ts';
import { checkpointsAfter, newestCheckpoints } from './checkpoints.sql.ts';
import { type AuditExportHeader, checkpointLine, eventLine, headerLine } from './export-line.ts';
import { type AuditEvent, chainPage, listAuditEvents, recordedHead, shownEvent } from './read.sql.ts';
import { auditTrail, isCheckpoint, type TrailReader } from './trail.ts';
import { GENESIS_HASH, type StoredEvent } from './verify.ts';

/** The data of an export: its header, and pages that end where the header says. */
export type AuditExportSource = AuditExportHeader & TrailReader;

/** Runs `fn` in a read transaction of the tenant: the same one for all calls, or a new one for each. */
type Reading = <T>(fn: (tx: Tx) => Promise<T>) => Promise<T>;

const PAGE_SIZE = 1_000;

/**
 * The audit trail of the tenant as it is now. Later events are left out, so that each page can be read in its own
 * transaction.
 */
export async function auditExportSource(reading: Reading): Promise<AuditExportSource> {
  const { tenantId, head, lastSeq, checkpoints } = await reading(async (tx) => ({
    tenantId: tx.tenantId,
    head: (await recordedHead(tx)) ?? { seq: 0, hash: GENESIS_HASH },
    // After tampering this can differ from the head. The export then shows it.
    lastSeq: (await listAuditEvents(tx, undefined, 1))[0]?.seq ?? 0,
    checkpoints: (await newestCheckpoints(tx, 1))[0]?.number ?? 0,
  }));
  return {
    tenantId,
    head,
    checkpoints,
    readPage: async (afterSeq) => {
      const page = await reading((tx) => chainPage(tx, afterSeq, PAGE_SIZE));
      return page.filter(({ seq }) => seq <= lastSeq);
    },
    readCheckpoints: async (afterNumber) => {
      const page = await reading((tx) => checkpointsAfter(tx, afterNumber, PAGE_SIZE));
      return page.filter(({ number }) => number <= checkpoints);
    },
  };
}

/** The whole file, in chunks of complete lines that each end with a line feed. */
export async function* auditNdjson(source: AuditExportSource): AsyncGenerator<string> {
  yield `${headerLine(source)}\n`;
  for await (const items of auditTrail(source)) {
    let piece = '';
    for (const item of items) piece += `${isCheckpoint(item) ? checkpointLine(item) : eventLine(item)}\n`;
    yield piece;
  }
}

/** The columns of an export as CSV. It is meant for reading and cannot be verified. */
export const AUDIT_COLUMNS = [
  'seq',
  'at',
  'category',
  'type',
  'principalId',
  'correlationId',
  'targetKind',
  'targetId',
  'details',
  'policyDecision',
  'hash',
  'previousHash',
] as const;

/** The cells of an event in the order of the columns. The details are one cell with JSON. */
export function auditCells(stored: StoredEvent): (string | number | null)[] {
  const event: AuditEvent = shownEvent(stored);
  return [
    event.seq,
    event.at,
    event.category,
    event.type,
    event.principalId,
    event.correlationId,
    event.target?.kind ?? null,
    event.target?.id ?? null,
    JSON.stringify(event.details),
    event.policyDecision,
    event.hash,
    event.previousHash,
  ];
}
