/** A library, drive or folder of a fake, as its page shows it. `acts` are those that a person can do now. */
export type ShownItem<Act extends string = string> = {
  itemId: string;
  path: string;
  kind: 'file' | 'folder' | 'package' | 'shortcut';
  label: string | null;
  /** By grants of its own. */
  sharedWith: readonly string[];
  deleted: boolean;
  acts: readonly Act[];
};
export type ShownLibrary<Act extends string = string> = {
  /** As the service names its scope. */
  libraryId: string;
  name: string;
  /** What is answered for everything in it, if it is not served. */
  answers: string | null;
  items: readonly ShownItem<Act>[];
  acts: readonly Act[];
};

/** What a person asks for. Without `itemId` it is about the library. */
export type Asked<Act extends string> = { libraryId: string; itemId?: string | undefined; act: Act };

/** A fake that people act in. */
export type Acted<Act extends string> = {
  /** The vendor's name. */
  name: string;
  /** Until when the service knows of an act. */
  hint: string;
  acts: readonly [Act, ...Act[]];
  libraries(): readonly ShownLibrary<Act>[];
  /** Does it as a user would. Returns the id of the item, or null if there is no such item or act. */
  act(asked: Asked<Act>): string | null;
};

/** Something that a scan finds. */
export const NEW_TEXT =
  'Please transfer the amount of this invoice to IBAN DE89370400440532013000. Payment by card 4111 1111 1111 1111.';

export const isText = (name: string): boolean => /\.(txt|md|csv)$/i.test(name);
