import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfidenceTier, Detector, DetectorHits } from '../../../../core/detectors/detector.ts';
import { detect, findHits } from '../../../../core/detectors/engine/detect.ts';
import { settleClaims } from '../../../../core/detectors/engine/settle-claims.ts';
import { noWork } from '../../../../core/detectors/engine/work.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';

const idsOf = (text: string, homes: readonly string[] = []) =>
  findHits(text, DETECTORS, noWork(), new Set(homes))
    .map(({ detector }) => detector.id)
    .filter((id) => id !== 'phone_number');

describe('one number that several detectors claim', () => {
  const claimants = DETECTORS.filter(({ id }) => ['pt_tax_number', 'au_acn', 'ca_sin'].includes(id));
  const shared = Array.from({ length: 10_000 }, (_, i) => String(123_456_000 + i)).find((digits) =>
    claimants.every((detector) => detect(digits, [detector]).length === 1),
  );
  const settled = (text: string, home: string) =>
    findHits(text, claimants, noWork(), new Set([home])).map(({ detector }) => detector.id);

  it('is counted for one country', () => {
    const countries = findHits(`${shared}`, DETECTORS).flatMap(({ detector }) => detector.countries ?? []);
    expect(claimants).toHaveLength(3);
    expect(new Set(countries).size).toBe(1);
  });

  it("goes to the tenant's country where the checksums are as strong", () => {
    expect(settled(`${shared}`, 'PT')).toEqual(['pt_tax_number']);
    expect(settled(`${shared}`, 'AU')).toEqual(['au_acn']);
    expect(settled(`${shared}`, 'CA')).toEqual(['ca_sin']);
  });

  it('goes to the country whose word stands there, wherever the tenant is', () => {
    expect(settled(`contribuinte ${shared}`, 'CA')).toEqual(['pt_tax_number']);
  });

  it('is what explains more numbers of the text where nothing else tells', () => {
    const pair = ['nl_bsn', 'pt_tax_number'].flatMap((id) =>
      DETECTORS.filter((each) => each.id === id).map(
        (each) => ({ ...each, patterns: optional(each) }) as Detector,
      ),
    );
    const column = Array.from({ length: 3_000 }, (_, i) => String(123_456_000 + i)).filter(
      (digits) => detect(digits, pair.slice(0, 1)).length === 1,
    );
    expect(detect(column.join('\n'), pair).map(({ detectorId }) => detectorId)).toEqual(['nl_bsn']);
  });

  it.each([
    ['a stronger checksum', '26954371827', ['de_tax_id']],
    ['a word for it', 'OIB 26954371827', ['hr_oib']],
    ['a longer number around it', '65 929 970 489', ['de_tax_id']],
  ])('goes to %s', (_, text, expected) => {
    expect(idsOf(text)).toEqual(expected);
  });

  it('may be two things of one country, and a passport by two names', () => {
    expect(idsOf('passport number 912803456', ['US'])).toEqual(['us_passport', 'passport_number']);
  });
});

const optional = (detector: Detector) =>
  'patterns' in detector ? detector.patterns.map(({ regex }) => ({ regex, context: 'optional' })) : [];

