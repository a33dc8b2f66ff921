import { isUtf8 } from 'node:buffer';
import type { Checkpoint } from './checkpoint.ts';
import { type AuditExportHeader, readHeader, readLine } from './export-line.ts';
import { type Anchors, TrailCheck } from './trail-check.ts';
import { type BreakReason, type ChainHead, emptyChain } from './verify.ts';

/** Bytes that may wait for a line feed: a file without any fills no memory. */
const WAITING_MAX = 1024 * 1024;
const LINE_FEED = 10;

/** Where a file breaks. `seq` is the place in the chain, as far as it was followed. */
type ExportBreak = {
  /** From 1; one more than the file has, where something is missing at its end. */
  line: number;
  seq: number;
  reason: BreakReason | 'malformed_header' | 'malformed_line';
};

export type ExportReport = {
  ok: boolean;
  /** Whose trail it is; null where the header cannot be read. */
  tenantId: string | null;
  /** Events that hold, counted from the first. */
  count: number;
  head: ChainHead;
  /** Checkpoints that hold, counted from the first, and the newest of them, newest first. */
  checkpoints: number;
  newestCheckpoints: Checkpoint[];
  firstBreak: ExportBreak | null;
};

export type ExportOptions = {
  anchors?: Anchors;
  /** Called now and then with the number of events so far. */
  onProgress?: (events: number) => void;
};

const NO_ANCHORS: Anchors = { trustedKeys: new Set(), pinned: [] };
/** How many of the newest checkpoints a report holds. */
const REPORTED = 10;

/**
 * Verifies an export without a database: chain, tenant, checkpoints, and that it ends where its header says. Stops where it
 * breaks. Memory does not grow with the file. An error of the source is thrown.
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

/** The file below its header. */
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

  /** Null where the line holds. */
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
    // Whoever made the trail anew may have left all checkpoints out: to a known key that is no trail of its tenant.
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

/** The lines of each chunk. Null stands for what is none: not UTF-8, too long, or without a line feed at the end. */
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
    if (rest.length > WAITING_MAX) {
      yield [...lines, null];
      return;
    }
    yield lines;
  }
  if (rest.length > 0) yield [null];
}

const textOf = (line: Buffer) => (isUtf8(line) ? line.toString('utf8') : null);
