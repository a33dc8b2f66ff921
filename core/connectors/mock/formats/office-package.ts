import { type Zippable, zipSync } from 'fflate';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeXml = (text: string) => text.replace(/[&<>"]/g, (c) => ESCAPES[c] ?? c);

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
export const OFFICE_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CORE_RELATION = `${RELATIONS}/metadata/core-properties`;
const CORE_TYPE = 'application/vnd.openxmlformats-package.core-properties+xml';

/** A part of a package: its content type without the common prefix, and its relations. */
export type Part = {
  path: string;
  type: string;
  xml: string;
  /** Relation id, kind, and target relative to this part. */
  relations?: readonly [id: string, kind: string, target: string][];
};

/** An Office Open XML package. The first part is its main document. */
export function officePackage(parts: readonly [Part, ...Part[]], title: string, author: string): Uint8Array {
  const core = coreProperties(title, author);
  const files: Zippable = {};
  const put = (path: string, xml: string) => {
    files[path] = new TextEncoder().encode(DECLARATION + xml);
  };
  const overrides = parts.map((part) => [
    part.path,
    `application/vnd.openxmlformats-officedocument.${part.type}+xml`,
  ]);
  put(
    '[Content_Types].xml',
    `<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${[...overrides, ['docProps/core.xml', CORE_TYPE]].map(([path, type]) => `<Override PartName="/${path}" ContentType="${type}"/>`).join('')}</Types>`,
  );
  put(
    '_rels/.rels',
    relationsXml([
      ['rId1', `${OFFICE_RELATIONS}/officeDocument`, parts[0].path],
      ['rId2', CORE_RELATION, 'docProps/core.xml'],
    ]),
  );
  put('docProps/core.xml', core);
  for (const part of parts) {
    put(part.path, part.xml);
    if (part.relations === undefined) continue;
    const slash = part.path.lastIndexOf('/');
    const relations = part.relations.map(
      ([id, kind, target]) => [id, `${OFFICE_RELATIONS}/${kind}`, target] as const,
    );
    put(`${part.path.slice(0, slash)}/_rels/${part.path.slice(slash + 1)}.rels`, relationsXml(relations));
  }
  // Zip stores local time without a zone. A date of local parts gives the same bytes in every zone.
  return zipSync(files, { mtime: new Date(2024, 0, 1), level: 6 });
}

const relationsXml = (relations: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships xmlns="${RELATIONS}">${relations.map(([id, type, target]) => `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`).join('')}</Relationships>`;

const coreProperties = (title: string, author: string) =>
  `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escapeXml(title)}</dc:title><dc:creator>${escapeXml(author)}</dc:creator></cp:coreProperties>`;
