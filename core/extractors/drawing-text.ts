import type { SaxesTagPlain } from 'saxes';
import type { BoundedText } from './bounded-text.ts';
import { attribute, localName, type MarkupHandler } from './markup.ts';

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

/** What a field does, as in `HYPERLINK "…"`; only what leads or fetches from somewhere is worth reading. */
const INSTRUCTIONS = new Set(['instrText', 'delInstrText']);
const MAX_INSTRUCTION_CHARACTERS = 10_000;
const LEADS_SOMEWHERE = /^\s*(?:HYPERLINK|INCLUDE\w*|LINK|DDE\w*|DATABASE|IMPORT)\b/i;

/** A second rendering of what `Choice` says, and the furigana of a text. */
const SKIPPED = new Set(['Fallback', 'rPh']);

export function writeAttributes(tag: SaxesTagPlain, text: BoundedText, wanted: ReadonlySet<string>): void {
  for (const name in tag.attributes) {
    const value = tag.attributes[name];
    if (value !== undefined && value !== '' && wanted.has(localName(name))) text.line(value);
  }
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
  const endInstruction = () => {
    if (LEADS_SOMEWHERE.test(instruction)) text.line(instruction);
    instruction = '';
  };
  return {
    open(name, tag) {
      const parent = path.at(-1);
      path.push(name);
      if (path.length >= skippedFrom) return;
      if (SKIPPED.has(name)) skippedFrom = path.length;
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
        instruction = attribute(tag, 'instr') ?? '';
        endInstruction();
      } else if (name === 'comment') text.line(attribute(tag, 'author') ?? '');
      writeAttributes(tag, text, ATTRIBUTES);
    },
    text(data) {
      if (path.length >= skippedFrom) return;
      const inside = path.at(-1) ?? '';
      if (TEXTS.has(inside)) text.write(data);
      else if (INSTRUCTIONS.has(inside) && instruction.length < MAX_INSTRUCTION_CHARACTERS)
        instruction += data;
    },
    close(name) {
      if (path.length < skippedFrom) {
        if (LINES.has(name)) text.separate('\n');
        else if (CELLS.has(name)) text.separate('\t');
      }
      if (path.length === skippedFrom) skippedFrom = Number.POSITIVE_INFINITY;
      path.pop();
    },
  };
}
