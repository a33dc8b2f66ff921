import { describe, expect, test } from 'vitest';
import type { Visibility } from '../../../core/authz/principal.ts';
import { type Contribution, STARTING_POINT } from '../../../core/inference/inference.ts';
import type { CandidateStatus } from '../../../core/review/candidate-states.ts';
import {
  type CurrentDecision,
  contentOf,
  DecisionRequestSchema,
  DecisionSchema,
  OUTCOMES,
  refusal,
  repeats,
} from '../../../core/review/decision.ts';
import { explainAll } from '../../../core/review/explanation.ts';
import { explainValue } from '../../../core/review/value.ts';

const DAY = 24 * 60 * 60 * 1000;
const decidedAt = new Date('2026-01-01T00:00:00Z');
const at = (days: number) => decidedAt.getTime() + days * DAY;

describe('the body of a decision', () => {
  const accepts = (body: object) => DecisionRequestSchema.safeParse(body).success;

  test('a corrected type needs mine_different_type, a routed domain another_domain', () => {
    for (const decision of DecisionSchema.options) {
      expect([decision, accepts({ decision, correctedInformationTypeId: 'ift_1' })]).toEqual([
        decision,
        decision === 'mine_different_type',
      ]);
      expect([decision, accepts({ decision, routedDomainId: 'dom_1' })]).toEqual([
        decision,
        decision === 'another_domain',
      ]);
      expect([decision, accepts({ decision })]).toEqual([
        decision,
        decision !== 'mine_different_type' && decision !== 'another_domain',
      ]);
      expect(accepts({ decision, correctedInformationTypeId: 'ift_1', routedDomainId: 'dom_1' })).toBe(false);
    }
  });

  test('its note is bounded, nothing else is known, and training is off unless said', () => {
    expect(accepts({ decision: 'mine', note: 'x'.repeat(2_000) })).toBe(true);
    expect(accepts({ decision: 'mine', note: 'x'.repeat(2_001) })).toBe(false);
    expect(accepts({ decision: 'mine', principalId: 'pri_1' })).toBe(false);
    expect(accepts({ decision: 'mine', revision: -1 })).toBe(false);
    expect(accepts({ decision: 'yours' })).toBe(false);
    expect(DecisionRequestSchema.parse({ decision: 'mine' })).toEqual({
      decision: 'mine',
      trainingEligible: false,
    });
  });
});

describe('whether a decision is taken', () => {
  const current = { decidedAt, principalId: 'pri_1' };
  const of = (status: CandidateStatus, now: number, revision?: number, principalId = 'pri_1') =>
    refusal({ status, revision: 3 }, current, { principalId, revision }, true, now) === null;

  test('an open question at any time', () => {
    for (const status of ['pending', 'deferred'] as const) {
      expect(of(status, at(400))).toBe(true);
      const by = { principalId: 'pri_2', revision: undefined };
      expect(refusal({ status, revision: 0 }, null, by, false, at(400))).toBeNull();
    }
  });

  test('an answer may be revised for 30 days to the millisecond', () => {
    for (const status of ['confirmed', 'rejected'] as const) {
      expect(of(status, at(0))).toBe(true);
      expect(of(status, at(30))).toBe(true);
      expect(of(status, at(30) + 1)).toBe(false);
    }
  });

  test('never what was withdrawn', () => {
    expect(of('withdrawn', at(0))).toBe(false);
  });

  test('what was routed away until somebody there has answered, however long that takes', () => {
    const by = { principalId: 'pri_1', revision: undefined };
    const taken = (isAnsweredThere: boolean) =>
      refusal({ status: 'routed', revision: 3 }, current, by, isAnsweredThere, at(400)) === null;
    expect([taken(false), taken(true)]).toEqual([true, false]);
  });

  test('not by somebody who looked at another revision', () => {
    expect(of('pending', at(0), 2)).toBe(false);
    expect(of('pending', at(0), 3)).toBe(true);
    expect(of('confirmed', at(1), 3)).toBe(true);
  });

  test('of what another person said only by who names the revision that they looked at', () => {
    for (const status of ['confirmed', 'rejected', 'deferred'] as const) {
      expect(of(status, at(1), undefined, 'pri_2')).toBe(false);
      expect(of(status, at(1), 2, 'pri_2')).toBe(false);
      expect(of(status, at(1), 3, 'pri_2')).toBe(true);
    }
  });
});

describe('whether a decision repeats the one that stands', () => {
  const content = contentOf({ decision: 'mine', note: 'Ours', trainingEligible: true });
  const current: CurrentDecision = {
    ...content,
    isOwn: true,
    isAboutPresentContent: true,
    principalId: 'pri_1',
    decidedAt,
  };

  test('the same by the same person', () => {
    expect(repeats(current, 'pri_1', content)).toBe(true);
    expect(repeats({ ...current, isOwn: false }, 'pri_1', content)).toBe(false);
    expect(repeats({ ...current, isAboutPresentContent: false }, 'pri_1', content)).toBe(false);
  });

  test.each([
    ['another person', 'pri_2', content],
    ['another note', 'pri_1', { ...content, note: null }],
    ['another word on training', 'pri_1', { ...content, trainingEligible: false }],
    ['another decision', 'pri_1', { ...content, decision: 'mine_not_sensitive' }],
  ] as const)('not with %s', (_, principalId, said) => {
    expect(repeats(current, principalId, said)).toBe(false);
  });

  test('of the same kind but about another type or domain it does not', () => {
    const corrected = (id: string) =>
      contentOf({ decision: 'mine_different_type', correctedInformationTypeId: id, trainingEligible: false });
    const routed = (id: string) =>
      contentOf({ decision: 'another_domain', routedDomainId: id, trainingEligible: false });
    const given = (said: ReturnType<typeof contentOf>): CurrentDecision => ({ ...current, ...said });
    expect(repeats(given(corrected('a')), 'pri_1', corrected('a'))).toBe(true);
    expect(repeats(given(corrected('a')), 'pri_1', corrected('b'))).toBe(false);
    expect(repeats(given(routed('a')), 'pri_1', routed('b'))).toBe(false);
  });
});

