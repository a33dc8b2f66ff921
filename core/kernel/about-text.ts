import type { TableText } from './table-text.ts';

/** A file inside a file: its path there, and where its text is in the text of the file around it. UTF-16 offsets. */
export type FileInside = { readonly path: string; readonly start: number; readonly end: number };

/** What is known of a text besides its words. */
export type AboutText = {
  /** The title that the file states. Absent if there is none. */
  readonly title?: string | undefined;
  /** Files inside, each after those in it. Absent if there are none with a name. */
  readonly inside?: readonly FileInside[] | undefined;
  /** Set if the text is that of a table of a database. */
  readonly table?: TableText | undefined;
};
