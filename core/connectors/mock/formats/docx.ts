import type { Block, BusinessDocument } from '../business-document.ts';
import { escapeXml, officePackage } from './office-package.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

export function docxOf(document: BusinessDocument): Uint8Array {
  const body = [styled('Title', document.title), ...document.blocks.map(blockXml)].join('');
  return officePackage(
    [
      {
        path: 'word/document.xml',
        type: 'wordprocessingml.document.main',
        xml: `<w:document xmlns:w="${WORD}"><w:body>${body}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>`,
        relations: [['rId1', 'styles', 'styles.xml']],
      },
      { path: 'word/styles.xml', type: 'wordprocessingml.styles', xml: STYLES },
    ],
    document.title,
    document.author,
  );
}

function blockXml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return styled('Heading1', block.text);
    case 'paragraph':
      return block.text
        .split('\n')
        .map((line) => `<w:p>${run(line)}</w:p>`)
        .join('');
    case 'table':
      return tableXml(block.rows);
  }
}

const run = (text: string) => `<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;

const styled = (style: string, text: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}</w:p>`;

function tableXml(rows: readonly string[][]): string {
  const columns = '<w:gridCol w:w="2000"/>'.repeat(rows[0]?.length ?? 0);
  const cell = (text: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr><w:p>${run(text)}</w:p></w:tc>`;
  const lines = rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('');
  // The body must not end with a table, so a paragraph follows.
  return `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>${columns}</w:tblGrid>${lines}</w:tbl><w:p/>`;
}

const style = (id: string, name: string, size: number) =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="Normal"/><w:rPr><w:b/><w:sz w:val="${size}"/></w:rPr></w:style>`;

const STYLES = `<w:styles xmlns:w="${WORD}"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>${style('Title', 'Title', 40)}${style('Heading1', 'heading 1', 28)}</w:styles>`;
