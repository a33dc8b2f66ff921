const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const GOOGLE = 'application/vnd.google-apps.';

export const FOLDER = `${GOOGLE}folder`;
export const SHORTCUT = `${GOOGLE}shortcut`;

/**
 * As what a native document is exported. The office formats hold all its text, its comments and, of a table, every sheet; CSV
 * holds the first sheet only. PDF is no format of these: past the limit its export is a fault of the server.
 */
const EXPORTED_AS: Readonly<Record<string, string>> = {
  [`${GOOGLE}document`]: `${OFFICE}wordprocessingml.document`,
  [`${GOOGLE}spreadsheet`]: `${OFFICE}spreadsheetml.sheet`,
  [`${GOOGLE}presentation`]: `${OFFICE}presentationml.presentation`,
};

/** An export has at most so many bytes: 10 MB, as Google documents. */
export const EXPORT_LIMIT_BYTES = 10 * 1024 * 1024;

export const exportedAs = (mimeType: string | null | undefined): string | null =>
  EXPORTED_AS[mimeType ?? ''] ?? null;

/** Whether a document has no bytes of its own. Forms, maps, sites and the like have none in any format. */
export const isNative = (mimeType: string | null | undefined): boolean =>
  mimeType?.startsWith(GOOGLE) === true;
