import { fold } from '../kernel/words.ts';

/** A part of a policy, from its heading to the next one. Offsets are in UTF-16 code units, `end` exclusive. */
export type PolicySection = {
  /** Identifies the section within its document; see `parsePolicySections`. */
  anchor: string;
  /** Empty for the text before the first heading. */
  heading: string;
  /** From 1, the outermost. 0 for the text before the first heading. */
  level: number;
  start: number;
  end: number;
};

/** Further headings start no section. */
export const MAX_SECTIONS = 400;
export const MAX_HEADING_CHARACTERS = 200;
/** Further lines belong to the last section. Without the bound, 1 MiB of empty lines would take a second. */
export const MAX_LINES = 50_000;

const MAX_SLUG_CHARACTERS = 80;
const MAX_WORDS_OF_TITLE = 14;

type Line = { text: string; start: number };
type Heading = { heading: string; level: number; slug: string };

/**
 * Splits a policy into sections. Headings are those of Markdown (`#`, underlined, bold), numbered headings (`4.2
 * Retention`) and clauses, `Article 5`, `§ 7` and their equivalents in other languages, and lines in capitals. Lines
 * of a table of contents are not headings.
 *
 * An anchor depends only on its heading. It is the number if there is one (`4.2`, `article-5`), so that it survives a
 * new title. Otherwise it is made of the words (`data-retention`). Changes elsewhere in the document keep it, except
 * that headings with the same anchor are numbered in order (`scope`, `scope~2`).
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

/**
 * The text of a line if it may be a heading, or an empty string. Long lines are skipped. Of a numbered clause it is
 * the beginning.
 */
function headingText(line: Line | undefined): string {
  if (line === undefined) return '';
  const isClause = CLAUSE.test(line.text);
  if (line.text.length > 4 * MAX_HEADING_CHARACTERS && !isClause) return '';
  const plain = withoutMarkup(line.text.slice(0, 4 * MAX_HEADING_CHARACTERS));
  if (isClause) return plain.slice(0, MAX_HEADING_CHARACTERS).toWellFormed().trim();
  return plain.length > MAX_HEADING_CHARACTERS ? '' : plain;
}

/** The end of a line in a table of contents: dots that lead to a page number, or a page number after a gap. */
const PAGE = /(?:[.…·_]{3,20}[ \t]{0,3}|(?: \.){3,20} ?|[ \t]{3,20}|\t)[0-9]{1,4}$/;

const isBlank = (line: Line | undefined) => line === undefined || line.text.trim() === '';

function headingAt(lines: readonly Line[], i: number): Heading | null {
  const text = headingText(lines[i]);
  if (text === '' || PAGE.test(text)) return null;
  const hashes = /^(#{1,6})[ \t]/.exec(text)?.[1]?.length ?? 0;
  if (hashes > 0) return named(withoutHashes(text.slice(hashes)), hashes);
  // Tables, lists and quotations can be underlined too, and are no headings.
  const afterBlank = isBlank(lines[i - 1]);
  const underline = headingText(lines[i + 1]);
  if (afterBlank && /^(?:={3,}|-{3,})$/.test(underline) && /^[^|>*+-]/.test(text) && !text.includes('|'))
    return named(text, underline.startsWith('=') ? 1 : 2);
  const numbered = numberOf(text);
  if (numbered !== null) return isOwnLine(numbered, afterBlank, text, lines[i + 1]) ? numbered : null;
  if (afterBlank && isInCapitals(text) && !isInCapitals(headingText(lines[i + 1]))) return named(text, 1);
  if (isBold(lines[i]?.text.trim() ?? '') && isTitle(text)) return named(text, 3);
  return null;
}

const isBold = (text: string): boolean =>
  text.length > 4 && text.startsWith('**') && text.endsWith('**') && !text.slice(2, -2).includes('*');

/** Removes the markup of `**Title**`, `1\. Title`, `1. ### Title` and `[Title](#title)`. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/\[([^\]]{0,200})\]\([^)]{0,200}\)/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('**', '')
    .replace(/^([0-9]{1,3}[.)])[ \t]{1,4}#{1,6}[ \t]/, '$1 ')
    .trim();

/** Removes the closing hashes of `# Title ##`. */
function withoutHashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === '#') end--;
  return text.slice(0, end).trim();
}

/** A heading whose anchor is its leading number or its words. Null if neither is left. */
function named(text: string, level: number): Heading | null {
  const heading = withoutMarkup(text);
  const slug = numberOf(heading)?.slug ?? slugOf(heading);
  return slug === '' ? null : { heading, level, slug };
}

const slugOf = (text: string): string =>
  (fold(text).match(/[\p{L}\p{N}]{1,64}/gu) ?? []).join('-').slice(0, MAX_SLUG_CHARACTERS).replace(/-$/, '');

/** The folded first word of a numbered part, with the prefix of its anchor and its level. */
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
/** A number of several parts. Items of lists do not have one, so its words do not matter. */
const CLAUSE = /^[ \t]{0,12}[0-9]{1,3}(?:\.[0-9]{1,3}){1,5}[.)]?[ \t\u00a0]/;

/**
 * Parses the number at the beginning of a line. Null if there is none, or if the words after it do not look like a
 * title. After a clause number they need only look like the beginning of one.
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
 * Whether a numbered line is a heading, rather than an item of a list or a broken sentence. A number such as `4.2` is
 * enough. A line with `4` must follow a blank line, and the next line must not have a number.
 */
function isOwnLine({ slug }: Heading, afterBlank: boolean, text: string, next: Line | undefined): boolean {
  if (!/^[0-9]{1,3}$/.test(slug) || !NUMBER.test(text)) return true;
  return afterBlank && !NUMBER.test(headingText(next));
}

/** At least four capital letters, no small ones, and more capitals than other characters. */
function isInCapitals(text: string): boolean {
  if (text.length > 100 || /[.;,|]$/.test(text) || /\p{Ll}/u.test(text)) return false;
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  return capitals >= 4 && 2 * capitals > text.replace(/\s/g, '').length;
}
