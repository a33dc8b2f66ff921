import type { AnswersSoFar } from './answers-so-far.ts';
import {
  copies,
  detectorSignals,
  type Evidence,
  embeddingSimilarity,
  indicatorKeywords,
  lexicalSimilarity,
  locationExpectation,
  nameAndPath,
  type RelatedDecision,
  type Scored,
  secondOpinion,
  subjectOf,
  titleWords,
} from './contributions.ts';
import type { Features, Opinion } from './features.ts';
import { wordScores } from './learned-words.ts';
import { rivalDomains } from './rival-domains.ts';
import type { Sensitivity, TaxonomyIndex } from './taxonomy-index.ts';
import {
  HAND_SET_STARTING_POINT,
  HAND_SET_WEIGHTS,
  type LearnedType,
  type LearnedWeights,
  SECOND_OPINION_WEIGHT,
  type WeightedName,
  weightsOf,
} from './weights.ts';

/** Part of the stage-cache key. Raise it when the inferences of some asset change. */
export const INFERENCE_VERSION = 6;

/** Thresholds and boosts, each 0 to 1. */
export type Thresholds = {
  /** At or above this confidence, owners are asked. */
  candidateThreshold: number;
  reviewLowThreshold: number;
  reviewHighThreshold: number;
  nearDupConfirmedBoost: number;
  exactDupConfirmedBoost: number;
};

/** What a version of the model consists of. `learned` is null if the weights are the hand-set ones. */
export type EnsembleValues = Thresholds & { learned: LearnedWeights | null };

/** A version of the thresholds and weights. */
export type Ensemble = EnsembleValues & { version: number };

/** The ensemble of a new tenant. */
export const FIRST_ENSEMBLE: Ensemble = {
  version: 1,
  candidateThreshold: 0.4,
  reviewLowThreshold: 0.4,
  reviewHighThreshold: 0.8,
  nearDupConfirmedBoost: 0.3,
  exactDupConfirmedBoost: 0.6,
  learned: null,
};

export type ContributionName =
  | 'starting_point'
  | 'outside_taxonomy'
  | 'answers_so_far'
  | 'learned_offset'
  | 'learned_words'
  | 'detector_signals'
  | 'indicator_keywords'
  | 'lexical_similarity'
  | 'title_words'
  | 'embedding_similarity'
  | 'rival_domains'
  | 'name_and_path'
  | 'location_expectation'
  | 'second_opinion'
  | 'thin_text'
  | 'confirmed_copies'
  | 'confirmed_near_copies';

/** The contributions that follow from answers of owners, release or not. The others are the model's own evidence. */
export const BY_ANSWERS: readonly ContributionName[] = [
  'outside_taxonomy',
  'answers_so_far',
  'confirmed_copies',
  'confirmed_near_copies',
];

/** One named part of the score. `value` is `weight` times `score`. All values add up to the log-odds. */
export type Contribution = {
  name: ContributionName;
  weight: number;
  /** -1 to 1. */
  score: number;
  value: number;
  evidence: Evidence;
};

export type Inference = {
  informationTypeId: string;
  domainId: string;
  sensitivity: Sensitivity;
  /** 0 to 1. */
  confidence: number;
  /** All contributions with evidence, the strongest first. */
  contributions: Contribution[];
  ensembleVersion: number;
};

export type InferenceInput = {
  features: Features;
  taxonomy: TaxonomyIndex;
  ensemble: Ensemble;
  /** The domain that the asset's scope is expected to hold, or null. */
  expectedDomainId: string | null;
  /** Decisions of owners on copies of this asset. */
  related: readonly RelatedDecision[];
  /** Ids of the domains whose owners say that the asset is not theirs. They are no rivals of the others. */
  refusedBy: readonly string[];
  /** What owners answered to the tenant's questions so far. */
  answers: AnswersSoFar;
};

/** Log-odds that a boost of 1 adds. Decisions on identical bytes outweigh all evidence of the text. */
const BOOST = 12;
const LEAST_CONFIDENCE = 0.03;
const MAX_INFERENCES = 5;
/** Confidence in a text with fewer characters is limited to this share of the high threshold. */
const THIN_CHARACTERS = 200;
const THIN_SHARE = 0.75;
const LEAST_THRESHOLD = 0.01;
/** Log-odds between an edge of the band and what a second opinion leaves inside of it. */
const INSIDE = 1e-6;

/** The log-odds of a type without evidence. Former releases did not list it among the contributions. */
export const STARTING_POINT = startingPoint(0);

function startingPoint(shift: number): Contribution {
  return weigh('starting_point', HAND_SET_STARTING_POINT - shift, { score: -1, evidence: {} });
}

/**
 * The most likely information types of an asset: at most five, each with its contributions. Pure and deterministic.
 */
