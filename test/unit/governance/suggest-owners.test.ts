import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownPerson, OwnerEvidence, SourceTrace } from '../../../core/governance/owner-evidence.sql.ts';
import { createMatcher } from '../../../core/governance/source-identity.ts';
import { rankOwners } from '../../../core/governance/suggest-owners.ts';

const person = (displayName: string, more: Partial<KnownPerson> = {}): KnownPerson => ({
  principalId: `pri_${displayName.toLowerCase().replace(/\W/g, '_')}`,
  ...{ displayName, title: '', department: '', status: 'active', idpSubject: null, holdsRole: true },
  currentKinds: [],
  ...more,
});

describe('whom a source means', () => {
  const amara = person('Amara Okafor', { idpSubject: '0AF3-11' });
  const zoe = person('Zoë Brontë-Łęcka');
  const matched = (identity: string, people = [amara, zoe, person('Maria')]) => {
    const found = createMatcher(people)(identity);
    return found && [found.person.displayName, found.by];
  };

  test.each([
    ['Amara Okafor', 'Amara Okafor', 'display_name'],
    ['okafor, AMARA', 'Amara Okafor', 'display_name'],
    ['amara.okafor@example.com', 'Amara Okafor', 'account_name'],
    ['Okafor_Amara@example.com', 'Amara Okafor', 'account_name'],
    ['EXAMPLE\\amara.okafor', 'Amara Okafor', 'account_name'],
    ['i:0#.f|membership|amara.okafor@example.com', 'Amara Okafor', 'account_name'],
    ['0af3-11', 'Amara Okafor', 'directory'],
    ['zoe.bronte-lecka@example.com', 'Zoë Brontë-Łęcka', 'account_name'],
    ['Maria', 'Maria', 'display_name'],
  ])('%s is %s by %s', (identity, name, by) => {
    expect(matched(identity)).toEqual([name, by]);
  });

  test.each([
    'maria@example.com',
    'aokafor@example.com',
    'amara.okafor2@example.com',
    'amara.b.okafor@example.com',
    'Amara',
    '@',
    '\\',
    '',
  ])('%s is nobody', (identity) => {
    expect(matched(identity)).toBeNull();
  });

  test('a name that two people have is nobody’s', () => {
    const namesake = person('Okafor Amara', { principalId: 'pri_namesake' });
    expect(matched('amara.okafor@example.com', [amara, namesake])).toBeNull();
    expect(matched('0AF3-11', [amara, namesake])).toEqual(['Amara Okafor', 'directory']);
  });
});

describe('the ranking', () => {
  const FINANCE = { name: 'Finance', description: 'Invoices, payments and tax papers of the managers.' };
  const trace = (
    identity: string,
    confirmed: number,
    inferred = 0,
    kind: SourceTrace['kind'] = 'modified',
  ) => ({
    ...{ kind, identity, confirmed, inferred },
  });
  const evidence = (traces: SourceTrace[], deciders: OwnerEvidence['deciders'] = []): OwnerEvidence => ({
    ...{ looked: { confirmed: 40, inferred: 60 }, traces, deciders },
  });

  test('says why, in which numbers, and by what a person was recognised', () => {
    const amara = person('Amara Okafor', { title: 'Head of Tax', department: 'Finance' });
    const [first, ...others] = rankOwners(
      FINANCE,
      [amara],
      evidence(
        [
          trace('amara.okafor@example.com', 12, 3),
          trace('Amara Okafor', 2, 1),
          trace('Amara Okafor', 1, 0, 'access'),
        ],
        [{ principalId: amara.principalId, count: 7 }],
      ),
    );
    expect(others).toEqual([]);
    expect(first).toMatchObject({ principalId: amara.principalId, holdsRole: true, currentKinds: [] });
    expect(first?.reasons).toEqual([
      { kind: 'decided', count: 7, text: 'Confirmed 7 of 40 assets.' },
      {
        kind: 'modified',
        count: 18,
        text: 'Changed last 14 of 40 confirmed and 4 of 60 inferred assets; taken for this person by account name and display name.',
      },
      {
        kind: 'access',
        count: 1,
        text: 'Owns or may write to 1 of 40 confirmed and 0 of 60 inferred assets; taken for this person by account name and display name.',
      },
      { kind: 'profile', count: 2, text: 'Title or department and the domain share: finance, tax.' },
    ]);
  });

  test('keeps whom only the source knows, by the name that it gives, and without a role', () => {
    expect(rankOwners(FINANCE, [], evidence([trace('N. N. <nn@example.com>', 0, 5)]))).toEqual([
      {
        ...{ principalId: null, displayName: 'N. N. <nn@example.com>', holdsRole: false, currentKinds: [] },
        score: 0.1,
        reasons: [
          { kind: 'modified', count: 5, text: 'Changed last 0 of 40 confirmed and 5 of 60 inferred assets.' },
        ],
      },
    ]);
  });

  test('never counts more assets than were looked at, however often they name a person', () => {
    const ann = person('Ann Bell');
    const traces = [trace('Ann Bell', 40, 60, 'access'), trace('ann.bell@example.com', 30, 60, 'access')];
    expect(rankOwners(FINANCE, [ann], evidence(traces))).toMatchObject([{ reasons: [{ count: 100 }] }]);
  });

  test('takes one spelling of a stranger for another', () => {
    const traces = [trace('NN@example.com', 2), trace('nn@example.com', 1, 0, 'access')];
    expect(rankOwners(FINANCE, [], evidence(traces))).toMatchObject([{ displayName: 'NN@example.com' }]);
  });

  test('leaves out who is disabled, and does not show them as a stranger either', () => {
    const gone = person('Amara Okafor', { status: 'disabled', department: 'Finance' });
    expect(rankOwners(FINANCE, [gone], evidence([trace('amara.okafor@example.com', 9)]))).toEqual([]);
  });

  test('leaves out for whom nothing speaks; neither a rank nor a function word does', () => {
    const manager = person('Max Muster', { title: 'Manager of the Head Office', department: '' });
    expect(rankOwners(FINANCE, [manager], evidence([]))).toEqual([]);
  });

  test('counts what was confirmed for more than what is inferred', () => {
    const ranked = rankOwners(FINANCE, [], evidence([trace('a@x', 0, 6), trace('b@x', 6)]));
    expect(ranked.map(({ displayName }) => displayName)).toEqual(['b@x', 'a@x']);
  });

  test('more evidence never lowers a score between 0 and 1, in any order', () => {
    const identity = fc.constantFrom('Ann Bell', 'ann.bell@x', 'cy@x', 'Dee Fox', '\\', '@');
    const traces = fc.array(
      fc.record({
        identity,
        kind: fc.constantFrom('modified' as const, 'access' as const),
        confirmed: fc.nat(1_000),
        inferred: fc.nat(1_000),
      }),
      { maxLength: 12 },
    );
    const people = [person('Ann Bell', { title: 'Finance' }), person('Dee Fox')];
    fc.assert(
      fc.property(traces, traces, (some, more) => {
        const scores = (all: SourceTrace[]) =>
          new Map(rankOwners(FINANCE, people, evidence(all)).map((each) => [each.displayName, each.score]));
        const [before, after] = [scores(some), scores([...some, ...more])];
        for (const [name, score] of before) expect(after.get(name)).toBeGreaterThanOrEqual(score);
        for (const score of after.values()) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
        }
        expect(scores([...some].reverse())).toEqual(before);
      }),
    );
  });
});
