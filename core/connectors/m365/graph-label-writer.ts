import { z } from 'zod';
import { ConnectorError } from '../connector.ts';
import type { LabelRefusal, LabelTarget, LabelWriteEnd, LabelWriter } from '../label-writer.ts';
import { ITEM_FIELDS, versionOf } from './drive-items.ts';
import { codesIn } from './error-codes.ts';
import { DriveItem, JobStatus } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import { refusalOf } from './label-refusal.ts';

/**
 * Files that can have a label: those that Microsoft documents for SharePoint, and `.pptm`, which it neither lists nor
 * excludes. No limit of size is documented.
 */
const LABELLED = /\.(?:docx|docm|xlsx|xlsm|xlsb|pptx|pptm|ppsx|pdf)$/i;

const READ = { expect: [401, 403, 404, 410, 423] } as const;
const WRITE = { expect: [400, 401, 402, 403, 404, 405, 410, 413, 415, 422, 423, 501] } as const;
/** A monitor that ended may redirect to what came of it, which is not followed. */
const WATCH = { expect: [301, 302, 303, 307, 308, 401, 403, 404, 410] } as const;
/** The longest address that is kept. Those that were seen have about 2 KB. */
const MAX_MONITOR = 16_384;

/**
 * Writes labels to files of Microsoft 365.
 * @param client of the remediation identity
 */
export const createGraphLabelWriter = (client: GraphClient): LabelWriter => ({
  mode: 'live',

  preventionOf: (target, signal) =>
    withIdentity(
      async () => {
        const [item, extraction] = await Promise.all([
          readItem(client, target, signal),
          encryptionOf(client, target, signal),
        ]);
        if (item === 'gone') return null;
        return typeof item === 'string' ? item : (preventionIn(item) ?? extraction);
      },
      (reason) => reason,
    ),

  /**
   * Graph takes no `If-Match` here. The item is read at once before, so a change within the time of one call is not
   * noticed and keeps its content: the label is assigned to the newer version.
   */
  writeLabel: ({ ifSourceVersion, ...target }, { labelGuid, justification }, signal) =>
    withIdentity(
      async () => {
        const item = await readItem(client, target, signal);
        if (item === 'gone') return { state: 'gone' };
        if (typeof item === 'string') return refused(item);
        if (versionOf(item) !== ifSourceVersion) return { state: 'changed' };
        const prevention = preventionIn(item);
        if (prevention !== null) return refused(prevention);
        const answer = await client.call('label_assign', idsOf(target), {
          body: {
            sensitivityLabelId: labelGuid ?? '',
            // What a person chooses. `standard` stands for a default, and cannot replace what a person chose.
            assignmentMethod: 'privileged',
            justificationText: justification,
          },
          schema: z.unknown(),
          ...WRITE,
          signal,
        });
        if (answer.ok) return { state: 'accepted', monitor: usable(answer.location) };
        if (answer.status === 404 || answer.status === 410) return { state: 'gone' };
        const reason = refusalOf(answer.status, answer.codes);
        if (reason === null) throw new ConnectorError('permanent', `graph_label_assign_${answer.status}`);
        return refused(reason === 'file_locked' ? await lockOf(client, target, signal) : reason);
      },
      (reason) => refused(reason),
    ),

  outcomeOf: async (monitor, signal) => {
    try {
      const answer = await client.monitor(monitor, { schema: JobStatus, ...WATCH, signal });
      if (answer.ok) return endOf(answer.status, answer.body);
      return { state: answer.status < 400 ? 'completed' : 'unknown' };
    } catch (error) {
      // Such as an address outside of the cloud.
      if (error instanceof ConnectorError && error.retryClass === 'permanent') return { state: 'unknown' };
      throw error;
    }
  },
});

const refused = (reason: LabelRefusal) => ({ state: 'refused', reason }) as const;

const idsOf = ({ scopeExternalId: driveId, externalId: itemId }: LabelTarget) => ({ driveId, itemId });

const usable = (location: string | null): string | null =>
  location !== null && location.length <= MAX_MONITOR ? location : null;

/** Without a token, the remediation identity is refused just as without a permission. */
async function withIdentity<T>(run: () => Promise<T>, whenRefused: (reason: LabelRefusal) => T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConnectorError && error.retryClass === 'auth')
      return whenRefused('write_identity_refused');
    throw error;
  }
}

/** The item with what the write needs, `gone`, or why it cannot be read. */
async function readItem(
  client: GraphClient,
  target: LabelTarget,
  signal: AbortSignal,
): Promise<DriveItem | 'gone' | LabelRefusal> {
  const query = { $select: `${ITEM_FIELDS},publication` };
  const answer = await client.call('item', idsOf(target), { query, schema: DriveItem, ...READ, signal });
  if (answer.ok) return answer.body.deleted ? 'gone' : answer.body;
  if (answer.status === 404 || answer.status === 410) return 'gone';
  return refusalOf(answer.status, answer.codes) ?? 'write_identity_refused';
}

function preventionIn({ name, file, publication }: DriveItem): LabelRefusal | null {
  if (!file || !LABELLED.test(name ?? '')) return 'file_type_not_supported';
  return publication?.level?.toLowerCase() === 'checkout' ? 'file_checked_out' : null;
}

/** Graph answers both locks alike. */
async function lockOf(client: GraphClient, target: LabelTarget, signal: AbortSignal): Promise<LabelRefusal> {
  const item = await readItem(client, target, signal);
  const prevention = typeof item === 'string' ? null : preventionIn(item);
  return prevention === 'file_checked_out' ? prevention : 'file_locked';
}

/** Why Graph cannot open the file, which keeps it from reading a label as well as from writing one. Not metered. */
async function encryptionOf(
  client: GraphClient,
  target: LabelTarget,
  signal: AbortSignal,
): Promise<LabelRefusal | null> {
  const expect = [400, 401, 403, 404, 405, 409, 410, 415, 422, 423, 501] as const;
  const answer = await client.batched('labels_extract', idsOf(target), {
    schema: z.unknown(),
    expect,
    signal,
  });
  return !answer.ok && answer.status === 423 ? refusalOf(423, answer.codes) : null;
}

/**
 * Documented (`asyncJobStatus`; `longRunningOperation` says `succeeded`). Nobody recorded what a failure adds; `errorCode`
 * and `error` are read where they are.
 */
function endOf(httpStatus: number, job: JobStatus): LabelWriteEnd {
  const status = job?.status?.toLowerCase();
  if (status === 'completed' || status === 'succeeded') return { state: 'completed' };
  if (status === 'failed' || status === 'deletefailed') {
    const codes = [...(job?.errorCode ? [job.errorCode] : []), ...codesIn(job)];
    return { state: 'failed', reason: refusalOf(null, codes) ?? 'write_failed_at_source' };
  }
  return { state: status === undefined && httpStatus !== 202 ? 'unknown' : 'pending' };
}
