import { doc } from './doc.ts';
import { docx, wordXml } from './docx.ts';
import { embeddedOle } from './embedded-ole.ts';
import { emf } from './emf.ts';
import { eml } from './eml.ts';
import { encryptedPackage } from './encrypted-package.ts';
import { epub } from './epub.ts';
import type { Extractor } from './extractor.ts';
import { gz } from './gz.ts';
import { html } from './html.ts';
import { image } from './image.ts';
import { iwork } from './iwork.ts';
import { mbox } from './mbox.ts';
import { msg } from './msg.ts';
import { flatOdf, odf, odp, ods, odt } from './odf.ts';
import { ole2 } from './ole2.ts';
import { onenote } from './onenote.ts';
import { pdf } from './pdf.ts';
import { ppt } from './ppt.ts';
import { pptx } from './pptx.ts';
import { rtf } from './rtf.ts';
import { csv, json, markdown, plainText } from './text.ts';
import { sealed, unreadBinary, unreadText } from './unread.ts';
import { xls } from './xls.ts';
import { xlsb } from './xlsb.ts';
import { xlsx } from './xlsx.ts';
import { xml } from './xml.ts';
import { unreadZip, zipArchive } from './zip-archive.ts';

/**
 * The first that claims a file reads it: formats that their bytes tell, then what is not text, then the kinds of
 * text from the most to the least telling. Everything is claimed by one of them.
 */
export const EXTRACTORS: readonly Extractor[] = [
  docx,
  xlsx,
  xlsb,
  pptx,
  odt,
  ods,
  odp,
  odf,
  epub,
  iwork,
  zipArchive,
  unreadZip,
  gz,
  encryptedPackage,
  doc,
  ppt,
  xls,
  msg,
  embeddedOle,
  ole2,
  emf,
  onenote,
  pdf,
  rtf,
  sealed,
  unreadText,
  image,
  unreadBinary,
  mbox,
  eml,
  html,
  flatOdf,
  wordXml,
  xml,
  csv,
  json,
  markdown,
  plainText,
];
