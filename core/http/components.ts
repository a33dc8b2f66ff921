import { z } from 'zod';
import type { Endpoint } from './declaration.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';
import { inOneManner, type JsonSchema, opened, reference } from './json-schema.ts';
import { RESOURCES } from './resources.ts';
import { VOCABULARIES } from './vocabularies.ts';

type Registry = z.core.$ZodRegistry<{ id: string }>;

/** The named schemas of the document, and references to the schemas of requests and responses. */
export type SchemaComponents = {
  schemas: Record<string, JsonSchema>;
  request(body: z.ZodType): JsonSchema;
  answer(response: z.ZodType): JsonSchema;
};

/** Pure. Every body has a name: that of the resource, or one that is derived from the name of its operation. */
export function schemaComponents(endpoints: readonly Endpoint[], closed = false): SchemaComponents {
  const requests = resourceRegistry();
  const answers = resourceRegistry();
  for (const { name, body, response } of endpoints) {
    const operation = pascal(name);
    if (body !== undefined) addTo(requests, body, `${operation}Request`);
    if (response === undefined) continue;
    addTo(answers, response, `${operation}Answer`);
    const item = itemOf(response);
    if (item !== undefined) addTo(answers, item, `${operation}Item`);
  }
  const referenceIn = (registry: Registry) => (schema: z.ZodType) =>
    reference(registry.get(schema)?.id ?? '');
  const request = referenceIn(requests);
  const answer = referenceIn(answers);
  const asked = endpoints.flatMap(({ body }) => (body === undefined ? [] : [request(body)]));
  const answered = endpoints.flatMap(({ response }) => (response === undefined ? [] : [answer(response)]));
  const askedOnes = reachable(asked, schemasOf(requests, 'input'));
  const schemas = union(askedOnes, reachable(answered, schemasOf(answers, 'output')));
  return {
    schemas: { ...vocabularies, ...describedFields(closed ? schemas : openAnswers(schemas, askedOnes)) },
    request,
    answer,
  };
}

function resourceRegistry(): Registry {
  const registry: Registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(RESOURCES)) registry.add(schema, { id });
  return registry;
}

function addTo(registry: Registry, schema: z.ZodType, id: string): void {
  if (!registry.has(schema)) registry.add(schema, { id });
}

/** The item schema of a list. */
function itemOf(response: z.ZodType): z.ZodObject | undefined {
  const items = response instanceof z.ZodObject ? response.shape.items : undefined;
  return items instanceof z.ZodArray && items.element instanceof z.ZodObject ? items.element : undefined;
}

const pascal = (name: string) => name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function schemasOf(registry: Registry, io: 'input' | 'output'): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => reference(id).$ref });
  const named = Object.entries(schemas).map(([id, schema]) => [id, inOneManner(schema) as JsonSchema]);
  return Object.fromEntries(named);
}

const vocabularies = Object.fromEntries(
  Object.entries(VOCABULARIES).map(([name, words]) => [name, { type: 'string', enum: [...words] }]),
);

/** Schemas of answers alone allow further fields, because a later release may send them. */
const openAnswers = (schemas: Record<string, JsonSchema>, asked: Record<string, JsonSchema>) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, name in asked ? schema : opened(schema)]),
  );

/** Adds what a field means where its declaration does not say it. */
function describedFields(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const described = (value: unknown, component: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => described(each, component));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        key === 'properties'
          ? fieldsOf(member as Record<string, JsonSchema>, component)
          : described(member, component),
      ]),
    );
  };
  const fieldsOf = (fields: Record<string, JsonSchema>, component: string) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const description =
          field.description ?? FIELD_DESCRIPTIONS[`${component}.${name}`] ?? FIELD_DESCRIPTIONS[name];
        const inner = described(field, component) as JsonSchema;
        return [name, description === undefined ? inner : { ...inner, description }];
      }),
    );
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, described(schema, name) as JsonSchema]),
  );
}

/** The schemas that are referred to, directly or through other schemas. */
function reachable(from: unknown, schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key !== '$ref' || typeof member !== 'string') follow(member);
      else {
        const name = member.slice(reference('').$ref.length);
        const schema = schemas[name];
        if (schema === undefined || found.has(name)) continue;
        found.set(name, schema);
        follow(schema);
      }
    }
  };
  follow(from);
  return Object.fromEntries(found);
}

/** Merges both. A name must have the same schema in requests and responses. */
function union(
  asked: Record<string, JsonSchema>,
  answered: Record<string, JsonSchema>,
): Record<string, JsonSchema> {
  for (const name of Object.keys(asked)) {
    if (name in answered && JSON.stringify(asked[name]) !== JSON.stringify(answered[name]))
      throw new Error(`the schema ${name} differs between requests and responses`);
  }
  return Object.fromEntries(Object.entries({ ...asked, ...answered }).sort(([a], [b]) => (a < b ? -1 : 1)));
}
