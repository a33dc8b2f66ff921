import { isKind, isNamed, meaningOf, ONLY, type Piece } from './pieces.ts';
import { isPart, type SimpleCondition } from './plan.ts';
import type { NameKind } from './vocabulary.ts';

/** Whether a piece makes the question mean what no plan can say, by what stands beside it. */
type Doubt = (piece: Piece, at: number, pieces: readonly Piece[]) => boolean;

const AUXILIARIES = new Set('are is was were do does did have has can'.split(' '));
const ALL = new Set(['all', 'every']);
const CONTINUING = new Set(['then', 'also', 'so']);
/** What asks somebody to do something, at the beginning of a question. */
const IMPERATIVES = new Set(
  'acknowledge change close copy create fix label mark modify own resolve review scan tag'.split(' '),
);
/** Function words before what is asked for. */
const POLITE = new Set(
  'please kindly can could would will you i we want need to like hello hi also now'.split(' '),
);
/** Between `I` and what I did. */
const OF_DEEDS = new Set('have has had do did can also already'.split(' '));
/** How long something took. */
const LASTED =
  /^(?:within|in) (?!the |last |past |previous |this ).*(?:hour|day|week|month|quarter|year)s?$/i;
const ARTICLES = new Set(['the', 'a', 'an', 'its', 'their']);
/** A thing has one of each of these, so nothing has both of two. */
const ONE_OF: readonly NameKind[] = ['domain', 'type', 'label', 'scope', 'person'];
const PLACES: readonly NameKind[] = ['domain', 'type', 'scope'];
/** What somebody did, or what became of something. */
const DEEDS: readonly SimpleCondition['field'][] = [
  'candidateStatus',
  'actionStatus',
  'findingStatus',
  'provenance',
];

const says = ({ fillers }: Piece, words: ReadonlySet<string>): boolean =>
  fillers.some((word) => words.has(word));
const saysWord = ({ fillers }: Piece, ...words: string[]): boolean =>
  fillers.some((word) => words.includes(word));
const lastFiller = ({ fillers }: Piece): string => fillers.at(-1) ?? '';
const written = (piece: Piece | undefined): string => piece?.written.toLowerCase() ?? '';

const subjectOf = (piece: Piece | undefined) => meaningOf(piece, 'noun')?.subject ?? null;
const isOf = (piece: Piece | undefined, fields: readonly SimpleCondition['field'][]): boolean =>
  meaningOf(piece, 'value')?.readings.some(({ field }) => fields.includes(field)) === true;
const isLabelled = (piece: Piece | undefined): boolean => meaningOf(piece, 'label')?.isVerb === true;
const isCopies = (piece: Piece | undefined): boolean => meaningOf(piece, 'quantity')?.field === 'copies';
const isDuplicates = (piece: Piece | undefined): boolean =>
  meaningOf(piece, 'noun')?.where?.some(({ field }) => field === 'copies') === true;
const isOwner = (piece: Piece | undefined): boolean => meaningOf(piece, 'dimension')?.role === 'owner';
const isBut = (piece: Piece | undefined): boolean =>
  meaningOf(piece, 'join')?.but === true || meaningOf(piece, 'not')?.except === true;
const isOfPart = (piece: Piece | undefined): boolean => isPart(subjectOf(piece));
export const isShared = (piece: Piece | undefined): boolean => isOf(piece, ['exposure']);
const isPronounOfPeople = (piece: Piece | undefined): boolean =>
  isShared(piece) && /(?:every|any|no)[ -]?(?:one|body)$/.test(written(piece));

/** `shared only with guests`, `with only open findings`. At the beginning it says nothing: `only Amara’s files`. */
const isOnly: Doubt = (piece, at, pieces) =>
  says(piece, ONLY) &&
  piece.kind !== 'number' &&
  pieces.slice(0, at).some((each) => !isKind(each, 'ask') && !isKind(each, 'which'));

/** `are there no …`, `isn’t …`, `are all …`: a question for yes or no that a list of rows does not answer. */
const isYesOrNo: Doubt = (piece, at) =>
  at === 0 && AUXILIARIES.has(piece.fillers[0] ?? '') && (isKind(piece, 'not') || says(piece, ALL));

/** `with all labels`. */
const isOfAll: Doubt = (piece, at) =>
  at > 0 &&
  says(piece, ALL) &&
  !saysWord(piece, 'for') &&
  (isKind(piece, 'label') || isKind(piece, 'dimension'));

/** `resolve all findings`, `email me the findings`. */
const isImperative: Doubt = (piece, at, pieces) => {
  const next = pieces[at + 1];
  if (at > 0 || next === undefined || isKind(next, 'dimension') || isKind(next, 'by')) return false;
  if (!piece.fillers.every((word) => POLITE.has(word))) return false;
  if (['email', 'mail'].includes(written(piece))) return saysWord(next, 'me', 'us');
  return IMPERATIVES.has(written(piece)) && !(isKind(piece, 'label') && isNamed(next, 'label'));
};

