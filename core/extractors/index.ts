import { cab, rar, sevenZip } from './archive/box.ts';
import { bz2, gz, xz, zstd } from './archive/packed.ts';
import { tar } from './archive/tar.ts';
import { unreadZip, zipArchive } from './archive/zip-archive.ts';
import type { Extractor } from './extractor.ts';
import { emf } from './image/emf.ts';
import { image } from './image/image.ts';
import { iwork } from './iwork/iwork.ts';
import { eml } from './mail/eml.ts';
import { mbox } from './mail/mbox.ts';
import { msg } from './mail/msg.ts';
import { signedFile } from './mail/signed-content.ts';
import { tnef } from './mail/tnef.ts';
import { epub } from './markup/epub.ts';
import { html } from './markup/html.ts';
import { xml } from './markup/xml.ts';
import { flatOdf, odf, odp, ods, odt } from './odf/odf.ts';
import { encryptedPackage } from './office/encrypted-package.ts';
import { doc } from './ole/doc.ts';
import { embeddedOle } from './ole/embedded-ole.ts';
import { ole2 } from './ole/ole2.ts';
import { ppt } from './ole/ppt.ts';
import { xls } from './ole/xls.ts';
import { onenote } from './onenote/onenote.ts';
import { docx, wordXml } from './ooxml/docx.ts';
import { pptx } from './ooxml/pptx.ts';
import { xlsb } from './ooxml/xlsb.ts';
import { xlsx } from './ooxml/xlsx.ts';
import { parquet } from './parquet/parquet.ts';
import { pdf } from './pdf/pdf.ts';
import { rtf } from './rtf/rtf.ts';
import { sqlite } from './table/sqlite.ts';
import { tableSample } from './table/table-sample.ts';
import { calendar, csv, json, markdown, plainText } from './text/text.ts';
import { sealed, unreadBinary, unreadText } from './unread.ts';

/**
 * The first extractor that claims a file reads it. First come tables of databases, then formats with distinctive bytes,
 * then non-text, then text formats from the most to the least distinctive. One of them claims every file.
 */
export const EXTRACTORS: readonly Extractor[] = [
  tableSample,
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
  bz2,
  xz,
  zstd,
  tar,
  sevenZip,
  rar,
  cab,
  encryptedPackage,
  doc,
  ppt,
  xls,
  msg,
  tnef,
  embeddedOle,
  ole2,
  emf,
  onenote,
  sqlite,
  parquet,
  pdf,
  rtf,
  sealed,
  signedFile,
  unreadText,
  image,
  unreadBinary,
  mbox,
  eml,
  html,
  flatOdf,
  wordXml,
  xml,
  calendar,
  csv,
  json,
  markdown,
  plainText,
];