export const infer = (input: InferenceInput): Inference[] => mostLikely(scoreTypes(input));

/** At most five of the scored types, the most likely first. */
export const mostLikely = (scored: readonly Inference[]): Inference[] =>
  scored
    .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)
    .sort((a, b) => b.confidence - a.confidence || (a.informationTypeId < b.informationTypeId ? -1 : 1))
    .slice(0, MAX_INFERENCES);

/** Every information type of the taxonomy, scored. */
export function scoreTypes(input: InferenceInput): Inference[] {
  const { features, taxonomy, ensemble, expectedDomainId, related, refusedBy, answers } = input;
  const subject = subjectOf(features, taxonomy);
  const weights = weightsOf(ensemble.learned);
  const start = startingPoint(ensemble.learned?.shift ?? 0);
  const weighted = <N extends WeightedName>(name: N, scored: Scored) => weigh(name, weights[name], scored);
  const similar = taxonomy.types.map((indexed) => {
    const contributions = [
      weighted('lexical_similarity', lexicalSimilarity(subject, indexed)),
      weighted('title_words', titleWords(subject, indexed)),
      weighted('embedding_similarity', embeddingSimilarity(subject, indexed)),
    ];
    // By the hand-set weights, so that a learned weight changes no score.
    const similarity = contributions.reduce(
      (sum, { name, score }) => sum + HAND_SET_WEIGHTS[name] * score,
      0,
    );
    return { indexed, domainId: indexed.type.domainId, similarity, contributions };
  });
  const among = (rivals: typeof similar) => rivalDomains(subject, rivals);
  const all = among(similar);
  const asking =
    refusedBy.length === 0 ? all : among(similar.filter(({ domainId }) => !refusedBy.includes(domainId)));
  const opinion = countingOpinion(features, taxonomy);
  const words = ensemble.learned?.words ?? null;
  const wordsOf = wordScores(subject.terms, words);
  const scored = similar.map((each): Inference => {
    const { indexed } = each;
    const detectors = detectorSignals(subject, indexed);
    const keywords = indicatorKeywords(subject, indexed);
    const rivals = refusedBy.includes(each.domainId) ? all : asking;
    const learned = ensemble.learned?.types[indexed.type.informationTypeId];
    const own = [
      start,
      outsideTaxonomy(answers, each.domainId),
      answered(answers, indexed.type.informationTypeId),
      learnedOffset(learned),
      weigh('learned_words', words?.weight ?? 0, wordsOf(indexed.type.informationTypeId, indexed.terms)),
      ...each.contributions,
      weighted('rival_domains', rivals(each, detectors, keywords)),
      weighted('detector_signals', detectors),
      weighted('indicator_keywords', keywords),
      weighted('name_and_path', nameAndPath(subject, indexed)),
      weighted('location_expectation', locationExpectation(expectedDomainId, indexed)),
    ];
    const copied = [
      weigh('confirmed_copies', BOOST * ensemble.exactDupConfirmedBoost, copies('exact', related, indexed)),
      weigh(
        'confirmed_near_copies',
        BOOST * ensemble.nearDupConfirmedBoost,
        copies('near', related, indexed),
      ),
    ];
    const total = (parts: readonly Contribution[]) => [
      ...parts,
      thinText(features, sumOf(parts), ensemble),
      ...copied,
    ];
    const without = total(own);
    const said = secondOpinion(opinion, indexed);
    const counted = said.score === 0 ? null : opinionInBand(said, confidenceOf(without), ensemble);
    const contributions = (counted === null ? without : total([...own, counted]))
      .filter(({ value }) => value !== 0)
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const { informationTypeId, domainId, sensitivity } = indexed.type;
    return {
      informationTypeId,
      domainId,
      sensitivity,
      confidence: confidenceOf(contributions),
      contributions,
      ensembleVersion: ensemble.version,
    };
  });
  return keepOnlyQuestion(scored, ensemble);
}

/**
 * One refusal of a near-copy lowers the only question about an asset and does not withdraw it: the likeliest type that
 * owners would be asked about without it stays at the threshold.
 */
function keepOnlyQuestion(scored: readonly Inference[], ensemble: Ensemble): Inference[] {
  if (scored.some(({ confidence }) => isCandidate(confidence, ensemble))) return [...scored];
  const least = logOddsOf(ensemble.candidateThreshold) + INSIDE;
  const [kept] = scored
    .flatMap((inference) => {
      const refusal = inference.contributions.find(
        ({ name, value, evidence }) =>
          name === 'confirmed_near_copies' && value < 0 && evidence.refused === 1,
      );
      if (refusal === undefined) return [];
      const without = sumOf(inference.contributions) - refusal.value;
      return without < least ? [] : [{ inference, refusal, without }];
    })
    .sort((a, b) => b.without - a.without);
  if (kept === undefined) return [...scored];
  const { inference, refusal, without } = kept;
  const { score, evidence } = refusal;
  const bounded = weigh('confirmed_near_copies', (least - without) / score, { score, evidence });
  const contributions = inference.contributions
    .map((each) => (each === refusal ? bounded : each))
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return scored.map((each) =>
    each === inference ? { ...each, contributions, confidence: confidenceOf(contributions) } : each,
  );
}

