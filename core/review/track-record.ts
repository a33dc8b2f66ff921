import type { Candidate, Outlook } from './candidate-schema.ts';
import { type AnswerCounts, levelOf, likelihood } from './wording.ts';

/** An answer to a question of the model. `yours`: the asset belongs to the domain. */
type AnswerToModel = [decisionId: string, informationTypeId: string, confidence: number, yours: boolean];

/** The answers of a domain, the newest first. A decision that answers several candidates is here once for each of them. */
export type AnswersOfDomain = { domainId: string; answers: readonly AnswerToModel[] };

/** The newest answers that count for an expectation, and for the whole of a domain. */
const LAST_ANSWERS = 10;
/** The newest answers that count for the words of a level. */
const LAST_OF_LEVEL = 200;
/** Fewer answers give no expectation. */
const FEWEST_ANSWERS = 5;
/** If so few of the last ten answers were theirs, the rest is hardly worth the time. */
const HARDLY_ANY = 1;

const NONE: AnswerCounts = { answered: 0, yours: 0 };

/** What owners answered to questions of the model. */
export type TrackRecord = {
  /** The last 10 answers of a domain. */
  ofDomain(domainId: string): AnswerCounts;
  /** The last 200 answers of a domain at the level of a confidence. */
  ofLevel(domainId: string, confidence: number): AnswerCounts;
  /** The last 10 of them about one type. */
  ofLike(domainId: string, informationTypeId: string, confidence: number): AnswerCounts;
};

export function trackRecordOf(domains: readonly AnswersOfDomain[]): TrackRecord {
  const counts = new Map(domains.map(({ domainId, answers }) => [domainId, countsOf(answers)]));
  const find = (domainId: string, key: string) => counts.get(domainId)?.get(key) ?? NONE;
  return {
    ofDomain: (domainId) => find(domainId, ''),
    ofLevel: (domainId, confidence) => find(domainId, `${levelOf(confidence)}`),
    ofLike: (domainId, typeId, confidence) => find(domainId, `${levelOf(confidence)} ${typeId}`),
  };
}

/** Counts each decision once: of all, by level, and by level and type. */
function countsOf(answers: readonly AnswerToModel[]): ReadonlyMap<string, AnswerCounts> {
  const counts = new Map<string, AnswerCounts & { last: string }>();
  for (const [decisionId, typeId, confidence, yours] of answers) {
    const level = levelOf(confidence);
    for (const [key, most] of [
      ['', LAST_ANSWERS],
      [`${level}`, LAST_OF_LEVEL],
      [`${level} ${typeId}`, LAST_ANSWERS],
    ] as const) {
      const count = counts.get(key) ?? { ...NONE, last: '' };
      if (count.last === decisionId || count.answered === most) continue;
      counts.set(key, {
        answered: count.answered + 1,
        yours: count.yours + (yours ? 1 : 0),
        last: decisionId,
      });
    }
  }
  return counts;
}

/** The confidence in words that the answers of the domain allow. */
export const inWords = (record: TrackRecord, domainId: string, confidence: number): string =>
  likelihood(confidence, record.ofLevel(domainId, confidence));

/** Adds to a question what the answers to others say of it. */
export const withRecord = <T extends Omit<Candidate, 'confidenceInWords' | 'expectation'>>(
  question: T,
  record: TrackRecord,
): T & Pick<Candidate, 'confidenceInWords' | 'expectation'> => ({
  ...question,
  confidenceInWords:
    question.confidence === null ? null : inWords(record, question.domainId, question.confidence),
  expectation: expectationOf(question, record),
});

type Asked = Pick<
  Candidate,
  'domainId' | 'informationTypeId' | 'confidence' | 'band' | 'askedBecause' | 'status'
>;

/** Reasons of a question that the model does not ask by itself. */
const NOT_BY_MODEL: readonly Candidate['askedBecause'][] = [
  'routed',
  'corrected',
  'returned',
  'representative',
];

/**
 * What to expect of an open question: what owners of the domain said to the last questions like it. Null if a person
 * asks, if it represents a group, if it is answered, or if there are too few answers.
 */
export function expectationOf(question: Asked, record: TrackRecord): Candidate['expectation'] {
  const like = likeOf(question, record);
  if (like === null || like.answered < FEWEST_ANSWERS) return null;
  const { answered, yours } = like;
  return { answered, yours, explanation: `Of the last ${answered} like these, ${wereYours(yours)}.` };
}

/** The answers to questions like this one. Null unless the model asks and waits for an answer. */
function likeOf(question: Asked, record: TrackRecord): AnswerCounts | null {
  const { domainId, informationTypeId, confidence, band, askedBecause, status } = question;
  const isOpen = status === 'pending' || status === 'deferred';
  if (!isOpen || band === 'routed' || NOT_BY_MODEL.includes(askedBecause)) return null;
  return informationTypeId === null || confidence === null
    ? null
    : record.ofLike(domainId, informationTypeId, confidence);
}

const wereYours = (count: number): string =>
  count === 0 ? 'none was yours' : count === 1 ? '1 was yours' : `${count} were yours`;

/** What to expect of the questions of the model that a queue lists: an entry for each domain, in the order of the queue. */
export function outlookOf(
  questions: readonly (Asked & Pick<Candidate, 'domainName'>)[],
  record: TrackRecord,
): Outlook[] {
  const ofModel = questions.filter((question) => likeOf(question, record) !== null);
  return [...Map.groupBy(ofModel, ({ domainId }) => domainId)].map(([domainId, listed]) => {
    const last = record.ofDomain(domainId);
    const likes = listed.map((question) => likeOf(question, record) ?? NONE);
    const expected = Math.round(
      likes.reduce((sum, like, at) => sum + (rate(like) ?? rate(last) ?? listed[at]?.confidence ?? 0), 0),
    );
    const isWorthwhile =
      last.answered < LAST_ANSWERS ||
      last.yours > HARDLY_ANY ||
      likes.some((like) => (rate(like) ?? 0) >= 0.5);
    return {
      domainId,
      domainName: listed[0]?.domainName ?? '',
      listed: listed.length,
      expected,
      isWorthwhile,
      explanation: isWorthwhile
        ? areExpected(expected, listed.length)
        : `Of the last ${last.answered} answers to questions of the model, ${wereYours(last.yours)}. The rest is probably not worth your time.`,
    };
  });
}

function areExpected(expected: number, listed: number): string {
  if (listed === 1)
    return `The listed question of the model is ${expected === 1 ? '' : 'not '}expected to be yours.`;
  const some = expected === 0 ? 'None' : `About ${expected}`;
  return `${some} of the ${listed} listed questions of the model ${expected > 1 ? 'are' : 'is'} expected to be yours.`;
}

/** Null if there are too few answers. */
const rate = ({ answered, yours }: AnswerCounts): number | null =>
  answered < FEWEST_ANSWERS ? null : yours / answered;
