/** Built-in formats that show a date or a time, by their number. */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** The application's own limit. */
const MAX_CODE_CHARACTERS = 255;

/** A format without what it quotes, escapes or puts in brackets (colours, conditions, locales). */
const bare = (code: string) =>
  (code.split(';', 1)[0] ?? '')
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');

export type NumberShape = { kind: 'plain' } | { kind: 'date' } | { kind: 'mask'; mask: string };

const PLAIN: NumberShape = { kind: 'plain' };
const DATE: NumberShape = { kind: 'date' };

/** How a number format shows its numbers, as far as it changes which words or identifiers a reader sees. */
export function numberShape(id: number, formatCode: string | undefined): NumberShape {
  if (formatCode === undefined) return isBuiltInDate(id) ? DATE : PLAIN;
  const code = formatCode.slice(0, MAX_CODE_CHARACTERS);
  const visible = bare(code);
  if (/general/i.test(visible)) return PLAIN;
  if (/[ymdhs]/i.test(visible)) return DATE;
  // `000-00-0000`, `00000`, `(000) 000-0000`: digits at places, as identifiers are shown.
  const mask = (code.split(';', 1)[0] ?? '').replace(/\\(.)|"([^"]*)"/g, '$1$2').replace(/\[[^\]]*\]/g, '');
  return /^[0 ()/-]*$/.test(mask) && mask.replace(/[^0]/g, '').length > 1 ? { kind: 'mask', mask } : PLAIN;
}

const DAY_MS = 86_400_000;
/** Day 0 of each date system. The 1900 one counts a 29 February 1900 that never was, hence 30 December. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** 31 December 9999, past which a spreadsheet shows no date. */
const MAX_DAY = 2_958_465;

/**
 * The stored number as a reader would look for it: a date in ISO 8601 (`1984-05-17`, `1984-05-17 10:30`, `10:30`),
 * an identifier with its mask, else plain digits without exponent noise. Anything but a number stays as it is.
 */
export function shownNumber(stored: string, shape: NumberShape, date1904: boolean): string {
  const value = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(value)) return stored;
  if (shape.kind === 'date' && value >= 0 && value <= MAX_DAY) return shownDate(value, date1904);
  if (shape.kind === 'mask' && Number.isInteger(value) && value >= 0)
    return masked(String(value), shape.mask);
  return String(value);
}

function shownDate(value: number, date1904: boolean): string {
  const minutes = Math.round((value * DAY_MS) / 60_000) * 60_000;
  const iso = new Date((date1904 ? EPOCH_1904 : EPOCH_1900) + minutes).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 16)];
  if (value < 1) return time;
  return Number.isInteger(value) ? day : `${day} ${time}`;
}

function masked(digits: string, mask: string): string {
  const places = mask.replace(/[^0]/g, '').length;
  const padded = digits.padStart(places, '0');
  // Digits that do not fit stand before the first place.
  let at = padded.length - places;
  const front = padded.slice(0, at);
  return front + mask.replace(/0/g, () => padded[at++] ?? '');
}
