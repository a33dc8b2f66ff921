import type { z } from 'zod';
import { badRequest } from './errors.ts';

const selected = (query: URLSearchParams): string[] | null => {
  const select = query.get('$select') ?? query.get('select');
  return select === null ? null : select.split(',').map((name) => name.trim());
};

const DOWNLOAD_URL = ['@microsoft.graph.downloadUrl', 'content.downloadUrl'];

/** A name that the type lacks is refused, as OData does. */
export function assertSelectable(query: URLSearchParams, type: z.ZodType): void {
  const names = selected(query) ?? [];
  const shape = 'shape' in type && typeof type.shape === 'object' ? { ...type.shape } : {};
  const unknown = names.find((name) => !Object.hasOwn(shape, name) && !DOWNLOAD_URL.includes(name));
  if (unknown !== undefined) throw badRequest(`Could not find a property named '${unknown}'.`);
}

/** Annotations stay, but for the download URL, which is selected by its name. */
const isKept = (name: string, names: readonly string[]): boolean =>
  DOWNLOAD_URL.includes(name) ? DOWNLOAD_URL.some((each) => names.includes(each)) : name.startsWith('@');

export function applySelect(query: URLSearchParams, body: unknown, isList: boolean): unknown {
  const names = selected(query);
  if (names === null) return body;
  const reduced = (value: object) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name, names) || names.includes(name)));
  if (!isList) return reduced(body as object);
  const page = body as { value: object[] };
  return { ...page, value: page.value.map(reduced) };
}
