import { slices } from '../archive/zip.ts';
import type { BoundedText, Shortfall } from '../bounded-text.ts';
import { hold } from '../embedded.ts';
import type { ExtractionContext } from '../extractor.ts';
import { readMarkup } from '../markup/markup.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import { type PdfStream, pdfStreams, streamContent } from './pdf-streams.ts';

const ENTRY = Buffer.from('/XFA');
const MAX_ENTRY_BYTES = 2_000;
/** `(template) 11 0 R`: a packet and its object. Only these packets contain text. */
const PACKET = /\((?:template|datasets|form)\)\s{0,9}(\d{1,9})\s{1,9}\d{1,5}\s{1,9}R/g;
const WORDLESS = new Set(['script', 'style', 'event', 'picture', 'pattern']);

/**
 * Appends the text of an XFA form: its template and its data. Forms whose list of packets is in a compressed object
 * are left out. Most of their fields are annotations too.
 */
export async function writeXfa(
  data: Buffer,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const numbers = xfaPackets(data);
  if (numbers.size === 0) return null;
  const latest = new Map<number, PdfStream>();
  for (const stream of pdfStreams(data)) if (numbers.has(stream.object)) latest.set(stream.object, stream);
  let shortfall: Shortfall | null = null;
  for (const stream of latest.values()) {
    const { bytes } = await hold(streamContent(data, stream, context.budget), stream.end - stream.start);
    const read = await readMarkup(slices(bytes), words(text), () => text.full);
    if (read === 'damaged') shortfall = 'damaged';
  }
  return shortfall;
}

/** The object numbers of form packets, in all revisions of the file. */
export function xfaPackets(data: Buffer): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (let at = data.indexOf(ENTRY); at >= 0; at = data.indexOf(ENTRY, at + MAX_ENTRY_BYTES)) {
    const entry = data.toString('latin1', at, at + MAX_ENTRY_BYTES);
    for (const [, number] of entry.slice(0, entry.indexOf(']') + 1).matchAll(PACKET))
      numbers.add(Number(number));
  }
  return numbers;
}

function words(text: BoundedText): MarkupHandler {
  let wordless = 0;
  return {
    open(name) {
      if (WORDLESS.has(name)) wordless++;
      text.separateWeakly('\n');
    },
    text(data) {
      if (wordless === 0 && data.trim() !== '') text.write(data.trim());
    },
    close(name) {
      if (WORDLESS.has(name)) wordless--;
      text.separateWeakly('\n');
    },
  };
}
