import { docx } from './docx.ts';
import { eml } from './eml.ts';
import type { Extractor } from './extractor.ts';
import { html } from './html.ts';
import { mbox } from './mbox.ts';
import { ole2 } from './ole2.ts';
import { pdf } from './pdf.ts';
import { pptx } from './pptx.ts';
import { csv, json, markdown, plainText } from './text.ts';
import { unreadBinary, unreadText } from './unread.ts';
import { xlsx } from './xlsx.ts';
import { xml } from './xml.ts';
import { zipArchive } from './zip-archive.ts';

/**
 * The first that claims a file reads it: formats that their bytes tell, then what is not text, then the kinds of
 * text from the most to the least telling. Everything is claimed by one of them.
 */
export const EXTRACTORS: readonly Extractor[] = [
  docx,
  xlsx,
  pptx,
  zipArchive,
  ole2,
  pdf,
  unreadText,
  unreadBinary,
  mbox,
  eml,
  html,
  xml,
  csv,
  json,
  markdown,
  plainText,
];
