import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMatcher, type GoesBy } from '../../../core/governance/source-identity.ts';

const somebody = (name: string, more: Partial<GoesBy> = {}): GoesBy => ({
  ...{ ids: [], mails: [], names: [name] },
  ...more,
});

describe('whom a source means', () => {
  const amara = somebody('Amara Okafor', { ids: ['0AF3-11'], mails: ['ao@example.com'] });
  const zoe = somebody('Zoë Brontë-Łęcka');
  const matched = (identity: string, people = [amara, zoe, somebody('Maria')]) => {
    const found = createMatcher(people)(identity);
    return found && [found.person.names[0], found.by];
  };

  test.each([
    ['Amara Okafor', 'Amara Okafor', 'display_name'],
    ['okafor, AMARA', 'Amara Okafor', 'display_name'],
    ['amara.okafor@example.com', 'Amara Okafor', 'account_name'],
    ['Okafor_Amara@example.com', 'Amara Okafor', 'account_name'],
    ['EXAMPLE\\amara.okafor', 'Amara Okafor', 'account_name'],
    ['i:0#.f|membership|amara.okafor@example.com', 'Amara Okafor', 'account_name'],
    ['0af3-11', 'Amara Okafor', 'directory'],
    ['AO@Example.com', 'Amara Okafor', 'mail'],
    ['i:0#.f|membership|ao@example.com', 'Amara Okafor', 'mail'],
    ['zoe.bronte-lecka@example.com', 'Zoë Brontë-Łęcka', 'account_name'],
    ['Maria', 'Maria', 'display_name'],
  ])('%s is %s by %s', (identity, name, by) => {
    expect(matched(identity)).toEqual([name, by]);
  });

  test.each([
    'maria@example.com',
    'ao@other.example',
    'ao',
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
    const namesake = somebody('Okafor Amara');
    expect(matched('amara.okafor@example.com', [amara, namesake])).toBeNull();
    expect(matched('0AF3-11', [amara, namesake])).toEqual(['Amara Okafor', 'directory']);
    expect(matched('ao@example.com', [amara, namesake])).toEqual(['Amara Okafor', 'mail']);
  });

  test('somebody with two names that are one is found by it', () => {
    expect(matched('Jo March', [somebody('Jo March', { names: ['Jo March', 'March, Jo'] })])).toEqual([
      'Jo March',
      'display_name',
    ]);
  });

  test('whoever is found agrees, and nobody else does, in any order of the people', () => {
    const part = fc.constantFrom('jo', 'march', 'ann', 'Ánn', 'bell');
    const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
    const people = fc.array(
      fc.record({
        ids: fc.subarray(['id-1', 'ID-2']),
        mails: fc.subarray(['jo.march@x', 'Ann@x']),
        names: fc.array(name, { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 6 },
    );
    const identity = fc.oneof(name, fc.constantFrom('ID-1', 'id-2', 'x\\jo.march', 'ann@x', 'JO.March@x'));
    fc.assert(
      fc.property(people, identity, (some, who) => {
        const found = createMatcher(some)(who);
        expect(createMatcher([...some].reverse())(who)).toEqual(found);
        if (found === null) return;
        const others = some.filter((each) => each !== found.person);
        expect(createMatcher(others)(who)?.by).not.toBe(found.by);
        expect(createMatcher([...some, found.person])(who)?.by).not.toBe(found.by);
      }),
    );
  });
});
