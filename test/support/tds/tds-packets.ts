/** Frames and tokens of TDS 7.4 as MS-TDS describes them, as far as a server needs them. */

/** MS-TDS 2.2.3.1.1 */
export const PACKET = {
  batch: 0x01,
  rpc: 0x03,
  response: 0x04,
  attention: 0x06,
  login: 0x10,
  prelogin: 0x12,
} as const;

const HEADER_BYTES = 8;
const LAST = 0x01;
const MAX_BODY = 4_096 - HEADER_BYTES;

/** A message as packets. The length in the header includes the header, in network order. */
export function packetsOf(type: number, body: Buffer): Buffer {
  const packets: Buffer[] = [];
  for (let at = 0; at === 0 || at < body.length; at += MAX_BODY) {
    const part = body.subarray(at, at + MAX_BODY);
    const header = Buffer.from([
      type,
      at + MAX_BODY >= body.length ? LAST : 0,
      0,
      0,
      0,
      0,
      packets.length % 255,
      0,
    ]);
    header.writeUInt16BE(HEADER_BYTES + part.length, 2);
    packets.push(header, part);
  }
  return Buffer.concat(packets);
}

/** Takes bytes as they come and gives whole messages. */
export function messageReader(onMessage: (type: number, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let parts: Buffer[] = [];
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readUInt16BE(2)) {
      const length = rest.readUInt16BE(2);
      const [type = 0, status = 0] = rest;
      parts.push(rest.subarray(HEADER_BYTES, length));
      rest = rest.subarray(length);
      if ((status & LAST) === 0) continue;
      const body = Buffer.concat(parts);
      parts = [];
      onMessage(type, body);
    }
  };
}

export const ENCRYPTION = { on: 0x01, notSupported: 0x02 } as const;

/** MS-TDS 2.2.6.5. VERSION, and ENCRYPTION for each value: a broken server may say two things. */
export function preloginAnswer(...encryption: readonly number[]): Buffer {
  const values = [
    { token: 0x00, value: Buffer.from([16, 0, 0x03, 0xe8, 0, 0]) },
    ...encryption.map((value) => ({ token: 0x01, value: Buffer.from([value]) })),
  ];
  let offset = values.length * 5 + 1;
  const options = values.map(({ token, value }) => {
    const option = Buffer.alloc(5);
    option.writeUInt8(token);
    option.writeUInt16BE(offset, 1);
    option.writeUInt16BE(value.length, 3);
    offset += value.length;
    return option;
  });
  return Buffer.concat([...options, Buffer.from([0xff]), ...values.map(({ value }) => value)]);
}

export type Login = { user: string; password: string; database: string; readOnlyIntent: boolean };

/** MS-TDS 2.2.6.4. Characters of the password have their halves swapped and are XORed with A5. */
export function loginIn(body: Buffer): Login {
  const text = (at: number, decode: (byte: number) => number = (byte) => byte) => {
    const offset = body.readUInt16LE(at);
    const bytes = body.subarray(offset, offset + body.readUInt16LE(at + 2) * 2);
    return Buffer.from(bytes.map(decode)).toString('utf16le');
  };
  const clear = (byte: number) => {
    const mixed = byte ^ 0xa5;
    return ((mixed << 4) | (mixed >> 4)) & 0xff;
  };
  return {
    user: text(40),
    password: text(44, clear),
    database: text(68),
    readOnlyIntent: ((body[26] ?? 0) & 0x20) !== 0,
  };
}

export type Parameter = string | number | null;
export type RpcRequest = { procedure: number; parameters: readonly { name: string; value: Parameter }[] };

/** Of all headers comes first, MS-TDS 2.2.5.3: the length includes its own bytes. */
export const withoutHeaders = (body: Buffer) => body.subarray(body.readUInt32LE(0));

/** MS-TDS 2.2.6.6, of a procedure by number. Parameters of type INTN and NVARCHAR. */
export function rpcIn(body: Buffer): RpcRequest {
  const request = withoutHeaders(body);
  if (request.readUInt16LE(0) !== 0xffff) throw new Error('The procedure is called by name.');
  const procedure = request.readUInt16LE(2);
  const parameters: { name: string; value: Parameter }[] = [];
  let at = 6;
  while (at < request.length) {
    const nameBytes = request.readUInt8(at) * 2;
    const name = request.subarray(at + 1, at + 1 + nameBytes).toString('utf16le');
    const { value, end } = typedValue(request, at + 1 + nameBytes + 1);
    parameters.push({ name, value });
    at = end;
  }
  return { procedure, parameters };
}

const INTN = 0x26;
const NVARCHAR = 0xe7;
const MAX_LENGTH = 0xffff;
const COLLATION = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34]);

function typedValue(request: Buffer, at: number): { value: Parameter; end: number } {
  const type = request.readUInt8(at);
  if (type === INTN) {
    const length = request.readUInt8(at + 2);
    const value = length === 0 ? null : request.readIntLE(at + 3, length);
    return { value, end: at + 3 + length };
  }
  if (type !== NVARCHAR) throw new Error(`No parameter of type ${type}.`);
  const start = at + 3 + COLLATION.length;
  if (request.readUInt16LE(at + 1) === MAX_LENGTH) return inChunks(request, start + 8);
  const length = request.readUInt16LE(start);
  if (length === MAX_LENGTH) return { value: null, end: start + 2 };
  const end = start + 2 + length;
  return { value: request.subarray(start + 2, end).toString('utf16le'), end };
}

