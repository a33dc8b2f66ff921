import { VOCABULARIES } from './vocabularies.ts';

export type JsonSchema = Record<string, unknown>;

export const reference = (component: string) => ({ $ref: `#/components/schemas/${component}` });

const byWords = new Map(Object.entries(VOCABULARIES).map(([name, words]) => [JSON.stringify(words), name]));

/**
 * Rewrites a JSON schema in the style of the document: an enum with a component refers to it, a nullable schema is
 * `anyOf` with null, and a map with known keys has named fields.
 */
export function inOneManner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneManner);
  if (typeof value !== 'object' || value === null) return value;
  const { $schema: _, $id: _id, ...schema } = value as JsonSchema;
  if (Array.isArray(schema.enum)) return words(schema);
  if (Array.isArray(schema.type)) return alternatives(schema);
  if (schema.type === 'object' && isSchema(schema.propertyNames)) return map(schema, schema.propertyNames);
  return Object.fromEntries(Object.entries(schema).map(([key, member]) => [key, inOneManner(member)]));
}

function words(schema: JsonSchema): JsonSchema {
  const component = byWords.get(JSON.stringify(schema.enum));
  if (component === undefined) return schema;
  const { type: _type, enum: _enum, ...rest } = schema;
  return { ...reference(component), ...rest };
}

function alternatives({ type, default: preset, description, ...bounds }: JsonSchema): JsonSchema {
  return {
    anyOf: (type as string[]).map((each) => (each === 'null' ? { type: each } : { type: each, ...bounds })),
    ...(preset !== undefined && { default: preset }),
    ...(description !== undefined && { description }),
  };
}

function map({ propertyNames: _, additionalProperties, ...rest }: JsonSchema, keys: JsonSchema): JsonSchema {
  const value = inOneManner(additionalProperties);
  if (!Array.isArray(keys.enum)) return { ...rest, additionalProperties: value };
  const properties = Object.fromEntries(keys.enum.map((key) => [key, value]));
  return { ...rest, properties, additionalProperties: false };
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

/** The schema without its refusals of further fields. */
export function opened(schema: JsonSchema): JsonSchema {
  const open = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(open);
    if (!isSchema(value)) return value;
    const kept = Object.entries(value).filter(
      ([key, member]) => !(key === 'additionalProperties' && member === false),
    );
    return Object.fromEntries(kept.map(([key, member]) => [key, open(member)]));
  };
  return open(schema) as JsonSchema;
}
