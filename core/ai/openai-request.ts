import { z } from 'zod';
import type { Meter, ModelCall, Used } from './meter.ts';
import { openAiFailure } from './openai-failure.ts';
import { AiError, type AiFailure } from './provider.ts';

/** The service may have worked for a request that failed in such a way. */
const MAYBE_CHARGED: ReadonlySet<AiFailure> = new Set(['aborted', 'malformed', 'timeout']);

const UsageSchema = z.object({
  usage: z.object({
    // Services that do not count tokens report zero.
    prompt_tokens: z.int().min(1).max(1_000_000_000),
    completion_tokens: z.int().min(0).max(1_000_000_000).nullish(),
  }),
});

/**
 * Sends one request that the meter admits, and gives the meter the tokens that the answer reports. Returns the answer,
 * which is not validated. Throws `AiError`, and what the meter throws.
 */
export async function meteredRequest(
  meter: Meter,
  call: ModelCall,
  signal: AbortSignal,
  send: () => Promise<unknown>,
): Promise<unknown> {
  if (signal.aborted) throw new AiError('aborted');
  const settle = await meter(call);
  let answer: unknown;
  try {
    answer = await send();
  } catch (error) {
    const failed = openAiFailure(error, signal);
    await settle(MAYBE_CHARGED.has(failed.failure) ? 'unknown' : 'none');
    throw failed;
  }
  await settle(usedOf(answer));
  return answer;
}

function usedOf(answer: unknown): Used {
  const parsed = UsageSchema.safeParse(answer);
  if (!parsed.success) return 'unknown';
  const { prompt_tokens: input, completion_tokens: output } = parsed.data.usage;
  return { input, output: output ?? 0 };
}