function inChunks(request: Buffer, from: number): { value: string; end: number } {
  const chunks: Buffer[] = [];
  let at = from;
  for (let length = request.readUInt32LE(at); length > 0; length = request.readUInt32LE(at)) {
    chunks.push(request.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return { value: Buffer.concat(chunks).toString('utf16le'), end: at + 4 };
}

const shortText = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'utf16le')]);

function longText(text: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  return Buffer.concat([length, Buffer.from(text, 'utf16le')]);
}

function token(id: number, body: Buffer): Buffer {
  const header = Buffer.alloc(3);
  header[0] = id;
  header.writeUInt16LE(body.length, 1);
  return Buffer.concat([header, body]);
}

/** MS-TDS 2.2.7.14: an interface of SQL, version 7.4. */
export const loginAck = () =>
  token(
    0xad,
    Buffer.concat([
      Buffer.from([1, 0x74, 0, 0, 4]),
      shortText('SQL Server'),
      Buffer.from([16, 0, 0x03, 0xe8]),
    ]),
  );

/** MS-TDS 2.2.7.10 */
export function errorToken(number: number, message: string, severity: number): Buffer {
  const numbers = Buffer.alloc(6);
  numbers.writeUInt32LE(number);
  numbers[4] = 1;
  numbers[5] = severity;
  return token(
    0xaa,
    Buffer.concat([numbers, longText(message), shortText('server'), shortText(''), Buffer.alloc(4)]),
  );
}

/** MS-TDS 2.2.7.6 to 2.2.7.8 */
export const DONE = { plain: 0xfd, ofProcedure: 0xfe, inProcedure: 0xff } as const;
export const STATUS = { final: 0x00, more: 0x01, error: 0x02, count: 0x10, attention: 0x20 } as const;

export function done(kind: number, status: number, rows = 0): Buffer {
  const bytes = Buffer.alloc(13);
  bytes[0] = kind;
  bytes.writeUInt16LE(status, 1);
  bytes.writeBigUInt64LE(BigInt(rows), 5);
  return bytes;
}

/** MS-TDS 2.2.7.18, of a procedure that succeeded. */
export const returnStatus = () => Buffer.from([0x79, 0, 0, 0, 0]);

export type Cell = string | number | null;
export type Table = { columns: readonly string[]; rows: readonly (readonly Cell[])[] };

/** MS-TDS 2.2.7.4 and 2.2.7.19. A column of whole numbers is `int`, any other `nvarchar`, of any length if one is long. */
export function rowTokens({ columns, rows }: Table): Buffer {
  const types = columns.map((_, at) => typeOf(rows.map((row) => row[at] ?? null)));
  const count = Buffer.alloc(3);
  count[0] = 0x81;
  count.writeUInt16LE(columns.length, 1);
  const described = columns.map((name, at) =>
    Buffer.concat([Buffer.from([0, 0, 0, 0, 9, 0]), info(types[at]), shortText(name)]),
  );
  const values = rows.map((row) =>
    Buffer.concat([Buffer.from([0xd1]), ...row.map((cell, at) => bytesOf(types[at], cell))]),
  );
  return Buffer.concat([count, ...described, ...values]);
}

type ColumnType = 'int' | 'text' | 'long text' | undefined;

const MAX_SHORT = 4_000;

function typeOf(cells: readonly Cell[]): ColumnType {
  const present = cells.filter((cell) => cell !== null);
  if (present.length > 0 && present.every((cell) => typeof cell === 'number')) return 'int';
  return present.some((cell) => String(cell).length > MAX_SHORT) ? 'long text' : 'text';
}

function info(type: ColumnType): Buffer {
  if (type === 'int') return Buffer.from([INTN, 4]);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(type === 'text' ? MAX_SHORT * 2 : MAX_LENGTH);
  return Buffer.concat([Buffer.from([NVARCHAR]), length, COLLATION]);
}

function bytesOf(type: ColumnType, cell: Cell): Buffer {
  if (type === 'int') {
    if (cell === null) return Buffer.from([0]);
    const bytes = Buffer.alloc(5);
    bytes[0] = 4;
    bytes.writeInt32LE(Number(cell), 1);
    return bytes;
  }
  const text = Buffer.from(String(cell), 'utf16le');
  if (type === 'text') {
    const length = Buffer.alloc(2);
    length.writeUInt16LE(cell === null ? MAX_LENGTH : text.length);
    return cell === null ? length : Buffer.concat([length, text]);
  }
  if (cell === null) return Buffer.alloc(8, 0xff);
  const sizes = Buffer.alloc(12);
  sizes.writeBigUInt64LE(BigInt(text.length));
  sizes.writeUInt32LE(text.length, 8);
  return Buffer.concat([sizes, text, Buffer.alloc(4)]);
}
