import type { BusinessDocument } from '../business-document.ts';
import { docxOf } from './docx.ts';
import { pdfOf } from './pdf.ts';
import { pptxOf } from './pptx.ts';
import { csvOf, emlOf, htmlOf, txtOf } from './text.ts';
import { xlsxOf } from './xlsx.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** The formats that the fixture tenant writes, by file extension. */
export const FORMATS = {
  docx: { write: docxOf, mimeType: `${OFFICE}.wordprocessingml.document` },
  xlsx: { write: xlsxOf, mimeType: `${OFFICE}.spreadsheetml.sheet` },
  pptx: { write: pptxOf, mimeType: `${OFFICE}.presentationml.presentation` },
  pdf: { write: pdfOf, mimeType: 'application/pdf' },
  html: { write: htmlOf, mimeType: 'text/html' },
  csv: { write: csvOf, mimeType: 'text/csv' },
  txt: { write: txtOf, mimeType: 'text/plain' },
  eml: { write: emlOf, mimeType: 'message/rfc822' },
} as const satisfies Record<string, { write: (document: BusinessDocument) => Uint8Array; mimeType: string }>;

export type Format = keyof typeof FORMATS;

export const isFormat = (extension: string): extension is Format => Object.hasOwn(FORMATS, extension);
