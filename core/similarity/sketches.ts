import { eachShingle, eachTemplatePiece } from './shingles.ts';
import { type Sketch, Sketcher } from './sketch.ts';

/** Characters of a text that are sketched; of its template the start tells enough. */
const MAX_CHARACTERS = 1_000_000;
const MAX_TEMPLATE_CHARACTERS = 200_000;
/** Texts with less in them are alike by chance. */
const FEWEST_SHINGLES = 16;
const FEWEST_PIECES = 12;

/** What a text is compared by: its words as they follow each other, and its lines without their values. */
export type Sketches = { shingles: Sketch | null; template: Sketch | null };

export function sketchesOf(text: string): Sketches {
  const shingles = new Sketcher();
  eachShingle(text.slice(0, MAX_CHARACTERS), shingles.add);
  const template = new Sketcher();
  eachTemplatePiece(text.slice(0, MAX_TEMPLATE_CHARACTERS), template.add);
  return {
    shingles: shingles.sketch('shingles', FEWEST_SHINGLES),
    template: template.sketch('template', FEWEST_PIECES),
  };
}