test('every decision moves its candidate out of pending', () => {
  expect(Object.keys(OUTCOMES).sort()).toEqual([...DecisionSchema.options].sort());
  for (const { status } of Object.values(OUTCOMES)) expect(status).not.toBe('pending');
});

describe('reasons', () => {
  const NOWHERE = { name: '', path: '', spellings: null };
  const placed = {
    name: 'location_expectation',
    weight: 0.8,
    score: -0.25,
    value: -0.2,
    evidence: { expectedDomainId: 'dom_legal' },
  } as const;

  const explain = (contribution: Contribution, visibility: Visibility) =>
    explainAll([contribution], visibility, NOWHERE)[1];

  test('begin with the starting point, also where a former release did not list it', () => {
    const [start, ...rest] = explainAll([placed], { kind: 'tenant' }, NOWHERE);
    expect(start).toMatchObject({ name: 'starting_point', value: -4, inWords: 'speaks strongly against it' });
    expect(rest).toHaveLength(1);
    expect(explainAll([STARTING_POINT, placed], { kind: 'tenant' }, NOWHERE)).toHaveLength(2);
  });

  test('are signed, named and explained', () => {
    expect(explain(placed, { kind: 'tenant' })).toMatchObject({
      name: 'location_expectation',
      direction: 'against',
      value: -0.2,
      evidence: { expectedDomainId: 'dom_legal' },
      explanation: expect.stringMatching(/\w/),
    });
    const found = {
      ...placed,
      name: 'indicator_keywords',
      value: 1,
      evidence: { keywords: ['vat'] },
    } as const;
    expect(explain(found, { kind: 'tenant' })).toMatchObject({
      direction: 'for',
      evidence: { keywords: [], keywordsMeant: ['vat'] },
    });
  });

  test('spell words as they stand, and tell what is meant from what stands there', () => {
    const reason = (name: Contribution['name'], evidence: Contribution['evidence']) =>
      ({ ...placed, name, evidence }) as Contribution;
    const current = {
      name: 'Arbeitsvertrag Hugo Walker.docx',
      path: 'HR/Verträge/Arbeitsvertrag Hugo Walker.docx',
      spellings: { text: ['Arbeitnehmer', 'Vertrages'], title: ['Arbeitsvertrag'] },
    };
    const all = explainAll(
      [
        reason('name_and_path', { name: ['contract', 'employment', 'payroll'], path: ['contract'] }),
        reason('lexical_similarity', { terms: ['employee', 'contract', 'wage'], excluded: ['menu'] }),
        reason('title_words', { title: ['employment contract'] }),
      ],
      { kind: 'tenant' },
      current,
    );
    expect(all.slice(1).map(({ evidence }) => evidence)).toEqual([
      { name: ['Arbeitsvertrag'], path: ['Verträge'] },
      { terms: ['Arbeitnehmer', 'Vertrages'], termsMeant: ['wage'], excluded: [], excludedMeant: ['menu'] },
      { title: ['Arbeitsvertrag'] },
    ]);
  });

  test('do not name a domain that the reader may not see', () => {
    expect(explain(placed, { kind: 'domains', domainIds: [] })?.evidence).toEqual({});
  });
});

describe('the value of an answer', () => {
  test('is explained by the parts that add to it, in one order, and by no other', () => {
    const of = (points: { band: number; risk: number; related: number }) =>
      explainValue(
        { askedBecause: 'inferred', band: 'high', riskSeverity: 'critical', relatedCount: 12 },
        { ...points, inFull: true },
      );
    expect(of({ band: 190, risk: 300, related: 97 })).toEqual([
      { part: 'band', points: 190, explanation: expect.stringContaining('sure') },
      { part: 'risk', points: 300, explanation: expect.stringContaining('critical') },
      { part: 'related', points: 97, explanation: expect.stringContaining('12') },
    ]);
    expect(of({ band: 190, risk: 0, related: 0 }).map(({ part }) => part)).toEqual(['band']);
  });

  test('says when like questions count less, because the model is not sure', () => {
    const related = (inFull: boolean) =>
      explainValue(
        { askedBecause: 'inferred', band: 'review', riskSeverity: null, relatedCount: 12 },
        { band: 0, risk: 0, related: 9, inFull },
      )[0]?.explanation;
    const all = 'Open questions about like assets, which an answer has scored again: 12';
    expect(related(true)).toBe(all);
    expect(related(false)).toBe(`${all}. They count less, because the model is not sure`);
  });
});
