import { fold } from '../kernel/words.ts';

/** A part of a policy, from its heading to the next one. Offsets are characters (UTF-16) of the text, half open. */
export type PolicySection = {
  /** Names the section within its document; see `parsePolicySections`. */
  anchor: string;
  /** Empty for what stands before the first heading. */
  heading: string;
  /** From 1, the outermost; 0 for what stands before the first heading. */
  level: number;
  start: number;
  end: number;
};

/** Headings beyond these open no section of their own. */
export const MAX_SECTIONS = 400;
export const MAX_HEADING_CHARACTERS = 200;
/** What comes after so many lines belongs to the last section: a mebibyte of empty ones would take a second. */
export const MAX_LINES = 50_000;

const MAX_SLUG_CHARACTERS = 80;
const MAX_WORDS_OF_TITLE = 14;

type Line = { text: string; start: number };
type Heading = { heading: string; level: number; slug: string };

/**
 * The sections of a policy: headings of Markdown (`#`, underlined, bold), numbered ones (`4.2 Retention`), clauses that
 * are numbered like them, `Article 5`, `§ 7` and their likes in other languages, and lines in capitals. Lines of a table
 * of contents are none.
 *
 * An anchor comes from its heading alone: from the number where it has one (`4.2`, `article-5`), so that a section may be
 * retitled, else from its words (`data-retention`). It stays what it is whatever else of the document changes, save that
 * headings which share an anchor are told apart by their order (`scope`, `scope~2`).
 *
 * Time is linear in the length of the text.
 */
export function parsePolicySections(text: string): PolicySection[] {
  const lines = linesOf(text);
  const sections: PolicySection[] = [];
  const used = new Map<string, number>();
  const open = (start: number, { heading, level, slug }: Heading) => {
    const last = sections.at(-1);
    if (last !== undefined) last.end = start;
    const times = (used.get(slug) ?? 0) + 1;
    used.set(slug, times);
    sections.push({
      anchor: times === 1 ? slug : `${slug}~${times}`,
      heading,
      level,
      start,
      end: text.length,
    });
  };
  let fence: string | null = null;
  for (let i = 0; i < lines.length && sections.length < MAX_SECTIONS; i++) {
    const line = lines[i];
    if (line === undefined) break;
    const marks = /^ {0,3}(`{3}|~{3})/.exec(line.text)?.[1] ?? null;
    if (marks !== null && (fence === null || fence === marks)) {
      fence = fence === null ? marks : null;
      continue;
    }
    if (fence !== null) continue;
    const heading = headingAt(lines, i);
    if (heading === null) continue;
    if (sections.length === 0 && text.slice(0, line.start).trim() !== '')
      open(0, { heading: '', level: 0, slug: 'start' });
    open(line.start, heading);
  }
  if (sections.length === 0 && text.trim() !== '') open(0, { heading: '', level: 0, slug: 'start' });
  return sections;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  const breaks = /\r\n|[\n\r\f\u2028\u2029]/g;
  let start = 0;
  for (const found of text.matchAll(breaks)) {
    if (lines.length === MAX_LINES) return lines;
    lines.push({ text: text.slice(start, found.index), start });
    start = found.index + found[0].length;
  }
  lines.push({ text: text.slice(start), start });
  return lines;
}

/** What a line may say as a heading, so that nothing below looks at a long line. Of a numbered clause it is the beginning. */
function headingText(line: Line | undefined): string {
  if (line === undefined) return '';
  const isClause = CLAUSE.test(line.text);
  if (line.text.length > 4 * MAX_HEADING_CHARACTERS && !isClause) return '';
  const plain = withoutMarkup(line.text.slice(0, 4 * MAX_HEADING_CHARACTERS));
  if (isClause) return plain.slice(0, MAX_HEADING_CHARACTERS).toWellFormed().trim();
  return plain.length > MAX_HEADING_CHARACTERS ? '' : plain;
}

/** What a table of contents ends its lines with: dots that lead to a page, or a page at some distance. */
const PAGE = /(?:[.…·_]{3,20}[ \t]{0,3}|(?: \.){3,20} ?|[ \t]{3,20}|\t)[0-9]{1,4}$/;

const isBlank = (line: Line | undefined) => line === undefined || line.text.trim() === '';

function headingAt(lines: readonly Line[], i: number): Heading | null {
  const text = headingText(lines[i]);
  if (text === '' || PAGE.test(text)) return null;
  const hashes = /^(#{1,6})[ \t]/.exec(text)?.[1]?.length ?? 0;
  if (hashes > 0) return named(withoutHashes(text.slice(hashes)), hashes);
  // A table, a list or a quotation is underlined too.
  const afterBlank = isBlank(lines[i - 1]);
  const underline = headingText(lines[i + 1]);
  if (afterBlank && /^(?:={3,}|-{3,})$/.test(underline) && /^[^|>*+-]/.test(text) && !text.includes('|'))
    return named(text, underline.startsWith('=') ? 1 : 2);
  const numbered = numberOf(text);
  if (numbered !== null) return standsAlone(numbered, afterBlank, text, lines[i + 1]) ? numbered : null;
  if (afterBlank && isInCapitals(text) && !isInCapitals(headingText(lines[i + 1]))) return named(text, 1);
  if (isBold(lines[i]?.text.trim() ?? '') && isTitle(text)) return named(text, 3);
  return null;
}

const isBold = (text: string): boolean =>
  text.length > 4 && text.startsWith('**') && text.endsWith('**') && !text.slice(2, -2).includes('*');

/** `**Title**`, `1\. Title`, `1. ### Title` and `[Title](#title)` are titles too. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/\[([^\]]{0,200})\]\([^)]{0,200}\)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('**', '')
    .replace(/^([0-9]{1,3}[.)])[ \t]{1,4}#{1,6}[ \t]/, '$1 ')
    .trim();

/** `# Title ##` is a title too. */
function withoutHashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === '#') end--;
  return text.slice(0, end).trim();
}

/** A heading with its words, or the number that they begin with; null where nothing is left that could name it. */
function named(text: string, level: number): Heading | null {
  const heading = withoutMarkup(text);
  const slug = numberOf(heading)?.slug ?? slugOf(heading);
  return slug === '' ? null : { heading, level, slug };
}

const slugOf = (text: string): string =>
  (fold(text).match(/[\p{L}\p{N}]{1,64}/gu) ?? []).join('-').slice(0, MAX_SLUG_CHARACTERS).replace(/-$/, '');

/** Folded words that a numbered part begins with, to what its anchor begins with and its level. */
const PARTS: ReadonlyMap<string, readonly [kind: string, level: number]> = new Map(
  (
    [
      ['part', 1, 'part teil partie parte deel czesc'],
      ['chapter', 1, 'chapter kapitel chapitre capitulo capitolo hoofdstuk rozdzial'],
      [
        'annex',
        1,
        'annex appendix schedule exhibit anhang anlage annexe anexo allegato bijlage bilaga zalacznik',
      ],
      ['section', 2, 'section sec abschnitt seccion sezione secao sectie afdeling avsnitt'],
      ['article', 2, 'article art artikel articulo articolo artigo artykul'],
      ['clause', 2, 'clause klausel clausula clausola'],
    ] as const
  ).flatMap(([kind, level, names]) => names.split(' ').map((name) => [name, [kind, level] as const])),
);
const PART =
  /^(\p{L}{3,12})\.?[ \t\u00a0]{1,3}([0-9]{1,4}(?:\.[0-9]{1,3}){0,4}[a-zA-Z]?|[IVXLC]{1,8}|[A-Z])(?![\p{L}\p{N}])/u;
const PARAGRAPH = /^§{1,2}[ \t\u00a0]{0,3}([0-9]{1,4}(?:\.[0-9]{1,3}){0,4}[a-zA-Z]?)(?![\p{L}\p{N}])/u;
const CJK_PART = /^第([0-9０-９]{1,4}|[一二三四五六七八九十百]{1,6})([条條章节節編编])/u;
const NUMBER = /^([0-9]{1,3}(?:\.[0-9]{1,3}){0,5})[.)]?(?=[ \t\u00a0])/;
const DATE = /^[0-9]{1,2}\.? \p{L}{3,12}\.? [0-9]{4}$/u;
/** Has a number of several parts, so that it is told apart from an item of a list whatever its words. */
const CLAUSE = /^[ \t]{0,12}[0-9]{1,3}(?:\.[0-9]{1,3}){1,5}[.)]?[ \t\u00a0]/;

