import { z } from 'zod';
import type { Endpoint } from '../../core/http/declaration.ts';
import { type IdKind, kindOfMember, kindsOfPath, PLAIN_PARAMETERS } from './id-kinds.ts';

/** A member of a request that contains an id: `query.domainId`, `path.id`, `body.targetAssetId`. */
export type IdSlot = { slot: string; kind: IdKind };

/** A request that an endpoint's schemas accept. `target` is the path with the query. */
export type Sample = { method: Endpoint['method']; target: string; body?: unknown };

type Body = Readonly<Record<string, unknown>>;
export type Rule = (body: Body) => readonly Body[];

/** The id of a sample for a slot. */
export type Naming = (slot: IdSlot) => string;

type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  default?: unknown;
};

/** Valid texts for members that need more than a word. */
const TEXTS: Readonly<Record<string, string>> = {
  pattern: 'QX-[0-9]{4}',
  content: 'Plain text',
  text: '# Retention\n\nInvoices are kept for ten years.\n\n## Exceptions\n\nNone.',
  filename: 'retention.md',
  justification: 'The label does not fit the content',
  hits: 'QX-1234',
  misses: 'nothing here',
  signedBefore: '2026-01-01T00:00:00Z',
  from: '2020-01-01T00:00:00Z',
  decidedFrom: '2020-01-01T00:00:00Z',
  decidedBefore: '2040-01-01T00:00:00Z',
  sentFrom: '2020-01-01T00:00:00Z',
  sentBefore: '2040-01-01T00:00:00Z',
  before: '2040-01-01T00:00:00Z',
};

/**
 * Requests that the endpoint's schemas accept: one with all required members, and one for each further value of each
 * member.
 * @param rules by the endpoint's name, adjusts bodies whose schema does not express all requirements
 * @param words values for search texts
 */
export function samplesOf(
  endpoint: Endpoint,
  naming: Naming,
  {
    rules = {},
    words = ['sample'],
  }: { rules?: Readonly<Record<string, Rule>>; words?: readonly string[] } = {},
): Sample[] {
  const params = kindsOfPath(endpoint);
  const path = Object.entries(params).reduce(
    (filled, [name, kind]) =>
      filled.replace(
        new RegExp(`\\{\\*?${name}\\}`),
        encodeURIComponent(
          kind === null ? (PLAIN_PARAMETERS[name] ?? 'none') : naming({ slot: `path.${name}`, kind }),
        ),
      ),
    endpoint.path as string,
  );
  const values = (schema: z.ZodType | undefined, where: 'query' | 'body') =>
    schema === undefined
      ? [{}]
      : variantsOf({ endpoint, naming, words }, jsonSchemaOf(schema), where, '').filter(isRecord);
  const queries = values(endpoint.query, 'query').map((query) => {
    const search = new URLSearchParams(query as Record<string, string>).toString();
    return search === '' ? path : `${path}?${search}`;
  });
  if (endpoint.method === 'GET') return queries.map((target) => ({ method: 'GET', target }));
  const rule = rules[endpoint.name] ?? ((body: Body) => [body]);
  const bodies = values(endpoint.body, 'body').flatMap(rule);
  const samples = bodies.map((body) => ({ method: endpoint.method, target: queries[0] ?? path, body }));
  return [...new Map(samples.map((sample) => [JSON.stringify(sample.body), sample])).values()];
}

/** Every member of the endpoint's requests that contains an id of a tenant. */
export function idSlotsOf(endpoint: Endpoint): IdSlot[] {
  const slots = new Map<string, IdSlot>();
  samplesOf(endpoint, (slot) => {
    slots.set(slot.slot, slot);
    return 'any';
  });
  return [...slots.values()];
}

/** Made once: thousands of samples are made of the same schemas. */
const jsonSchemas = new WeakMap<z.ZodType, Schema>();

function jsonSchemaOf(schema: z.ZodType): Schema {
  const made = jsonSchemas.get(schema) ?? (z.toJSONSchema(schema, { io: 'input' }) as Schema);
  jsonSchemas.set(schema, made);
  return made;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Making = { endpoint: Endpoint; naming: Naming; words: readonly string[] };

/** Values that the schema accepts, the simplest first. `name` is the name of the member. */
function variantsOf(making: Making, schema: Schema, where: 'query' | 'body', name: string): unknown[] {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => variantsOf(making, choice, where, name));
  switch (schema.type) {
    case 'null':
      return [null];
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'number':
      return [Math.max(schema.minimum ?? 1, 1)];
    case 'array': {
      const items = schema.items === undefined ? [] : variantsOf(making, schema.items, where, name);
      if (items.length === 0) return [[]];
      return (schema.items?.type === 'object' ? items : items.slice(0, 1)).map((item) => [item]);
    }
    case 'object':
      return objectsOf(making, schema, where);
    case 'string':
      return textsOf(making, schema, where, name);
    default:
      throw new Error(`${making.endpoint.name}: no sample is known for ${name}: ${JSON.stringify(schema)}`);
  }
}

function objectsOf(making: Making, { properties = {}, required = [] }: Schema, where: 'query' | 'body') {
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    needed: required.includes(name),
    values: variantsOf(making, schema, where, name),
  }));
  const plainest = Object.fromEntries(
    members.filter(({ needed }) => needed).map(({ name, values }) => [name, values[0]]),
  );
  const others = members.flatMap(({ name, needed, values }) =>
    values.slice(needed ? 1 : 0).map((value) => ({ ...plainest, [name]: value })),
  );
  const all = Object.fromEntries(members.map(({ name, values }) => [name, values[0]]));
  return [plainest, ...others, ...(members.length > 1 && where === 'body' ? [all] : [])];
}

function textsOf({ endpoint, naming, words }: Making, schema: Schema, where: 'query' | 'body', name: string) {
  const kind = kindOfMember(endpoint, name);
  if (kind !== null) return [naming({ slot: `${where}.${name}`, kind })];
  if (name === 'q') return [...words];
  return [(TEXTS[name] ?? 'sample').padEnd(schema.minLength ?? 0, '.')];
}
