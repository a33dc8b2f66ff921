import { eachShingle, eachTemplatePiece } from './shingles.ts';
import { type Sketch, Sketcher } from './sketch.ts';

/** Maximum number of characters that are sketched. For a template the beginning is enough. */
const MAX_CHARACTERS = 1_000_000;
const MAX_TEMPLATE_CHARACTERS = 200_000;
/** Texts with fewer pieces are similar by chance. */
const FEWEST_SHINGLES = 16;
const FEWEST_PIECES = 12;

/** Sketches of a text: of its word sequences, and of its lines without their values. */
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
