import {
  encode,
  guid,
  hex,
  KIND,
  Names,
  type NoteSection,
  OBJECT_GUID,
  REVISION_GUID,
  SPACE_GUID,
} from './onenote-notes.ts';
import { short, word } from './words.ts';

const PACKAGE = '2fe98d63d4a6c14b9a36b3fc2511a5b7';
const CONTEXT = hex('b9fade84a3aa0d4aa3a8520c77ac7073');
const ROOT = hex('f817374a141ce749952681d942de1741');

/** Numbers and ids of [MS-FSSHTTPB] in their longest form. */
function compactNumber(value: number): Buffer {
  if (value === 0) return Buffer.from([0]);
  if (value < 0x80) return Buffer.from([(value << 1) | 1]);
  if (value < 0x4000) return short((value << 2) | 2);
  const bytes = Buffer.alloc(9, 0x80);
  bytes.writeBigUInt64LE(BigInt(value), 1);
  return bytes;
}

function compactId(id: Buffer, value: number): Buffer {
  if (value < 0x20) return Buffer.concat([Buffer.from([(value << 3) | 4]), id]);
  if (value < 0x400) return Buffer.concat([short((value << 6) | 0x20), id]);
  return Buffer.concat([Buffer.from([0x80]), word(value), id]);
}

const NO_ID = Buffer.from([0]);

/** A stream object, with the short header if it fits. */
function piece(type: number, ...payload: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(payload);
  if (type < 0x40 && bytes.length < 0x80)
    return Buffer.concat([short((type << 3) | (bytes.length << 9)), bytes]);
  const isLarge = bytes.length >= 0x7fff;
  const head = word((2 | (type << 3) | ((isLarge ? 0x7fff : bytes.length) << 17)) >>> 0);
  return Buffer.concat([head, ...(isLarge ? [compactNumber(bytes.length)] : []), bytes]);
}

const shortEnd = (type: number) => Buffer.from([(type << 2) | 1]);

/** The same section in the package format. */
export function onePackage({ spaces }: NoteSection): Buffer {
  const names = new Names();
  const objectId = (name: string) => compactId(OBJECT_GUID, names.number(name));
  const cell = (name: string) =>
    Buffer.concat([compactId(CONTEXT, 1), compactId(SPACE_GUID, names.number(name))]);
  const elementId = (name: string) => compactId(guid(4), names.number(`element ${name}`));
  const element = (name: string, type: number, ...pieces: readonly Buffer[]) =>
    Buffer.concat([piece(1, elementId(name), Buffer.from([0]), compactNumber(type)), ...pieces, shortEnd(1)]);
  const [first = ''] = Object.keys(spaces);

  const index: Buffer[] = [];
  const elements: Buffer[] = [
    element('manifest', 2, piece(0x0c, guid(5)), piece(7, compactId(CONTEXT, 2), cell(first))),
  ];
  for (const [name, { revisions, isEncrypted = false, historyOf = name }] of Object.entries(spaces)) {
    let base: Buffer = NO_ID;
    for (const [at, { notes, roots = {} }] of revisions.entries()) {
      const rid = compactId(REVISION_GUID, names.number(`${name} ${at}`));
      const declarations: Buffer[] = [];
      const data: Buffer[] = [];
      for (const [object, { jcid, set, file }] of Object.entries(notes)) {
        const declare = (part: number, size: number) =>
          declarations.push(piece(0x18, objectId(object), ...[part, size, 0, 0].map(compactNumber)));
        declare(4, 4);
        data.push(piece(0x16, compactNumber(0), compactNumber(0), compactNumber(4), word(jcid)));
        if (typeof file === 'object') {
          const blob = `blob ${object}`;
          elements.push(element(blob, 10, piece(2, compactNumber(file.length), Buffer.from(file))));
          declarations.push(piece(5, objectId(object), elementId(blob), ...[2, 0, 0].map(compactNumber)));
          data.push(piece(0x1c, compactNumber(0), compactNumber(0), elementId(blob)));
          continue;
        }
        const encoded = encode(set ?? {});
        const bytes = encoded.bytes(() => 0xffff);
        declare(1, bytes.length);
        data.push(
          piece(
            0x16,
            compactNumber(encoded.objects.length),
            ...encoded.objects.map(objectId),
            compactNumber(encoded.spaces.length),
            ...encoded.spaces.map(cell),
            compactNumber(bytes.length),
            bytes,
          ),
        );
      }
      const group = `group ${name} ${at}`;
      elements.push(
        element(group, 5, piece(0x1d), ...declarations, shortEnd(0x1d), piece(0x1e), ...data, shortEnd(0x1e)),
      );
      const declaredRoots = Object.entries(roots).map(([role, object]) =>
        piece(0x0a, compactId(ROOT, Number(role)), objectId(object)),
      );
      if (isEncrypted) declaredRoots.push(piece(0x0a, compactId(ROOT, 3), objectId('key')));
      elements.push(
        element(
          `revision ${name} ${at}`,
          4,
          piece(0x1a, rid, base),
          ...declaredRoots,
          piece(0x19, elementId(group)),
        ),
      );
      base = rid;
    }
    elements.push(element(`cell ${name}`, 3, piece(0x0b, base)));
    index.push(piece(0x0e, cell(name), elementId(`cell ${historyOf}`), Buffer.from([0])));
  }
  const header = Buffer.alloc(68);
  hex(KIND.section).copy(header, 0);
  hex(PACKAGE).copy(header, 48);
  return Buffer.concat([
    header,
    piece(0x7a, elementId('index'), hex('b47c931f6fb25f44b9f817e20160e461')),
    piece(0x15, Buffer.from([0])),
    element('index', 1, ...index),
    ...elements,
    shortEnd(0x15),
    hex('eb01'),
  ]);
}
