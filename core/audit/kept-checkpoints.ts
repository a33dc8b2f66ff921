import { z } from 'zod';
import { type Checkpoint, signedStatement } from './checkpoint.ts';

const Kept = z.object({ record: z.string(), publicKey: z.string(), signature: z.string() });
/** The response of the service, one item of it, or a list of items. */
const KeptFile = z.union([
  z.object({ items: z.array(Kept) }).transform(({ items }) => items),
  z.array(Kept),
  Kept.transform((one) => [one]),
]);

/**
 * The statements of the checkpoints in a file that somebody kept: the response of `GET /api/audit/checkpoints`, or
 * items of it. Null if the text is none of these, has no checkpoints, or has one with a wrong signature.
 */
export function keptCheckpoints(text: string): Checkpoint[] | null {
  const parsed = KeptFile.safeParse(jsonOf(text));
  const statements = parsed.success ? parsed.data.map(signedStatement) : [];
  const holding = statements.filter((statement) => statement !== null);
  return holding.length > 0 && holding.length === statements.length ? holding : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