/**
 * What the number at the beginning of a line says, or null where there is none. Its words must look like a title, those
 * of a clause like the beginning of one.
 */
function numberOf(text: string): Heading | null {
  const part = PART.exec(text);
  const [kind, level] = PARTS.get(fold(part?.[1] ?? '')) ?? [];
  if (part !== null && kind !== undefined && level !== undefined)
    return isTitle(text.slice(part[0].length))
      ? { heading: text, level, slug: `${kind}-${fold(part[2] ?? '')}` }
      : null;
  const paragraph = PARAGRAPH.exec(text);
  if (paragraph !== null)
    return isTitle(text.slice(paragraph[0].length))
      ? { heading: text, level: 2, slug: `section-${fold(paragraph[1] ?? '')}` }
      : null;
  const cjk = CJK_PART.exec(text);
  if (cjk !== null && isTitle(text.slice(cjk[0].length)))
    return { heading: text, level: /[条條]/.test(cjk[2] ?? '') ? 2 : 1, slug: fold(cjk[0]) };
  const number = NUMBER.exec(text);
  const title = text.slice(number?.[0].length ?? 0);
  if (number === null || title.trim() === '' || DATE.test(text)) return null;
  if (!(CLAUSE.test(text) ? isBegun(title) : isTitle(title))) return null;
  const [, slug = ''] = number;
  return { heading: text, level: slug.split('.').length, slug };
}

/** Whether these words may follow the number of a heading: they begin like a name and do not end like a sentence. */
function isTitle(rest: string): boolean {
  const title = rest.trim();
  return (
    isBegun(title) &&
    !/[.;,]$/.test(title) &&
    title.split(/\s/, MAX_WORDS_OF_TITLE + 1).length <= MAX_WORDS_OF_TITLE
  );
}

/** Whether words begin like a name or a sentence, or there are none. */
function isBegun(rest: string): boolean {
  const begun = rest.replace(/^[\s.:)–—-]{1,8}/, '');
  return begun === '' || /^["“„«(]?[\p{Lu}\p{Lt}\p{Lo}]/u.test(begun);
}

/**
 * Whether a numbered line is a heading rather than an item of a list or a sentence that was broken there. `4.2` says it
 * by itself; `4` stands after a blank line and is not followed by `5`.
 */
function standsAlone({ slug }: Heading, afterBlank: boolean, text: string, next: Line | undefined): boolean {
  if (!/^[0-9]{1,3}$/.test(slug) || !NUMBER.test(text)) return true;
  return afterBlank && !NUMBER.test(headingText(next));
}

/** Four letters or more, all of them capitals, and more of them than of anything else. */
function isInCapitals(text: string): boolean {
  if (text.length > 100 || /[.;,|]$/.test(text) || /\p{Ll}/u.test(text)) return false;
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  return capitals >= 4 && 2 * capitals > text.replace(/\s/g, '').length;
}
