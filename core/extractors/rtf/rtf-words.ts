/** How the text of a group is handled, by its opening word. */
export type Destination =
  /** Part of the surrounding text. */
  | 'text'
  /** On its own lines. */
  | 'line'
  /** No text of its own, but nested groups can have text. */
  | 'hollow'
  /** Two versions of one text, of which the Unicode one is used. */
  | 'either'
  | 'fonts'
  /** The instruction of a field. */
  | 'instruction'
  /** Name and value of a shape property. */
  | 'name'
  | 'value'
  /** A file in hex. */
  | 'object'
  | 'skip';

const named = (destination: Destination, words: string): [string, Destination][] =>
  words.split(' ').map((word) => [word, destination]);

/** RTF Specification 1.9.1, "Appendix C". A group that opens with `\*` and an unlisted word is skipped. */
export const DESTINATIONS: ReadonlyMap<string, Destination> = new Map([
  ...named('text', 'fldrslt result pntext listtext moMath moMathPara'),
  ...named('line', 'header headerl headerr headerf footer footerl footerr footerf footnote'),
  ...named('line', 'annotation atnid atnauthor shptxt dptxbxtext xe tc docvar'),
  ...named(
    'line',
    'title subject author manager company operator category keywords comment doccomm hlinkbase',
  ),
  ...named('line', 'propname staticval ffdeftext ffl ffhelptext ffstattext hlfr hlsrc hlloc'),
  ...named('line', 'mmconnectstr mmconnectstrdata mmquery mmdatasource mmheadersource nextfile'),
  ...named('hollow', 'info userprops shp shpinst sp do background object pict shppict picprop formfield'),
  ...named('hollow', 'hl mailmerge'),
  // The layout of formulas, of which only signs and brackets are visible.
  ...named('hollow', 'maccPr mbarPr mborderBoxPr mboxPr mdPr meqArrPr mfPr mfuncPr mgroupChrPr mlimLowPr'),
  ...named('hollow', 'mlimUppPr mmPr mnaryPr mphantPr mradPr msPrePr msSubPr msSubSupPr msSupPr mctrlPr'),
  ...named('hollow', 'mrPr margPr mmathPr moMathParaPr'),
  ...named('text', 'mchr mbegChr mendChr msepChr'),
  ...named('either', 'upr'),
  ...named('fonts', 'fonttbl'),
  ...named('instruction', 'fldinst'),
  ...named('name', 'sn'),
  ...named('value', 'sv'),
  ...named('object', 'objdata'),
  ...named('skip', 'stylesheet colortbl nonshppict shprslt listtable revtbl filetbl mmathPict'),
  ...named('skip', 'ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn bkmkstart bkmkend'),
]);

/** Shape properties with user text: alternative texts, WordArt, link targets. */
export const SHAPE_TEXTS: ReadonlySet<string> = new Set([
  'wzName',
  'wzDescription',
  'wzTooltip',
  'gtextUNICODE',
  'pihlShape',
  'pibName',
]);

/** Words and symbols that stand for characters. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ['{', '{'],
  ['}', '}'],
  ['~', '\u00a0'],
  ['_', '-'],
  ['-', ''],
  ['emdash', '—'],
  ['endash', '–'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['bullet', '•'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['qmspace', ' '],
  // The denominator of a fraction, after its bar.
  ['mden', '/'],
  ['tab', '\t'],
  ['\t', '\t'],
]);

/** Words that separate texts. */
export const BREAKS: ReadonlyMap<string, '\t' | '\n'> = new Map([
  ['\n', '\n'],
  ['\r', '\n'],
  ['par', '\n'],
  ['line', '\n'],
  ['lbr', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['column', '\n'],
  ['row', '\n'],
  ['nestrow', '\n'],
  ['cell', '\t'],
  ['nestcell', '\t'],
]);
