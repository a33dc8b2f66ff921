import { describe, expect, it } from 'vitest';
import { findHits } from '../../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';

const valuesOf = (text: string, detectorId: string) =>
  findHits(text, DETECTORS)
    .filter(({ detector }) => detector.id === detectorId)
    .flatMap(({ hits }) => hits.map(({ start, end }) => text.slice(start, end)));

describe('the header of a table', () => {
  it.each([
    ['a title line', 'Export of 2024\nname;ssn;note\nBob;417820936;x\n'],
    ['a line that names the delimiter', 'sep=;\nname;ssn\nBob;417820936\n'],
    ['a line of groups', 'person;;account\nname;ssn;note\nBob;417820936;x\n'],
    ['a line of repeated groups', 'person;person;account\nname;ssn;note\nBob;417820936;x\n'],
  ])('is known behind %s', (_, text) => {
    expect(valuesOf(text, 'us_ssn')).toEqual(['417820936']);
  });

  it('is one line where the first row has words only', () => {
    expect(valuesOf('name;ssn;note\nBob;unknown;x\nAnn;417820936;y\n', 'us_ssn')).toEqual(['417820936']);
    expect(valuesOf('name;note;ssn\nBob;417820936;x\n', 'us_ssn')).toEqual([]);
  });

  it('says which numbers are verification codes', () => {
    expect(valuesOf('name,cvv_code\nBob,204\nAnn,311\n', 'card_verification_code')).toEqual(['204', '311']);
    expect(valuesOf('name,cid\nBob,204\nAnn,311\n', 'card_verification_code')).toEqual([]);
  });
});
