import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { isDamage } from '../damage.ts';
import type { Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { writeMessage } from './eml.ts';

/**
 * `From sender date`, the line before each message. A year and a header must follow, because letters can begin with
 * `From` too.
 */
const FIRST_LINES = /^From \S{1,200} [^\r\n]{0,100}\d{4}[^\r\n]{0,20}\r?\n[A-Za-z-]{1,60}:/;
const SEPARATOR = Buffer.from('\nFrom ');

/** A mailbox file: messages one after the other. */
export const mbox: Extractor = {
  format: 'mbox',
  version: 4,
  claims: (file) => FIRST_LINES.test(Buffer.from(file.bytes.subarray(0, 512)).toString('latin1')),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const data = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength);
    let shortfall: Shortfall | null = null;
    let at = 0;
    while (at < data.length && !text.full) {
      if (context.budget.members-- <= 0) return textOutcome('mbox', text, shortfall ?? 'member_bound');
      const next = data.indexOf(SEPARATOR, at);
      const end = next < 0 ? data.length : next + 1;
      const body = data.indexOf('\n', at) + 1;
      try {
        const found = await writeMessage(data.subarray(body, end), text, context);
        shortfall ??= found;
      } catch (error) {
        if (!isDamage(error)) throw error;
        shortfall ??= 'damaged';
      }
      text.separate('\n');
      at = end;
    }
    return textOutcome('mbox', text, shortfall);
  },
};
