import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Detector, defineDetector, type PatternDetector } from '../../../../core/detectors/detector.ts';
import { automatonOf } from '../../../../core/detectors/engine/automaton.ts';
import { codeUnits } from '../../../../core/detectors/engine/code-units.ts';
import { tableReader } from '../../../../core/detectors/engine/columns.ts';
import { contextReader } from '../../../../core/detectors/engine/context.ts';
import { detect, findHits } from '../../../../core/detectors/engine/detect.ts';
import { findStretches, scannerOf } from '../../../../core/detectors/engine/gates.ts';
import { lexiconOf } from '../../../../core/detectors/engine/lexicon.ts';
import { planOf } from '../../../../core/detectors/engine/plan.ts';
import { startFinder } from '../../../../core/detectors/engine/start-finder.ts';
import { noWork } from '../../../../core/detectors/engine/work.ts';
import { paymentCard } from '../../../../core/detectors/finance/payment-card.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { hostileTexts } from './hostile-texts.ts';

const OPENERS: Readonly<Record<string, RegExp>> = { digits: /\d/, at: /@/ };

/** Each pattern as a detector that keeps every match, of a family whose numbers may stand anywhere. */
const bare: PatternDetector[] = DETECTORS.flatMap((detector) =>
  'patterns' in detector && detector.gate.kind in OPENERS
    ? detector.patterns.map(({ regex }, i) => ({
        id: `${detector.id}_${i}`,
        version: 1,
        family: 'custom' as const,
        title: detector.title,
        gate: detector.gate.kind === 'digits' ? { ...detector.gate, least: 1 } : detector.gate,
        patterns: [{ regex, context: 'optional' as const }],
        context: [],
        examples: { hits: [], misses: [] },
      }))
    : [],
);

describe('all patterns as one', () => {
  const examples = DETECTORS.flatMap(({ examples }) => [...examples.hits, ...examples.misses]);
  const pieces = fc.oneof(
    fc.constantFrom(...examples),
    fc.constantFrom(' ', '\n', ',', ' and ', '-', '.', 'x', '7', '@', '\u00e9', '\ud83d\ude00'),
  );
  const expectSame = (text: string) => {
    // What holds nothing that opens its gate is found or not by what stands next to it.
    const isOpen = (detector: Detector, match: string) =>
      'gate' in detector && OPENERS[detector.gate.kind]?.test(match) === true;
    const found = new Map(
      findHits(text, bare).map(({ detector, hits }) => [
        detector.id,
        hits
          .filter(({ start, end }) => isOpen(detector, text.slice(start, end)))
          .map(({ start, end }) => [start, end]),
      ]),
    );
    for (const detector of bare) {
      const matches = detector.patterns.flatMap(({ regex }) => [...text.matchAll(regex)]);
      const expected = matches
        .filter(([match]) => isOpen(detector, match))
        .map((match) => [match.index, match.index + match[0].length]);
      expect(found.get(detector.id) ?? [], detector.id).toEqual(expected);
    }
  };

  it('find what each finds alone over the whole text', () => {
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 24 }), (parts) => expectSame(parts.join(''))),
      { numRuns: propertyRuns(60) },
    );
  });

  it('are tried only where a first character follows none that it refuses', () => {
    const automaton = automatonOf(/(?<![\d,])[24]\d{3}/g);
    const tried: number[] = [];
    const text = '1234 2345 3456 4567 ,2345';
    startFinder(automaton === null ? [] : [automaton]).find(codeUnits(text), 0, text.length, (_, start) =>
      tried.push(start),
    );
    expect(tried).toEqual([5, 15]);
  });

  it.each([
    ['what is known of them grows', undefined],
    ['there is no room for it', 1],
  ])('are all tried where they match while %s', (_, mostStates) => {
    const followed = bare.flatMap(({ patterns }) =>
      patterns.flatMap(({ regex }) => {
        const automaton = automatonOf(regex);
        return automaton === null ? [] : [{ regex, automaton }];
      }),
    );
    const finder = startFinder(
      followed.map(({ automaton }) => automaton),
      mostStates,
    );
    for (const text of [examples.join('\n'), examples.toReversed().join(' ')]) {
      const tried = new Set<string>();
      finder.find(codeUnits(text), 0, text.length, (pattern, start) => tried.add(`${pattern} ${start}`));
      for (const [pattern, { regex }] of followed.entries()) {
        const missed = [...text.matchAll(regex)].filter(({ index }) => !tried.has(`${pattern} ${index}`));
        expect(missed).toEqual([]);
      }
    }
  });

  it.each(hostileTexts(600))('find it in hostile text too: %s', (_, text) => {
    expectSame(text);
  });
});

