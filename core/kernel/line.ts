import { z } from 'zod';

/** Control characters, line breaks, what turns the direction of writing around, and spaces without a width. */
export const DECEPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/gu;

/**
 * A name that a person writes, of at most `most` characters: one line, which is what it looks like, so that several
 * spaces, of whatever kind, are one.
 */
export const lineOf = (most: number) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .overwrite((line) => line.replace(/\p{Zs}{1,1000}/gu, ' '))
    .min(1)
    .max(most)
    .refine(
      (line) => line.search(DECEPTIVE) === -1,
      'Holds a line break, or a character that cannot be seen.',
    );
