import { isUtf8 } from 'node:buffer';
import type { Checkpoint } from './checkpoint.ts';
import { type AuditExportHeader, readHeader, readLine } from './export-line.ts';
import { type Anchors, TrailCheck } from './trail-check.ts';
import { type BreakReason, type ChainHead, emptyChain } from './verify.ts';

/** Maximum length of a line in bytes, so that a file without line feeds does not fill the memory. */
const MAX_WAITING = 1024 * 1024;
const LINE_FEED = 10;

/** Where a file breaks. `seq` is the position in the chain, as far as it was followed. */
type ExportBreak = {
  /** From 1. If something is missing at the end, it is one more than the number of lines. */
  line: number;
  seq: number;
  reason: BreakReason | 'malformed_header' | 'malformed_line';
};

export type ExportReport = {
  ok: boolean;
  /** The tenant of the trail. Null if the header cannot be read. */
  tenantId: string | null;
  /** Number of valid events, from the first. */
  count: number;
  head: ChainHead;
  /** Number of valid checkpoints from the first, and the newest of them, newest first. */
  checkpoints: number;
  newestCheckpoints: Checkpoint[];
  firstBreak: ExportBreak | null;
};

export type ExportOptions = {
  anchors?: Anchors;
  /** Called from time to time with the number of events so far. */
  onProgress?: (events: number) => void;
};

const NO_ANCHORS: Anchors = { trustedKeys: new Set(), pinned: [] };
/** Number of newest checkpoints in a report. */
const REPORTED = 10;

/**
 * Verifies an export without a database: the chain, the tenant, the checkpoints, and that it ends where its header
 * says. It stops at the first break. Memory use does not depend on the size of the file. Throws errors of the source.
 */
export async function verifyExport(
  file: AsyncIterable<Uint8Array>,
  { anchors = NO_ANCHORS, onProgress }: ExportOptions = {},
): Promise<ExportReport> {
  let reading: ExportReading | null = null;
  let line = 0;
  for await (const texts of linesOf(file)) {
    for (const text of texts) {
      line++;
      if (reading === null) {
        const header = text === null ? null : readHeader(text);
        if (header === null) return NOT_AN_EXPORT;
        reading = new ExportReading(header, anchors);
        continue;
      }
      const found = reading.line(text);
      if (found !== null) return reading.report({ line, ...found });
    }
    if (reading !== null) onProgress?.(reading.check.chain.count);
  }
  if (reading === null) return NOT_AN_EXPORT;
  const found = reading.end();
  return reading.report(found === null ? null : { line: line + 1, ...found });
}

const NOT_AN_EXPORT: ExportReport = {
  ok: false,
  tenantId: null,
  ...emptyChain(),
  checkpoints: 0,
  newestCheckpoints: [],
  firstBreak: { line: 1, seq: 1, reason: 'malformed_header' },
};

type Found = Omit<ExportBreak, 'line'>;

/** The part of a file after its header. */
class ExportReading {
  readonly check: TrailCheck;
  readonly #header: AuditExportHeader;
  readonly #mustBeSigned: boolean;
  readonly #newest: Checkpoint[] = [];

  constructor(header: AuditExportHeader, anchors: Anchors) {
    this.#header = header;
    this.#mustBeSigned = anchors.trustedKeys.size > 0;
    this.check = new TrailCheck(header.tenantId, anchors);
  }

  /** Null if the line is valid. */
  line(text: string | null): Found | null {
    const { check } = this;
    const seq = check.chain.head.seq + 1;
    const read = text === null ? null : readLine(text);
    if (read === null) return { seq, reason: 'malformed_line' };
    if ('hash' in read) return check.event({ tenantId: this.#header.tenantId, seq, ...read });
    const found = check.checkpoint(read);
    if (found !== null) return found;
    if (check.lastCheckpoint !== null) this.#newest.unshift(check.lastCheckpoint);
    if (this.#newest.length > REPORTED) this.#newest.pop();
    return null;
  }

  end(): Found | null {
    const { check } = this;
    const found = check.end(this.#header.head);
    if (found !== null) return found;
    const { seq } = check.chain.head;
    if (check.checkpoints !== this.#header.checkpoints) return { seq, reason: 'checkpoint_gap' };
    // A forged trail may omit all checkpoints. With known keys, a trail without checkpoints is therefore refused.
    return this.#mustBeSigned && check.checkpoints === 0 ? { seq, reason: 'checkpoint_key_unknown' } : null;
  }

  report(firstBreak: ExportBreak | null): ExportReport {
    const { chain, checkpoints } = this.check;
    return {
      ok: firstBreak === null,
      tenantId: this.#header.tenantId,
      ...chain,
      checkpoints,
      newestCheckpoints: this.#newest,
      firstBreak,
    };
  }
}

/**
 * The lines of each chunk. Null stands for an invalid line: not UTF-8, too long, or without a line feed at the end.
 */
async function* linesOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<(string | null)[]> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of file) {
    const bytes =
      rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([rest, chunk]);
    const lines: (string | null)[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      lines.push(textOf(bytes.subarray(start, end)));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_WAITING) {
      yield [...lines, null];
      return;
    }
    yield lines;
  }
  if (rest.length > 0) yield [null];
}

const textOf = (line: Buffer) => (isUtf8(line) ? line.toString('utf8') : null);
