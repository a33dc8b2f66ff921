import { z } from 'zod';

/** Parts of the listings of a storage account, as `xmlFrom` parses them. */

export const Text = z.union([z.string(), z.object({ _: z.string().default('') }).transform(({ _ }) => _)]);

/** An element with children. Without content it is parsed as text. */
export const parent = <T extends z.ZodRawShape>(shape: T) =>
  z.preprocess((value) => (typeof value === 'string' ? {} : value), z.object(shape));

/** A name is encoded if XML cannot hold it. */
export const Name = z.union([
  z.string(),
  z
    .object({ $: z.object({ Encoded: z.string().optional() }).default({}), _: z.string().default('') })
    .transform(({ $, _ }) => ($.Encoded === 'true' ? decodeURIComponent(_) : _)),
]);

/** No file is older than the first date of the file system: a service that knows no time gives one of the year 1. */
const FIRST_YEAR = 1601;

export function timeOf(text: string | undefined): string | null {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() < FIRST_YEAR ? null : at.toISOString();
}
