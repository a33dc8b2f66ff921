/** Receives the tokens of an RTF file in order. Positions are offsets in the file. */
export type RtfHandler = {
  open(): void;
  close(): void;
  /** A control word, or the character of a control symbol. */
  control(word: string, parameter: number | null): void;
  /** Text without line ends. */
  run(start: number, end: number): void;
  /** A byte of text that was written in hex. */
  byte(value: number): void;
  /** The bytes after `\bin`. */
  binary(start: number, end: number): void;
};

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const MINUS = 0x2d;
const QUOTE = 0x27;

/** Limits of the format. */
const MAX_WORD_CHARACTERS = 32;
const MAX_PARAMETER_CHARACTERS = 10;

const isLetter = (byte: number) => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const isSpecial = (byte: number) =>
  byte === BACKSLASH || byte === OPEN || byte === CLOSE || byte === LINE_FEED || byte === CARRIAGE_RETURN;

/** Tokenizes a file in one pass and constant memory. Stops when `enough` returns true. */
export function readRtf(data: Buffer, handler: RtfHandler, enough: () => boolean): void {
  let at = 0;
  while (at < data.length && !enough()) {
    const byte = data[at] ?? 0;
    if (byte === OPEN) {
      handler.open();
      at++;
    } else if (byte === CLOSE) {
      handler.close();
      at++;
    } else if (byte === BACKSLASH) at = readControl(data, at + 1, handler);
    else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) at++;
    else {
      const start = at;
      while (at < data.length && !isSpecial(data[at] ?? 0)) at++;
      handler.run(start, at);
    }
  }
}

/** Reads a control after its backslash. Returns where to continue. */
function readControl(data: Buffer, start: number, handler: RtfHandler): number {
  let at = start;
  while (isLetter(data[at] ?? 0)) at++;
  if (at === start) return readSymbol(data, start, handler);
  const word = data.toString('latin1', start, Math.min(at, start + MAX_WORD_CHARACTERS));
  const number = at;
  if (data[at] === MINUS && isDigit(data[at + 1] ?? 0)) at++;
  while (isDigit(data[at] ?? 0)) at++;
  const parameter =
    at === number
      ? null
      : Number(data.toString('latin1', number, Math.min(at, number + 1 + MAX_PARAMETER_CHARACTERS)));
  if (data[at] === SPACE) at++;
  if (word !== 'bin') {
    handler.control(word, parameter);
    return at;
  }
  const end = Math.min(data.length, at + Math.max(0, parameter ?? 0));
  handler.binary(at, end);
  return end;
}

function readSymbol(data: Buffer, at: number, handler: RtfHandler): number {
  if (at >= data.length) return at;
  if (data[at] !== QUOTE) {
    handler.control(String.fromCharCode(data[at] ?? 0), null);
    return at + 1;
  }
  const hex = data.toString('latin1', at + 1, at + 3);
  if (!/^[0-9a-f]{2}$/i.test(hex)) return at + 1;
  handler.byte(Number.parseInt(hex, 16));
  return at + 3;
}
