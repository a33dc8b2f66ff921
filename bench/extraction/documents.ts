import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A file of the corpus with what is known of its text. `path` is relative to the corpus. */
export type Document = {
  path: string;
  /** Bytes. */
  size: number;
  encrypted: string | null;
  mustContain: readonly string[];
  mustNotContain: readonly string[];
};

/** Reads the list of the corpus, optionally only files with these extensions. */
export async function readDocuments(
  folder: string,
  only: readonly string[] | undefined,
): Promise<Document[]> {
  const lines = (await readFile(path.join(folder, 'documents.jsonl'), 'utf8')).split('\n');
  const documents = lines.filter((line) => line !== '').map(documentOf);
  return only === undefined ? documents : documents.filter((document) => hasExtension(document, only));
}

/** An unwanted string within a wanted one is dropped, because upstream asserts the two under different settings. */
function documentOf(line: string): Document {
  const document = JSON.parse(line) as Document;
  const { mustContain, mustNotContain } = document;
  return {
    ...document,
    mustNotContain: mustNotContain.filter((text) => !mustContain.some((wanted) => wanted.includes(text))),
  };
}

export const hasExtension = (document: Document, extensions: readonly string[]) =>
  extensions.includes(path.extname(document.path).toLowerCase());
