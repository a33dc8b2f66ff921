import { expect, test } from 'vitest';
import { calibrationError } from '../../../bench/classification/calibration-error.ts';

const answers = (confidence: number, right: number, wrong: number) => [
  ...Array.from({ length: right }, () => ({ confidence, right: true })),
  ...Array.from({ length: wrong }, () => ({ confidence, right: false })),
];

test('is nothing where each bin is as often right as it says', () => {
  expect(calibrationError([...answers(0.75, 3, 1), ...answers(0.5, 5, 5), ...answers(1, 2, 0)])).toBeCloseTo(
    0,
    12,
  );
});

test('weighs each bin by its answers, however its misses lie', () => {
  expect(calibrationError(answers(1, 0, 4))).toBe(1);
  expect(calibrationError([...answers(0.95, 0, 1), ...answers(0.25, 3, 0)])).toBeCloseTo(
    (0.95 + 3 * 0.75) / 4,
    12,
  );
  // Two bins whose errors would cancel if they were one.
  expect(calibrationError([...answers(0.65, 0, 1), ...answers(0.35, 1, 0)])).toBeCloseTo(0.65, 12);
});
