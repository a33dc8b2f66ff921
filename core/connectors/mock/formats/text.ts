import { type Block, type BusinessDocument, linesOf } from '../business-document.ts';
import { escapeXml } from './office-package.ts';

const encode = (text: string) => new TextEncoder().encode(text);

export const txtOf = (document: BusinessDocument) => encode(`${linesOf(document).join('\n')}\n`);

/** The first table of the document. Without a table, its lines in a single column. */
export function csvOf(document: BusinessDocument): Uint8Array {
  const tables = document.blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : []));
  const rows = tables[0] ?? linesOf(document).map((line) => [line]);
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return encode(`${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`);
}

export function htmlOf(document: BusinessDocument): Uint8Array {
  const title = escapeXml(document.title);
  const body = document.blocks.map(blockHtml).join('\n');
  return encode(
    `<!doctype html>\n<html>\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n${body}\n</body>\n</html>\n`,
  );
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h2>${escapeXml(block.text)}</h2>`;
    case 'paragraph':
      return `<p>${escapeXml(block.text).replaceAll('\n', '<br>')}</p>`;
    case 'table': {
      const row = (cells: string[]) =>
        `<tr>${cells.map((cell) => `<td>${escapeXml(cell)}</td>`).join('')}</tr>`;
      return `<table>${block.rows.map(row).join('')}</table>`;
    }
  }
}

/** A plain-text message. Its body is base64, which avoids line-length limits and encodings. */
export function emlOf(document: BusinessDocument): Uint8Array {
  const [, ...lines] = linesOf(document);
  const word = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${base64(text)}?=`);
  const body = base64(`${lines.join('\r\n')}\r\n`).replace(/.{76}(?=.)/g, '$&\r\n');
  const header = [
    `From: ${word(document.author)} <office@nordwind.example>`,
    'To: team@nordwind.example',
    `Subject: ${word(document.title)}`,
    `Date: ${new Date(`${document.date}T09:00:00Z`).toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ];
  return encode(`${header.join('\r\n')}\r\n\r\n${body}\r\n`);
}

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
