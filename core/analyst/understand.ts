import { assemble } from './assemble.ts';
import { interpret } from './interpret.ts';
import { type Correction, type Piece, piecesOf } from './pieces.ts';
import { type Plan, PlanSchema } from './plan.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * What the grammar makes of a question. `whole`: every word is explained, and the plan is what was asked. `partly`: some
 * words are not, so the plan answers another question and must not be run. `none`: nothing is understood.
 */
export type Understanding = {
  state: 'whole' | 'partly' | 'none';
  plan: Plan;
  /** Words that are not explained, as they are written. */
  ignored: string[];
  /** Words that were read as others. */
  corrections: Correction[];
};

/**
 * Reads a question by the grammar. Pure: the same question, names and time give the same plan.
 * @param now milliseconds
 */
export function understand(question: string, vocabulary: Vocabulary, now: number): Understanding {
  const { pieces, corrections, isCut } = piecesOf(question, vocabulary, now);
  const reading = interpret(pieces);
  const { plan, unexplained } = assemble(reading);
  const ignored = [...new Set(inOrder(pieces, unexplained).map(({ written }) => written))];
  const isValid = PlanSchema.safeParse(plan).success;
  const isNothing =
    (reading.statements.length === 0 &&
      reading.verbs.length === 0 &&
      reading.lead === null &&
      reading.groupBy.length === 0) ||
    pieces.every(({ written }) => ignored.includes(written));
  const isWhole = !isNothing && ignored.length === 0 && isValid && !isCut;
  return { state: isWhole ? 'whole' : isNothing ? 'none' : 'partly', plan, ignored, corrections };
}

const inOrder = (pieces: readonly Piece[], unexplained: readonly Piece[]): Piece[] =>
  pieces.filter((piece) => unexplained.includes(piece));
