import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { besideRepository } from '../support/beside-repository.ts';
import { FILE_TYPES } from '../support/files/vendor-types.ts';

/** The vendor's description as JSON Schema. It lies beside the repository, and not everywhere. */
const DESCRIPTION = besideRepository('vendor-schemas/azure-files.schema.json');

type Described = { type?: string; properties?: Record<string, Described> };

test.skipIf(!existsSync(DESCRIPTION)).each(Object.entries(FILE_TYPES))(
  'the vendor describes each member of %s',
  (name, type) => {
    const { definitions } = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as {
      definitions: Record<string, Described & { required?: string[] }>;
    };
    const vendor = definitions[name];
    const ours = z.toJSONSchema(type, { unrepresentable: 'any' }) as Described;
    const members = Object.keys(ours.properties ?? {});
    expect(members.length).toBeGreaterThan(0);
    expect(members.filter((member) => vendor?.properties?.[member] === undefined)).toEqual([]);
    expect(vendor?.required?.filter((member) => !members.includes(member)) ?? []).toEqual([]);
    const number = (kind?: string) => kind === 'number' || kind === 'integer';
    for (const member of members) {
      const [our, their] = [ours.properties?.[member]?.type, vendor?.properties?.[member]?.type];
      if (our !== undefined && their !== undefined)
        expect([member, number(our)]).toEqual([member, number(their)]);
    }
  },
);
