import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import PostalMime from 'postal-mime';
import { SaxesParser } from 'saxes';
import { extractText } from 'unpdf';
import { describe, expect, it } from 'vitest';
import { blockLines, linesOf } from '../../../infra/local/fixture/business-document.ts';
import { fixtureBytes, fixtureDocument } from '../../../infra/local/fixture/fixture-content.ts';
import type { FixtureItem } from '../../../infra/local/fixture/fixture-store.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';

const { scopes, items } = seedFixture('content');
const ofFormat = (format: FixtureItem['format']) => items.filter((item) => item.format === format);
const hashOf = (item: FixtureItem) => createHash('sha256').update(fixtureBytes(item)).digest('hex');
const squeeze = (text: string) => text.replace(/\s+/g, ' ');

describe('the fixture tenant', () => {
  it('has about two hundred items over eight sites, with unique ids and places', () => {
    expect(scopes).toHaveLength(8);
    expect(items.length).toBeGreaterThanOrEqual(190);
    expect(items.length).toBeLessThanOrEqual(220);
    expect(new Set(items.map((item) => item.externalId)).size).toBe(items.length);
    const places = items.map((item) => `${item.scopeExternalId}/${item.folder}/${item.name}`);
    expect(new Set(places).size).toBe(items.length);
  });

  it('is the same for the same seed, and another for another', () => {
    expect(seedFixture('content')).toEqual({ scopes, items });
    expect(seedFixture('other').items.map(hashOf)).not.toEqual(items.map(hashOf));
  });

  it('writes the same bytes in every time zone', () => {
    const zone = process.env.TZ;
    const before = items.map(hashOf);
    process.env.TZ = 'Pacific/Auckland';
    const after = items.map(hashOf);
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    expect(after).toEqual(before);
  });

  it('states the size of every readable item', () => {
    for (const item of items.filter(({ readable }) => readable))
      expect(fixtureBytes(item).length).toBe(item.sizeBytes);
  });

  it('holds byte-identical copies in several sites', () => {
    const sitesOf = new Map<string, Set<string>>();
    for (const item of items.filter(({ format }) => format !== 'empty'))
      sitesOf.set(hashOf(item), (sitesOf.get(hashOf(item)) ?? new Set()).add(item.scopeExternalId));
    expect([...sitesOf.values()].filter((sites) => sites.size > 1).length).toBeGreaterThanOrEqual(6);
  });

  it('has labelled and unlabelled items, and items shared too widely', () => {
    const labelled = items.filter((item) => item.labelGuid !== null).length;
    expect(labelled).toBeGreaterThan(40);
    expect(labelled).toBeLessThan(120);
    for (const kind of ['anyone', 'organization', 'user'] as const)
      expect(items.some((item) => item.grants.some((grant) => grant.principalKind === kind))).toBe(true);
    expect(items.every((item) => item.grants.some((grant) => grant.inherited))).toBe(true);
  });

  it('holds every format, readable and not', () => {
    const formats = new Set(items.map((item) => item.format));
    const readable = ['docx', 'xlsx', 'pptx', 'pdf', 'html', 'csv', 'txt', 'eml'] as const;
    expect([...formats].toSorted()).toEqual(
      [...readable, 'binary', 'corrupt', 'empty', 'encrypted'].toSorted(),
    );
    expect(items.some((item) => !item.readable && item.sizeBytes > 2 ** 32)).toBe(true);
  });
});

describe('what it writes', () => {
  it.each(['docx', 'xlsx', 'pptx'] as const)('%s is a sound package that holds the text', (format) => {
    for (const item of ofFormat(format)) {
      const parts = Object.entries(unzipSync(fixtureBytes(item))).map(
        ([path, bytes]) => [path, strFromU8(bytes)] as const,
      );
      const paths = new Set(parts.map(([path]) => path));
      const types = parts.find(([path]) => path === '[Content_Types].xml')?.[1] ?? '';
      let text = '';
      for (const [path, xml] of parts) {
        const parser = new SaxesParser({ xmlns: true });
        parser.on('text', (chunk) => {
          text += `${chunk} `;
        });
        parser.on('opentag', (tag) => {
          if (tag.name !== 'Relationship') return;
          const target = String(tag.attributes.Target?.value);
          expect(paths).toContain(posix.join(path, '..', '..', target));
        });
        parser.write(xml).close();
        if (!path.endsWith('.rels') && path !== '[Content_Types].xml')
          expect(types).toContain(`PartName="/${path}"`);
      }
      const document = fixtureDocument(item);
      expect(squeeze(text)).toContain(squeeze(document.title));
      const cells = document.blocks.flatMap((block) =>
        block.kind === 'table' ? block.rows.flat() : blockLines(block),
      );
      for (const cell of cells) expect(squeeze(text)).toContain(squeeze(cell.replaceAll('\n', ' ')));
    }
  });

  it('PDF files open in pdf.js with all their text', async () => {
    for (const item of ofFormat('pdf')) {
      const { text } = await extractText(new Uint8Array(fixtureBytes(item)), { mergePages: true });
      for (const line of linesOf(fixtureDocument(item))) expect(squeeze(text)).toContain(squeeze(line));
    }
  });

  it('messages have their subject and text', async () => {
    for (const item of ofFormat('eml')) {
      const document = fixtureDocument(item);
      const mail = await PostalMime.parse(fixtureBytes(item));
      expect(mail.subject).toBe(document.title);
      expect(mail.from?.name).toBe(document.author);
      for (const block of document.blocks) expect(mail.text).toContain(blockLines(block).join('\n'));
    }
  });

  it('a sealed office file is a compound file with an encrypted package', () => {
    for (const item of ofFormat('encrypted')) {
      const bytes = Buffer.from(fixtureBytes(item));
      expect(bytes.subarray(0, 8).toString('hex')).toBe('d0cf11e0a1b11ae1');
      expect(bytes.length % 512).toBe(0);
      expect(bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))).toBe(true);
    }
  });

  it('a damaged document has no archive directory', () => {
    for (const item of ofFormat('corrupt')) expect(() => unzipSync(fixtureBytes(item))).toThrow();
  });
});
