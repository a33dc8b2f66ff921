import { createExtractionPool, DEFAULT_EXTRACTION } from '../../core/extractors/pool/extraction-pool.ts';
import { loadPeer } from '../support/peers.ts';

/** The result of one side for a file: its text, empty if there is none, and its outcome. */
type Reading = { text: string; state: string; reason: string | null };

export type Side = {
  /** Extensions of the files that it supports, or null for all files. */
  claims: readonly string[] | null;
  /** Loads the reader alone, so that its memory and time are measured without the others. */
  load(): Promise<(bytes: Buffer, name: string) => Promise<Reading>>;
};

const read = (text: string): Reading => ({ text, state: 'available', reason: null });

type Mammoth = { extractRawText(input: { buffer: Buffer }): Promise<{ value: string }> };
type OfficeParser = {
  parseOffice(file: Buffer, config: object): Promise<{ to(format: 'text'): Promise<{ value: string }> }>;
};
type SheetJs = {
  read(bytes: Buffer, options: object): { SheetNames: string[]; Sheets: Record<string, object> };
  utils: { sheet_to_csv(sheet: object | undefined): string };
};

/** The product and its peers. Each extracts only text. */
export const SIDES: Readonly<Record<string, Side>> = {
  ours: {
    claims: null,
    async load() {
      const pool = createExtractionPool({ ...DEFAULT_EXTRACTION, size: 1 });
      return async (bytes, name) => {
        const outcome = await pool.extract({ name, mimeType: null, bytes });
        return { text: 'text' in outcome ? outcome.text : '', state: outcome.state, reason: outcome.reason };
      };
    },
  },
  mammoth: {
    claims: ['.docx', '.docm'],
    async load() {
      const mammoth = await loadPeer<Mammoth>('mammoth');
      return async (buffer) => read((await mammoth.extractRawText({ buffer })).value);
    },
  },
  officeparser: {
    claims: ['.docx', '.pptx', '.xlsx', '.odt', '.odp', '.ods', '.pdf', '.rtf', '.html', '.epub', '.md'],
    async load() {
      const { parseOffice } = await loadPeer<OfficeParser>('officeparser');
      return async (bytes, name) => {
        const document = await parseOffice(bytes, { fileType: name.slice(name.lastIndexOf('.') + 1) });
        return read((await document.to('text')).value);
      };
    },
  },
  xlsx: {
    claims: ['.xls', '.xlsx', '.xlsm', '.xlsb', '.ods'],
    async load() {
      const { default: sheets } = await loadPeer<{ default: SheetJs }>('xlsx');
      return async (bytes) => {
        const book = sheets.read(bytes, { type: 'buffer' });
        return read(book.SheetNames.map((name) => sheets.utils.sheet_to_csv(book.Sheets[name])).join('\n'));
      };
    },
  },
};
