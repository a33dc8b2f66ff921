import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssetId } from '../../../core/kernel/ids.ts';
import { DecisionSchema } from '../../../core/review/decision.ts';
import {
  type Evidence,
  type Judged,
  LEAST_ALIKE,
  materialChanges,
} from '../../../core/review/material-change.ts';
import type { Answered } from '../../../core/review/reconsider.sql.ts';
import { statusAfter } from '../../../core/review/reconsider.ts';

const signal = (detectorId: string, family: Evidence['signals'][number]['family'], confidence = 0.95) => ({
  detectorId,
  family,
  confidence,
});
const iban = signal('iban', 'bank');
const key = signal('issued_key', 'secret');
const person = signal('person_name', 'person');
const sample = signal('payment_card', 'payment', 0.2);
const own = signal('custom_project', 'custom');
const policy = { informationTypeId: 'ift_policies', level: 1 } as const;
const payroll = { informationTypeId: 'ift_payroll', level: 2 } as const;

const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  contentHash: 'aa',
  contentVersion: 'c1',
  signals: [],
  types: [policy],
  ...more,
});
const judged = (more: Partial<Judged> = {}): Judged => ({
  decision: 'mine',
  statedType: policy,
  contentVersion: 'c1',
  evidence: evidence(),
  ...more,
});
const changed = (more: Partial<Evidence>) => evidence({ contentHash: 'bb', contentVersion: 'c2', ...more });
const kinds = (of: Judged, present: Evidence, kept: number | null = 1) =>
  materialChanges(of, present, kept).map(({ kind }) => kind);

describe('what has changed since an answer', () => {
  test.each([
    ['nothing of it', judged(), changed({}), 0.9, []],
    [
      'a new kind of identifier',
      judged(),
      changed({ signals: [iban] }),
      0.9,
      ['new_identifiers', 'more_sensitive'],
    ],
    ['a kind of the tenant itself', judged(), changed({ signals: [own] }), 0.9, ['new_identifiers']],
    ['names of people', judged(), changed({ signals: [person] }), 0.9, []],
    ['a sample number', judged(), changed({ signals: [sample] }), 0.9, []],
    [
      'more of a known kind',
      judged({ evidence: evidence({ signals: [iban] }) }),
      changed({ signals: [iban] }),
      0.9,
      [],
    ],
    [
      'a secret in what was judged as confidential',
      judged({ evidence: evidence({ signals: [iban] }) }),
      changed({ signals: [iban, key] }),
      0.9,
      ['new_identifiers', 'more_sensitive'],
    ],
    [
      'a level that the owner had named',
      judged({ statedType: payroll }),
      changed({ types: [policy, payroll] }),
      0.9,
      [],
    ],
    ['another best type', judged(), changed({ types: [payroll] }), 0.9, ['more_sensitive', 'other_type']],
    [
      'the order of what was suggested',
      judged({ evidence: evidence({ types: [policy, payroll] }), statedType: payroll }),
      changed({ types: [payroll, policy] }),
      0.9,
      [],
    ],
    ['a new text of the same type, confirmed', judged(), changed({}), 0.1, []],
    [
      'a new text of the same type, called not sensitive',
      judged({ decision: 'mine_not_sensitive' }),
      changed({}),
      0.1,
      ['text_replaced'],
    ],
    ['half of the text, refused', judged({ decision: 'not_a_match' }), changed({}), LEAST_ALIKE, []],
    [
      'less than half of the text, refused',
      judged({ decision: 'not_a_match' }),
      changed({}),
      0.49,
      ['text_replaced'],
    ],
    [
      'a text that cannot be compared, sent away',
      judged({ decision: 'another_domain' }),
      changed({}),
      null,
      ['text_not_comparable'],
    ],
    [
      'a new text of what an owner made less of',
      judged({ statedType: policy, evidence: evidence({ types: [payroll] }) }),
      changed({ types: [payroll] }),
      0.1,
      ['text_replaced'],
    ],
    [
      'another secret in what an owner called a policy',
      judged({ evidence: evidence({ signals: [key] }) }),
      changed({ signals: [key] }),
      0.1,
      ['text_replaced'],
    ],
    ['another text that is nothing', judged(), changed({ types: [] }), 0.1, ['text_replaced']],
    ['some of a text that is nothing any more', judged(), changed({ types: [] }), 0.8, []],
    [
      'a picture of which nothing was ever known',
      judged({ evidence: evidence({ types: [] }) }),
      changed({ types: [] }),
      null,
      [],
    ],
    [
      'what a former release did not keep',
      judged({ decision: 'mine_not_sensitive', evidence: null }),
      changed({ signals: [iban] }),
      0.9,
      ['new_identifiers', 'more_sensitive'],
    ],
  ] as const)('%s', (_, of, present, kept, expected) => {
    expect(kinds(of, present, kept)).toEqual(expected);
  });

  test('nothing where the bytes are the same, whatever is found in them now', () => {
    const found = { signals: [iban, key], types: [payroll] };
    expect(kinds(judged(), evidence({ contentVersion: 'c2', ...found }), 0)).toEqual([]);
    // Without bytes the version of the source tells.
    const unread = judged({ evidence: evidence({ contentHash: null }) });
    expect(kinds(unread, evidence({ contentHash: null, ...found }), 0)).toEqual([]);
    expect(kinds(unread, evidence({ contentHash: null, contentVersion: 'c2', ...found }), 0)).not.toEqual([]);
  });

  test('names what is new and no more', () => {
    const of = judged({ evidence: evidence({ signals: [iban] }) });
    expect(materialChanges(of, changed({ signals: [iban, key], types: [payroll] }), 1)).toEqual([
      { kind: 'new_identifiers', detectorIds: ['issued_key'] },
      { kind: 'more_sensitive', judgedLevel: 2, level: 3 },
      { kind: 'other_type', informationTypeId: 'ift_payroll' },
    ]);
  });

  test('an answer about what is there now has nothing changed', () => {
    const content = fc.record({
      contentHash: fc.constantFrom('aa', 'bb', null),
      contentVersion: fc.constantFrom('c1', 'c2'),
      signals: fc.subarray([iban, key, person, sample, own]),
      types: fc.subarray([policy, payroll]),
    });
    fc.assert(
      fc.property(content, fc.constantFrom(...DecisionSchema.options), (present, decision) => {
        const of = judged({ decision, contentVersion: present.contentVersion, evidence: present });
        expect(materialChanges(of, present, 1)).toEqual([]);
        // A change of the text alone is asked about only where the answer made less of it, or nothing is left of it.
        const rewritten = kinds(of, { ...present, contentHash: 'cc', contentVersion: 'c3' }, 0.1);
        expect(rewritten.filter((kind) => kind !== 'text_replaced')).toEqual([]);
      }),
    );
  });
});

