import { z } from 'zod';

/** The fields of which answers of sources are made. A field that is of another type is null, and not an error. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);

/** Postgres stores neither NUL nor half a surrogate pair. */
export const storable = z.string().transform((value) => value.toWellFormed().replaceAll('\0', '\u{FFFD}'));
export const text = optional(storable);

/** Vendors write seconds or leave them out. */
const DateTime = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })]);
/** A time. Its smallest value stands for none, as Graph documents for permissions. */
export const time = optional(DateTime.transform((value) => (value.startsWith('0001-01-01') ? null : value)));

/** Sizes come as numbers, and as texts where they are large. */
export const size = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/** People follow it, so nothing else than a page of the web will do. */
export const webUrl = optional(z.string().regex(/^https?:\/\//i));

const readable = <T extends z.ZodType>(entries: readonly unknown[], schema: T): z.output<T>[] =>
  entries.flatMap((entry) => {
    const parsed = schema.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
const List = z.array(z.unknown());
/** A list inside an answer, without the entries that cannot be read. */
export const list = <T extends z.ZodType>(entry: T) => List.transform((entries) => readable(entries, entry));
/** The same with null for an entry that cannot be read, so that it is counted. */
export const counted = <T extends z.ZodType>(entry: T) => z.array(entry.nullable().catch(null));