describe('findStretches', () => {
  it('notes where every literal begins, whatever its rarest character', () => {
    const literal = fc.string({ minLength: 1, maxLength: 6 }).filter((each) => /[\x21-\x7e]/.test(each));
    fc.assert(
      fc.property(
        fc.array(literal, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(9)),
        (literals, order) => {
          const text = order.map((i) => literals[i % literals.length] ?? '').join('');
          const { literals: found } = findStretches(codeUnits(text), scannerOf(literals));
          for (const each of literals) {
            const expected = Array.from({ length: text.length }, (_, i) => i).filter((i) =>
              text.startsWith(each, i),
            );
            expect(found.get(each) ?? []).toEqual(expected);
          }
        },
      ),
    );
  });
});

describe('contextReader', () => {
  const about = (context: string[]): Detector => ({ ...paymentCard, context });
  const isAround = (text: string, context: string[], value = '4539') => {
    const start = text.indexOf(value);
    const reader = contextReader(text, lexiconOf([about(['other']), about(context)]));
    return reader.isAround(1, start, start + value.length);
  };

  it.each([
    ['tax id 4539', ['tax id'], true],
    ['taxId: 4539', ['tax id'], true],
    ['TAX_ID = 4539', ['tax id'], true],
    ['tax-\nid 4539', ['tax id'], true],
    ['4539 is the tax id', ['tax id'], true],
    ['tax identity 4539', ['tax id'], false],
    ['syntax id 4539', ['tax id'], false],
    ['public 4539', ['lic'], false],
    ['Überweisung 4539', ['uberweisung'], true],
    ['U\u0308berweisung 4539', ['uberweisung'], true],
    ['STRASSE straße 4539', ['strasse'], true],
    ['numéro de sécurité sociale 4539', ['numero de securite sociale'], true],
    ['other 4539', ['tax id'], false],
    [`tax id ${'. '.repeat(26)}4539`, ['tax id'], true],
    [`tax id ${'. '.repeat(28)}4539`, ['tax id'], false],
    [`4539${' .'.repeat(30)} tax id`, ['tax id'], false],
  ])('%j near %j: %s', (text, context, expected) => {
    expect(isAround(text, context)).toBe(expected);
  });

  it('asks in a table for words in the column and the line, once many have asked', () => {
    const text = `tax id,amount,note\n${'4539,4539,none\n'.repeat(3)}4539,4539,his tax id\n`;
    const reader = contextReader(text, lexiconOf([about(['tax id'])]));
    const mayBeAround = [...text.matchAll(/4539/g)].map(({ index }) => reader.mayBeAround(0, index));
    for (let asked = mayBeAround.length; asked < 60; asked++) reader.mayBeAround(0, 0);
    expect(mayBeAround).toEqual(Array(8).fill(true));
    expect([...text.matchAll(/4539/g)].map(({ index }) => reader.mayBeAround(0, index))).toEqual([
      ...[true, false, true, false, true, false],
      ...[true, true],
    ]);
  });

  it('never says that no word may be around where one is, however long the text', () => {
    const part = fc.constantFrom(
      'tax id ',
      'lorem ipsum ',
      '4539\n',
      '; ',
      'a,b,tax id\n1,2,3\n',
      '. '.repeat(300),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 80 }), (parts) => {
        const text = parts.join('').repeat(6);
        const reader = contextReader(text, lexiconOf([about(['tax id'])]));
        for (let asked = 0; asked < 251; asked++) reader.mayBeAround(0, 0);
        for (let start = 0; start < text.length; start += 37) {
          const around = reader.isAround(0, start, Math.min(text.length, start + 9));
          if (around) expect(reader.mayBeAround(0, start)).toBe(true);
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

describe('tableReader', () => {
  const columnOf = (text: string, value: string) => {
    const cell = tableReader(text).cellAt(text.indexOf(value));
    return cell === null ? null : cell.table.header[cell.column];
  };

  it.each([
    ['id,name\n1,Ann\n2,Bob', 'Bob', 'name'],
    ['id;"last; first"\n1;"Bob; Ann"', 'Ann', '"last; first"'],
    ['id\tname\n1\tAnn\n\nid\tcity\n2\tBern', 'Bern', 'city'],
    ['Dear Ann,\nthank you, Bob\n', 'Bob', 'Dear Ann,'.slice(9)],
    ['one line, no more', 'more', null],
    ['1234,5678\n1,Ann', 'Ann', null],
    ['id,name\n1,Ann,x', 'Ann', null],
    [`id,name\n1,${'y'.repeat(1_100)} Ann`, 'Ann', null],
  ])('%j: %s is under %j', (text, value, header) => {
    expect(columnOf(text, value)).toBe(header);
  });

  it('reads the same whatever the order of the questions', () => {
    const text = 'a,"b,c",d\n1,"2,3",4\n5,"6",7\nno table here\nx,y\n8,9';
    const ascending = tableReader(text);
    const columns = Array.from(text, (_, i) => ascending.cellAt(i)?.column ?? null);
    const descending = tableReader(text);
    const reversed = Array.from(text, (_, i) => descending.cellAt(text.length - 1 - i)?.column ?? null);
    expect(reversed.reverse()).toEqual(columns);
  });
});

describe('findHits', () => {
  const finder = defineDetector({
    id: 'shouted_word',
    version: 1,
    family: 'person',
    title: 'A word in capitals',
    context: ['loud'],
    *find({ once }) {
      const words = once(Symbol.for('words'), (whole) => [...whole.matchAll(/[A-Z]{2,20}/g)]);
      for (const { 0: word, index } of words) {
        yield {
          start: index,
          end: index + word.length,
          verdict: word === 'NO' ? 'no' : 'shape',
          context: word === 'MAYBE' ? 'required' : 'optional',
        };
      }
    },
    examples: { hits: ['YES'], misses: ['no'] },
  });

  it('takes what a detector finds by means of its own, and judges it as the others', () => {
    const tiers = (text: string) => detect(text, [finder])[0]?.tiers;
    expect(tiers('YES and NO')).toEqual({ pattern: 1 });
    expect(tiers('MAYBE')).toBeUndefined();
    expect(tiers('loud: MAYBE')).toEqual({ context: 1 });
  });

  it('makes what detectors share once for a text', () => {
    let made = 0;
    const counting = (id: string): Detector => ({
      ...finder,
      id,
      *find({ once }) {
        once(Symbol.for('counted'), () => {
          made += 1;
          return made;
        });
      },
    });
    findHits('text', [counting('first'), counting('second')]);
    expect(made).toBe(1);
  });

  it('leaves out what is inside a longer number that a checksum vouches for', () => {
    const four: PatternDetector = {
      ...paymentCard,
      id: 'four_digits',
      gate: { kind: 'digits', least: 4, reach: 10 },
      patterns: [{ regex: /\b\d{4}\b/g, context: 'optional' }],
      judge: () => 'shape',
      context: ['pin'],
    };
    const counts = (text: string) => detect(text, [paymentCard, four]).map(({ count }) => count);
    expect(counts('4539 1488 0343 6467')).toEqual([1]);
    expect(counts('4539 1488 0343 6467 and 1234')).toEqual([1, 1]);
    expect(counts('pin 4539 1488 0343 6467')).toEqual([1]);
    expect(counts('4539 1488 0343 6468')).toEqual([4]);
  });

  it('counts what it does', () => {
    const work = noWork();
    findHits('card 4539 1488 0343 6467', [paymentCard], work);
    expect(work.contextReads).toBe(1);
    expect(work.runs).toBeGreaterThan(0);
    expect(work.steps).toBeGreaterThan(24);
  });

  it('plans a list once', () => {
    expect(planOf([...DETECTORS])).toBe(planOf(DETECTORS));
    expect(planOf(DETECTORS.slice(1))).not.toBe(planOf(DETECTORS));
  });
});
