import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { besideRepository } from '../../support/beside-repository.ts';
import { GRAPH_TYPES, type GraphType } from '../../support/graph/schemas.ts';

/** The vendor's metadata as JSON Schema. It lies beside the repository, and not everywhere. */
const METADATA = besideRepository('vendor-schemas/graph.schema.json');

type VendorProperty = {
  type?: string | string[];
  $ref?: string;
  anyOf?: VendorProperty[];
  items?: VendorProperty;
  enum?: string[];
};
type VendorType = VendorProperty & { properties?: Record<string, VendorProperty> };

/** Navigation properties, which the metadata that was derived leaves out, and what recorded answers have besides. */
const BESIDES: Partial<Record<GraphType, readonly string[]>> = {
  user: ['manager'],
  identity: ['email'],
};

const names = new Map<z.ZodType, string>(Object.entries(GRAPH_TYPES).map(([name, type]) => [type, name]));

/** The type inside what is optional or null. */
function core(type: z.ZodType): z.ZodType {
  if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) return core(type.unwrap() as z.ZodType);
  return type;
}

/** In the words of JSON Schema: the kinds of values that a type takes. */
function kindsOf(type: z.ZodType): string[] {
  const json = z.toJSONSchema(type) as VendorProperty;
  return [json, ...(json.anyOf ?? [])].flatMap(({ type: kind }) => kind ?? []).flat();
}

const alternatives = (property: VendorProperty): VendorProperty[] =>
  (property.anyOf ?? [property]).filter(({ type }) => type !== 'null');

function vendorKinds(types: Record<string, VendorType>, property: VendorProperty): string[] {
  return alternatives(property)
    .flatMap(({ $ref, type }) => {
      const referred = types[$ref?.split('/').at(-1) ?? ''];
      if ($ref !== undefined) return referred?.type ?? (referred?.enum === undefined ? 'object' : 'string');
      return type ?? [];
    })
    .flat();
}

/** What is wrong with a property of ours beside the vendor's; null if nothing is. */
function offence(types: Record<string, VendorType>, ours: z.ZodType, theirs: VendorProperty): string | null {
  const inner = core(ours);
  const isNullable = (theirs.anyOf ?? []).some(({ type }) => type === 'null');
  if (ours.safeParse(null).success && !isNullable) return 'can be null';
  if (inner instanceof z.ZodArray) {
    const items = alternatives(theirs)[0]?.items;
    return items === undefined ? 'is a list' : offence(types, inner.element as z.ZodType, items);
  }
  const name = names.get(inner);
  const referred = alternatives(theirs).map(({ $ref }) => $ref?.split('/').at(-1));
  if (name !== undefined) return referred.includes(name) ? null : `is of ${name}, not of ${referred}`;
  const allowed = vendorKinds(types, theirs);
  const wrong = kindsOf(inner).filter((kind) => kind !== 'null' && !allowed.includes(kind));
  if (wrong.length > 0) return `is ${wrong}, not ${allowed}`;
  const named = alternatives(theirs).flatMap(({ $ref }) => types[$ref?.split('/').at(-1) ?? '']?.enum ?? []);
  const listed = inner instanceof z.ZodEnum ? inner.options.map(String) : [];
  const invented = named.length === 0 ? [] : listed.filter((value) => !named.includes(value));
  return invented.length === 0 ? null : `has the values ${invented}`;
}

describe('the schemas of the fake of Graph', () => {
  test.skipIf(!existsSync(METADATA))("invent no type and no field beside the vendor's metadata", () => {
    const types = (JSON.parse(readFileSync(METADATA, 'utf8')) as { definitions: Record<string, VendorType> })
      .definitions;
    const offences = Object.entries(GRAPH_TYPES).flatMap(([name, type]) => {
      const vendor = types[name];
      if (vendor === undefined) return [`${name}: no such type`];
      return Object.entries(type.shape as Record<string, z.ZodType>).flatMap(([field, ours]) => {
        if (field.includes('@') || BESIDES[name as GraphType]?.includes(field)) return [];
        const theirs = vendor.properties?.[field];
        if (theirs === undefined) {
          // Open types of the metadata: errors carry more than it names.
          return name === 'publicInnerError' ? [] : [`${name}.${field}: no such field`];
        }
        const wrong = offence(types, ours, theirs);
        return wrong === null ? [] : [`${name}.${field} ${wrong}`];
      });
    });
    expect(Object.keys(GRAPH_TYPES).length).toBeGreaterThan(30);
    expect(offences).toEqual([]);
  });

  test('refuse a field that they do not name', () => {
    const item = { id: '01A', name: 'A', file: { hashes: { quickXorHash: `${'A'.repeat(27)}=` } } };
    expect(GRAPH_TYPES.driveItem.safeParse(item).success).toBe(true);
    expect(GRAPH_TYPES.driveItem.safeParse({ ...item, sensitivityLabel: {} }).success).toBe(false);
    expect(GRAPH_TYPES.driveItem.safeParse({ ...item, file: { irmEnabled: false } }).success).toBe(false);
  });
});
