import type { HttpRequest } from '@azure/functions';
import { z } from 'zod';
import { type Issue, ServiceError, validationFailed } from '../kernel/errors.ts';
import { issueMessage, memberOf } from '../kernel/issue-message.ts';

export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;

const MAX_ISSUES = 50;

/** The request's body as JSON, or `{}` if it is empty. Reads at most `maxBytes` bytes. */
export async function readJson(request: HttpRequest, maxBytes: number): Promise<unknown> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBounded(request, maxBytes);
  if (bytes.length === 0) return {};
  const mediaType = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new ServiceError('unsupported_media_type', 'Send the body as application/json.');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw validationFailed([{ path: '', message: 'The body is not valid JSON in UTF-8.' }]);
  }
}

async function readBounded(request: HttpRequest, maxBytes: number): Promise<Buffer> {
  if (request.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
      length += chunk.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The client or the host ended the connection. Nobody reads the response, and nothing failed in this service.
    throw validationFailed([{ path: '', message: 'The body is incomplete.' }]);
  }
  return Buffer.concat(chunks, length);
}

const tooLarge = (maxBytes: number) =>
  new ServiceError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);

/**
 * Parses a value with the schema. Throws `validation_failed`. The issues contain nothing that the caller sent, except
 * the names of unknown fields.
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, MAX_ISSUES)
      .flatMap((issue) => toIssues(issue, schema, value));
    throw validationFailed(issues.slice(0, MAX_ISSUES));
  }
  const unstorable = unstorableText(parsed.data, []);
  if (unstorable !== null) throw validationFailed([unstorable]);
  return parsed.data;
}

/** A key of this form is a name. Others may be content, such as the name of a person, and are only counted. */
const FIELD_NAME = /^[a-z][A-Za-z0-9_]{0,39}$/;

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): Issue[] {
  const path = issue.path.map(String).join('.').slice(0, 200);
  if (issue.code !== 'unrecognized_keys')
    return [{ path, message: issueMessage(issue, value).slice(0, 500) }];
  const known = fieldsAt(schema, value, issue.path);
  const hint = known.length === 0 ? 'No fields are expected here.' : `Known fields: ${known.join(', ')}.`;
  const named = issue.keys.filter((key) => FIELD_NAME.test(key));
  const others = issue.keys.length - named.length;
  return [
    ...named.map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      message: `Unknown field. ${hint}`,
    })),
    ...(others === 0 ? [] : [{ path, message: `Contains ${others} unknown field(s). ${hint}` }]),
  ];
}

/** The fields of the object that the schema has at a path. For a union, those of the member that the value selects. */
function fieldsAt(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldsAt(schema.def.innerType, value, path);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const chosen = memberOf(value, discriminator);
    const member = schema.options.find(
      (option) => option instanceof z.ZodObject && option.shape[discriminator]?.safeParse(chosen).success,
    );
    return member === undefined ? [] : fieldsAt(member, value, path);
  }
  const [key, ...rest] = path;
  if (key !== undefined && schema instanceof z.ZodArray)
    return fieldsAt(schema.element, memberOf(value, key), rest);
  if (!(schema instanceof z.ZodObject)) return [];
  if (key === undefined) return Object.keys(schema.shape);
  const member = schema.shape[String(key)];
  return member === undefined ? [] : fieldsAt(member, memberOf(value, key), rest);
}

/** The first string that the database or canonical JSON cannot store (NUL, lone surrogate), or null. */
function unstorableText(value: unknown, path: readonly string[]): Issue | null {
  if (typeof value === 'string') {
    if (!value.includes('\0') && value.isWellFormed()) return null;
    return { path: path.join('.'), message: 'Contains a character that is not text.' };
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const issue = unstorableText(member, [...path, key]);
    if (issue !== null) return issue;
  }
  return null;
}
