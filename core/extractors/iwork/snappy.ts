const LITERAL = 0;
const NEAR_COPY = 1;
const MIDDLE_COPY = 2;
/** The length of a literal from this value on is stored in the following bytes. */
const LONG_LITERAL = 60;
const MAX_LENGTH_BYTES = 5;
/** The longest copy produces 64 bytes from three. A block that claims a higher ratio is invalid. */
const MAX_RATIO = 22;

/**
 * Decodes one block of Snappy's raw format (google/snappy, format_description.txt): its length, then literals and
 * copies of earlier output. Of a broken block, returns what precedes the fault. The output is bounded by the size of
 * the block.
 */
export function unsnapped(block: Buffer): { bytes: Buffer; whole: boolean } {
  const { length, start } = declaredLength(block);
  if (length > block.length * MAX_RATIO) return { bytes: Buffer.alloc(0), whole: false };
  const out = Buffer.allocUnsafe(length);
  let written = 0;
  let at = start;
  while (at < block.length) {
    const step = (block.readUInt8(at) & 3) === LITERAL ? literal(block, at) : copy(block, at);
    if (step === null || step.offset > written || written + step.size > length) break;
    if (step.offset === 0) block.copy(out, written, step.end - step.size, step.end);
    else repeat(out, written, step.offset, step.size);
    written += step.size;
    at = step.end;
  }
  return { bytes: out.subarray(0, written), whole: written === length && at === block.length };
}

function declaredLength(block: Buffer): { length: number; start: number } {
  let length = 0;
  for (let at = 0; at < Math.min(block.length, MAX_LENGTH_BYTES); at++) {
    const byte = block.readUInt8(at);
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { length, start: at + 1 };
  }
  return { length: 0, start: 0 };
}

/** `offset` is how far back a copy starts, or 0 for a literal. `end` is the offset of the next step. */
type Step = { size: number; offset: number; end: number };

/** Returns a truncated literal as far as it goes, and null if nothing is left. The same applies to copies below. */
function literal(block: Buffer, at: number): Step | null {
  const tag = block.readUInt8(at) >> 2;
  const lengthBytes = Math.max(0, tag - LONG_LITERAL + 1);
  const start = at + 1 + lengthBytes;
  if (start >= block.length) return null;
  const size = 1 + (lengthBytes === 0 ? tag : block.readUIntLE(at + 1, lengthBytes));
  const end = Math.min(block.length, start + size);
  return { size: end - start, offset: 0, end };
}

function copy(block: Buffer, at: number): Step | null {
  const tag = block.readUInt8(at);
  const kind = tag & 3;
  const offsetBytes = kind === NEAR_COPY ? 1 : kind === MIDDLE_COPY ? 2 : 4;
  const end = at + 1 + offsetBytes;
  if (end > block.length) return null;
  const low = block.readUIntLE(at + 1, offsetBytes);
  const offset = kind === NEAR_COPY ? ((tag >> 5) << 8) | low : low;
  if (offset === 0) return null;
  return { size: kind === NEAR_COPY ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1, offset, end };
}

/** A copy may overlap its own output, which repeats a few bytes. */
function repeat(out: Buffer, written: number, offset: number, size: number): void {
  if (offset >= size) out.copyWithin(written, written - offset, written - offset + size);
  else for (let at = written; at < written + size; at++) out[at] = out[at - offset] as number;
}
