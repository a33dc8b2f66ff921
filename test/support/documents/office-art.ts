/** A record of a drawing or a presentation. A list as `content` makes it a container. */
export function artRecord(type: number, content: Uint8Array | readonly Uint8Array[], instance = 0): Buffer {
  const isContainer = !(content instanceof Uint8Array);
  const body = isContainer ? Buffer.concat(content) : content;
  const head = Buffer.alloc(8);
  head.writeUInt16LE((instance << 4) | (isContainer ? 0xf : 0), 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** A property table of a shape. Its values follow it. */
export function shapeProperties(values: Readonly<Record<number, Uint8Array>>): Buffer {
  const entries = Object.entries(values);
  const heads = entries.map(([id, value]) => {
    const head = Buffer.alloc(6);
    head.writeUInt16LE(Number(id) | 0x8000, 0);
    head.writeUInt32LE(value.length, 2);
    return head;
  });
  return artRecord(0xf00b, Buffer.concat([...heads, ...entries.map(([, value]) => value)]), entries.length);
}

export const words = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le');
