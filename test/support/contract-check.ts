import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { endpoints } from '../../core/http/endpoint.ts';
import { errorSchema } from '../../core/http/errors.ts';
import { type OpenApiDocument, openApiDocument, openApiPath } from '../../core/http/openapi.ts';

/** A request and its answer. `body` is parsed if it is JSON. */
type Exchange = {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
};

export type ContractCheck = (exchange: Exchange, expected: { authMode: string; production: boolean }) => void;

/** Internals that must not leak: stack traces, source locations, SQL statements. */
export const INTERNALS =
  /\n\s+at |node_modules|node:internal|\.ts:\d|file:\/\/|"stack"|\b(?:select|insert|update) .+ (?:from|into|set) /i;

/**
 * Checks every answer against the OpenAPI document and the required headers. Create it after the functions have been
 * loaded, because the document is generated from them.
 */
export function createContractCheck(): ContractCheck {
  const document = openApiDocument(endpoints(), { closed: true });
  const templateFor = templatesOf(document);
  const validators = new Map<string, ValidateFunction>();
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    validateFormats: true,
    // Each schema is compiled once for few answers.
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  // The document is JSON that contains schemas, and is not a schema itself.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'document');

  const validatorOf = (pointer: string) => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
    validators.set(pointer, validator);
    return validator;
  };

  const assertValid = (exchange: Exchange, pointer: string) => {
    const validate = validatorOf(pointer);
    const valid = validate(exchange.body);
    expect(valid ? [] : validate.errors, `${exchange.method} ${exchange.path} ${exchange.status}`).toEqual(
      [],
    );
  };

  return (exchange, { authMode, production }) => {
    const { method, path, status, headers, text } = exchange;
    const where = `${method} ${path} ${status}`;
    const csrfRejection = text === '{"error":"csrf_token_invalid"}';
    expect(headers.get('x-svc-auth-mode'), where).toBe(csrfRejection ? null : authMode);
    expect(headers.get('x-svc-correlation'), where).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
    expectSecurityHeaders(headers, production, where);
    if (status >= 400) expect(text, where).not.toMatch(INTERNALS);
    if (method === 'HEAD') return;
    // Not changed since the answer that had this tag.
    if (status === 304) {
      expect([text, headers.get('etag')], where).toEqual(['', expect.stringMatching(/^W\/"/)]);
      return;
    }

    const template = templateFor(path);
    const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation === undefined) {
      const code = template === undefined ? 'not_found' : 'method_not_allowed';
      expect(status, where).toBe(template === undefined ? 404 : 405);
      expect(errorSchema(code).safeParse(exchange.body).error, where).toBeUndefined();
      if (template !== undefined) {
        const documented = Object.keys(document.paths[template] ?? {}).map((name) => name.toUpperCase());
        // HEAD is allowed with GET and is not documented.
        const methods = documented.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
        expect(headers.get('allow')?.split(', ').sort(), where).toEqual(methods.sort());
      }
      return;
    }
    const response = operation.responses[String(status)];
    expect(response, `${where} is not documented`).toBeDefined();
    const mediaTypes = Object.keys(response?.content ?? {});
    const mediaType = headers.get('content-type')?.split(';')[0] ?? '';
    if (!mediaTypes.includes('*/*')) expect(mediaTypes, where).toContain(mediaType);
    if (mediaType !== 'application/json' || mediaTypes.includes('*/*')) return;
    const pointer = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content'];
    assertValid(exchange, `/${[...pointer, mediaType, 'schema'].map(escapePointer).join('/')}`);
  };
}

/** Escapes a JSON pointer within a URI fragment. */
const escapePointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

function expectSecurityHeaders(headers: Headers, production: boolean, where: string): void {
  expect(headers.get('content-security-policy'), where).toMatch(
    /^default-src 'none';.*frame-ancestors 'none'$/,
  );
  expect(headers.get('x-content-type-options'), where).toBe('nosniff');
  expect(headers.get('x-frame-options'), where).toBe('DENY');
  expect(headers.get('referrer-policy'), where).toBe('no-referrer');
  expect(headers.get('cross-origin-opener-policy'), where).toBe('same-origin');
  expect(headers.get('cross-origin-resource-policy'), where).toBe('same-origin');
  expect(headers.get('cache-control'), where).toMatch(/^(?:no-store|public, max-age=3600)$/);
  expect(headers.get('strict-transport-security'), where).toBe(
    production ? 'max-age=31536000; includeSubDomains' : null,
  );
  expect(headers.get('server'), where).toBeNull();
  expect(headers.get('x-powered-by'), where).toBeNull();
}

/** Finds the template that the Functions host would choose for a path. Literals take precedence over parameters. */
function templatesOf(document: OpenApiDocument): (path: string) => string | undefined {
  const catchAlls = endpoints()
    .filter((endpoint) => endpoint.path.includes('{*'))
    .map((endpoint) => openApiPath(endpoint.path));
  const partsOf = (path: string) => path.split('/').filter((part) => part !== '');
  const routes = Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => ({ template, segments: partsOf(template), open: catchAlls.includes(template) }));
  return (path) => {
    const parts = partsOf(new URL(path, 'http://service').pathname.toLowerCase());
    return routes.find(
      ({ segments, open }) =>
        (open ? parts.length >= segments.length : parts.length === segments.length) &&
        segments.every((segment, index) => segment.startsWith('{') || segment === parts[index]),
    )?.template;
  };
}
