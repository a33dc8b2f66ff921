import { compoundFile } from './compound-file.ts';
import { artRecord } from './office-art.ts';

export const textCharacters = (text: string) => artRecord(0x0fa0, Buffer.from(text, 'utf16le'));
export const textBytes = (text: string) => artRecord(0x0fa8, Buffer.from(text, 'latin1'));
export const pptString = (text: string, instance: number) =>
  artRecord(0x0fba, Buffer.from(text, 'utf16le'), instance);
export const slide = (...records: Uint8Array[]) => artRecord(0x03ee, records);

/** The streams of a presentation. The persist directory lists the objects that are not in `leftovers`. */
export function pptStreams(objects: readonly Buffer[], leftovers: readonly Buffer[] = [], session = 0) {
  const all = [...leftovers, ...objects];
  const starts: number[] = [];
  let at = 0;
  for (const object of all) {
    starts.push(at);
    at += object.length;
  }
  const live = starts.slice(leftovers.length);
  const entries = Buffer.alloc(4 + live.length * 4);
  // A single run of numbers from 1.
  entries.writeUInt32LE(1 + live.length * 0x10_0000);
  for (const [index, start] of live.entries()) entries.writeUInt32LE(start, 4 + index * 4);
  const edit = Buffer.alloc(session > 0 ? 32 : 28);
  edit.writeUInt32LE(at, 12);
  if (session > 0) edit.writeUInt32LE(session, 28);
  const directory = artRecord(0x1772, entries);
  const user = Buffer.alloc(20);
  user.writeUInt32LE(session > 0 ? 0xf3d1c4df : 0xe391c05f, 12);
  user.writeUInt32LE(at + directory.length, 16);
  return { presentation: Buffer.concat([...all, directory, artRecord(0x0ff5, edit)]), user };
}

export function pptFile(
  objects: readonly Buffer[],
  leftovers: readonly Buffer[] = [],
  more: Readonly<Record<string, Uint8Array>> = {},
): Uint8Array {
  const { presentation, user } = pptStreams(objects, leftovers);
  return compoundFile({ 'PowerPoint Document': presentation, 'Current User': user, ...more });
}