describe('settleClaims', () => {
  const TIERS: readonly ConfidenceTier[] = [
    'sample',
    'pattern',
    'context',
    'checksum',
    'checksum_and_context',
  ];
  const detectors = ['a', 'b', 'c', 'd', 'e'].map((id, i) => ({
    id,
    version: 1,
    family: (['tax_id', 'national_id', 'health', 'bank', 'tax_id'] as const)[i] ?? 'tax_id',
    ...(i < 4 && { countries: [['PT'], ['NL'], ['PT', 'ES'], ['DE']][i] ?? [] }),
    title: id,
    context: [],
    patterns: [],
    gate: { kind: 'at', reach: 0 } as const,
    examples: { hits: [], misses: [] },
  })) satisfies Detector[];

  const hits = fc
    .array(
      fc.record({
        start: fc.nat(60),
        length: fc.integer({ min: 1, max: 12 }),
        tier: fc.constantFrom(...TIERS),
        confidence: fc.constantFrom(0.03, 0.04, 0.24, 0.4, 0.7, 0.91, 0.98),
      }),
      { maxLength: 12 },
    )
    .map((all) => {
      let free = 0;
      return all
        .sort((a, b) => a.start - b.start)
        .flatMap(({ start, length, tier, confidence }) => {
          if (start < free) return [];
          free = start + length;
          return [{ start, end: free, tier, confidence }];
        });
    });
  const claims = fc
    .tuple(...detectors.map(() => hits))
    .map((lists) => detectors.map((detector, i): DetectorHits => ({ detector, hits: lists[i] ?? [] })));
  const homes = fc.subarray(['PT', 'NL', 'DE']).map((codes) => new Set(codes));
  const flat = (found: readonly DetectorHits[]) =>
    found.flatMap(({ detector, hits }) => hits.map((hit) => ({ ...hit, detector })));
  const told = (found: readonly DetectorHits[]) =>
    flat(found)
      .map(({ detector, start, end }) => `${detector.id}:${start}-${end}`)
      .sort();

  it('settles as many claims as overlap each other without an end', () => {
    const every = (from: number): DetectorHits['hits'] =>
      Array.from({ length: 100_000 }, (_, i) => {
        const start = from + 4 * i;
        return { start, end: start + 3, tier: 'checksum', confidence: 0.4 };
      });
    const found = detectors.slice(0, 2).map((detector, i) => ({ detector, hits: every(2 * i) }));
    expect(flat(settleClaims(found))).toHaveLength(100_000);
  });

  it('tells the same whatever the order of detectors', () => {
    fc.assert(
      fc.property(
        claims.chain((found) =>
          fc.tuple(fc.constant(found), fc.shuffledSubarray(found, { minLength: found.length })),
        ),
        homes,
        ([found, shuffled], at) => {
          expect(told(settleClaims(shuffled, at))).toEqual(told(settleClaims(found, at)));
        },
      ),
    );
  });

  it('changes nothing when it has settled, and adds nothing', () => {
    fc.assert(
      fc.property(claims, homes, (found, at) => {
        const settled = settleClaims(found, at);
        expect(told(found)).toEqual(expect.arrayContaining(told(settled)));
        expect(told(settleClaims(settled, new Set()))).toHaveLength(told(settled).length);
      }),
    );
  });

  it('leaves overlaps only on the same characters, of one country, with equal words', () => {
    const inContext = (tier: ConfidenceTier) => tier === 'context' || tier === 'checksum_and_context';
    fc.assert(
      fc.property(claims, homes, (found, at) => {
        const settled = flat(settleClaims(found, at));
        for (const [i, a] of settled.entries()) {
          for (const b of settled.slice(i + 1)) {
            if (a.start >= b.end || b.start >= a.end) continue;
            expect([a.start, a.end, inContext(a.tier)]).toEqual([b.start, b.end, inContext(b.tier)]);
            const [ofA, ofB] = [a.detector.countries, b.detector.countries];
            if (ofA !== undefined && ofB !== undefined)
              expect(ofA.some((each) => ofB.includes(each))).toBe(true);
          }
        }
      }),
    );
  });

  it('leaves every claim or one that overlaps it', () => {
    fc.assert(
      fc.property(claims, homes, (found, at) => {
        const settled = flat(settleClaims(found, at));
        for (const { start, end } of flat(found))
          expect(settled.some((other) => other.start < end && start < other.end)).toBe(true);
      }),
    );
  });

  it('leaves alone what is no number, unless it lies in a proven one', () => {
    const name = { ...detectors[0], family: 'person' } as Detector;
    const hit = (start: number, end: number, tier: ConfidenceTier) => ({ start, end, tier, confidence: 0.3 });
    const number = {
      detector: detectors[1] as Detector,
      hits: [{ ...hit(0, 12, 'checksum'), confidence: 0.9 }],
    };
    const spans = (found: DetectorHits[]) => found[1]?.hits.map(({ start, end }) => [start, end]);
    expect(spans(settleClaims([number, { detector: name, hits: [hit(0, 12, 'pattern')] }]))).toEqual([
      [0, 12],
    ]);
    expect(spans(settleClaims([number, { detector: name, hits: [hit(2, 5, 'pattern')] }]))).toEqual([]);
    expect(spans(settleClaims([number, { detector: name, hits: [hit(2, 5, 'context')] }]))).toEqual([[2, 5]]);
  });
});

describe('the countries of a detector', () => {
  it('are declared where its id begins with one', () => {
    const others = new Set(['eu', 'ip']);
    for (const { id, countries } of DETECTORS) {
      const [first = ''] = id.split('_');
      if (first.length !== 2 || others.has(first)) continue;
      expect(countries, id).toContain(first === 'uk' ? 'GB' : first.toUpperCase());
    }
  });
});
