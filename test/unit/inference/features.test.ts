import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveFeatures, embeddingText, type FeatureInput } from '../../../core/inference/features.ts';
import { termHash } from '../../../core/inference/lexical.ts';
import { cosine, packTerms, packVector, unpackTerms, unpackVector } from '../../../core/inference/packed.ts';

const derive = (input: Partial<FeatureInput>) =>
  deriveFeatures({
    name: 'a',
    path: '',
    text: null,
    title: '',
    contentHash: null,
    signals: [],
    embedding: null,
    ...input,
  });

describe('deriveFeatures', () => {
  it('keeps counts of terms and pairs, the opening counting more, as JSON', () => {
    const filler = 'garden '.repeat(60);
    const kept = derive({ text: `Invoice of the supplier ${filler} purchase orders and a purchase order` });
    const terms = unpackTerms(kept.terms);
    expect(terms.get(termHash('purchase order'))).toBeCloseTo(2, 0);
    expect(terms.get(termHash('invoice'))).toBeCloseTo(4, 0);
    expect(terms.has(termHash('the'))).toBe(false);
    expect(kept.tokenCount).toBe(70);
    expect(JSON.parse(JSON.stringify(kept))).toEqual(kept);
  });

  it('keeps apart the terms of the title and the first short lines, or the first words', () => {
    const headings = (text: string, title = '') => {
      const terms = unpackTerms(derive({ text, title }).headings);
      return (term: string) => terms.has(termHash(term));
    };
    const long = `${'of the garden '.repeat(10)} payroll`;
    const titled = headings(`${long}\n\n1 January 2024\nSupplier invoices\n${long}`);
    expect(['supplier', 'invoice', 'supplier invoice'].map(titled)).toEqual([true, true, true]);
    expect(['garden', 'payroll'].map(titled)).toEqual([false, false]);
    const untitled = headings(long);
    expect(['garden', 'payroll'].map(untitled)).toEqual([true, false]);
    expect(['payroll', 'garden'].map(headings(long, 'Payroll'))).toEqual([true, false]);
    expect(derive({ text: null }).headings).toBe('');
  });

  it.each([
    ['en', 'This is the agreement between the parties and it shall be governed by the law of the place.'],
    ['de', 'Dies ist der Vertrag zwischen den Parteien und er wird nach dem Recht des Ortes ausgelegt.'],
    [
      'fr',
      'Ceci est le contrat entre les parties et il est soumis au droit du lieu dans lequel il est signé.',
    ],
    ['es', 'Este es el contrato entre las partes y se rige por la ley del lugar en que se firma.'],
    ['it', 'Questo è il contratto tra le parti ed è retto dalla legge del luogo in cui viene firmato.'],
    ['pt', 'Este é o contrato entre as partes e não se rege pela lei do lugar em que foi assinado por ele.'],
    [
      'nl',
      'Dit is het contract tussen de partijen en het wordt beheerst door het recht van de plaats waar het is.',
    ],
    [
      'pl',
      'To jest umowa i nie może być zmieniona przez strony, która została podpisana w tym miejscu oraz dla nich.',
    ],
  ])('tells the language: %s', (language, text) => {
    expect(derive({ text }).language).toBe(language);
  });

  it('does not guess a language', () => {
    expect(derive({ text: '4711 0815 SELECT FROM table' }).language).toBeNull();
    expect(derive({ text: null }).language).toBeNull();
  });

  it('holds no value and no readable word of the content, however it is written', () => {
    const canary = fc.constantFrom(
      'Quetzalcoatl',
      'anna.muster@example.com',
      '4539148803436467',
      'DE89370400440532013000',
    );
    fc.assert(
      fc.property(canary, fc.lorem({ maxCount: 30 }), (secret, around) => {
        const kept = JSON.stringify(derive({ text: `${secret} ${around} ${secret}` }));
        expect(kept.toLowerCase()).not.toContain(secret.toLowerCase());
        expect(unpackTerms(derive({ text: secret }).terms).has(termHash('4539148803436467'))).toBe(false);
      }),
    );
  });

  it('is bounded for any text', () => {
    const long = Array.from(
      { length: 60_000 },
      (_, i) => `w${String.fromCharCode(97 + (i % 26), 97 + ((i >> 5) % 26), 97 + ((i >> 10) % 26))}`,
    );
    expect(
      JSON.stringify(derive({ text: long.join(' '), name: long.join(' '), path: `${long.join('/')}/a` }))
        .length,
    ).toBeLessThan(8_000);
  });
});

describe('embeddingText', () => {
  it('holds no word with a digit or an address, and is bounded', () => {
    expect(embeddingText('Dear anna@example.com, pay 4539148803436467 to DE893704 now')).toBe(
      'Dear pay to now',
    );
    expect(embeddingText('word '.repeat(10_000)).length).toBeLessThanOrEqual(6_000);
  });
});

describe('packing', () => {
  it('returns terms with their counts to within seven percent', () => {
    const counts = fc.uniqueArray(fc.tuple(fc.nat(0xffff_ffff), fc.integer({ min: 1, max: 1_000_000 })), {
      selector: ([hash]) => hash,
    });
    fc.assert(
      fc.property(counts, (pairs) => {
        const unpacked = unpackTerms(packTerms(new Map(pairs)));
        expect(unpacked.size).toBe(pairs.length);
        for (const [hash, count] of pairs)
          expect(Math.abs((unpacked.get(hash) ?? 0) / count - 1)).toBeLessThan(0.07);
        expect(packTerms(new Map(pairs.toReversed()))).toBe(packTerms(new Map(pairs)));
      }),
    );
  });

  it('keeps the angle of a vector', () => {
    const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 400 });
    fc.assert(
      fc.property(vector, (values) => {
        const whole = Float32Array.from(values);
        fc.pre(whole.some((value) => Math.abs(value) > 1e-3));
        const unpacked = unpackVector(packVector(whole));
        expect(unpacked).toHaveLength(values.length);
        expect(cosine(unpacked, whole)).toBeGreaterThan(0.99);
      }),
    );
    expect(cosine([1, 0], [1, 0, 0])).toBe(0);
    expect(cosine([0, 0], [1, 0])).toBe(0);
    expect(cosine(unpackVector(packVector(new Float32Array(3))), [1, 1, 1])).toBe(0);
  });
});
