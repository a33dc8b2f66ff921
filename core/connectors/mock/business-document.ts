/** What a document says, before any format. The first row of a table is its heading. */
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

/** The document that a given text makes: its first line is the title, every further one a paragraph. */
export function documentFromText(text: string, date: string): BusinessDocument {
  const [title = '', ...rest] = text.split(/\r?\n/);
  return {
    title,
    author: 'Nordwind Instruments',
    date,
    blocks: (rest.length > 0 ? rest : [title]).map(paragraph),
  };
}
