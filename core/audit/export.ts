import type { Tx } from '../db/tx.ts';
import { shownCheckpoint } from './checkpoint.ts';
import { checkpointsAfter, newestCheckpoints, type StoredCheckpoint } from './checkpoints.sql.ts';
import { listAuditEvents } from './event-list.sql.ts';
import { type AuditExportHeader, checkpointLine, eventLine, headerLine } from './export-line.ts';
import { type AuditEvent, chainPage, recordedHead, shownEvent } from './read.sql.ts';
import { auditTrail, isCheckpoint, type TrailReader } from './trail.ts';
import { type ChainHead, GENESIS_HASH, type StoredEvent } from './verify.ts';

/** A range of the trail: the checkpoints after which it begins and with which it ends. Null: begin and end of the trail. */
export type Segment = { after: StoredCheckpoint | null; through: StoredCheckpoint | null };

/** The data of an export: what its header says, and pages that end there. */
export type AuditExportSource = Omit<AuditExportHeader, 'afterCheckpoint'> & TrailReader;

/** Runs `fn` in a read transaction of the tenant: the same one for all calls, or a new one for each. */
type Reading = <T>(fn: (tx: Tx) => Promise<T>) => Promise<T>;

const PAGE_SIZE = 1_000;

/** Where an export ends: the event that its header names, and the last event and checkpoint that are read. */
type End = { head: ChainHead; lastSeq: number; lastNumber: number };

/**
 * The audit trail of the tenant as it is now, or a segment of it. Later events are left out, so that each page can be
 * read in its own transaction.
 */
export async function auditExportSource(
  reading: Reading,
  { after, through }: Segment = { after: null, through: null },
): Promise<AuditExportSource> {
  const { tenantId, head, lastSeq, lastNumber } = await reading(async (tx) => ({
    tenantId: tx.tenantId,
    ...(await endOf(tx, through)),
  }));
  return {
    tenantId,
    after,
    head,
    checkpoints: lastNumber - (after?.number ?? 0),
    readPage: async (afterSeq) => {
      const page = await reading((tx) => chainPage(tx, afterSeq, PAGE_SIZE));
      return page.filter(({ seq }) => seq <= lastSeq);
    },
    readCheckpoints: async (afterNumber) => {
      const page = await reading((tx) => checkpointsAfter(tx, afterNumber, PAGE_SIZE));
      return page.filter(({ number }) => number <= lastNumber);
    },
  };
}

async function endOf(tx: Tx, through: StoredCheckpoint | null): Promise<End> {
  if (through !== null) {
    const { seq, hash, number } = shownCheckpoint(through);
    return { head: { seq, hash }, lastSeq: seq, lastNumber: number };
  }
  return {
    head: (await recordedHead(tx)) ?? { seq: 0, hash: GENESIS_HASH },
    // After tampering this can differ from the head. The export then shows it.
    lastSeq: (await listAuditEvents(tx, {}, 1))[0]?.seq ?? 0,
    lastNumber: (await newestCheckpoints(tx, 1))[0]?.number ?? 0,
  };
}

/** The whole file, in chunks of complete lines that each end with a line feed. */
export async function* auditNdjson(source: AuditExportSource): AsyncGenerator<string> {
  yield `${headerLine({ ...source, afterCheckpoint: source.after?.number ?? 0 })}\n`;
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
