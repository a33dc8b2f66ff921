import { BoundedText } from '../bounded-text.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import type { Tag } from '../markup/xml-tag.ts';
import { leadsSomewhere, shownInstruction } from '../office/field-instruction.ts';

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

/** Placeholders of a master that hold what somebody wrote for every page; of the other ones the text is a prompt. */
const PAGE_TEXTS = new Set(['hdr', 'ftr', 'dt']);

export type DrawingOptions = {
  /**
   * For masters and layouts, where a placeholder holds a prompt ("Click to edit …") and a field what stands for its
   * value, which are on no slide. What stands on every page each layout repeats: it is written if it is not in here
   * yet, and added.
   */
  masterTexts?: Set<string>;
};

/** Words of a form of Word in attributes: the entries of its lists, hints, what a content control is called. */
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

/** Who wrote comments: of a document at each, of a presentation in a list. */
const AUTHORS: ReadonlyMap<string, string> = new Map([
  ['comment', 'author'],
  ['cmAuthor', 'name'],
  ['author', 'name'],
]);

export function drawingText(text: BoundedText, { masterTexts }: DrawingOptions = {}): MarkupHandler {
  const path: string[] = [];
  /** Depth from which nothing is written, until the element there closes. */
  let skippedFrom = Number.POSITIVE_INFINITY;
  /** Where texts go: those of a placeholder in a master first into one of their own, until the shape closes. */
  let target = text;
  let heldFrom = Number.POSITIVE_INFINITY;
  /** The instruction of the field that is open, which may be split over runs. */
  let instruction = '';
  let spoken = '';
  /** What a form says of itself, written after the paragraph for the same reason: no more than there is room for. */
  const ofForm: string[] = [];
  let ofFormLength = 0;
  /** Depth of the phonetic guide that is open. */
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
      // The sign of a sum or an integral in a formula.
      else if (name === 'chr') target.write(tag.attribute('val') ?? '');
      const author = AUTHORS.get(name);
      if (author !== undefined) target.line(tag.attribute(author) ?? '');
      const words = formWords(name, parent, tag) ?? '';
      if (words !== '' && ofFormLength <= text.room) {
        ofForm.push(words);
        ofFormLength += words.length + 1;
      }
      writeAttributes(tag, target, ATTRIBUTES);
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
