import { type BusinessDocument, documentFromText, paragraph } from './business-document.ts';
import { TEMPLATES } from './documents/templates.ts';
import type { FixtureItem } from './fixture-store.ts';
import { FORMATS } from './formats/format.ts';
import { corruptDocxOf, encryptedOffice, unknownBinary } from './formats/hostile.ts';
import { dayOf } from './identifiers.ts';
import { person } from './people.ts';
import { seededRandom } from './random.ts';

export type ContentSource = Pick<
  FixtureItem,
  'format' | 'template' | 'contentKey' | 'contentRevision' | 'content'
>;

/** The content of an item: its replacement text or its template's text, with one more line for every edit. */
export function fixtureDocument(item: ContentSource): BusinessDocument {
  const r = seededRandom(item.contentKey);
  const date = dayOf(r, 2025);
  if (item.content !== null) return documentFromText(item.content, date);
  const author = person(r).name;
  const { title, blocks } = TEMPLATES[item.template](r);
  const edits = Array.from({ length: item.contentRevision - 1 }, (_, at) =>
    paragraph(`Amendment ${at + 1}: reviewed and corrected, reference ${r.int(10_000, 99_999)}.`),
  );
  return { title, author, date, blocks: [...blocks, ...edits] };
}

/** The bytes of an item, generated on each call. They depend only on content key, revision and override. */
export function fixtureBytes(item: ContentSource): Uint8Array {
  switch (item.format) {
    case 'empty':
      return new Uint8Array();
    case 'encrypted':
      return encryptedOffice(seededRandom(`${item.contentKey}:${item.contentRevision}`));
    case 'binary':
      return unknownBinary(seededRandom(`${item.contentKey}:${item.contentRevision}`));
    case 'corrupt':
      return corruptDocxOf(fixtureDocument(item));
    default:
      return FORMATS[item.format].write(fixtureDocument(item));
  }
}
