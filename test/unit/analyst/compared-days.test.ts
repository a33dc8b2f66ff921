import { expect, test } from 'vitest';
import { PlanSchema } from '../../../core/analyst/plan.ts';
import { suggestionsFor } from '../../../core/analyst/suggestions.ts';
import { readQuestion, understand } from '../../../core/analyst/understand.ts';
import { NOW, WORLD } from './world.ts';

/** Sizes, shares, rows and events are not in the daily series, and a day that is not over has no count. */
test.each([
  'total size of files compared with last month',
  'Gesamtgröße der Dateien im Vergleich zu letztem Monat',
  'what percentage of files is labelled compared with last month',
  'list critical findings compared with last week',
  'which critical findings compared with last week',
  '5 critical findings compared with last week',
  'liste les constats critiques par rapport au mois dernier',
  'how many findings were opened compared with last week',
  'how many files more than this week',
])('compares nothing, and says so: %s', (question) => {
  const { state, ignored } = understand(question, WORLD, NOW);
  expect(state).not.toBe('whole');
  expect(ignored).not.toEqual([]);
  for (const each of suggestionsFor(readQuestion(question, WORLD, NOW), WORLD, NOW))
    expect(each).toContain(ignored.at(-1));
});

/** The week before the 18th of March ends on the 15th. */
test.each([
  ['how many files more than last week', '2026-03-15'],
  ['how many files fewer than yesterday', '2026-03-17'],
  ['wie viele Dateien mehr als gestern', '2026-03-17'],
  ['combien de fichiers de plus que la semaine dernière', '2026-03-15'],
  ['what is the number of files compared with last week', '2026-03-15'],
])('compares two days: %s', (question, earlier) => {
  const { state, plan } = understand(question, WORLD, NOW);
  expect([state, plan]).toMatchObject([
    'whole',
    { subject: 'assets', where: [], show: 'count', compare: { earlier } },
  ]);
});

test('a number that could be a year is compared as a number', () => {
  const { plan } = understand('how many files have more than 2025 findings', WORLD, NOW);
  expect(plan.where).toMatchObject([{ field: 'has', of: 'findings', min: 2026 }]);
});

test('a comparison is of domains in one condition', () => {
  const finance = { field: 'domain', any: ['dom_fin'] };
  const plan = {
    subject: 'assets',
    where: [finance],
    show: 'count',
    groupBy: [],
    order: null,
    limit: 50,
    compare: { earlier: '2026-03-15' },
  };
  expect(PlanSchema.safeParse(plan).success).toBe(true);
  const both = { ...plan, where: [finance, { field: 'domain', any: ['dom_leg'] }] };
  expect(PlanSchema.safeParse(both).success).toBe(false);
});
