import { fieldOf, isCode } from '../cloud-http/read-body.ts';

/** Deeper than any error that was seen. */
const MAX_CODES = 8;

/**
 * The codes of an error, the outermost first. Empty where the body is none of Graph's errors. Graph writes `innerError`
 * and `innererror`.
 */
export function codesIn(body: unknown): string[] {
  const codes: string[] = [];
  let error = fieldOf(body, 'error');
  while (error !== undefined && codes.length < MAX_CODES) {
    const code = fieldOf(error, 'code');
    if (isCode(code)) codes.push(code);
    error = fieldOf(error, 'innerError') ?? fieldOf(error, 'innererror');
  }
  return codes;
}

/** Whether a body holds nothing, or an error in place of what was asked for. */
export const isHollow = (body: unknown): boolean =>
  body === undefined || body === null || fieldOf(body, 'error') !== undefined;
