import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DirectoryPerson } from '../../../core/connectors/directory.ts';
import { nomineesOf } from '../../../core/governance/nominees.ts';
import type { KnownPerson, OwnerEvidence, SourceTrace } from '../../../core/governance/owner-evidence.sql.ts';
import { type DirectoryLinks, mostActive, rankOwners } from '../../../core/governance/rank-owners.ts';
import { unmatched } from '../../../core/governance/suggest-owners.ts';

const person = (displayName: string, more: Partial<KnownPerson> = {}): KnownPerson => ({
  principalId: `pri_${displayName.toLowerCase().replace(/\W/g, '_')}`,
  ...{ displayName, title: '', department: '', mayOwn: true, holdsRole: true, currentKinds: [] },
  ...{ directoryId: null, email: null, idpSubject: null },
  ...more,
});
const listed = (displayName: string, more: Partial<DirectoryPerson> = {}): DirectoryPerson => ({
  directoryId: `dir_${displayName.toLowerCase().replace(/\W/g, '_')}`,
  ...{ displayName, title: '', department: '', email: null },
  ...more,
});

const trace = (
  identity: string,
  confirmed: number,
  inferred = 0,
  kind: SourceTrace['kind'] = 'modified',
) => ({
  ...{ kind, identity, confirmed, inferred },
});