/** `findings I acknowledged`, `my requests`: who asks is in no plan. */
const isOfAsker: Doubt = (piece, at, pieces) => {
  if (subjectOf(piece) === 'actions' && saysWord(piece, 'my')) return true;
  const i = piece.fillers.lastIndexOf('i');
  const isDeed = isKind(piece, 'verb') || isKind(piece, 'value') || isKind(piece, 'not') || isLabelled(piece);
  return (
    i >= 0 &&
    isDeed &&
    pieces.slice(0, at).some((each) => isKind(each, 'noun')) &&
    piece.fillers.slice(i + 1).every((word) => OF_DEEDS.has(word))
  );
};

/** `never shared`: only what is so now is known. */
const isOfHistory: Doubt = (piece, at, pieces) =>
  written(piece) === 'never' &&
  (isShared(pieces[at + 1]) || isKind(pieces[at + 1], 'label') || isOf(pieces[at + 1], ['labelState']));

/** `not both unlabelled and shared`, `in both Finance and Legal`. */
const isBoth: Doubt = (piece, at, pieces) => {
  if (!saysWord(piece, 'both')) return false;
  if (isKind(pieces[at - 1], 'not')) return true;
  return ONE_OF.some((kind) => isNamed(piece, kind) && isNamed(pieces[at + 2], kind));
};

/** `shared with Finance`, `outside Legal`, `with everyone in Legal`, `with the owner`: with whom, not where it is. */
const isAudience: Doubt = (piece, at, pieces) => {
  if (!isNamed(piece, ...PLACES) && !isOwner(piece)) return false;
  const isExcept = isKind(pieces[at - 1], 'not');
  const before = pieces[at - (isExcept ? 2 : 1)];
  const isOutside = written(before).endsWith('outside') || written(pieces[at - 1]).startsWith('outside');
  return (
    (isPronounOfPeople(before) && isNamed(piece, ...PLACES)) ||
    (isShared(before) && (isOutside || saysWord(piece, 'with', 'to')))
  );
};

/** `shared with nobody but Lena`, `owned by no one except Amara`: an exception from what was denied. */
const isExceptionFromNobody: Doubt = (piece, at, pieces) =>
  isBut(piece) && /(?:any|no)[ -]?(?:one|body)$/.test(written(pieces[at - 1]));

/** `not currently shared with anyone`: with nobody, and not without a public link. */
const isNobody: Doubt = (piece, at, pieces) =>
  isPronounOfPeople(piece) &&
  written(piece).startsWith('any') &&
  [pieces[at - 1], pieces[at - 2]].some((each) => isKind(each, 'not'));

/** `external owners`: what is said of owners. */
const isOfOwners: Doubt = (piece, at, pieces) => {
  const next = pieces[at + 1];
  return isOwner(next) && next?.gap !== true && isKind(piece, 'value') && !isKind(pieces[at - 1], 'by');
};

/** `with copies in Legal`, `with external copies`: what is said of copies. */
const isOfCopies: Doubt = (piece, at, pieces) => {
  const isSaid = isKind(piece, 'value') || isNamed(piece, 'domain', 'type', 'scope', 'label', 'identifier');
  const next = pieces[at + 1];
  const isOfNext =
    isCopies(next) || (isDuplicates(next) && pieces.slice(0, at).some((each) => isKind(each, 'noun')));
  if (isOfNext && next?.gap !== true && isSaid) return true;
  const isMore = isSaid || isKind(piece, 'verb') || isKind(piece, 'label') || piece.kind === 'window';
  let of = at - 1;
  while (isKind(pieces[of], 'not') || isBut(pieces[of])) of--;
  const isPlaced = isOf(pieces[of], ['copies']) && saysWord(piece, 'to', 'from');
  // `with duplicates in Legal`: a noun that describes another one.
  const isOfDuplicates = isDuplicates(pieces[of]) && pieces.slice(0, of).some((each) => isKind(each, 'noun'));
  return isMore && piece.fillers[0] !== 'of' && (isCopies(pieces[of]) || isPlaced || isOfDuplicates);
};

/** `acknowledged by the owner`: by whom, not what the rows are counted by. */
const isByOwner: Doubt = (piece, at, pieces) => {
  const done = pieces[at - 2];
  return (
    isOwner(piece) &&
    written(pieces[at - 1]) === 'by' &&
    (says(piece, ARTICLES) || isKind(done, 'verb') || isOf(done, DEEDS))
  );
};

