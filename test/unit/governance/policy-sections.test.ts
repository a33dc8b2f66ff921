import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_HEADING_CHARACTERS,
  MAX_LINES,
  MAX_SECTIONS,
  parsePolicySections,
} from '../../../core/governance/policy-sections.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const anchorsOf = (text: string) => parsePolicySections(text).map(({ anchor }) => anchor);

/** Letters and digits alone. */
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

describe('headings', () => {
  test.each([
    ['# Data Retention', 'data-retention', 1],
    ['### Data Retention ###', 'data-retention', 3],
    ['## 4.2 Retention', '4.2', 2],
    ['4.2 Retention', '4.2', 2],
    ['4.2. Retention of records', '4.2', 2],
    ['3 Scope', '3', 1],
    ['10) Review', '10', 1],
    ['Article 5', 'article-5', 2],
    ['Art. 5 Principles', 'article-5', 2],
    ['Artikel 17a – Löschung', 'article-17a', 2],
    ['ARTÍCULO 9: Categorías', 'article-9', 2],
    ['Chapter IV: Controllers', 'chapter-iv', 1],
    ['Kapitel 3', 'chapter-3', 1],
    ['Annex B. Retention periods', 'annex-b', 1],
    ['Section 2.1 Exceptions', 'section-2.1', 2],
    ['§ 7 Aufbewahrung', 'section-7', 2],
    ['§§ 7a', 'section-7a', 2],
    ['INFORMATION SECURITY POLICY', 'information-security-policy', 1],
    ['ДОСТУП К ДАННЫМ', 'доступ-к-данным', 1],
    ['第5条 個人情報', '第5条', 2],
    ['4.2.1 The controller deletes what is no longer needed; exceptions need an approval.', '4.2.1', 3],
    ['**Data Retention**', 'data-retention', 3],
    ['**4.2 Retention**', '4.2', 2],
    ['## **4.2 Retention**', '4.2', 2],
    ['## 4\\. Retention', '4', 2],
    ['4.  **Retention**', '4', 1],
    ['4.  ### Retention', '4', 1],
    ['# [Data Retention](#data-retention)', 'data-retention', 1],
  ])('%s', (line, anchor, level) => {
    const text = `Before.\n\n${line}\n\nAfter.\n`;
    const [first, second, ...others] = parsePolicySections(text);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ anchor: 'start', heading: '', level: 0, start: 0, end: 9 });
    expect(second).toMatchObject({ anchor, level, start: 9, end: text.length });
    expect(lettersOf(line)).toContain(lettersOf(second?.heading ?? 'none'));
  });

  test('are underlined in Markdown', () => {
    expect(parsePolicySections('Scope\n=====\nText\n\nExceptions\n---\nText')).toMatchObject([
      { anchor: 'scope', level: 1 },
      { anchor: 'exceptions', level: 2 },
    ]);
  });

  test.each([
    ['a list', '1. Buy milk\n2. Buy eggs\n3. Buy bread'],
    ['a sentence that goes on with a number', 'The limit is\n4.2 million records in all.'],
    ['a reference in a sentence', 'As said in\nSection 7 of this policy, nothing is kept.'],
    ['code', '```\n# not a heading\n```'],
    ['a comment of a tilde fence', '~~~\n# no\n```\n# no\n~~~'],
    ['a table', '\n| A | B |\n|---|---|\n'],
    ['front matter', '---\ntitle: A policy\n---'],
    ['words in capitals that are a paragraph', '\nTHIS IS LOUD\nAND GOES ON'],
    ['a hash without a blank', '#channel'],
    ['a heading of signs alone', '# ***'],
    [
      'a table of contents',
      '\n4.2 Retention ........ 12\n\nArticle 5 Principles\t7\n\nANNEX . . . . 9\n\n3 Scope    4',
    ],
    ['a date', '\n12 March 2025\n\n1. Januar 2026'],
    ['numbers', '\n10 000 records\n\n12 34 56'],
    ['a bold sentence', '\n**This is important.**\n\n**a** and **B**'],
    ['a long line in capitals', `\n${'LOUD '.repeat(40)}`],
  ])('are not found in %s', (_, text) => {
    expect(anchorsOf(text)).toEqual(['start']);
  });

  test('an empty text has no section', () => {
    expect(parsePolicySections(' \n\n')).toEqual([]);
  });

  test('that share an anchor are told apart by their order', () => {
    expect(anchorsOf('# Scope\n# Scope\n# Scope\n# 1 A\n# 1 B')).toEqual([
      'scope',
      'scope~2',
      'scope~3',
      '1',
      '1~2',
    ]);
  });

  test('beyond the bound open no section, and the last one goes on to the end', () => {
    const text = Array.from({ length: MAX_SECTIONS + 50 }, (_, i) => `# Part ${i + 1}`).join('\n');
    const sections = parsePolicySections(text);
    expect(sections).toHaveLength(MAX_SECTIONS);
    expect(sections.at(-1)?.end).toBe(text.length);
  });

  test('far below belong to the last section', () => {
    const text = `# Beginning\n${'\n'.repeat(MAX_LINES)}# End\n`;
    expect(parsePolicySections(text)).toMatchObject([{ anchor: 'beginning', end: text.length }]);
  });
});

