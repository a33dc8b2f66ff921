import { isUtf8 } from 'node:buffer';
import { type Checkpoint, signedStatement } from './checkpoint.ts';
import { type AuditExportHeader, type ExportLine, readHeader, readLine } from './export-line.ts';
import { type Anchors, TrailCheck } from './trail-check.ts';
import { type BreakReason, type ChainHead, emptyChain } from './verify.ts';

/** Maximum length of a line in bytes, so that a file without line feeds does not fill the memory. */
const MAX_WAITING = 1024 * 1024;
const LINE_FEED = 10;

/** A file of an export. If there are several, each is opened twice. */
export type ExportFile = { name: string; open: () => AsyncIterable<Uint8Array> };

/** Where an export breaks. `seq` is the position in the chain, as far as it was followed. */
type ExportBreak = {
  file: string;
  /** From 1. If something is missing at the end, it is one more than the number of lines. */
  line: number;
  seq: number;
  reason:
    | BreakReason
    | 'malformed_header'
    | 'malformed_line'
    // What does not join two files.
    | 'segment_gap'
    | 'segment_overlap'
    | 'segment_mismatch';
};

export type ExportReport = {
  ok: boolean;
  /** Names of the files, in the order in which they begin. */
  files: string[];
  /** The tenant of the trail. Null if the header cannot be read. */
  tenantId: string | null;
  /** The checkpoint after which the export begins. Null if it begins with the first event. */
  after: Checkpoint | null;
  /** Number of valid events, from where the export begins. */
  count: number;
  head: ChainHead;
  /** Number of valid checkpoints, without the one after which the export begins. */
  checkpoints: number;
  /** The newest valid checkpoints, newest first. The one after which the export begins is among them. */
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
 * says. Several files, in any order, are verified as one trail: each must begin where another ends. It stops at the
 * first break. Memory use does not depend on the size of the files. Throws errors of the files.
 */
export async function verifyExport(
  files: readonly ExportFile[],
  { anchors = NO_ANCHORS, onProgress }: ExportOptions = {},
): Promise<ExportReport> {
  const ordered = await inOrder(files);
  const names = ordered.map(({ name }) => name);
  const reading = new ExportReading(anchors);
  let file = '';
  let line = 0;
  for (const { name, open } of ordered) {
    file = name;
    line = 0;
    for await (const texts of linesOf(open())) {
      for (const text of texts) {
        line++;
        const found = reading.line(text);
        if (found !== null) return reading.report(names, { file, line, ...found });
      }
      onProgress?.(reading.count);
    }
    const found = reading.endOfFile();
    if (found !== null) return reading.report(names, { file, line: line + 1, ...found });
  }
  const found = reading.end();
  return reading.report(names, found === null ? null : { file, line: line + 1, ...found });
}

/** The files in the order in which they begin. A file that is no export comes first, so that it is reported at once. */
async function inOrder(files: readonly ExportFile[]): Promise<readonly ExportFile[]> {
  // A single file is opened once, so it can be a pipe.
  if (files.length === 1) return files;
  const begun: { file: ExportFile; after: number }[] = [];
  for (const file of files) begun.push({ file, after: (await headerOf(file))?.afterCheckpoint ?? -1 });
  return begun.sort((a, b) => a.after - b.after).map(({ file }) => file);
}

async function headerOf({ open }: ExportFile): Promise<AuditExportHeader | null> {
  for await (const [first] of linesOf(open())) {
    if (first !== undefined) return first === null ? null : readHeader(first);
  }
  return null;
}

type Found = Omit<ExportBreak, 'file' | 'line'>;

/** The files of an export, in the order in which they begin. */
class ExportReading {
  readonly #anchors: Anchors;
  readonly #newest: Checkpoint[] = [];
  #check: TrailCheck | null = null;
  #file: FileReading | null = null;

  constructor(anchors: Anchors) {
    this.#anchors = anchors;
  }

  get count(): number {
    return this.#check?.chain.count ?? 0;
  }

  /** Null if the line is valid. */
  line(text: string | null): Found | null {
    const found = this.#file === null ? this.#begin(text) : this.#file.line(text);
    const last = this.#check?.lastCheckpoint ?? null;
    if (last !== null && last !== this.#newest[0]) this.#newest.unshift(last);
    if (this.#newest.length > REPORTED) this.#newest.pop();
    return found;
  }

  endOfFile(): Found | null {
    const found = this.#file === null ? this.#malformedHeader() : this.#file.end();
    this.#file = null;
    return found;
  }

  /** Call it after the last file. */
  end(): Found | null {
    const found = this.#check?.end() ?? null;
    if (found !== null) return found;
    // A forged trail may omit all checkpoints. With known keys, a trail without checkpoints is therefore refused.
    return this.#anchors.trustedKeys.size > 0 && this.#newest.length === 0
      ? { seq: this.#head.seq, reason: 'checkpoint_key_unknown' }
      : null;
  }

  report(files: string[], firstBreak: ExportBreak | null): ExportReport {
    return {
      ok: firstBreak === null,
      files,
      tenantId: this.#check?.tenantId ?? null,
      after: this.#check?.after ?? null,
      count: this.count,
      head: this.#head,
      checkpoints: this.#check?.checkpoints ?? 0,
      newestCheckpoints: this.#newest,
      firstBreak,
    };
  }

  get #head(): ChainHead {
    return (this.#check?.chain ?? emptyChain()).head;
  }

  #begin(text: string | null): Found | null {
    const header = text === null ? null : readHeader(text);
    if (header === null) return this.#malformedHeader();
    const joined = this.#check;
    this.#check = joined ?? new TrailCheck(header.tenantId, this.#anchors);
    this.#file = new FileReading(header, this.#check, { isFirst: joined === null });
    return joined === null ? null : joins(header, joined);
  }

  #malformedHeader(): Found {
    return { seq: this.#head.seq + 1, reason: 'malformed_header' };
  }
}

/** Whether a file begins where the trail before it ends, as far as its header says. */
function joins({ tenantId, afterCheckpoint }: AuditExportHeader, trail: TrailCheck): Found | null {
  const { head } = trail.chain;
  const signed = trail.lastCheckpoint ?? { number: 0, seq: 0 };
  const seq = head.seq + 1;
  if (tenantId !== trail.tenantId) return { seq, reason: 'wrong_tenant' };
  if (afterCheckpoint > signed.number) return { seq, reason: 'segment_gap' };
  const isBehind = afterCheckpoint < signed.number || signed.seq < head.seq;
  return isBehind ? { seq: signed.seq, reason: 'segment_overlap' } : null;
}

/** A file after its header. */
class FileReading {
  readonly #header: AuditExportHeader;
  readonly #check: TrailCheck;
  readonly #isFirst: boolean;
  readonly #checkpointsBefore: number;
  #isOpened: boolean;

  constructor(header: AuditExportHeader, check: TrailCheck, { isFirst }: { isFirst: boolean }) {
    this.#header = header;
    this.#check = check;
    this.#isFirst = isFirst;
    this.#checkpointsBefore = check.checkpoints;
    this.#isOpened = header.afterCheckpoint === 0;
  }

  line(text: string | null): Found | null {
    const seq = this.#check.chain.head.seq + 1;
    const read = text === null ? null : readLine(text);
    if (read === null) return { seq, reason: 'malformed_line' };
    if (!this.#isOpened) return this.#open(read);
    return 'hash' in read
      ? this.#check.event({ tenantId: this.#header.tenantId, seq, ...read })
      : this.#check.checkpoint(read);
  }

  end(): Found | null {
    const { seq } = this.#check.chain.head;
    if (!this.#isOpened) return { seq, reason: 'checkpoint_gap' };
    const found = this.#check.endsAt(this.#header.head);
    if (found !== null) return found;
    const checkpoints = this.#check.checkpoints - this.#checkpointsBefore;
    return checkpoints === this.#header.checkpoints ? null : { seq, reason: 'checkpoint_gap' };
  }

  /** Reads the checkpoint after which the file begins. */
  #open(read: ExportLine): Found | null {
    this.#isOpened = true;
    const { seq } = this.#check.chain.head;
    if ('hash' in read) return { seq, reason: 'checkpoint_gap' };
    if (!this.#isFirst) {
      if (signedStatement(read) === null) return { seq, reason: 'checkpoint_forged' };
      return this.#check.isLast(read) ? null : { seq, reason: 'segment_mismatch' };
    }
    const found = this.#check.begin(read);
    if (found !== null) return found;
    const isNamed = this.#check.after?.number === this.#header.afterCheckpoint;
    return isNamed ? null : { seq: this.#check.chain.head.seq, reason: 'checkpoint_gap' };
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