/**
 * Reduces the confidence in a short text. The reduction grows with the other contributions, so that their sum stays
 * below `THIN_SHARE` of the high threshold and the order of types is kept. Decisions on copies are not reduced.
 */
function thinText({ characterCount }: Features, logOdds: number, ensemble: Ensemble): Contribution {
  const isThin = characterCount !== null && characterCount < THIN_CHARACTERS;
  // Below a threshold of 0 nothing stays, and the weight must be finite.
  const most = THIN_SHARE * Math.max(ensemble.reviewHighThreshold, LEAST_THRESHOLD);
  const weight = isThin ? Math.log1p((Math.exp(logOdds) * (1 - most)) / most) : 0;
  return weigh('thin_text', weight, { score: -1, evidence: { characters: characterCount ?? 0 } });
}

/**
 * A second opinion, as far as it leaves the confidence in the band `review`: it neither withdraws a question nor makes one
 * of the band `high`. Null outside of that band.
 */
function opinionInBand(said: Scored, confidence: number, ensemble: Ensemble): Contribution | null {
  if (!isUncertain(confidence, ensemble)) return null;
  const { candidateThreshold, reviewLowThreshold, reviewHighThreshold } = ensemble;
  const edge = said.score > 0 ? reviewHighThreshold : Math.max(candidateThreshold, reviewLowThreshold);
  const room = Math.max(0, Math.abs(logOddsOf(edge) - logOddsOf(confidence)) - INSIDE);
  return weigh('second_opinion', Math.min(SECOND_OPINION_WEIGHT, room / Math.abs(said.score)), said);
}

const logOddsOf = (confidence: number): number => Math.log(confidence / (1 - confidence));

const sumOf = (contributions: readonly Pick<Contribution, 'value'>[]): number =>
  contributions.reduce((sum, { value }) => sum + value, 0);

/**
 * The logistic function of the sum. A contribution changes the log-odds by the same amount, whatever the others are.
 */
export const confidenceOf = (contributions: readonly Pick<Contribution, 'value'>[]): number =>
  1 / (1 + Math.exp(-sumOf(contributions)));

/** Whether an owner is asked. */
export const isCandidate = (confidence: number, ensemble: Ensemble): boolean =>
  confidence >= ensemble.candidateThreshold;

/**
 * The second opinion that counts; null if there is none. One of other types, of another provider, or one that was asked
 * for before they were switched off does not count.
 */
export function countingOpinion(
  { opinion }: Features,
  { typeSet, opinionModel }: TaxonomyIndex,
): Opinion | null {
  const counts =
    opinion !== undefined &&
    opinion.typeSet === typeSet &&
    opinion.provider === opinionModel?.provider &&
    opinion.model === opinionModel.model;
  return counts ? opinion : null;
}

/** Whether a second opinion on a type is asked for, and counts. `confidence` is that without it. */
export const isUncertain = (confidence: number, ensemble: Ensemble): boolean =>
  isCandidate(confidence, ensemble) && bandOf(confidence, ensemble) === 'review';

/** The band of a confidence. Answers to questions in the band `review` teach the model most. */
export function bandOf(confidence: number, ensemble: Ensemble): 'below' | 'review' | 'high' {
  if (confidence >= ensemble.reviewHighThreshold) return 'high';
  return confidence >= ensemble.reviewLowThreshold ? 'review' : 'below';
}

/** What the labels of a type say beyond the evidence. */
const learnedOffset = ({ offset, support }: Partial<LearnedType> = {}): Contribution =>
  weigh('learned_offset', Math.abs(offset ?? 0), {
    score: Math.sign(offset ?? 0),
    evidence: { labels: support ?? 0 },
  });

/** How much of what a domain is asked about lies outside of what it governs. */
const outsideTaxonomy = ({ unanswered, domains }: AnswersSoFar, domainId: string): Contribution =>
  weigh('outside_taxonomy', -(domains.get(domainId) ?? unanswered), { score: -1, evidence: {} });

/** How often questions about the type were right. Counts would make every answer a new inference. */
const answered = ({ types }: AnswersSoFar, informationTypeId: string): Contribution =>
  weigh('answers_so_far', -(types.get(informationTypeId) ?? 0), { score: -1, evidence: {} });

function weigh<N extends ContributionName>(
  name: N,
  weight: number,
  { score, evidence }: Scored,
): Contribution & { name: N } {
  return { name, weight, score, value: weight * score, evidence };
}
