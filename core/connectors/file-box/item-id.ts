import { BOX_ID } from './box-answers.ts';

/** A file by its id, a folder as `folder:ID`, since both are counted apart. */
export type BoxPlace = { kind: 'file' | 'folder'; id: string };

const FOLDER = 'folder:';

export const externalIdOf = ({ kind, id }: BoxPlace): string => (kind === 'folder' ? `${FOLDER}${id}` : id);

/** Null for what is no id of Box. */
export function placeOf(externalId: string): BoxPlace | null {
  const kind = externalId.startsWith(FOLDER) ? 'folder' : 'file';
  const id = kind === 'folder' ? externalId.slice(FOLDER.length) : externalId;
  return BOX_ID.test(id) ? { kind, id } : null;
}
