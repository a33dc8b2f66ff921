import { expect, test } from 'vitest';
import { tiffDirectory } from '../../../../core/extractors/image/tiff-directory.ts';
import { tiffJpegs } from '../../../../core/extractors/image/tiff-jpeg.ts';
import { GREY, stripsOf } from '../../../support/documents/jpeg.ts';
import { drawn } from '../../../support/documents/picture.ts';

const LENGTHS = 279;

const strips = () => Buffer.from(stripsOf(drawn('TEA', 8), 8, { samples: GREY, photometric: 1 }));

test('strips of a TIFF that breaks off are what there is of them', () => {
  const whole = strips();
  expect(tiffJpegs(whole)?.length).toBeGreaterThan(5);
  const [last] = tiffDirectory(whole).numbers(LENGTHS).slice(-1);
  // The directory lies before its strips.
  expect(tiffJpegs(whole.subarray(0, whole.length - (last ?? 0)))).not.toBeNull();
});

test('strips that lie in each other are not copied', () => {
  const file = strips();
  const { length } = tiffDirectory(file).numbers(LENGTHS);
  const lengths = Buffer.alloc(length * 4);
  for (const [at, size] of tiffDirectory(file).numbers(LENGTHS).entries())
    lengths.writeUInt32LE(size, at * 4);
  const from = file.indexOf(lengths);
  for (let at = 0; at < length; at++) file.writeUInt32LE(file.length, from + at * 4);
  expect(tiffJpegs(file)).toBeNull();
});
