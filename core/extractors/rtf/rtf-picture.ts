/** A PNG or JPEG, as hexadecimal digits (RTF Specification 1.9.1, pictures). Other codings are vector drawings. */
const MARKS = [Buffer.from('\\pngblip'), Buffer.from('\\jpegblip')];
const GROUP_END = Buffer.from('}');
/** Further words, and a group with the id of the picture, come before its digits. */
const HEAD_BYTES = 4_096;
const DIGITS = /(?:[0-9a-f]\s{0,4}){64}/i;

export function* rtfPictures(data: Buffer): Generator<Buffer> {
  for (const mark of MARKS) {
    for (let at = data.indexOf(mark); at >= 0; at = data.indexOf(mark, at + mark.length)) {
      const found = DIGITS.exec(data.toString('latin1', at, at + HEAD_BYTES));
      if (found === null) continue;
      const start = at + found.index;
      const end = data.indexOf(GROUP_END, start);
      const digits = data.toString('latin1', start, end < 0 ? data.length : end);
      yield Buffer.from(digits.replace(/\s+/g, ''), 'hex');
    }
  }
}
