import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { TypedSpan } from './score.ts';
import { typeOf } from './types.ts';

/** A text with the values in it. */
export type Sentence = { text: string; spans: TypedSpan[] };

const File = z.array(
  z.object({
    full_text: z.string(),
    spans: z.array(
      z.object({ entity_type: z.string(), start_position: z.number(), end_position: z.number() }),
    ),
  }),
);

/** Reads the sentences of the corpus. Offsets in the file are code points. Here they are UTF-16 code units. */
export async function readSentences(folder: string): Promise<Sentence[]> {
  const file = await readFile(path.join(folder, 'identifiers', 'sentences.json'), 'utf8');
  return File.parse(JSON.parse(file)).map(({ full_text, spans }) => {
    const offsets = codePointOffsets(full_text);
    return {
      text: full_text,
      spans: spans.map(({ entity_type, start_position, end_position }) => ({
        type: typeOf(entity_type),
        start: offsets[start_position] ?? full_text.length,
        end: offsets[end_position] ?? full_text.length,
      })),
    };
  });
}

/** The offset of each code point, and of the end of the text. */
export function codePointOffsets(text: string): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return [...offsets, at];
}
