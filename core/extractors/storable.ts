import type { Extraction } from './extractor.ts';

/**
 * An outcome without what Postgres refuses in text and JSON: NUL, and surrogates without their other half. A file can put
 * both into any of its names. Offsets of the text stay.
 */
export function storable(outcome: Extraction): Extraction {
  if (!('text' in outcome)) return outcome;
  const { text, title, inside, table } = outcome;
  return {
    ...outcome,
    text: text.replaceAll('\0', ' ').toWellFormed(),
    ...(title !== undefined && { title: oneLine(title) }),
    ...(inside !== undefined && {
      inside: inside.map((file) => ({ ...file, path: oneLine(file.path) })).filter(({ path }) => path !== ''),
    }),
    ...(table !== undefined && {
      table: {
        ...table,
        columns: table.columns.map((column) => ({
          ...column,
          name: oneLine(column.name),
          comment: column.comment && oneLine(column.comment),
        })),
      },
    }),
  };
}

const oneLine = (name: string): string =>
  name
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .toWellFormed();
