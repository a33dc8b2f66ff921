import { FORMATS, isFormat } from '../../../infra/local/fixture/formats/format.ts';

/** By the ending of the name, as SharePoint tells it. */
export function mimeTypeOf(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return isFormat(ending) ? FORMATS[ending].mimeType : 'application/octet-stream';
}