describe('where a candidate stands after a change', () => {
  const answered = (more: Partial<Answered>): Answered => ({
    assetId: 'ast_1' as AssetId,
    candidateId: 'cnd_1',
    status: 'confirmed',
    informationTypeId: 'ift_policies',
    decision: 'mine',
    statedType: policy,
    contentVersion: 'c1',
    contentHash: 'aa',
    evidence: null,
    shingles: null,
    ...more,
  });
  const rejected = { status: 'rejected', decision: 'not_a_match' } as const;
  const routed = { status: 'routed', decision: 'another_domain' } as const;
  const corrected = { decision: 'mine_different_type', statedType: payroll } as const;
  const sent = { informationTypeId: null, statedType: null };
  test.each([
    ['confirmed', {}, 'pending', 'pending'],
    ['confirmed where a colleague had sent it', sent, 'pending', 'pending'],
    ['corrected to another type', corrected, 'pending', 'withdrawn'],
    ['named by a correction', { ...corrected, informationTypeId: 'ift_payroll' }, 'pending', 'pending'],
    ['refused', rejected, 'pending', null],
    ['sent away', routed, 'pending', null],
    ['refused where a colleague had sent it', { ...rejected, ...sent }, 'pending', 'withdrawn'],
    ['passed on', { ...routed, ...sent }, 'pending', null],
  ] as const)('%s: %s where the model says so, %s where not', (_, more, supported, unsupported) => {
    const change = [{ kind: 'text_replaced' }] as const;
    expect(statusAfter(answered(more), change, true)).toBe(supported);
    expect(statusAfter(answered(more), change, false)).toBe(unsupported);
    expect(statusAfter(answered(more), [], true)).toBe(null);
  });
});
