/** The content of a document, independent of its format. The first row of a table is its header. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'table'; rows: string[][] };

export type BusinessDocument = { title: string; author: string; date: string; blocks: Block[] };

export const heading = (text: string): Block => ({ kind: 'heading', text });
export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const table = (columns: string[], rows: string[][]): Block => ({
  kind: 'table',
  rows: [columns, ...rows],
});

/** One line of text per heading, paragraph and row. */
export function linesOf(document: BusinessDocument): string[] {
  return [document.title, ...document.blocks.flatMap(blockLines)];
}

export const blockLines = (block: Block): string[] =>
  block.kind === 'table' ? block.rows.map((row) => row.join(' | ')) : block.text.split('\n');

/** Creates a document from a text. The first line is the title, and every further line is a paragraph. */
export function documentFromText(text: string, date: string): BusinessDocument {
  const [title = '', ...rest] = text.split(/\r?\n/);
  return {
    title,
    author: 'Nordwind Instruments',
    date,
    blocks: (rest.length > 0 ? rest : [title]).map(paragraph),
  };
}
