import { openZip, shortfallOf } from '../archive/zip.ts';
import type { BoundedText, Shortfall } from '../bounded-text.ts';
import type { ExtractionBudget } from '../extractor.ts';
import { readMarkup } from '../markup/markup.ts';
import { drawingText } from '../ooxml/drawing-text.ts';

const HEADER_BYTES = 8;
const CONTAINER = 0xf;
/** [MS-ODRAW] 2.2.9–11: tables of a shape's properties. */
const PROPERTY_TABLES: ReadonlySet<number> = new Set([0xf00b, 0xf121, 0xf122]);
const PROPERTY_BYTES = 6;
const IS_COMPLEX = 0x8000;
const ID_MASK = 0x3fff;

/** WordArt; then a shape's alternative text and its tip; not its name, which applications make up. */
const TEXTS: ReadonlySet<number> = new Set([0x00c0, 0x0381, 0x038d]);
const MAX_TEXT_BYTES = 65_536;
/** The shape once more, as the package that newer applications make of it. */
const PACKAGE = 0x03a9;

/** A diagram has one; others' text is in the shape itself. */
const MAX_PACKAGES = 10_000;
const DIAGRAM = /^drs\/diagrams\/data\d*\.xml$/;

/** One record of the Office Drawing format and of presentations, which share their head. */
export type ArtRecord = { type: number; instance: number; isContainer: boolean; start: number; end: number };

/** The record at an offset, its end cut to the end of the data; null where there is no room for one. */
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
 * Appends what the properties of a shape say in words, if the record is a table of them, and adds the packages in it to
 * `packages`, for `writeDiagrams`.
 */
export function writeShapeTexts(
  data: Buffer,
  record: ArtRecord,
  text: BoundedText,
  packages: Buffer[],
): void {
  if (!PROPERTY_TABLES.has(record.type)) return;
  // Values that do not fit their word follow the table, in its order.
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

/** Appends the texts of all shapes in a drawing: goes into containers and over everything else. */
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

/** Appends the texts of SmartArt, which older applications are shown a picture of. */
export async function writeDiagrams(
  packages: readonly Buffer[],
  text: BoundedText,
  budget: ExtractionBudget,
): Promise<Shortfall | null> {
  let shortfall: Shortfall | null = null;
  for (const bytes of packages) {
    // Names of members are plain in the archive: most packages need not be opened.
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