const word = fc.constantFrom(
  'Retention',
  'Access',
  'Privacy',
  'Transfer',
  'Breach',
  'Audit',
  'Vendors',
  'Training',
);
const paragraph = fc
  .array(fc.constantFrom('the', 'records', 'are', 'kept', 'for', 'ten', 'years', 'by', 'law'), {
    minLength: 1,
    maxLength: 12,
  })
  .map((words) => `${words.join(' ')}.`);
const heading = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), word, word)
    .map(([level, a, b]) => `${'#'.repeat(level)} ${a} and ${b}`),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), word)
    .map(([a, b, w]) => `${a}.${b} ${w}`),
  fc.tuple(fc.integer({ min: 1, max: 99 }), word).map(([n, w]) => `Article ${n} ${w}`),
);
const part = fc.record({ heading, paragraphs: fc.array(paragraph, { maxLength: 3 }) });
const document = fc.array(part, { minLength: 1, maxLength: 12 });
const textOf = (parts: readonly { heading: string; paragraphs: readonly string[] }[]) =>
  parts.map((each) => [each.heading, ...each.paragraphs].join('\n\n')).join('\n\n');

describe('anchors', () => {
  test('are unique, and sections cover the text in order', () => {
    fc.assert(
      fc.property(fc.oneof(document.map(textOf), fc.string({ unit: 'grapheme', maxLength: 400 })), (text) => {
        const sections = parsePolicySections(text);
        expect(new Set(sections.map(({ anchor }) => anchor)).size).toBe(sections.length);
        expect(sections.length > 0).toBe(text.trim() !== '');
        for (const [i, section] of sections.entries()) {
          expect(section.end).toBe(sections[i + 1]?.start ?? text.length);
          expect(section.start).toBeLessThan(section.end);
          expect(section.anchor).toMatch(/^[^\s]{1,120}$/);
          if (section.level > 0)
            expect(text.slice(section.start, section.end).trimStart()).toContain(
              section.heading.split('\n')[0],
            );
        }
      }),
    );
  });

  test('stay the same when the text below headings is rewritten', () => {
    fc.assert(
      fc.property(
        document,
        fc.array(fc.array(paragraph, { maxLength: 3 }), { minLength: 12, maxLength: 12 }),
        (parts, texts) => {
          const rewritten = parts.map((each, i) => ({ ...each, paragraphs: texts[i] ?? [] }));
          expect(anchorsOf(textOf(rewritten))).toEqual(anchorsOf(textOf(parts)));
        },
      ),
    );
  });

  test('stay the same when a section of another name comes, goes or moves', () => {
    fc.assert(
      fc.property(document, fc.nat(12), (parts, at) => {
        const before = anchorsOf(textOf(parts));
        const fresh = { heading: '## Whistleblowing', paragraphs: ['It is welcome.'] };
        const with_ = anchorsOf(textOf([...parts.slice(0, at), fresh, ...parts.slice(at)]));
        expect(with_.filter((anchor) => anchor !== 'whistleblowing')).toEqual(before);
      }),
    );
  });

  test('of a numbered section stay the same when it is retitled', () => {
    expect(anchorsOf('## 4.2 Retention\n\nArticle 5 Principles')).toEqual(
      anchorsOf('## 4.2 How long we keep\n\nArticle 5 Rules'),
    );
  });
});

test('the heading of a long clause is its beginning', () => {
  const [section, ...others] = parsePolicySections(`2.1 ${'Word '.repeat(10_000)}`);
  expect(others).toEqual([]);
  expect(section).toMatchObject({ anchor: '2.1', level: 2 });
  expect(section?.heading.length).toBeLessThanOrEqual(MAX_HEADING_CHARACTERS);
});

test.each([
  ['hashes', '#'.repeat(1_000_000)],
  ['many headings', '# a\n'.repeat(250_000)],
  ['numbers', '1.'.repeat(500_000)],
  ['numbered lines', '1 A\n'.repeat(250_000)],
  ['paragraph signs', '§ '.repeat(500_000)],
  ['blanks', `${' \t'.repeat(500_000)}x`],
  ['long lines of blanks', `x${' '.repeat(700)}y\n`.repeat(1_400)],
  ['capitals', 'AAAA\n\n'.repeat(160_000)],
  ['clauses', '1.1 A\n'.repeat(150_000)],
  ['brackets', `${'['.repeat(700)}\n`.repeat(1_400)],
  ['dots', `4.2 ${'. '.repeat(500_000)}`],
  ['short lines of dots', `A${' .'.repeat(90)}\n`.repeat(5_000)],
  ['line breaks', '\n'.repeat(1_000_000)],
  ['underlines', 'A\n---\n\n'.repeat(140_000)],
])('a megabyte of %s is parsed at once', (_, text) => {
  const before = cpuMs();
  expect(parsePolicySections(text).length).toBeLessThanOrEqual(MAX_SECTIONS);
  expect(cpuMs() - before).toBeLessThan(5_000);
});
