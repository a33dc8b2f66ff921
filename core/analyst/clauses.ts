import { type Build, nothing } from './pieces.ts';
import {
  assetCount,
  done,
  except,
  fileName,
  granted,
  labelled,
  measured,
  mine,
  named,
  ofPerson,
  owned,
  possessed,
  reachable,
  severity,
  stated,
  texts,
  waiting,
} from './pieces-of-conditions.ts';
import {
  about,
  grouped,
  having,
  leading,
  limited,
  noun,
  ofAccess,
  ranked,
  richest,
  sorted,
  typeAsNoun,
} from './pieces-of-shape.ts';

/** The tags of some parts (fragment.ts), and what they bring into the plan. */
export type Clause = readonly [pattern: RegExp, build: Build];

const SEPARATED = ',?[,&/]';
const list = (tag: string): string => `${tag}(?:${SEPARATED}${tag})*`;
/** What may be between the beginning and the noun. */
const DESCRIBED = '[CGVsvTDSLPn&/,O#]*';
const NOUN = `${DESCRIBED}[NFKAT]`;
const THING = '(?:[lqyJ]|(?:M?#Y?)?I|(?:M?#Y?)?[CVs]*[FKA])';
const LEVEL = `v?M?${list('s')}Y?v?Y?`;
const GROUP = '[dlqvZ]';
const EITHER = 'n?[CV](?:,[CV])*(?:,?/[CV])+';
/** What is left out has no conditions of its own. */
const LAST = '(?=$|[,bgz@])';
const domain = named('domain', 'D');
const type = named('type', 'T');
const scope = named('scope', 'S');

const clauses = (rows: readonly (readonly [tags: string, build: Build])[]): readonly Clause[] =>
  rows.map(([tags, build]) => [new RegExp(tags, 'y'), build]);

/** Up to the noun: what is asked, by what it is counted, and what describes the noun. */
export const HEAD = clauses([
  ['ho?|(?<=^[hQo]*)[!e]', nothing],
  ['Qo?', ([ask]) => ({ ask })],
  [`[pM]?#(?=[hOe]*(?:${NOUN}|${GROUP}|H))`, limited],
  ['H', leading],
  [`[dlqv](?=[wkf]?(?:[E@]|M#|#Y)${NOUN}|[wk](?!n)${NOUN}|(?:[wk]?E)?c)|[dlq](?=i[DS])`, leading],
  [`Z(?=[wkf]?(?:[E@]${NOUN}|M?#Y?(?:[CGs]+N|[CVsv]*[FKA])|[wk](?:[CGsvT]*N|[CVsvT]*[FKA]|T)))`, leading],
  ['[wkf]?(?:Ec?|@)', ranked],
  ['c', ofAccess],
  [`[wkf]?(?:M#|#Y)(?=${NOUN})`, having],
  ['[wkf]', (_, { lead }) => (lead === undefined ? null : {})],
  ['O', sorted],
  [EITHER, stated],
  ['n?C(?!c)', stated],
  ['n?V', done],
  [`n?G(?:a?${list('L')})?`, labelled],
  [`n?${LEVEL}`, severity],
  [`${list('D')}d?|d${list('D')}`, domain],
  [`${list('S')}Z?`, scope],
  [`${list('T')}(?=${DESCRIBED}[NFKA])`, type],
  ['P(?=.*[NFKAT])', ofPerson],
  ['5(?=[^A]*$)', mine],
  ['(?<=[CGVsDT])[&,](?=n?[CGVs])|(?<=e),', nothing],
  [`d?${list('T')}`, typeAsNoun],
  [`NN|${list('N')}`, noun],
  ['[FKAZ]', noun],
]);

/** After the noun. */
export const TAIL = clauses([
  ['h', nothing],
  [`n?(?:G|w?l)(?:,?(?:x|~n?))?a?${list('L')}|GN?[x~]L`, labelled],
  ['n?G', labelled],
  ['w?n?qP|w?Pn?q', owned],
  ['w?y?M?#[U%]?(?:&#[U%]?)?Y?y?', measured],
  ['[bz][yv]<?|@y|wEy', sorted],
  ['(?:[wk]E|@)[Cs]*[FK]', richest],
  ['[wk]?M?#Y?N', assetCount],
  [`[woin]?${LEVEL}(?![CVs]*[FKA])`, severity],
  [`(?:[wk]n?|n[wk]?)2?${THING}(?:(?:${SEPARATED}|~w?)${THING})*(?!(?<=[lq])V)`, possessed],
  [`${list('[IJ]')}k`, possessed],
  ['K', waiting],
  ['[iofu][CT]*N', about],
  ['w(?=n?[CVG])', ([has]) => (has?.idle === true ? {} : null)],
  [`[x~]d?${list('D')}d?${LAST}|(?:[nX]|~n|(?=[iofr]))[iofr]?d?${list('D')}d?`, domain],
  [`[x~]Z?${list('S')}Z?${LAST}|(?:[nX]|~n|(?=[iofr]))[iofr]?Z?${list('S')}Z?`, scope],
  [`[x~]d?${list('T')}${LAST}|(?:n|~n)?[wouaif]?d?${list('T')}d?`, type],
  [`[x~](?:CN|C|N)${LAST}`, except],
  ['Cw3?[j"]|ct?3?[j"]|3?[j"]c', granted],
  ['n?(?:c[wt]?C|C[wt]?C|Cc)', reachable],
  [`${EITHER}(?!W)`, stated],
  ['n?[iofrwbtu]?C|nN|[ir]N', stated],
  ['[ki]?m"(?:&")*|[ku]"(?:&")*', texts],
  ['"', fileName],
  ['n?VbP|Pw?n?V|n?V|Wn?V(?![Wb])', done],
  ['[obr]P', ofPerson],
  ['5', mine],
  ['W', ([window]) => ({ window })],
  [`[bg]${GROUP}(?:,?[,&][bg]?${GROUP})*(?:w(?=$))?`, grouped],
  [',?O', sorted],
  ['[0M]W', ([than, day]) => (than?.tag === 'M' && than.compared !== true ? null : { day })],
  ['(?<=.)(?:,?[,&~](?!$|[,&~/])|,$)', nothing],
]);
