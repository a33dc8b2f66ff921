import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../../../core/extractors/iwork/protobuf.ts';
import { unsnapped } from '../../../../core/extractors/iwork/snappy.ts';
import { snapped } from '../../../support/documents/iwork.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const whole = (text: string) => ({ bytes: Buffer.from(text), whole: true });

test('what was packed comes back, whatever it is', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    fc.array(fc.constantFrom(0, 1), { maxLength: 2_000 }).map((few) => Uint8Array.from(few)),
  );
  fc.assert(
    fc.property(bytes, (data) => {
      expect(unsnapped(snapped(data))).toEqual({ bytes: Buffer.from(data), whole: true });
    }),
  );
});

test('literals and copies of every size', () => {
  const long = 'x'.repeat(70);
  expect(unsnapped(Buffer.from(`\x46\xf0\x45${long}`, 'latin1'))).toEqual(whole(long));
  expect(unsnapped(Buffer.from(`\x46\xf4\x45\0${long}`, 'latin1'))).toEqual(whole(long));
  // `ab`, then five bytes from two back with one, two and four bytes of offset.
  expect(unsnapped(Buffer.from('\x07\x04ab\x05\x02', 'latin1'))).toEqual(whole('abababa'));
  expect(unsnapped(Buffer.from('\x07\x04ab\x12\x02\0', 'latin1'))).toEqual(whole('abababa'));
  expect(unsnapped(Buffer.from('\x07\x04ab\x13\x02\0\0\0', 'latin1'))).toEqual(whole('abababa'));
});

test('of a broken block what comes before the fault', () => {
  const broken = (text: string) => ({ bytes: Buffer.from(text), whole: false });
  expect(unsnapped(Buffer.from('\x07\x04ab\x05\x03', 'latin1'))).toEqual(broken('ab'));
  expect(unsnapped(Buffer.from('\x07\x04ab\x05', 'latin1'))).toEqual(broken('ab'));
  expect(unsnapped(Buffer.from('\x04\x04ab\x05\x02', 'latin1'))).toEqual(broken('ab'));
  expect(unsnapped(Buffer.from('\x07\x04ab', 'latin1'))).toEqual(broken('ab'));
  expect(unsnapped(Buffer.from('\x07\x18ab', 'latin1'))).toEqual(broken('ab'));
});

test('a block that claims to hold more than any can takes no memory', () => {
  expect(unsnapped(Buffer.from('\xff\xff\xff\xff\x0f\x04ab', 'latin1'))).toEqual({
    bytes: Buffer.alloc(0),
    whole: false,
  });
});

test('no bytes make the readers run away or answer more than there can be', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
      const bytes = Buffer.from(data);
      expect(unsnapped(bytes).bytes.length).toBeLessThanOrEqual(bytes.length * 22);
      let fields = 0;
      try {
        for (const _ of fieldsOf(bytes)) fields++;
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
      expect(fields).toBeLessThanOrEqual(bytes.length);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});
