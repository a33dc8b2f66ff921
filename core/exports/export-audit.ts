import { shownCheckpoint } from '../audit/checkpoint.ts';
import { checkpointsAfter, newestCheckpoints, newestSignedBefore } from '../audit/checkpoints.sql.ts';
import type { AuditEntry } from '../audit/event.ts';
import type { AuditFilter } from '../audit/event-list.sql.ts';
import { AUDIT_COLUMNS, auditCells, auditExportSource, auditNdjson, type Segment } from '../audit/export.ts';
import { shownEvent } from '../audit/read.sql.ts';
import { eventPages } from '../audit/trail.ts';
import type { StoredEvent } from '../audit/verify.ts';
import type { Tx } from '../db/tx.ts';
import { validationFailed } from '../kernel/errors.ts';
import type { Table } from './export-format.ts';
import type { Reading } from './start-export.ts';

/** Which part of the trail a caller asks for. */
type AskedSegment = {
  /** The part begins after the checkpoint with this number. */
  afterCheckpoint?: number | undefined;
  /** The part ends with the newest checkpoint that was signed before this time. */
  signedBefore?: string | undefined;
};

/** The part of the trail that a caller asks for. Throws `validation_failed` if no checkpoint is there to end it. */
export async function auditSegment(
  tx: Tx,
  { afterCheckpoint, signedBefore }: AskedSegment,
): Promise<Segment> {
  const after = afterCheckpoint === undefined ? null : await checkpointOf(tx, afterCheckpoint);
  if (signedBefore === undefined) return { after, through: null };
  const through = await newestSignedBefore(tx, new Date(signedBefore).toISOString());
  const afterNumber = after?.number ?? 0;
  if (through !== undefined && through.number > afterNumber) return { after, through };
  const [next] = await checkpointsAfter(tx, afterNumber, 1);
  const nearest =
    next === undefined ? 'There is none yet.' : `The next was signed at ${shownCheckpoint(next).at}.`;
  throw validationFailed([
    {
      path: 'signedBefore',
      message: `No checkpoint after number ${afterNumber} was signed before this time. ${nearest}`,
    },
  ]);
}

async function checkpointOf(tx: Tx, number: number) {
  const [found] = await checkpointsAfter(tx, number - 1, 1);
  if (found?.number === number) return found;
  const [newest] = await newestCheckpoints(tx, 1);
  const message = `There is no checkpoint with this number. The newest has number ${newest?.number ?? 0}.`;
  throw validationFailed([{ path: 'afterCheckpoint', message }]);
}

/** The range of an export for its audit events. The whole trail has none. */
export const segmentDetails = ({ after, through }: Segment): NonNullable<AuditEntry['details']> => ({
  ...(after !== null && { afterCheckpoint: after.number }),
  ...(through !== null && { throughCheckpoint: through.number }),
});

/** The trail as it is now, or a segment of it, with its checkpoints, in the form that can be verified without a database. */
export async function* auditTrailText(reading: Reading, segment: Segment): AsyncGenerator<string> {
  yield* auditNdjson(await auditExportSource(reading, segment));
}

/** Pages of the trail as it is now, or of a segment, the oldest event first, under the filter of the list. */
export async function* auditPages(
  reading: Reading,
  segment: Segment,
  filter: AuditFilter,
): AsyncGenerator<StoredEvent[]> {
  const isAny = Object.values(filter).every((member) => member === undefined);
  for await (const page of eventPages(await auditExportSource(reading, segment))) {
    yield isAny ? page : page.filter((event) => meets(event, filter));
  }
}

function meets(stored: StoredEvent, { from, before, ...filter }: AuditFilter): boolean {
  const event = shownEvent(stored);
  const { category = event.category, type = event.type, principalId = event.principalId } = filter;
  const { targetKind = event.target?.kind, targetId = event.target?.id } = filter;
  const at = Date.parse(event.at);
  return (
    category === event.category &&
    type === event.type &&
    principalId === event.principalId &&
    targetKind === event.target?.kind &&
    targetId === event.target?.id &&
    (from === undefined || at >= Date.parse(from)) &&
    (before === undefined || at < Date.parse(before))
  );
}

export const auditTable: Table<StoredEvent> = { columns: AUDIT_COLUMNS, cells: auditCells };
