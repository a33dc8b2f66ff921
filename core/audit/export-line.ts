import type { SignedCheckpoint } from './checkpoint.ts';
import type { ChainHead, StoredEvent } from './verify.ts';

/**
 * An export of a tenant's audit trail as NDJSON. Every line is RFC 8785 text, so that it has exactly one form:
 *
 *     {"export":{"checkpoints":1,"format":"audit-trail","head":{"hash":HASH,"seq":N},"tenantId":T,"version":1}}
 *     {"hash":HASH,"record":{"chain":{"prev":HASH,"seq":1},"event":{…}}}
 *     {"checkpoint":{…},"publicKey":X,"signature":S}
 *
 * The header comes first: the tenant, the end of the chain and the number of checkpoints. Then come the events in
 * order, each followed by the checkpoints that sign it. `hash` is the SHA-256 of the bytes of `record`. `signature`
 * signs the bytes of `checkpoint`. There are no other lines, and each line ends with a line feed.
 *
 * An export that begins after a checkpoint has version 2 and `"afterCheckpoint":NUMBER` first in its header. That
 * checkpoint is the second line and is not counted. Its signature covers the place where the file begins.
 */
export type AuditExportHeader = {
  tenantId: string;
  /** Number of the checkpoint after which the file begins. 0 if it begins with the first event. */
  afterCheckpoint: number;
  /** Where the file ends. */
  head: ChainHead;
  /** Number of checkpoints after the one with which the file begins. */
  checkpoints: number;
};

export type ExportLine = Pick<StoredEvent, 'hash' | 'record'> | SignedCheckpoint;

export const headerLine = ({ tenantId, afterCheckpoint, head, checkpoints }: AuditExportHeader): string =>
  JSON.stringify({
    export: {
      ...(afterCheckpoint > 0 && { afterCheckpoint }),
      checkpoints,
      format: 'audit-trail',
      head: { hash: head.hash, seq: head.seq },
      tenantId,
      version: afterCheckpoint > 0 ? 2 : 1,
    },
  });

export const eventLine = ({ hash, record }: Pick<StoredEvent, 'hash' | 'record'>): string =>
  `{"hash":"${hash}","record":${record}}`;

export const checkpointLine = ({ record, publicKey, signature }: SignedCheckpoint): string =>
  `{"checkpoint":${record},"publicKey":"${publicKey}","signature":"${signature}"}`;

const HASH = '[0-9a-f]{64}';
const HEADER = new RegExp(
  [
    String.raw`^\{"export":\{(?:"afterCheckpoint":([1-9][0-9]{0,14}),)?`,
    `"checkpoints":(0|[1-9][0-9]{0,14}),"format":"audit-trail",`,
    String.raw`"head":\{"hash":"(${HASH})","seq":(0|[1-9][0-9]{0,14})\},`,
    String.raw`"tenantId":"([A-Za-z0-9_-]{1,64})","version":([12])\}\}$`,
  ].join(''),
);
const EVENT_PREFIX = new RegExp(`^\\{"hash":"(${HASH})","record":`);
const EVENT_RECORD_AT = eventLine({ hash: '0'.repeat(64), record: '' }).length - 1;
const CHECKPOINT =
  /^\{"checkpoint":(\{[^{}]{1,1000}\}),"publicKey":"([\w-]{43})","signature":"([\w-]{86})"\}$/;

/** Parses the header line. Null if it is not one. */
export function readHeader(line: string): AuditExportHeader | null {
  const [, after, checkpoints, hash, seq, tenantId, version] = HEADER.exec(line) ?? [];
  if (hash === undefined || tenantId === undefined) return null;
  if (version !== (after === undefined ? '1' : '2')) return null;
  return {
    tenantId,
    afterCheckpoint: Number(after ?? 0),
    head: { hash, seq: Number(seq) },
    checkpoints: Number(checkpoints),
  };
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
