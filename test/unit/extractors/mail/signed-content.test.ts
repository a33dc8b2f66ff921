import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const read = (bytes: Uint8Array, name = 'smime.p7m') =>
  extract({ name, mimeType: null, bytes: new Uint8Array(bytes) }, DEFAULT_EXTRACTION.bounds);

/** An element of ASN.1 in the distinguished encoding (X.690). */
const der = (tag: number, ...parts: Uint8Array[]) => {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(5, 0x84);
  length.writeUInt32BE(content.length, 1);
  return Buffer.concat([Buffer.from([tag]), length, content]);
};
/** The same with a length that is not stated. */
const open = (tag: number, ...parts: Uint8Array[]) =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.alloc(2)]);

const SIGNED = Buffer.from('06092a864886f70d010702', 'hex');
const DATA = Buffer.from('06092a864886f70d010701', 'hex');
const VERSION = Buffer.from('020101', 'hex');
const ALGORITHMS = Buffer.from('310f300d06096086480165030402010500', 'hex');

const signed = (element: typeof der, octets: Uint8Array) =>
  element(
    0x30,
    SIGNED,
    element(0xa0, element(0x30, VERSION, ALGORITHMS, element(0x30, DATA, element(0xa0, octets)), der(0x31))),
  );

const MESSAGE = Buffer.from('Content-Type: text/plain; charset=utf-8\r\n\r\nsalaries of März\r\n');
const whole = signed(der, der(0x04, MESSAGE));
const streamed = signed(
  open,
  open(0x24, der(0x04, MESSAGE.subarray(0, 50)), der(0x04, MESSAGE.subarray(50))),
);

test.for([whole, streamed])('a signed message is read, in one piece or in several', async (bytes) => {
  const expected = { state: 'available', format: 'pkcs7', text: 'smime\nsalaries of März' };
  expect(await read(bytes)).toMatchObject(expected);
});

test('a signed document is read in its own format, under its own name', async () => {
  const bytes = signed(der, der(0x04, Buffer.from('{"pay":"salaries"}')));
  expect(await read(bytes, 'a.json.p7m')).toMatchObject({ text: 'a.json\n{"pay":"salaries"}' });
});

test('a signed message that is cut gives what it holds', async () => {
  for (const bytes of [whole, streamed]) {
    const cut = bytes.subarray(0, bytes.indexOf('März'));
    expect(await read(cut)).toMatchObject({
      state: 'partial',
      reason: 'damaged',
      text: 'smime\nsalaries of',
    });
  }
});

test('no change of the bytes crashes or hangs', async () => {
  for (const bytes of [whole, streamed]) {
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(changes, async (places) => {
        const changed = Buffer.from(bytes);
        for (const [place, byte] of places) changed[place] = byte;
        expect(await read(changed)).toHaveProperty('state');
      }),
      { numRuns: propertyRuns(300) },
    );
  }
});