describe('the ranking', () => {
  const FINANCE = { name: 'Finance', description: 'Invoices, payments and tax papers of the managers.' };
  const evidence = (traces: SourceTrace[], deciders: OwnerEvidence['deciders'] = []): OwnerEvidence => ({
    ...{ looked: { confirmed: 40, inferred: 60 }, traces, groups: [], deciders },
  });
  const NO_LINKS: DirectoryLinks = { ownersOf: new Map(), managerOf: new Map() };
  const ranked = (
    evidence: OwnerEvidence,
    known: readonly KnownPerson[] = [],
    found: readonly DirectoryPerson[] = [],
    links: DirectoryLinks = NO_LINKS,
  ) => rankOwners(FINANCE, nomineesOf(known, found), evidence, links);

  test('says why, in which numbers, and by what a person was recognised', () => {
    const amara = person('Amara Okafor', { title: 'Head of Tax', department: 'Finance' });
    const [first, ...others] = ranked(
      evidence(
        [
          trace('amara.okafor@example.com', 12, 3),
          trace('Amara Okafor', 2, 1),
          trace('Amara Okafor', 1, 0, 'access'),
        ],
        [{ principalId: amara.principalId, count: 7 }],
      ),
      [amara],
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
    expect(ranked(evidence([trace('N. N. <nn@example.com>', 0, 5)]))).toEqual([
      {
        ...{ principalId: null, directoryId: null, displayName: 'N. N. <nn@example.com>' },
        ...{ holdsRole: false, currentKinds: [] },
        score: 0.083,
        reasons: [
          { kind: 'modified', count: 5, text: 'Changed last 0 of 40 confirmed and 5 of 60 inferred assets.' },
        ],
      },
    ]);
  });

  test('never counts more assets than were looked at, however often they name a person', () => {
    const ann = person('Ann Bell');
    const traces = [trace('Ann Bell', 40, 60, 'access'), trace('ann.bell@example.com', 30, 60, 'access')];
    expect(ranked(evidence(traces), [ann])).toMatchObject([{ reasons: [{ count: 100 }] }]);
  });

  test('takes one spelling of a stranger for another', () => {
    const traces = [trace('NN@example.com', 2), trace('nn@example.com', 1, 0, 'access')];
    expect(ranked(evidence(traces))).toMatchObject([{ displayName: 'NN@example.com' }]);
  });

  test('leaves out who may not own, and does not show them as a stranger either', () => {
    const gone = person('Amara Okafor', { mayOwn: false, directoryId: 'dir_amara', department: 'Finance' });
    const traces = [trace('amara.okafor@example.com', 9), trace('ao@example.com', 9)];
    const inDirectory = listed('Amara Okafor', { directoryId: 'dir_amara', email: 'ao@example.com' });
    expect(ranked(evidence(traces), [gone], [inDirectory])).toEqual([]);
  });

  test('leaves out for whom nothing speaks; neither a rank nor a function word does', () => {
    const manager = person('Max Muster', { title: 'Manager of the Head Office', department: '' });
    expect(ranked(evidence([]), [manager])).toEqual([]);
  });

  test('counts what was confirmed for more than what is inferred', () => {
    const both = ranked(evidence([trace('a@x', 0, 6), trace('b@x', 6)]));
    expect(both.map(({ displayName }) => displayName)).toEqual(['b@x', 'a@x']);
  });

  test('offers somebody of the directory, with the words of their title and department', () => {
    const jo = listed('Jo March', { title: 'Tax Adviser', department: 'Finance', email: 'jm@example.com' });
    expect(ranked(evidence([trace('jm@example.com', 4)]), [], [jo])).toMatchObject([
      {
        ...{ principalId: null, directoryId: 'dir_jo_march', displayName: 'Jo March' },
        ...{ holdsRole: false, currentKinds: [] },
        reasons: [
          { kind: 'modified', count: 4, text: expect.stringContaining('taken for this person by mail') },
          { kind: 'profile', count: 2 },
        ],
      },
    ]);
  });

  test('whom a source lists is one with who has the address, and has no id', () => {
    const jo = person('Jo March', { email: 'JM@example.com', title: '', department: '' });
    const di = listed('Di Fox', { email: 'df@example.com' });
    const of = (displayName: string, email: string) => ({
      ...{ displayName, email, title: 'Tax Adviser', department: 'Finance' },
    });
    const book = [
      of('J. March', 'jm@example.com'),
      of('D. Fox', 'DF@example.com'),
      of('Xi Yu', 'xy@example.com'),
    ];
    const all = evidence(['jm', 'df', 'xy'].map((each) => trace(`${each}@example.com`, 4)));
    const nominees = nomineesOf([jo], [di], book);
    const suggested = rankOwners(FINANCE, nominees, all, { ownersOf: new Map(), managerOf: new Map() });
    expect(suggested.map(({ score: _, ...each }) => each)).toMatchObject([
      { principalId: null, directoryId: null, displayName: 'Xi Yu', reasons: [{}, { kind: 'profile' }] },
      { principalId: null, directoryId: 'dir_di_fox', displayName: 'Di Fox' },
      { principalId: jo.principalId, displayName: 'Jo March', reasons: [{ kind: 'modified', count: 4 }] },
    ]);
  });

  test('takes one person of the service and of the directory for one', () => {
    const jo = person('Jo March-Brooke', { directoryId: 'dir_jo_march' });
    const traces = [trace('JM@example.com', 2), trace('March, Jo', 1), trace('Jo March-Brooke', 1)];
    const found = [listed('Jo March', { email: 'jm@example.com', department: 'Finance' })];
    expect(ranked(evidence(traces), [jo], found)).toMatchObject([
      { principalId: jo.principalId, directoryId: 'dir_jo_march', reasons: [{ kind: 'modified', count: 4 }] },
    ]);
  });

  test('a namesake in the directory takes nothing from who is known', () => {
    const jo = person('Jo March');
    const found = [listed('Jo March', { email: 'jo.march2@example.com' })];
    const traces = [trace('jo.march@example.com', 3), trace('jo.march2@example.com', 2)];
    expect(ranked(evidence(traces), [jo], found)).toMatchObject([
      { principalId: jo.principalId, reasons: [{ count: 3 }] },
      { directoryId: 'dir_jo_march', principalId: null, reasons: [{ count: 2 }] },
    ]);
  });

  test('who is meant by a name of two known people, the directory does not settle', () => {
    const two = [person('Jo March'), person('March Jo')];
    expect(ranked(evidence([trace('Jo March', 3)]), two, [listed('Jo March')])).toMatchObject([
      { principalId: null, directoryId: null, displayName: 'Jo March' },
    ]);
  });

  test('names who owns groups that may write, with the assets of these groups', () => {
    const ann = person('Ann Bell', { directoryId: 'dir_ann' });
    const jo = listed('Jo March');
    const group = (name: string, confirmed: number) => ({ name, groupId: null, confirmed, inferred: 1 });
    const groups = [group('Payroll', 30), group('Audit', 20), group('Tax', 1), group('Board', 1)];
    const ownersOf = new Map<string, { directoryId: string }[]>(
      groups.map(({ name }) => [name, name === 'Tax' ? [jo, { directoryId: 'dir_ann' }] : [jo]]),
    );
    const all = { ...evidence([]), groups };
    expect(ranked(all, [ann], [jo], { ...NO_LINKS, ownersOf })).toMatchObject([
      {
        directoryId: 'dir_jo_march',
        reasons: [
          {
            ...{ kind: 'group', count: 44 },
            text: 'Owns groups that own or may write to 40 of 40 confirmed and 4 of 60 inferred assets: Payroll, Audit, Tax, 1 more.',
          },
        ],
      },
      { principalId: ann.principalId, reasons: [{ kind: 'group', count: 2 }] },
    ]);
    expect(ranked(all, [ann], [jo])).toEqual([]);
  });

  test('names who manages people who confirmed or changed assets, by less than these', () => {
    const [ann, dee] = ['Ann Bell', 'Dee Fox'].map((name) => person(name, { directoryId: `dir_${name}` }));
    const idle = person('Ed Idle', { directoryId: 'dir_idle' });
    const boss = listed('Boss');
    const known = [ann, dee, idle].filter((each) => each !== undefined);
    const managerOf = new Map(known.map(({ directoryId }) => [directoryId ?? '', boss]));
    const all = evidence([trace('Ann Bell', 2)], [{ principalId: dee?.principalId ?? '', count: 9 }]);
    const people = ranked(all, known, [boss], { ...NO_LINKS, managerOf });
    expect(people.map(({ displayName }) => displayName)).toEqual(['Dee Fox', 'Ann Bell', 'Boss']);
    expect(people[2]?.reasons).toEqual([
      {
        ...{ kind: 'manager', count: 2 },
        text: 'Manages people who confirmed or changed assets: Ann Bell, Dee Fox.',
      },
    ]);
    expect(mostActive(nomineesOf(known, []), all, 5)).toEqual(['dir_Dee Fox', 'dir_Ann Bell']);
    expect(mostActive(nomineesOf(known, []), all, 1)).toEqual(['dir_Dee Fox']);
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
    const people = [person('Ann Bell', { title: 'Finance' }), person('Dee Fox', { directoryId: 'dir_dee' })];
    const groups = [{ name: 'Payroll', groupId: null, confirmed: 3, inferred: 90 }];
    const found = [listed('Cy', { email: 'cy@x', department: 'Finance' })];
    const links = {
      ownersOf: new Map([['Payroll', found]]),
      managerOf: new Map([['dir_dee', { directoryId: 'dir_cy' }]]),
    };
    fc.assert(
      fc.property(traces, traces, (some, more) => {
        const scores = (all: SourceTrace[]) =>
          new Map(
            ranked({ ...evidence(all), groups }, people, found, links).map((each) => [
              each.displayName,
              each.score,
            ]),
          );
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

describe('who is looked up', () => {
  test('is whom nobody known goes by, those of most assets first, at most 40', () => {
    const known = [person('Ann Bell', { email: 'ab@x.example' })];
    const many = Array.from({ length: 50 }, (_, at) => trace(`n${at}@x.example`, 50 - at));
    const traces = [trace('ab@x.example', 99), trace('Bell, Ann', 99), ...many];
    expect(unmatched(known, [...traces, trace('N49@x.example', 90, 0, 'access')])).toEqual([
      'n49@x.example',
      ...many.slice(0, 39).map(({ identity }) => identity),
    ]);
  });
});

test('an alias joins what a source and the directory say of one person', () => {
  const about = { displayName: 'Bea', title: '', department: '' };
  const [bea, ...others] = nomineesOf(
    [person('Bea', { email: 'bea@example.com' })],
    [],
    [
      { ...about, email: 'b@example.org', aliases: ['bea@example.com'] },
      { ...about, email: 'B@example.org' },
    ],
  );
  expect(others).toEqual([]);
  expect(bea?.mails).toEqual(['bea@example.com', 'b@example.org']);
});

test('of two who are listed with one address the first counts', () => {
  const about = { title: '', department: '', email: 'a@example.com' };
  const listed = ['First', 'Second'].map((displayName) => ({ ...about, displayName }));
  expect(nomineesOf([], [], listed).map(({ displayName }) => displayName)).toEqual(['First']);
});
