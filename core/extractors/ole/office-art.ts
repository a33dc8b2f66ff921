import { openZip, shortfallOf } from '../archive/zip.ts';
import type { BoundedText, Shortfall } from '../bounded-text.ts';
import type { ExtractionBudget } from '../extractor.ts';
import { readMarkup } from '../markup/markup.ts';
import { drawingText } from '../ooxml/drawing-text.ts';

const HEADER_BYTES = 8;
const CONTAINER = 0xf;
/** [MS-ODRAW] 2.2.9–11: property tables of shapes. */
const PROPERTY_TABLES: ReadonlySet<number> = new Set([0xf00b, 0xf121, 0xf122]);
const PROPERTY_BYTES = 6;
const IS_COMPLEX = 0x8000;
const ID_MASK = 0x3fff;

/** WordArt text, alternative text and tooltip of a shape. Names are omitted, because applications generate them. */
const TEXTS: ReadonlySet<number> = new Set([0x00c0, 0x0381, 0x038d]);
const MAX_TEXT_BYTES = 65_536;
/** The same shape as a package for newer applications. */
const PACKAGE = 0x03a9;

/** A diagram has a package. The text of other shapes is in the shape. */
const MAX_PACKAGES = 10_000;
const DIAGRAM = /^drs\/diagrams\/data\d*\.xml$/;

/** A record of Office drawings and of presentations, which use the same header. */
export type ArtRecord = { type: number; instance: number; isContainer: boolean; start: number; end: number };

/** The record at an offset, truncated to the end of the data. Null if there is no room for a header. */
export function artRecord(data: Buffer, at: number, end: number): ArtRecord | null {
  if (at + HEADER_BYTES > end) return null;
  const head = data.readUInt16LE(at);
  const start = at + HEADER_BYTES;
  return {
    type: data.readUInt16LE(at + 2),
    instance: head >> 4,
    isContainer: (head & 0xf) === CONTAINER,
    start,
    end: Math.min(end, start + data.readUInt32LE(at + 4)),
  };
}

/**
 * Appends the texts in a property table of a shape. Adds its packages to `packages`, for `writeDiagrams`. Ignores
 * other records.
 */
export function writeShapeTexts(
  data: Buffer,
  record: ArtRecord,
  text: BoundedText,
  packages: Buffer[],
): void {
  if (!PROPERTY_TABLES.has(record.type)) return;
  // Values that do not fit in a word follow the table, in its order.
  let complexAt = record.start + record.instance * PROPERTY_BYTES;
  for (let index = 0; index < record.instance && complexAt < record.end; index++) {
    const at = record.start + index * PROPERTY_BYTES;
    const id = data.readUInt16LE(at);
    if ((id & IS_COMPLEX) === 0) continue;
    const size = data.readUInt32LE(at + 2);
    if (TEXTS.has(id & ID_MASK) && size <= MAX_TEXT_BYTES) {
      const words = data.toString('utf16le', complexAt, Math.min(complexAt + size, record.end));
      text.line(words.replaceAll('\0', ''));
    } else if ((id & ID_MASK) === PACKAGE && packages.length < MAX_PACKAGES) {
      packages.push(data.subarray(complexAt, Math.min(complexAt + size, record.end)));
    }
    complexAt += size;
  }
}

/** Appends the texts of all shapes in a drawing. Enters containers and skips all other records. */
export function writeDrawingTexts(
  data: Buffer,
  start: number,
  end: number,
  text: BoundedText,
  packages: Buffer[],
): void {
  for (let at = start; !text.full; ) {
    const record = artRecord(data, at, end);
    if (record === null) return;
    writeShapeTexts(data, record, text, packages);
    at = record.isContainer ? record.start : record.end;
  }
}

/** Appends the texts of SmartArt. Older applications show only a picture of it. */
export async function writeDiagrams(
  packages: readonly Buffer[],
  text: BoundedText,
  budget: ExtractionBudget,
): Promise<Shortfall | null> {
  let shortfall: Shortfall | null = null;
  for (const bytes of packages) {
    // Member names are not compressed, so most packages need not be opened.
    if (text.full || !bytes.includes('drs/diagrams/')) continue;
    try {
      const { members } = await openZip(bytes, budget);
      for (const member of members) {
        if (!DIAGRAM.test(member.name)) continue;
        text.separate('\n');
        await readMarkup(member.read(), drawingText(text), () => text.full);
      }
    } catch (error) {
      shortfall = shortfallOf(error);
    }
  }
  return shortfall;
}
