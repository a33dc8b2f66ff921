const HEAD_BYTES = 16;
const COMPRESSED = 0x75465a4c;
const PLAIN = 0x414c454d;
const WINDOW_BYTES = 4_096;
/** The initial content of the dictionary ([MS-OXRTFCP] 2.1.2.1). */
const DICTIONARY = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
);

/**
 * Decompresses the RTF of a message ([MS-OXRTFCP]). Of a broken one, returns what can be read. Null if it is
 * something else.
 * The output is at most about eight times as long, because two bytes stand for at most 17.
 */
export function decompressRtf(packed: Uint8Array): Buffer | null {
  if (packed.length < HEAD_BYTES) return null;
  const data = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const kind = data.readUInt32LE(8);
  const size = data.readUInt32LE(4);
  if (kind === PLAIN) return data.subarray(HEAD_BYTES, HEAD_BYTES + size);
  return kind === COMPRESSED ? inflate(data.subarray(HEAD_BYTES)) : null;
}

function inflate(data: Buffer): Buffer {
  const window = Buffer.alloc(WINDOW_BYTES);
  DICTIONARY.copy(window);
  let end = DICTIONARY.length;
  const output = Buffer.alloc(data.length * 9);
  let written = 0;
  const put = (byte: number) => {
    window[end] = byte;
    end = (end + 1) % WINDOW_BYTES;
    output[written++] = byte;
  };
  let at = 0;
  while (at < data.length) {
    const kinds = data[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < data.length; bit++) {
      if ((kinds & (1 << bit)) === 0) {
        put(data[at++] ?? 0);
        continue;
      }
      const reference = ((data[at] ?? 0) << 8) | (data[at + 1] ?? 0);
      at += 2;
      const start = reference >> 4;
      // A reference to the end of the dictionary ends the text.
      if (start === end || at > data.length) return output.subarray(0, written);
      const length = (reference & 0xf) + 2;
      for (let index = 0; index < length; index++) put(window[(start + index) % WINDOW_BYTES] ?? 0);
    }
  }
  return output.subarray(0, written);
}
