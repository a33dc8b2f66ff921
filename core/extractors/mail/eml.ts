import PostalMime, { type Address } from 'postal-mime';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { byLibrary } from '../damage.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { writeHtml } from '../markup/html.ts';
import { extensionOf } from '../text/text.ts';
import { sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { isSealedMessage, isSignature } from './sealed-mail.ts';

/** Enough for any chain of forwards. The library has limits on headers of its own. */
const MAX_NESTING = 32;
/** Each level is parsed again. Deeper messages count as embedded files with their own depth limit. */
const MAX_MESSAGES_WITHIN = 3;

const HEAD_BYTES = 16_384;
const HEADER_LINE = /^([A-Za-z][A-Za-z0-9-]{0,60}):[ \t]?/;
const MAIL_HEADERS = new Set(
  'bcc cc content-type date delivered-to dkim-signature from in-reply-to list-id message-id mime-version newsgroups received references reply-to return-path sender subject to x-mailer'.split(
    ' ',
  ),
);

/** What mail programs and gateways put before the headers: a byte-order mark, empty lines, an envelope line. */
const PREAMBLE = /^(?:\xef\xbb\xbf)?\s{0,100}(?:>?From [^\r\n]{0,200}\r?\n)?/;

const headStart = (bytes: Uint8Array) =>
  PREAMBLE.exec(Buffer.from(bytes.subarray(0, 512)).toString('latin1'))?.[0].length ?? 0;

/** Counts distinct mail headers before the first empty line. Returns 0 if any other line is among them. */
function mailHeaders(bytes: Uint8Array): number {
  const start = headStart(bytes);
  const head = Buffer.from(bytes.subarray(start, start + HEAD_BYTES)).toString('latin1');
  const found = new Set<string>();
  for (const line of head.split(/\r?\n/)) {
    if (line === '') break;
    if (/^[ \t]/.test(line)) continue;
    const name = HEADER_LINE.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) return found.size >= 3 ? found.size : 0;
    if (MAIL_HEADERS.has(name)) found.add(name);
  }
  return found.size;
}

const addresses = (given: readonly Address[]): string =>
  given
    .map((one) => (one.group === undefined ? `${one.name} <${one.address}>` : addresses(one.group)))
    .join(', ');

/** Appends one message: its visible headers, its body (HTML if there is one) and its attachments. */
export async function writeMessage(
  bytes: Uint8Array,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const message = bytes.subarray(headStart(bytes));
  const mail = await byLibrary(() =>
    PostalMime.parse(message, {
      maxNestingDepth: MAX_NESTING,
      maxRfc822NestingDepth: MAX_MESSAGES_WITHIN,
    }),
  );
  text.line(mail.subject ?? '');
  for (const people of [mail.from ? [mail.from] : [], mail.replyTo, mail.to, mail.cc, mail.bcc]) {
    text.line(addresses(people ?? []));
  }
  text.line(mail.date ?? '');
  let shortfall: Shortfall | null = mail.html === undefined ? null : writeHtml([mail.html], text);
  if (mail.html === undefined) text.line((mail.text ?? '').trimEnd());
  for (const attachment of mail.attachments) {
    if (context.budget.members <= 0) return 'member_bound';
    context.budget.members--;
    text.line(attachment.description ?? '');
    const { filename, mimeType, content } = attachment;
    const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
    if (isSignature(bytes)) {
      text.besides(filename ?? '');
      continue;
    }
    if (isSealedMessage(mimeType, bytes)) shortfall ??= 'encrypted';
    await context.embedded({ name: filename ?? '', mimeType, bytes }, text);
  }
  return shortfall;
}

/** Mail messages (RFC 5322). */
export const eml: Extractor = {
  format: 'eml',
  version: 4,
  claims(file) {
    if (sniffEncoding(file.bytes) === null) return false;
    const named = extensionOf(file.name) === 'eml' || file.mimeType === 'message/rfc822';
    return mailHeaders(file.bytes) >= (named ? 1 : 3);
  },
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    return textOutcome('eml', text, await writeMessage(file.bytes, text, context));
  },
};
