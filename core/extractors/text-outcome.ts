import type { BoundedText, Shortfall } from './bounded-text.ts';
import type { Extraction } from './extractor.ts';

/**
 * The outcome for the text that was read. A damaged or too large file without any text is `failed`. With some text it
 * is `partial`, because that text is useful.
 */
export function textOutcome(format: string, text: BoundedText, shortfall: Shortfall | null): Extraction {
  const found = {
    text: text.toString(),
    ...(text.title !== '' && { title: text.title }),
    ...(text.inside.length > 0 && { inside: text.inside }),
    ...(text.contentLength === 0 && { isBlank: true as const }),
  };
  if (text.full) return { state: 'partial', format, ...found, reason: 'output_bound' };
  if (shortfall === null) return { state: 'available', format, ...found, reason: null };
  if (text.length === 0 && (shortfall === 'damaged' || shortfall === 'inflated_bound')) {
    return { state: 'failed', format, reason: shortfall === 'damaged' ? 'corrupt' : 'size_bound' };
  }
  const reason = shortfall === 'inflated_bound' ? 'member_bound' : shortfall;
  return { state: 'partial', format, ...found, reason };
}
