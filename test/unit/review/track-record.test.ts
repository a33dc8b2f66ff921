import { describe, expect, test } from 'vitest';
import { expectationOf, outlookOf, trackRecordOf } from '../../../core/review/track-record.ts';
import { likelihood } from '../../../core/review/wording.ts';

const none = { answered: 0, yours: 0 };

describe('a confidence in words', () => {
  test.each([
    [1, 'very likely'],
    [0.95, 'very likely'],
    [0.949, 'very likely'],
    [0.8, 'very likely'],
    [0.799, 'likely'],
    [0.6, 'likely'],
    [0.599, 'possible'],
    [0.4, 'possible'],
    [0.39, 'unlikely'],
    [0, 'unlikely'],
  ])('of %d without answers is %s', (confidence, words) => {
    expect(likelihood(confidence, none)).toBe(words);
  });

  test.each([
    // Too few answers earn and refute nothing.
    [0.97, 19, 19, 'very likely'],
    [0.97, 19, 0, 'very likely'],
    [0.97, 20, 20, 'almost certain'],
    [0.97, 20, 19, 'very likely'],
    [0.97, 100, 97, 'almost certain'],
    [0.97, 100, 96, 'very likely'],
    [0.97, 200, 194, 'almost certain'],
    [0.97, 200, 193, 'very likely'],
    [0.97, 20, 16, 'very likely'],
    [0.97, 20, 15, 'likely'],
    [0.85, 19, 0, 'very likely'],
    [0.85, 20, 20, 'very likely'],
    [0.85, 20, 16, 'very likely'],
    [0.85, 20, 15, 'likely'],
    [0.85, 200, 159, 'likely'],
    [0.7, 200, 0, 'likely'],
    [0.7, 200, 200, 'likely'],
    [0.5, 200, 0, 'possible'],
  ])('of %d, with %i answers of which %i are theirs, is %s', (confidence, answered, yours, words) => {
    expect(likelihood(confidence, { answered, yours })).toBe(words);
  });
});

const question = (changed: object = {}) => ({
  domainId: 'dom_a',
  domainName: 'A',
  informationTypeId: 'ift_1' as string | null,
  confidence: 0.85 as number | null,
  band: 'high' as const,
  askedBecause: 'inferred' as const,
  status: 'pending' as const,
  ...changed,
});
let made = 0;
/** So many answers to questions of a type and a confidence, of which the last ones were theirs. */
const answers = (answered: number, yours: number, type = 'ift_1', confidence = 0.85) =>
  Array.from(
    { length: answered },
    (_, n) => [`dec_${made++}`, type, confidence, n >= answered - yours] as [string, string, number, boolean],
  );
const recordOf = (...newestFirst: ReturnType<typeof answers>[]) =>
  trackRecordOf([{ domainId: 'dom_a', answers: newestFirst.flat() }]);

describe('answers are counted', () => {
  const counts = (answered: number, yours: number) => ({ answered, yours });

  test('the last ten of a domain and of a type and level, the last 200 of a level', () => {
    const record = recordOf(answers(12, 2), answers(5, 5, 'ift_2'), answers(200, 200, 'ift_3', 0.8));
    expect(record.ofDomain('dom_a')).toMatchObject(counts(10, 0));
    expect(record.ofLike('dom_a', 'ift_1', 0.9)).toMatchObject(counts(10, 0));
    expect(record.ofLike('dom_a', 'ift_2', 0.9)).toMatchObject(counts(5, 5));
    expect(record.ofLevel('dom_a', 0.94)).toMatchObject(counts(200, 190));
    expect(record.ofLevel('dom_a', 0.95)).toMatchObject(counts(0, 0));
    expect(record.ofDomain('dom_b')).toMatchObject(counts(0, 0));
  });

  test('once, however many types a question has', () => {
    const both = answers(3, 3).flatMap(([id]) => [
      [id, 'ift_1', 0.9, true] as [string, string, number, boolean],
      [id, 'ift_2', 0.85, true] as [string, string, number, boolean],
    ]);
    const record = recordOf(both);
    expect(record.ofDomain('dom_a')).toMatchObject(counts(3, 3));
    expect(record.ofLevel('dom_a', 0.85)).toMatchObject(counts(3, 3));
    expect(record.ofLike('dom_a', 'ift_2', 0.85)).toMatchObject(counts(3, 3));
  });
});

