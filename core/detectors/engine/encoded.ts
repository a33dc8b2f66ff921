/** Most characters of Base64 that are decoded at one place, and in one text. */
const MAX_PART = 65_536;
const MAX_TEXT = 1_048_576;
/** Shorter runs are words, paths and keys. */
const LEAST = 40;
/** As many characters show whether text is encoded. A multiple of four. */
const SAMPLE = 40;
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;

/** By UTF-16 code unit below 128: whether Base64 has the character. */
const IN_BASE64 = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/]/.test(String.fromCharCode(code))),
);

/** A part of a text that is text in Base64. Offsets are UTF-16 code units of the text around it. */
export type EncodedText = { readonly start: number; readonly end: number; readonly text: string };

/**
 * The parts of a text that hold ASCII text in Base64, such as the data of a Kubernetes secret. A part ends with its line.
 * Most characters are skipped, because a run is longer than the step.
 */
export function* encodedTexts(text: string, codes: Uint16Array): Generator<EncodedText> {
  let left = MAX_TEXT;
  let least = 0;
  for (let at = LEAST - 1; at < codes.length && left > 0; at += LEAST) {
    if (!isBase64(codes[at])) continue;
    let start = at;
    while (start > least && isBase64(codes[start - 1])) start -= 1;
    let end = at + 1;
    while (end < codes.length && isBase64(codes[end])) end += 1;
    at = end;
    least = end;
    if (end - start < LEAST || !isPrintable(text.slice(start, start + SAMPLE))) continue;
    const most = Math.min(end, start + MAX_PART);
    left -= most - start;
    yield { start, end, text: decoded(text.slice(start, most)) };
  }
}

const isBase64 = (code = 0): boolean => code < IN_BASE64.length && IN_BASE64[code] === 1;

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1');

const isPrintable = (base64: string): boolean => PRINTABLE.test(decoded(base64));
