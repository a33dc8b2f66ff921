import type { BoundedText } from './bounded-text.ts';
import { leadsSomewhere } from './field-instruction.ts';
import type { MarkupHandler } from './xml-reader.ts';
import type { Tag } from './xml-tag.ts';

/**
 * One walk for every OOXML part whose text stands in runs: documents, slides, notes, comments, drawings, charts,
 * SmartArt. Their vocabularies share local names (`t`, `p`, `tr`, `tc`) with one meaning, so one table serves.
 */
const TEXTS = new Set([
  't',
  'delText',
  // Charts: values and categories as they were last drawn.
  'v',
  // Comments of slides, threaded comments and their authors.
  'text',
  'author',
  // VML, the older drawings: text boxes and notes of sheets.
  'font',
  'div',
]);
const LINES = new Set(
  'p tr row br cr author comment threadedComment cm ser cat sp shape txbxContent font'.split(' '),
);
const CELLS = new Set(['tc', 'pt', 'cell']);
const SHAPES = new Set(['sp', 'pic', 'graphicFrame']);

/** Texts that stand in attributes: what hides behind pictures, links, WordArt, and who made a change or comment. */
const ATTRIBUTES = new Set([
  'descr',
  'title',
  'alt',
  'string',
  'tooltip',
  'display',
  'displayName',
  'displayText',
  'prompt',
  'promptTitle',
  'href',
]);

const INSTRUCTIONS = new Set(['instrText', 'delInstrText']);
/** Of a field's instruction, or of what is spoken in one paragraph. */
const MAX_HELD_CHARACTERS = 10_000;

/** A second rendering of what `Choice` says. */
const SKIPPED = new Set(['Fallback']);

/** How the words beside it are spoken. Written after the paragraph, since it would part them. */
const PHONETIC = new Set(['rt', 'rPh']);

export function writeAttributes(tag: Tag, text: BoundedText, wanted: ReadonlySet<string>): void {
  tag.forEach(wanted, (value) => text.line(value));
}

export type DrawingOptions = {
  /** In masters and layouts a placeholder holds a prompt ("Click to edit …"), which is on no slide. */
  skipPlaceholders?: boolean;
};

export function drawingText(text: BoundedText, options: DrawingOptions = {}): MarkupHandler {
  const path: string[] = [];
  /** Depth from which nothing is written, until the element there closes. */
  let skippedFrom = Number.POSITIVE_INFINITY;
  /** The instruction of the field that is open, which may be split over runs. */
  let instruction = '';
  let spoken = '';
  /** Depth of the phonetic guide that is open. */
  let spokenFrom = Number.POSITIVE_INFINITY;
  const endInstruction = () => {
    if (leadsSomewhere(instruction)) text.line(instruction);
    instruction = '';
  };
  return {
    open(name, tag) {
      const parent = path.at(-1);
      path.push(name);
      if (path.length >= skippedFrom) return;
      if (SKIPPED.has(name)) skippedFrom = path.length;
      else if (PHONETIC.has(name)) spokenFrom = Math.min(spokenFrom, path.length);
      else if (name === 'ph' && options.skipPlaceholders === true) {
        skippedFrom =
          1 +
          Math.max(
            0,
            path.findLastIndex((ancestor) => SHAPES.has(ancestor)),
          );
      } else if (name === 'tab' && parent === 'r') text.write('\t');
      else if (name === 'noBreakHyphen') text.write('-');
      else if (name === 'fldChar') endInstruction();
      else if (name === 'fldSimple') {
        instruction = tag.attribute('instr') ?? '';
        endInstruction();
      } else if (name === 'comment') text.line(tag.attribute('author') ?? '');
      writeAttributes(tag, text, ATTRIBUTES);
    },
    text(data) {
      if (path.length >= skippedFrom) return;
      const inside = path.at(-1) ?? '';
      if (TEXTS.has(inside)) {
        if (path.length <= spokenFrom) text.write(data);
        else if (spoken.length < MAX_HELD_CHARACTERS) spoken += data;
      }
      if (INSTRUCTIONS.has(inside) && instruction.length < MAX_HELD_CHARACTERS) instruction += data;
    },
    close(name) {
      if (path.length <= spokenFrom) spokenFrom = Number.POSITIVE_INFINITY;
      if (spoken !== '' && name === 'p') {
        text.write(` ${spoken}`);
        spoken = '';
      }
      if (path.length < skippedFrom) {
        if (LINES.has(name)) text.separate('\n');
        else if (CELLS.has(name)) text.separate('\t');
      }
      if (path.length === skippedFrom) skippedFrom = Number.POSITIVE_INFINITY;
      path.pop();
    },
  };
}
