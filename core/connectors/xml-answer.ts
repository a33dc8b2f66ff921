import { parseXML } from '@azure/core-xml';
import { z } from 'zod';

/** The root of an answer of the service. Null if it is no XML: the parser throws what quotes the answer. */
export async function xmlFrom(bytes: Uint8Array): Promise<unknown> {
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  return parseXML(text).catch(() => null);
}

/** An element that occurs once, several times or not at all. */
export const many = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]), z.array(item));
