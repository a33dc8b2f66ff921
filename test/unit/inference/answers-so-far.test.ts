import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, answersSoFar, NO_ANSWERS } from '../../../core/inference/answers-so-far.ts';

const answers = (count: number, isTheirs: boolean, logOdds: number, informationTypeId = 'a'): Answer[] =>
  Array.from({ length: count }, () => ({
    domainId: `domain ${informationTypeId}`,
    informationTypeId,
    isTheirs,
    logOdds,
  }));
const totalOf = (given: readonly Answer[], type = 'a') => {
  const { unanswered, domains, types } = answersSoFar(given, false);
  return (domains.get(`domain ${type}`) ?? unanswered) + (types.get(type) ?? 0);
};

describe('answers so far', () => {
  it('are cautious before any answer, and not under weights that were learned', () => {
    expect(NO_ANSWERS.unanswered).toBeLessThan(0);
    expect(answersSoFar([], true)).toEqual({ unanswered: 0, domains: new Map(), types: new Map() });
  });

  it('that refuse what the model was sure of lower their own domain alone', () => {
    const given = [...answers(10, false, 2), ...answers(10, true, 2, 'b')];
    expect(totalOf(given)).toBeLessThan(-1.5);
    expect(totalOf(given, 'b')).toBe(totalOf(answers(10, true, 2, 'b'), 'b'));
    expect(totalOf(given, 'c')).toBe(NO_ANSWERS.unanswered);
  });

  it('of one owner hardly move anything', () => {
    expect(Math.abs(totalOf(answers(1, false, 1)) - NO_ANSWERS.unanswered)).toBeLessThanOrEqual(0.5);
  });

  it('that confirm end the caution, and raise nothing above it', () => {
    expect(totalOf(answers(60, true, 1))).toBe(0);
  });

  const some = fc.array(
    fc.record({
      domainId: fc.constantFrom('domain a', 'domain b'),
      informationTypeId: fc.constantFrom('a', 'b', 'c'),
      isTheirs: fc.boolean(),
      logOdds: fc.double({ min: -3, max: 8, noNaN: true }),
    }),
    { maxLength: 60 },
  );

  it('stay within their bounds, whatever is answered, in any order', () => {
    fc.assert(
      fc.property(some, fc.boolean(), (given, isLearned) => {
        const said = answersSoFar(given, isLearned);
        for (const shift of said.domains.values()) {
          expect(shift).toBeGreaterThanOrEqual(-2.5);
          expect(shift).toBeLessThanOrEqual(0);
        }
        for (const offset of said.types.values()) {
          expect(offset).toBeGreaterThanOrEqual(-2);
          expect(offset).toBeLessThan(0);
        }
        expect(answersSoFar([...given].reverse(), isLearned)).toEqual(said);
      }),
    );
  });

  it('that add refusals of a type never raise it', () => {
    fc.assert(
      fc.property(some, fc.double({ min: -3, max: 8, noNaN: true }), (given, logOdds) => {
        // Rounded to steps, so that one step may come from the other part of the sum.
        expect(totalOf([...given, ...answers(3, false, logOdds)])).toBeLessThanOrEqual(totalOf(given) + 0.25);
      }),
    );
  });
});