describe('what to expect of a question', () => {
  test.each([
    [10, 1, 'Of the last 10 like these, 1 was yours.'],
    [10, 0, 'Of the last 10 like these, none was yours.'],
    [5, 5, 'Of the last 5 like these, 5 were yours.'],
  ])('of %i answers %i were theirs: %s', (answered, yours, explanation) => {
    const record = recordOf(answers(answered, yours));
    expect(expectationOf(question(), record)).toEqual({ answered, yours, explanation });
  });

  test('is not known from fewer than five answers', () => {
    expect(expectationOf(question(), recordOf(answers(4, 4)))).toBeNull();
  });

  test('is told of the same domain, type and level alone', () => {
    const record = recordOf(answers(10, 1));
    for (const other of [
      { domainId: 'dom_b' },
      { informationTypeId: 'ift_2' },
      { confidence: 0.95 },
      { confidence: 0.79 },
    ])
      expect(expectationOf(question(other), record), JSON.stringify(other)).toBeNull();
    expect(expectationOf(question({ confidence: 0.8 }), record)).toMatchObject({ yours: 1 });
  });

  test('is told of what the model asks, while it is open', () => {
    const record = recordOf(answers(10, 1));
    for (const other of [
      { askedBecause: 'routed', band: 'routed', informationTypeId: null, confidence: null },
      { askedBecause: 'content_changed', band: 'routed', confidence: null },
      { askedBecause: 'returned' },
      { askedBecause: 'corrected' },
      { askedBecause: 'representative' },
      { status: 'confirmed' },
      { status: 'rejected' },
    ])
      expect(expectationOf(question(other), record), JSON.stringify(other)).toBeNull();
    for (const askedBecause of ['put_off', 'content_changed', 'correction_revised'])
      expect(expectationOf(question({ askedBecause }), record), askedBecause).toMatchObject({ yours: 1 });
    expect(expectationOf(question({ status: 'deferred' }), record)).toMatchObject({ yours: 1 });
  });
});

describe('the outlook', () => {
  /**
   * The outlook of so many questions.
   * @param like answers to questions like these, and how many of them were theirs
   * @param newer answers of the same domain to other questions, given after them
   */
  const told = (count: number, like: [number, number], newer: [number, number] = [0, 0]) =>
    outlookOf(
      Array.from({ length: count }, () => question()),
      recordOf(answers(...newer, 'ift_2', 0.5), answers(...like)),
    )[0];

  test('goes by answers to questions like these, then of the domain, then by confidence', () => {
    expect(told(10, [10, 3], [10, 8])).toMatchObject({ listed: 10, expected: 3 });
    expect(told(10, [4, 4], [10, 2])).toMatchObject({ listed: 10, expected: 2 });
    expect(told(20, [4, 0])).toEqual({
      domainId: 'dom_a',
      domainName: 'A',
      listed: 20,
      expected: 17,
      isWorthwhile: true,
      explanation: 'About 17 of the 20 listed questions of the model are expected to be yours.',
    });
  });

  test('says so when at most one of the last ten answers was theirs', () => {
    expect(told(37, [10, 1])).toMatchObject({
      expected: 4,
      isWorthwhile: false,
      explanation:
        'Of the last 10 answers to questions of the model, 1 was yours. The rest is probably not worth your time.',
    });
    expect(told(1, [0, 0], [10, 0])?.explanation).toContain('none was yours. The rest');
    expect(told(37, [0, 0], [10, 2])).toMatchObject({ isWorthwhile: true });
    expect(told(37, [0, 0], [9, 0])).toMatchObject({ isWorthwhile: true });
  });

  test('calls the rest worthwhile while answers to questions like one of them are good', () => {
    expect(told(3, [10, 5], [10, 0])).toMatchObject({ isWorthwhile: true });
    expect(told(3, [10, 4], [10, 0])).toMatchObject({ isWorthwhile: false });
    expect(told(3, [4, 4], [10, 0])).toMatchObject({ isWorthwhile: false });
  });

  test.each([
    [1, 10, 'The listed question of the model is expected to be yours.'],
    [1, 2, 'The listed question of the model is not expected to be yours.'],
    [10, 10, 'About 10 of the 10 listed questions of the model are expected to be yours.'],
    [5, 2, 'About 1 of the 5 listed questions of the model is expected to be yours.'],
    [2, 2, 'None of the 2 listed questions of the model is expected to be yours.'],
  ])('of %i questions, with %i of the last ten theirs: %s', (listed, yours, explanation) => {
    expect(told(listed, [10, yours])?.explanation).toBe(explanation);
  });

  test('has an entry for each domain whose questions the model asks', () => {
    const routed = { askedBecause: 'routed', band: 'routed', informationTypeId: null, confidence: null };
    const questions = [
      question({ ...routed, domainId: 'dom_c' }),
      question({ domainId: 'dom_b', domainName: 'B' }),
      question(routed),
      question(),
      question({ domainId: 'dom_b', domainName: 'B' }),
    ];
    const record = trackRecordOf([
      { domainId: 'dom_a', answers: answers(10, 0) },
      { domainId: 'dom_b', answers: answers(10, 10) },
    ]);
    expect(
      outlookOf(questions, record).map((each) => [each.domainName, each.listed, each.isWorthwhile]),
    ).toEqual([
      ['B', 2, true],
      ['A', 1, false],
    ]);
    expect(outlookOf([question(routed)], record)).toEqual([]);
  });
});
