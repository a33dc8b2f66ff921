import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { findHits } from '../../../core/detectors/detect.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';

const SIZE = 200_000;
const fill = (piece: string) => piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);

/** Each is the worst case of some shape of pattern: long runs, near misses, nested starts, gates that never close. */
const HOSTILE: Readonly<Record<string, string>> = {
  digits: fill('7'),
  letters: fill('a'),
  capitals: fill('A'),
  dashes: fill('-'),
  dots: fill('.'),
  colons: fill(':'),
  spaces: fill(' '),
  lines: fill('\n'),
  quotes: fill('"'),
  at: fill('a@'),
  'one address without end': `${fill('a')}@`,
  'labels without end': fill(`a@${'a.'.repeat(30)}`),
  'dashed labels': fill(`a@${'a-'.repeat(30)}`),
  'digits and spaces': fill('1 '),
  'digits and dashes': fill('1-'),
  'digits and dots': fill('1.'),
  'digits and commas': fill('1,'),
  'hexadecimal groups': fill('a1:'),
  'capitals and digits': fill('A1'),
  'area codes': fill('call (123) '),
  'plus signs': fill('+1 '),
  brackets: fill('((('),
  'key headers': fill('-----BEGIN '),
  'key words': fill('PRIVATE KEY'),
  'token starts': fill('eyJ'),
  'token parts': fill('eyJaaaaaaaaaaaaaa.'),
  'key prefixes': fill('sk_live_sk-proj-xoxb-AKIA'),
  'URL starts': fill('http://a:'),
  assignments: fill('password=api_key='),
  'bank groups': fill('GB29 NWBK '),
  'birth words': fill('born 1 '),
  amounts: fill('salary 1,111 '),
  'two columns': fill('a\t1\n'),
  mixture: fill('1.1-1 1/1(1)'),
};

/** Ordinary and dense: half of it identifiers. */
const BENIGN = fill(
  '17,Anna,anna.muster@example.com,4539 1488 0343 6467,DE89370400440532013000,call +49 30 901820\nThe order of May was signed. ',
);

/** Least of three, so that what else the machine does counts little. */
function cost(text: string, detectors = DETECTORS): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run++) {
    const start = performance.now();
    findHits(text, detectors);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

describe('hostile text', () => {
  const benign = cost(BENIGN);

  // Quadratic work on 200,000 characters would be thousands of times the benign cost.
  it.each(Object.entries(HOSTILE))(
    '%s costs no more than a few times what dense benign text does',
    (_, text) => {
      expect(cost(text) / benign).toBeLessThan(8);
    },
  );

  it('costs each detector no more than a few times what benign text costs all of them', () => {
    for (const text of Object.values(HOSTILE)) {
      for (const detector of DETECTORS) {
        const start = performance.now();
        findHits(text, [detector]);
        expect((performance.now() - start) / benign, detector.id).toBeLessThan(8);
      }
    }
  });
});
