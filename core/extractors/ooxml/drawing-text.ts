import { BoundedText } from '../bounded-text.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import type { Tag } from '../markup/xml-tag.ts';
import { leadsSomewhere, shownInstruction } from '../office/field-instruction.ts';

/**
 * Reads every OOXML part with text runs: documents, slides, notes, comments, drawings, charts, SmartArt. Their
 * vocabularies use the same local names (`t`, `p`, `tr`, `tc`) with the same meaning, so one table is enough.
 */
const TEXTS = new Set([
  't',
  'delText',
  // Charts: cached values and categories.
  'v',
  // Comments of slides, threaded comments and their authors.
  'text',
  'author',
  // VML, the older drawing format: text boxes and notes of sheets.
  'font',
  'div',
]);
const LINES = new Set(
  'p tr row br cr author comment threadedComment cm ser cat sp shape txbxContent font'.split(' '),
);
const CELLS = new Set(['tc', 'pt', 'cell']);
const SHAPES = new Set(['sp', 'pic', 'graphicFrame']);

/** Attributes with text: descriptions of pictures, links, WordArt, and authors of changes and comments. */
const ATTRIBUTES = new Set([
  'descr',
  'title',
  'alt',
  'string',
  'tooltip',
  'display',
  'displayName',
  'prompt',
  'promptTitle',
  'href',
]);

/** Elements whose attributes describe a picture or shape. Applications write such descriptions too. */
const DRAWINGS = new Set(['docPr', 'cNvPr', 'shape', 'imagedata']);

const INSTRUCTIONS = new Set(['instrText', 'delInstrText']);
/** The most characters of a field instruction, or of the phonetic text of a paragraph. */
const MAX_HELD_CHARACTERS = 10_000;

/** `Fallback` repeats the content of `Choice`. */
const SKIPPED = new Set(['Fallback']);

/** Phonetic text. Written after the paragraph, so that it does not separate the words. */
const PHONETIC = new Set(['rt', 'rPh']);

export function writeAttributes(tag: Tag, text: BoundedText, wanted: ReadonlySet<string>): void {
  tag.forEach(wanted, (value) => text.line(value));
}

function writeDescriptions(name: string, tag: Tag, text: BoundedText): void {
  const before = text.contentLength;
  writeAttributes(tag, text, ATTRIBUTES);
  if (DRAWINGS.has(name)) text.discountTo(before);
}

/** Placeholders of a master with text for every page. The text of other placeholders is a prompt. */
const PAGE_TEXTS = new Set(['hdr', 'ftr', 'dt']);

export type DrawingOptions = {
  /**
   * Set for masters and layouts. Their prompts ("Click to edit …") and field values are on no slide and are skipped.
   * Layouts repeat text that is on every page: it is written if this set lacks it, and then added.
   */
  masterTexts?: Set<string>;
};

/** Attributes with text of Word forms: list entries, hints, names of content controls. */
const FORM_WORDS: ReadonlyMap<string, string> = new Map([
  ['listItem', 'displayText'],
  ['listEntry', 'val'],
  ['helpText', 'val'],
  ['statusText', 'val'],
  ['alias', 'val'],
]);

function formWords(name: string, parent: string | undefined, tag: Tag): string | undefined {
  const attribute = name === 'default' && parent === 'textInput' ? 'val' : FORM_WORDS.get(name);
  return attribute === undefined ? undefined : tag.attribute(attribute);
}

/** Elements with authors of comments: at each comment of a document, and in a list of a presentation. */
const AUTHORS: ReadonlyMap<string, string> = new Map([
  ['comment', 'author'],
  ['cmAuthor', 'name'],
  ['author', 'name'],
]);

export function drawingText(text: BoundedText, { masterTexts }: DrawingOptions = {}): MarkupHandler {
  const path: string[] = [];
  /** The depth from which nothing is written, until that element closes. */
  let skippedFrom = Number.POSITIVE_INFINITY;
  /** Where text is written. The text of a placeholder in a master is collected until its shape closes. */
  let target = text;
  let heldFrom = Number.POSITIVE_INFINITY;
  /** The instruction of the open field, which can be split over runs. */
  let instruction = '';
  let spoken = '';
  /** Text of form controls, written after the paragraph, and limited to the room that is left. */
  const ofForm: string[] = [];
  let ofFormLength = 0;
  /** The depth of the open phonetic guide. */
  let spokenFrom = Number.POSITIVE_INFINITY;
  const endInstruction = () => {
    if (leadsSomewhere(instruction)) target.line(instruction);
    else target.write(shownInstruction(instruction));
    instruction = '';
  };
  const openPlaceholder = (type: string | undefined) => {
    const shape =
      1 +
      Math.max(
        0,
        path.findLastIndex((ancestor) => SHAPES.has(ancestor)),
      );
    if (type !== undefined && PAGE_TEXTS.has(type)) {
      heldFrom = shape;
      target = new BoundedText(MAX_HELD_CHARACTERS);
    } else skippedFrom = shape;
  };
  const endPlaceholder = () => {
    const held = target.toString();
    target = text;
    heldFrom = Number.POSITIVE_INFINITY;
    if (masterTexts?.has(held) === false) text.line(held);
    masterTexts?.add(held);
  };
  return {
    open(name, tag) {
      const parent = path.at(-1);
      path.push(name);
      if (path.length >= skippedFrom) return;
      const isOfMaster = masterTexts !== undefined;
      if (SKIPPED.has(name) || (isOfMaster && name === 'fld')) skippedFrom = path.length;
      else if (PHONETIC.has(name)) spokenFrom = Math.min(spokenFrom, path.length);
      else if (isOfMaster && name === 'ph') openPlaceholder(tag.attribute('type'));
      else if (name === 'tab' && parent === 'r') target.write('\t');
      else if (name === 'noBreakHyphen') target.write('-');
      else if (name === 'fldChar') endInstruction();
      else if (name === 'fldSimple') {
        instruction = tag.attribute('instr') ?? '';
        endInstruction();
      }
      // The operator of a sum or integral in a formula.
      else if (name === 'chr') target.write(tag.attribute('val') ?? '');
      const author = AUTHORS.get(name);
      if (author !== undefined) target.line(tag.attribute(author) ?? '');
      const words = formWords(name, parent, tag) ?? '';
      if (words !== '' && ofFormLength <= text.room) {
        ofForm.push(words);
        ofFormLength += words.length + 1;
      }
      writeDescriptions(name, tag, target);
    },
    text(data) {
      if (path.length >= skippedFrom) return;
      const inside = path.at(-1) ?? '';
      if (TEXTS.has(inside)) {
        if (path.length <= spokenFrom) target.write(data);
        else if (spoken.length < MAX_HELD_CHARACTERS) spoken += data;
      }
      if (INSTRUCTIONS.has(inside) && instruction.length < MAX_HELD_CHARACTERS) instruction += data;
    },
    close(name) {
      if (path.length <= spokenFrom) spokenFrom = Number.POSITIVE_INFINITY;
      if (spoken !== '' && name === 'p') {
        target.write(` ${spoken}`);
        spoken = '';
      }
      if (name === 'p') {
        for (const words of ofForm.splice(0)) target.line(words);
        ofFormLength = 0;
      }
      if (path.length < skippedFrom) {
        if (LINES.has(name)) target.separate('\n');
        else if (CELLS.has(name)) target.separate('\t');
        else if (name === 'num' && path.at(-2) === 'f') target.write('/');
      }
      if (path.length === heldFrom) endPlaceholder();
      if (path.length === skippedFrom) skippedFrom = Number.POSITIVE_INFINITY;
      path.pop();
    },
  };
}
