import { describe, expect, it } from 'vitest';
import type { Detector } from '../../../../core/detectors/detector.ts';
import { findHits } from '../../../../core/detectors/engine/detect.ts';
import { noWork, type Work } from '../../../../core/detectors/engine/work.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';
import { fill, hostileTexts, nearMisses } from './hostile-texts.ts';

const LENGTH = 40_000;
const LENGTH_FOR_EACH = 4_000;

/** What is done over a text, counted, so that how busy the machine is does not matter. */
function workOn(text: string, detectors: readonly Detector[]): Work {
  const work = noWork();
  findHits(text, detectors, work);
  return work;
}

/** One figure, each kind of work weighed by about what it costs beside looking at a character. */
const weigh = ({ steps, runs, windowCharacters, contextReads }: Work) =>
  steps + windowCharacters + 20 * runs + 50 * contextReads;

/** Ordinary and dense: half of it identifiers. */
const BENIGN = fill(
  '17,Anna,anna.muster@example.com,4539 1488 0343 6467,DE89370400440532013000,call +49 30 901820\nThe order of May was signed. ',
  LENGTH,
);

describe('hostile text', () => {
  const benign = weigh(workOn(BENIGN, DETECTORS)) / LENGTH;

  it.each(hostileTexts(LENGTH))('%s costs little, and twice as much when twice as long', (_, text) => {
    const whole = weigh(workOn(text, DETECTORS));
    // No more than a few times what dense benign text does.
    expect(whole / LENGTH / benign).toBeLessThan(4);
    expect(whole / weigh(workOn(text.slice(0, LENGTH / 2), DETECTORS))).toBeLessThan(2.3);
  });

  it.each(DETECTORS.map((each) => [each.id, each] as const))('costs %s little', (_, detector) => {
    for (const [name, text] of [...hostileTexts(LENGTH_FOR_EACH), ...nearMisses(detector, LENGTH_FOR_EACH)]) {
      expect(weigh(workOn(text, [detector])) / text.length / benign, name).toBeLessThan(4);
    }
  });

  it('of closing brackets costs a web address little, in time of the processor', () => {
    const addresses = DETECTORS.filter(({ id }) => id === 'web_address');
    const timeOf = (rest: string) => {
      const text = fill(`http://a.b${fill(rest, 490)} `, 500_000);
      const before = process.cpuUsage();
      findHits(text, addresses);
      return process.cpuUsage(before).user;
    };
    timeOf('c');
    expect(timeOf(')') / timeOf('c')).toBeLessThan(25);
  });

  it('has no more hits kept than the bound says', () => {
    const hits = findHits(
      fill('308-63-0237\n', 1_500_000),
      DETECTORS.filter(({ id }) => id === 'us_ssn'),
    );
    expect(hits[0]?.hits).toHaveLength(100_000);
  });
});
