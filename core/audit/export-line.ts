import type { SignedCheckpoint } from './checkpoint.ts';
import type { ChainHead, StoredEvent } from './verify.ts';

/**
 * An export of a tenant's whole audit trail as NDJSON. Every line is RFC 8785 text, so that it has exactly one form:
 *
 *     {"export":{"checkpoints":1,"format":"audit-trail","head":{"hash":HASH,"seq":N},"tenantId":T,"version":1}}
 *     {"hash":HASH,"record":{"chain":{"prev":HASH,"seq":1},"event":{…}}}
 *     {"checkpoint":{…},"publicKey":X,"signature":S}
 *
 * The header comes first: the tenant, the end of the chain and the number of checkpoints. Then come the events in
 * order, each followed by the checkpoints that sign it. `hash` is the SHA-256 of the bytes of `record`. `signature`
 * signs the bytes of `checkpoint`. There are no other lines, and each line ends with a line feed.
 */
export type AuditExportHeader = { tenantId: string; head: ChainHead; checkpoints: number };

export type ExportLine = Pick<StoredEvent, 'hash' | 'record'> | SignedCheckpoint;

export const headerLine = ({ tenantId, head, checkpoints }: AuditExportHeader): string =>
  JSON.stringify({
    export: {
      checkpoints,
      format: 'audit-trail',
      head: { hash: head.hash, seq: head.seq },
      tenantId,
      version: 1,
    },
  });

export const eventLine = ({ hash, record }: Pick<StoredEvent, 'hash' | 'record'>): string =>
  `{"hash":"${hash}","record":${record}}`;

export const checkpointLine = ({ record, publicKey, signature }: SignedCheckpoint): string =>
  `{"checkpoint":${record},"publicKey":"${publicKey}","signature":"${signature}"}`;

const HASH = '[0-9a-f]{64}';
const HEADER = new RegExp(
  [
    String.raw`^\{"export":\{"checkpoints":(0|[1-9][0-9]{0,14}),"format":"audit-trail",`,
    String.raw`"head":\{"hash":"(${HASH})","seq":(0|[1-9][0-9]{0,14})\},`,
    String.raw`"tenantId":"([A-Za-z0-9_-]{1,64})","version":1\}\}$`,
  ].join(''),
);
const EVENT_PREFIX = new RegExp(`^\\{"hash":"(${HASH})","record":`);
const EVENT_RECORD_AT = eventLine({ hash: '0'.repeat(64), record: '' }).length - 1;
const CHECKPOINT =
  /^\{"checkpoint":(\{[^{}]{1,1000}\}),"publicKey":"([\w-]{43})","signature":"([\w-]{86})"\}$/;

/** Parses the header line. Null if it is not one. */
export function readHeader(line: string): AuditExportHeader | null {
  const [, checkpoints, hash, seq, tenantId] = HEADER.exec(line) ?? [];
  if (hash === undefined || tenantId === undefined) return null;
  return { tenantId, head: { hash, seq: Number(seq) }, checkpoints: Number(checkpoints) };
}

/** Parses the line of an event or a checkpoint. Null if it is neither. Only the form is checked. */
export function readLine(line: string): ExportLine | null {
  const hash = EVENT_PREFIX.exec(line)?.[1];
  if (hash !== undefined)
    return line.endsWith('}') ? { hash, record: line.slice(EVENT_RECORD_AT, -1) } : null;
  const [, record, publicKey, signature] = CHECKPOINT.exec(line) ?? [];
  if (record === undefined || publicKey === undefined || signature === undefined) return null;
  return { record, publicKey, signature };
}
