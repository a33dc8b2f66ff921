import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Detector } from '../../core/detectors/detector.ts';
import { findHits } from '../../core/detectors/engine/detect.ts';
import { matchSpans, type Outcome, type TypedSpan } from './score.ts';
import { codePointOffsets } from './sentences.ts';
import { detectorsOf, typeOf, typeOfValidator } from './types.ts';

/** A test text for one kind of value, and the expected values. */
export type Vector = {
  type: string;
  text: string;
  /** The expected values, or their number if only that is known. */
  meant: TypedSpan[] | number;
  /** Whether the question was if the whole text is such a value, and not what it contains. */
  whole: boolean;
};

const Recognizer = z.object({
  entities: z.array(z.string()).nullish(),
  text: z.string(),
  expected_count: z.number().nullish(),
  positions: z.array(z.unknown()).nullish(),
  valid: z.boolean().optional(),
});
const Validator = z.object({
  validator: z.string(),
  args: z.array(z.unknown()),
  input: z.string(),
  valid: z.boolean(),
});

/** Reads the vectors of the corpus for known kinds of values. */
export async function readVectors(folder: string): Promise<Vector[]> {
  const recognizer = await readLines(folder, 'recognizer-vectors.jsonl', Recognizer);
  const validator = await readLines(folder, 'validator-vectors.jsonl', Validator);
  return [
    ...recognizer.flatMap(({ entities, text, positions, expected_count, valid }) => {
      const [entity, ...more] = entities ?? [];
      if (entity === undefined || more.length > 0) return [];
      const type = typeOf(entity);
      if (valid !== undefined) return [wholeVector(type, text, valid)];
      const offsets = codePointOffsets(text);
      const at = (position: number) => offsets[position] ?? text.length;
      const spans = z.array(z.tuple([z.number(), z.number()])).safeParse(positions).data ?? [];
      const count = expected_count ?? spans.length;
      const meant =
        spans.length === count
          ? spans.map(([start, end]) => ({ type, start: at(start), end: at(end) }))
          : count;
      return [{ type, text, meant, whole: false }];
    }),
    ...validator.flatMap(({ validator, args, input, valid }) => {
      const type = typeOfValidator(validator, args);
      return type === null ? [] : [wholeVector(type, input, valid)];
    }),
  ];
}

const wholeVector = (type: string, text: string, valid: boolean): Vector => ({
  type,
  text,
  meant: valid ? [{ type, start: 0, end: text.length }] : [],
  whole: true,
});

async function readLines<T>(folder: string, name: string, line: z.ZodType<T>): Promise<T[]> {
  const file = await readFile(path.join(folder, 'identifiers', name), 'utf8');
  return file.split('\n').flatMap((text) => (text.trim() === '' ? [] : [line.parse(JSON.parse(text))]));
}

/**
 * Runs vectors against the detectors of their kind. A recogniser for one kind implicitly knows the kind of the
 * value. With `isKindKnown`, the detectors learn it from their first context phrase on a line before the text.
 */
export function vectorSolver(
  detectors: readonly Detector[],
  { isKindKnown }: { isKindKnown: boolean },
): (vector: Vector) => Outcome[] {
  return ({ type, text, meant, whole }) => {
    const ids = detectorsOf(type, detectors);
    const asked = detectors.filter(({ id }) => ids.includes(id));
    const found = asked.flatMap((detector) => {
      const [phrase] = detector.context;
      const before = isKindKnown && phrase !== undefined ? `${phrase}\n` : '';
      return findHits(before + text, [detector]).flatMap(({ hits }) =>
        hits
          .map(({ start, end }) => ({ type, start: start - before.length, end: end - before.length }))
          .filter(({ start }) => start >= 0),
      );
    });
    const distinct = found.filter(
      (span, i) => !found.slice(0, i).some((other) => span.start < other.end && other.start < span.end),
    );
    if (typeof meant === 'number') return outcomesOfCount(type, distinct, meant);
    // If the whole is not such a value, it can still contain one.
    const isWhole = ({ start, end }: TypedSpan) => start === 0 && end === text.length;
    return matchSpans(whole && meant.length === 0 ? distinct.filter(isWhole) : distinct, meant);
  };
}

function outcomesOfCount(type: string, found: readonly TypedSpan[], count: number): Outcome[] {
  const missed = Array.from({ length: Math.max(0, count - found.length) }, () => ({
    type,
    start: 0,
    end: 0,
  }));
  return [
    ...found.map((span, i) => ({ kind: i < count ? ('hit' as const) : ('falseHit' as const), span })),
    ...missed.map((span) => ({ kind: 'miss' as const, span })),
  ];
}
