import { type Answer, type AnswersSoFar, answersSoFar } from '../../core/inference/answers-so-far.ts';
import type { RelatedDecision } from '../../core/inference/contributions.ts';
import type { Features } from '../../core/inference/features.ts';
import { BY_ANSWERS, FIRST_ENSEMBLE, type Inference, infer } from '../../core/inference/inference.ts';
import type { TaxonomyIndex } from '../../core/inference/taxonomy-index.ts';
import { isAsked } from '../../core/review/record-inferences.sql.ts';
import { MAX_QUESTIONS } from '../../core/review/rescore-related.ts';
import { likenessOf, type Signatures } from '../../core/similarity/likeness.ts';

/** A document whose owner is known. `label` is null if it belongs to no type of the taxonomy. */
export type Owned = { label: string | null; features: Features; signatures: Signatures };

/** In which order questions are answered, and whether a wrong owner names the right one. */
export type Way = { order: 'queue' | 'random'; routes: boolean };

/** After so many answers. */
export type Point = {
  answers: number;
  /** Of the typed documents, those that are confirmed, or have the right domain as the likeliest that is asked. */
  right: number;
  /** Of the answers, those that were *not a match*. */
  waste: number;
  /** Of the documents of no type, those that somebody was asked about. */
  noTypeAsked: number;
  open: number;
};

/** What was measured: `sure` counts the answers to questions above `SURE`, and those of them that were *mine*. */
export type Simulated = { points: Point[]; sure: { asked: number; right: number }; last: number };

export const SURE = 0.95;

/**
 * Owners answer truthfully until no question is left. The scoring, what an answer has scored again and the order of the
 * queue are those of the service; risk is the same for all.
 * @returns a point for each of `at` that is reached
 */
