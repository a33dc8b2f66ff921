import type OpenAI from 'openai';
import { z } from 'zod';
import { type AiTask, expectedTokens, type Meter } from './meter.ts';
import { meteredRequest } from './openai-request.ts';
import { AiError } from './provider.ts';

/** Characters of instructions, input and schema together. */
const MAX_PROMPT_CHARACTERS = 1_000_000;

export type ChatRequest = {
  task: AiTask;
  model: string;
  instructions: string;
  /** Sent as one JSON document: data, whatever its texts say. */
  input: unknown;
  /** `strict`: the service keeps to the schema, which may then have no optional members. */
  format: { name: string; schema: object; strict: boolean };
  maxAnswerTokens: number;
  timeoutMs: number;
  /** Repeated attempts. Default: those of the client. */
  maxRetries?: number;
};

/**
 * The JSON of one chat completion. Throws `AiError`, also for a refusal and for an answer that is truncated or not JSON.
 * The caller validates its shape.
 */
export async function chatJson(
  client: OpenAI,
  request: ChatRequest,
  signal: AbortSignal,
  meter: Meter,
): Promise<unknown> {
  const { task, model, maxAnswerTokens, timeoutMs, maxRetries } = request;
  const { name, schema, strict } = request.format;
  const input = JSON.stringify(request.input).toWellFormed();
  const prompt = request.instructions + input + JSON.stringify(schema);
  if (prompt.length > MAX_PROMPT_CHARACTERS) throw new AiError('input_bound');
  const expected = { input: expectedTokens(prompt), output: maxAnswerTokens };
  const answer = await meteredRequest(meter, { task, model, expected }, signal, () =>
    client.chat.completions.create(
      {
        model,
        messages: [
          { role: 'system', content: request.instructions },
          { role: 'user', content: input },
        ],
        response_format: {
          type: 'json_schema',
          json_schema: { name, strict, schema: schema as Record<string, unknown> },
        },
        max_completion_tokens: maxAnswerTokens,
      },
      { signal, timeout: timeoutMs, ...(maxRetries !== undefined && { maxRetries }) },
    ),
  );
  return readContent(answer);
}

const CompletionSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
});

/** Throws `refused`, `malformed`. */
function readContent(answer: unknown): unknown {
  const completion = CompletionSchema.safeParse(answer);
  const choice = completion.data?.choices[0];
  if (choice === undefined) throw new AiError('malformed');
  const { content, refusal } = choice.message;
  if (refusal || choice.finish_reason === 'content_filter') throw new AiError('refused');
  try {
    return JSON.parse(content ?? '');
  } catch {
    throw new AiError('malformed');
  }
}
