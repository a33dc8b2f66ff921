import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { XmlReader } from '../../../../core/extractors/markup/xml-reader.ts';

type Seen = { events: string[]; faults: number };

function read(pieces: readonly string[]): Seen {
  const events: string[] = [];
  const reader = new XmlReader({
    open: (name, tag) => events.push(`+${name} ${tag.attribute('a') ?? ''}`),
    text: (text) => events.push(`=${text}`),
    close: (name) => events.push(`-${name}`),
  });
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return { events, faults: reader.faults };
}

/** What a strict parser makes of the same; texts outside the root are no events of ours or of its. */
function readByPeer(source: string): Seen {
  const events: string[] = [];
  let faults = 0;
  const parser = new SaxesParser({ xmlns: false, position: false });
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('error', () => {
    faults++;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const value = Object.entries(attributes).find(([key]) => local(key) === 'a')?.[1];
    events.push(`+${local(name)} ${value ?? ''}`);
  });
  parser.on('text', (text) => events.push(`=${text}`));
  parser.on('cdata', (text) => events.push(`=${text}`));
  parser.on('closetag', ({ name }) => events.push(`-${local(name)}`));
  parser.write(source).close();
  return { events, faults };
}

const WELL_FORMED = [
  '<r/>',
  '<r a="1"><x>one</x> two <x/></r>',
  '<?xml version="1.0"?><!-- <no> --><n:r xmlns:n="u" n:a="&lt;2&#65;&#x42;&quot;"><n:x>a &amp; b&apos;s</n:x></n:r>',
  "<r b='>' a = '\t\"3\n'><x>one\r\ntwo\rthree</x></r>",
  '<r><![CDATA[<x> & ]] ]]>tail<?target data > ?></r>',
  '<!DOCTYPE r [<!ENTITY e "a > b"> <!-- it\'s > --> <!ELEMENT r ANY>]><r a="1">text</r>',
  '<!DOCTYPE r PUBLIC "-//X//[Y>" "z"><r>text</r >',
  '<w:p><w:r><w:t xml:space="preserve"> spaced </w:t></w:r></w:p>',
];

describe('well-formed XML', () => {
  test.each(WELL_FORMED)('is read as a strict parser reads it: %s', (source) => {
    const seen = read([source]);
    expect(seen).toEqual(readByPeer(source));
    expect(seen.faults).toBe(0);
  });

  test('is read the same in pieces of any size', () => {
    const pieces = fc.tuple(fc.constantFrom(...WELL_FORMED), fc.array(fc.nat(120), { maxLength: 12 }));
    fc.assert(
      fc.property(pieces, ([source, cuts]) => {
        const ends = [...new Set([0, ...cuts.filter((at) => at < source.length), source.length])].sort(
          (a, b) => a - b,
        );
        const split = ends.slice(1).map((end, index) => source.slice(ends[index], end));
        expect(read(split)).toEqual(read([source]));
      }),
    );
  });

  test('of names and texts of any kind comes back', () => {
    const text = fc.stringMatching(/^[a-z <>&"'é😀]{1,20}$/u);
    fc.assert(
      fc.property(text, text, (value, words) => {
        const escaped = (plain: string) =>
          plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
        const { events } = read([`<r a="${escaped(value)}">${escaped(words)}</r>`]);
        expect(events).toEqual([`+r ${value}`, `=${words}`, '-r']);
      }),
    );
  });
});

describe('what is not well-formed', () => {
  test.each([
    ['a tag that nobody closes', '<r><x>one</r>', ['+r ', '+x ', '=one', '-x', '-r']],
    ['a tag that nobody opened', '<r>one</x>two</r>', ['+r ', '=one', '=two', '-r']],
    ['an end that is missing', '<r><x>one', ['+r ', '+x ', '=one', '-x', '-r']],
    ['a tag that breaks off', '<r>one<x a="', ['+r ', '=one', '-r']],
    ['a sign that should be escaped', '<r>1 < 2</r>', ['+r ', '=1 ', '=<', '= 2', '-r']],
    ['an entity that only the document knows', '<r>&own;</r>', ['+r ', '=&own;', '-r']],
    ['a reference past the last character', '<r>&#x110000;</r>', ['+r ', '=&#x110000;', '-r']],
    ['a second root', '<r/><s/>', ['+r ', '-r', '+s ', '-s']],
    ['a tag in a tag', '<r <x/>', ['+r ', '-r']],
    ['nothing', '', []],
  ])('is counted, and read on: %s', (_, source, events) => {
    const seen = read([source]);
    expect(seen.events).toEqual(events);
    expect(seen.faults).toBeGreaterThan(0);
  });

  test('never throws, and every tag that opens closes', () => {
    const noise = fc.array(
      fc.constantFrom('<', '>', '/', '!', '?', '-', '[', ']', '"', "'", '=', '&', ';', 'a', ' '),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(noise, (characters) => {
        const { events } = read([characters.join('')]);
        const count = (sign: string) => events.filter((event) => event.startsWith(sign)).length;
        expect(count('+')).toBe(count('-'));
      }),
    );
  });
});

test('an entity that stands for many others stands for itself', () => {
  const declared = '<!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>';
  expect(read([`${declared}<r>&b;</r>`]).events).toEqual(['+r ', '=&b;', '-r']);
});

test.each([
  ['is too deep', '<a>', 1_000],
  ['has too many faults', '<a></b>', 1_000],
  ['holds a tag that is too long', '<a b="', 1],
])('a part that %s is not read on', (_, source, times) => {
  let events = 0;
  const count = () => {
    events++;
  };
  const reader = new XmlReader({ open: count, text: count, close: count });
  reader.write(source.repeat(times));
  for (let megabytes = 0; megabytes < 5; megabytes++) reader.write('b'.repeat(1_000_000));
  expect(reader.spoiled).toBe(true);
  const before = events;
  reader.write('"></a><a/>');
  expect(events).toBe(before);
});