export function simulate(
  documents: readonly Owned[],
  taxonomy: TaxonomyIndex,
  way: Way,
  { at, random }: { at: readonly number[]; random: () => number },
): Simulated {
  const like = documents.map(({ signatures }, here) =>
    documents.flatMap((other, there) => {
      const likeness = here === there ? null : likenessOf(signatures, other.signatures);
      return likeness === null ? [] : [{ there, ...likeness }];
    }),
  );
  const states = documents.map(() => ({
    confirmed: null as string | null,
    refused: new Set<string>(),
    sentTo: null as string | null,
    wasAsked: false,
    inferences: [] as Inference[],
  }));
  type Question = { document: number; domainId: string; value: number; inference: Inference | null };
  const stateOf = (document: number) => states[document] ?? raise();
  const answers: Answer[] = [];
  let soFar: AnswersSoFar = answersSoFar(answers, false);

  const score = (document: number) => {
    const state = stateOf(document);
    const related = (like[document] ?? []).flatMap(({ there, kind, similarity }): RelatedDecision[] => {
      const { confirmed, refused } = stateOf(there);
      const said = (informationTypeId: string, outcome: 'confirmed' | 'refused') => ({
        ...{ kind: 'near' as const, informationTypeId, outcome, likeness: kind, similarity },
      });
      return [
        ...(confirmed === null ? [] : [said(confirmed, 'confirmed')]),
        ...[...refused].map((each) => said(each, 'refused')),
      ];
    });
    state.inferences = infer({
      ...{ features: documents[document]?.features ?? raise(), taxonomy, ensemble: FIRST_ENSEMBLE },
      ...{ expectedDomainId: null, related, refusedBy: [...state.refused].sort(), answers: soFar },
    });
  };
  const asksOf = (document: number): Inference[] => {
    const { confirmed, refused, inferences } = stateOf(document);
    if (confirmed !== null) return [];
    return inferences.filter((each) => isAsked(each, [...refused], FIRST_ENSEMBLE));
  };
  const questionsNow = (): Question[] => {
    const asked = documents.map((_, document) => asksOf(document));
    return asked.flatMap((inferences, document) => {
      const { sentTo } = stateOf(document);
      const sent = sentTo === null ? [] : [{ document, domainId: sentTo, value: 1_000, inference: null }];
      return [
        ...sent,
        ...inferences
          .filter(({ domainId }) => domainId !== sentTo)
          .map((inference) => {
            const { domainId, confidence } = inference;
            const alike = (like[document] ?? []).filter(({ there }) =>
              asked[there]?.some((each) => each.domainId === domainId),
            ).length;
            return { document, domainId, inference, value: questionValue(confidence, alike) };
          }),
      ];
    });
  };

  for (const document of documents.keys()) score(document);
  const points: Point[] = [];
  const sure = { asked: 0, right: 0 };
  let waste = 0;
  for (let given = 0; ; given++) {
    const questions = questionsNow();
    for (const { document } of questions) stateOf(document).wasAsked = true;
    if (at.includes(given)) points.push(pointOf(given, questions.length));
    const next =
      way.order === 'queue' ? mostValuable(questions) : questions[Math.floor(random() * questions.length)];
    if (next === undefined) return { points, sure, last: given };
    answer(next);
    const { document } = next;
    const before = JSON.stringify([...soFar.domains, ...soFar.types]);
    soFar = answersSoFar(answers, false);
    score(document);
    for (const { there } of like[document] ?? []) score(there);
    if (JSON.stringify([...soFar.domains, ...soFar.types]) === before) continue;
    const following = questions.sort(byValue).slice(0, MAX_QUESTIONS);
    for (const each of new Set(following.map((question) => question.document))) score(each);
  }

  function answer({ document, domainId, inference }: Question): void {
    const state = stateOf(document);
    const label = documents[document]?.label ?? null;
    const isTheirs = label === domainId;
    if (inference !== null) {
      const own = inference.contributions.filter(({ name }) => !BY_ANSWERS.includes(name));
      const logOdds = own.reduce((sum, { value }) => sum + value, 0);
      answers.push({ domainId, informationTypeId: inference.informationTypeId, isTheirs, logOdds });
      if (inference.confidence >= SURE) {
        sure.asked++;
        if (isTheirs) sure.right++;
      }
    }
    if (isTheirs) {
      state.confirmed = domainId;
      state.sentTo = null;
      return;
    }
    waste++;
    state.refused.add(domainId);
    if (way.routes && label !== null) state.sentTo = label;
  }

  function pointOf(given: number, open: number): Point {
    const typed = documents.flatMap(({ label }, document) => (label === null ? [] : [{ label, document }]));
    const noType = documents.flatMap(({ label }, document) => (label === null ? [stateOf(document)] : []));
    const right = typed.filter(({ label, document }) => {
      const { confirmed } = stateOf(document);
      return (confirmed ?? asksOf(document)[0]?.domainId) === label;
    });
    return {
      answers: given,
      right: right.length / Math.max(1, typed.length),
      waste: waste / Math.max(1, given),
      noTypeAsked: noType.filter(({ wasAsked }) => wasAsked).length / Math.max(1, noType.length),
      open,
    };
  }

  function mostValuable(questions: readonly Question[]): Question | undefined {
    return questions.reduce<Question | undefined>(
      (most, each) => (most === undefined || byValue(each, most) < 0 ? each : most),
      undefined,
    );
  }
}

const byValue = (a: { value: number; document: number }, b: { value: number; document: number }) =>
  b.value - a.value || a.document - b.document;

/** As `question_value` of the database, without risk. */
const questionValue = (confidence: number, alike: number): number =>
  Math.round(100 * confidence) +
  (confidence >= FIRST_ENSEMBLE.reviewHighThreshold ? 100 : 0) +
  Math.round(
    ((200 * Math.log(1 + alike)) / Math.log(201)) *
      Math.min(1, Math.max(0.1, 0.1 + (0.9 * (confidence - 0.4)) / 0.4)),
  );

function raise(): never {
  throw new RangeError('There is no such document');
}
