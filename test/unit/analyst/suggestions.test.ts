import { expect, test } from 'vitest';
import { suggestionsFor } from '../../../core/analyst/suggestions.ts';
import { readQuestion, understand } from '../../../core/analyst/understand.ts';
import { NOW, WORLD } from './world.ts';

const suggested = (question: string) => suggestionsFor(readQuestion(question, WORLD, NOW), WORLD, NOW);

/** What a question turns on: without it, or what it belongs to, another question would be asked. */
test.each([
  ['unlabelled files except in Finance compared with last week', 'except'],
  ['files never reviewed in Finance', 'never reviewed'],
  ['which domains do not have findings', 'not'],
  ['Dateien in Finance außer Rechnungen', 'außer'],
  ['files in Finance or labelled Confidential', 'or'],
  ['files over twenty five MB in Finance', 'twenty five MB'],
  ['files over 5 thousandfold MB in Finance', '5 thousandfold MB'],
  ['files modified more than last week', 'more than'],
])('keeps what is turned around without it: %s', (question, kept) => {
  expect(understand(question, WORLD, NOW).state).not.toBe('whole');
  for (const each of suggested(question)) expect(each).toContain(kept);
});

test('a name is offered after a negation, which stays', () => {
  expect(suggested('Dateien in Finance außer Rechnungen')).toEqual([
    'Dateien in Finance außer “Invoices and receivables”',
  ]);
});

test('the sort of thing alone is no match of a name', () => {
  const names = WORLD.identifiers.map(({ name }) => name);
  for (const question of ['files in Finance with a customer number', 'files in Finance by product name'])
    for (const each of suggested(question)) expect(names.filter((name) => each.includes(name))).toEqual([]);
});

test.each([
  ['files larger than two hundred MB', { field: 'size', min: 200_000_001 }],
  ['files over 5 million bytes', { field: 'size', min: 5_000_001 }],
  [
    'fichiers non partagés',
    { field: 'exposure', any: ['anyone', 'external', 'organization', 'broad_group'], not: true },
  ],
])('understands numbers and negations in words: %s', (question, condition) => {
  const { state, plan } = understand(question, WORLD, NOW);
  expect([state, plan.where]).toEqual(['whole', [condition]]);
});

test('a time of what is not stored is offered as the time of the rows', () => {
  expect(suggested('unlabelled files since March')).toContain('unlabelled files modified since March');
  expect(suggested('open findings in January')).toContain('open findings opened in January');
});