/** `files Lena shared`, `phone numbers of Lena`, `tasks for Lena`: a person who is neither owner nor requester. */
const isOtherPerson: Doubt = (piece, at, pieces) => {
  if (!isNamed(piece, 'person')) return false;
  const before = pieces[at - 1];
  if (isNamed(before, 'identifier') && lastFiller(piece) === 'of') return true;
  if (subjectOf(before) === 'actions' && saysWord(piece, 'for', 'assigned')) return true;
  const isNot = isKind(pieces[at + 1], 'not');
  const next = pieces[at + (isNot ? 2 : 1)];
  // `Lena acknowledged or resolved`, `Lena did not request`
  if (isKind(next, 'verb') && isKind(pieces[at + (isNot ? 3 : 2)], 'join'))
    return isKind(pieces[at + (isNot ? 4 : 3)], 'verb');
  if (isNot && subjectOf(next) === 'actions') return true;
  const isGenitive = /['’]s?$/.test(piece.written);
  const hasDone = isKind(next, 'label') || isShared(next) || isOf(next, DEEDS);
  return hasDone && !isGenitive && piece.fillers.length === 0 && isKind(before, 'noun');
};

/** `how many IBANs`, `total number of copies`: only rows are counted. */
const isCountOfOthers: Doubt = (piece, at, pieces) => {
  if (meaningOf(piece, 'ask')?.show !== 'count') return false;
  const [next, after] = [pieces[at + 1], pieces[at + 2]];
  const isCounted = isNamed(next, 'identifier') || (isCopies(next) && !written(piece).startsWith('by'));
  return isCounted && !(isKind(after, 'noun') && after?.gap !== true);
};

/** `files with the most critical findings`: an order of parts. */
const isOrderOfParts: Doubt = (piece, at, pieces) =>
  isKind(piece, 'order') &&
  isOfPart(pieces[at + 1]) &&
  pieces[at + 1]?.gap !== true &&
  pieces.slice(0, at).some((each) => isKind(each, 'noun'));

/** `label changes to Confidential`: what it changes to. */
const isChangedTo: Doubt = (piece, at, pieces) =>
  isNamed(piece, 'label') && subjectOf(pieces[at - 1]) === 'actions' && saysWord(piece, 'to');

/** `files whose label was changed`: a change of something else than the row. */
const isOtherChange: Doubt = (piece, at, pieces) => {
  const isChange = meaningOf(piece, 'verb')?.time?.assets === 'modified';
  return isChange && (isKind(pieces[at - 1], 'label') || isOwner(pieces[at - 1]));
};

/** `files and their owners`, `files and labels`: what is to be shown, not what the rows are to have. */
const isShown: Doubt = (piece, at, pieces) => {
  const isOfFile = isOwner(piece) || isKind(piece, 'label');
  if (at === 0 || !(isOfFile || isOfPart(piece) || isCopies(piece))) return false;
  const before = pieces.slice(0, at);
  const isListed =
    isKind(pieces[at - 1], 'join') &&
    piece.gap !== true &&
    !before.some((each) => isKind(each, 'not') || isOfPart(each)) &&
    (isOfFile || isCopies(piece)
      ? isKind(pieces[at - 2], 'noun')
      : before.some((each) => isKind(each, 'noun')));
  return isListed || (isOfFile && saysWord(piece, 'their', 'its'));
};

/** `types of findings`: kinds of them, not types of information. */
const isKindOfParts: Doubt = (piece, at, pieces) =>
  /^types?$/.test(written(piece)) && isOfPart(pieces[at + 1]) && saysWord(pieces[at + 1] ?? piece, 'of');

/** `resolved within a week`, `in less than a day`: how long it took is not known. */
const isDuration: Doubt = (piece, at, pieces) => {
  const done = pieces[at - 1];
  const isDone = meaningOf(done, 'verb')?.readings !== undefined || isOf(done, DEEDS);
  return piece.kind === 'window' && LASTED.test(piece.written) && isDone;
};

/** `and how many of them`, `then in Legal`: it goes on a question that this one does not know. */
const isContinued: Doubt = (piece, at) =>
  at === 0 &&
  ((meaningOf(piece, 'join') !== null && !isBut(piece) && written(piece) !== ',') ||
    CONTINUING.has(piece.fillers[0] ?? ''));

/** `assigned to Finance since March`: since when a file is tied to a domain is asked by `classified`. */
const isSinceTied: Doubt = (piece, at, pieces) =>
  piece.kind === 'window' &&
  pieces.slice(0, at + 1).some((each) => saysWord(each, 'assigned', 'tied', 'belong', 'belonging'));

const DOUBTS: readonly Doubt[] = [
  isContinued,
  isSinceTied,
  isOnly,
  isYesOrNo,
  isOfAll,
  isImperative,
  isOfAsker,
  isOfHistory,
  isBoth,
  isAudience,
  isNobody,
  isExceptionFromNobody,
  isOfOwners,
  isOfCopies,
  isByOwner,
  isOtherPerson,
  isCountOfOthers,
  isOrderOfParts,
  isChangedTo,
  isDuration,
  isOtherChange,
  isShown,
  isKindOfParts,
];

/** Pieces without which the question would mean something else, and which no plan can say. */
export const doubtfulPieces = (pieces: readonly Piece[]): Piece[] =>
  pieces.filter((piece, at) => DOUBTS.some((isDoubtful) => isDoubtful(piece, at, pieces)));
