import { type BusinessDocument, blockLines } from '../business-document.ts';
import { escapeXml, OFFICE_RELATIONS, officePackage } from './office-package.ts';

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Each table is on its own sheet ("Data", "Data 2" …). Everything else is on the sheet "Notes", line by line. */
export function xlsxOf(document: BusinessDocument): Uint8Array {
  const tables = document.blocks.flatMap((block) => (block.kind === 'table' ? [block.rows] : []));
  const notes = document.blocks.flatMap((block) => (block.kind === 'table' ? [] : blockLines(block)));
  const sheets = [
    ...tables.map((rows, at) => ({ name: at === 0 ? 'Data' : `Data ${at + 1}`, rows })),
    { name: 'Notes', rows: [[document.title], ...notes.map((line) => [line])] },
  ];
  const strings = new Map<string, number>();
  const sheetParts = sheets.map((sheet, at) => ({
    path: `xl/worksheets/sheet${at + 1}.xml`,
    type: 'spreadsheetml.worksheet',
    xml: sheetXml(sheet.rows, strings),
  }));
  const list = sheets.map(
    (sheet, at) => `<sheet name="${sheet.name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  const after = sheets.length;
  return officePackage(
    [
      {
        path: 'xl/workbook.xml',
        type: 'spreadsheetml.sheet.main',
        xml: `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE_RELATIONS}"><sheets>${list.join('')}</sheets></workbook>`,
        relations: [
          ...sheets.map((_, at): [string, string, string] => [
            `rId${at + 1}`,
            'worksheet',
            `worksheets/sheet${at + 1}.xml`,
          ]),
          [`rId${after + 1}`, 'sharedStrings', 'sharedStrings.xml'],
          [`rId${after + 2}`, 'styles', 'styles.xml'],
        ],
      },
      ...sheetParts,
      { path: 'xl/sharedStrings.xml', type: 'spreadsheetml.sharedStrings', xml: stringsXml(strings) },
      { path: 'xl/styles.xml', type: 'spreadsheetml.styles', xml: STYLES },
    ],
    document.title,
    document.author,
  );
}

function sheetXml(rows: readonly string[][], strings: Map<string, number>): string {
  const cell = (text: string, at: string) => {
    if (/^-?\d{1,15}(\.\d{1,6})?$/.test(text)) return `<c r="${at}"><v>${text}</v></c>`;
    const index = strings.get(text) ?? strings.size;
    strings.set(text, index);
    return `<c r="${at}" t="s"><v>${index}</v></c>`;
  };
  const lines = rows.map((row, y) => {
    const cells = row.map((text, x) => cell(text, `${String.fromCharCode(65 + x)}${y + 1}`));
    return `<row r="${y + 1}">${cells.join('')}</row>`;
  });
  return `<worksheet xmlns="${SHEET}"><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

function stringsXml(strings: ReadonlyMap<string, number>): string {
  const items = Array.from(
    strings.keys(),
    (text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`,
  );
  return `<sst xmlns="${SHEET}" uniqueCount="${strings.size}">${items.join('')}</sst>`;
}

const STYLES = `<styleSheet xmlns="${SHEET}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs></styleSheet>`;
