import { z } from 'zod';
import { SESSION_COOKIE } from '../auth/session.sql.ts';
import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { type SchemaComponents, schemaComponents } from './components.ts';
import { CSRF_HEADER } from './csrf.ts';
import { type Endpoint, looksUpSession } from './declaration.ts';
import { errorSchema, MAX_RETRY_AFTER_SECONDS } from './errors.ts';
import { EXAMPLES, PARAMETER_EXAMPLES } from './examples.ts';
import { idDescription, PARAMETER_DESCRIPTIONS } from './field-descriptions.ts';
import { IDEMPOTENCY_HEADER, IdempotencyKeySchema } from './idempotency.ts';
import { inOneManner, type JsonSchema, opened, reference } from './json-schema.ts';
import { TAGS } from './tags.ts';

type MediaTypes = Record<string, { schema: JsonSchema; example?: unknown }>;
type Reference = { $ref: string };

type OpenApiResponse = {
  description: string;
  headers: Record<string, Reference>;
  content: MediaTypes;
};

type OpenApiOperation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: JsonSchema[];
  requestBody?: { required: boolean; content: MediaTypes };
  responses: Record<string, OpenApiResponse>;
};

export type OpenApiDocument = {
  openapi: '3.1.1';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: Record<string, Record<string, JsonSchema>>;
};

/** What holds for all operations, as paragraphs. */
const CONVENTIONS = [
  'Sign in first: a browser has a session cookie and sends the token of `GET /api/auth/me` as `x-svc-csrf` with each ' +
    'change. A program sends an access token and needs neither.',
  'Errors have a code in `error`. Decide by the code, not by the message.',
  'Lists are bounded and have no pages: `truncated` says that there are more. Exports hold all.',
  'Answers may get further fields in later releases. Readers pass over fields that they do not know. Bodies and queries ' +
    'with unknown fields are refused.',
  'A read has an `ETag`. Sent back in `If-None-Match`, it gets 304 without a body while nothing has changed.',
]
  .map((paragraph) => `\n\n${paragraph}`)
  .join('');

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** Every error of an endpoint: those that follow from its access, parameters and body, and those that it declares. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  // Requests of sources are always accepted.
  if (endpoint.access.kind === 'source') return [];
  const mutates = endpoint.method !== 'GET';
  const codes = new Set<ErrorCode>([
    'internal_error',
    ...(looksUpSession(endpoint) ? (['overloaded'] as const) : []),
    // Every endpoint refuses unknown query parameters.
    'validation_failed',
    ...(endpoint.access.kind === 'anyone' ? [] : (['authentication_required'] as const)),
    ...(endpoint.access.kind === 'can' ? (['not_permitted'] as const) : []),
    ...(mutates ? (['csrf_token_invalid', 'payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(endpoint.params !== undefined || endpoint.devOnly || endpoint.idpOnly
      ? (['not_found'] as const)
      : []),
    ...(endpoint.errors ?? []),
  ]);
  return ERROR_CODES.filter((code) => codes.has(code));
}

/** The path in OpenAPI syntax, which has no catch-all parameters. */
export const openApiPath = (path: string) => path.replace('{*', '{');

/** The second segment of the path: the module that the endpoint belongs to. */
export const moduleOf = (endpoint: Endpoint) => endpoint.path.split('/')[2] ?? '';

/**
 * The OpenAPI 3.1 document of the endpoints. Pure.
 * @param closed whether answers may have no further fields, as this release sends them
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { closed = false }: { closed?: boolean } = {},
): OpenApiDocument {
  const components = schemaComponents(endpoints, closed);
  const answered = new Set(endpoints.flatMap(errorsOf));
  const paths: OpenApiDocument['paths'] = {};
  for (const endpoint of endpoints) {
    const path = openApiPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, components) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Data discovery and governance',
      version: PRODUCT_VERSION,
      description:
        'Inventories data assets, classifies them against an approved taxonomy and asks domain owners: is this yours?' +
        CONVENTIONS,
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => endpoints.some((endpoint) => moduleOf(endpoint) === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: {
        ...components.schemas,
        ...Object.fromEntries(
          ERROR_CODES.filter((code) => answered.has(code)).map((code) => [
            schemaName(code),
            closed
              ? jsonSchema(errorSchema(code), 'output')
              : opened(jsonSchema(errorSchema(code), 'output')),
          ]),
        ),
      },
      headers: {
        AuthMode: {
          description: 'How people sign in. The CSRF rejection alone goes without it.',
          schema: reference('AuthMode'),
        },
        Correlation: {
          description: 'The id that the request has in the log and in the audit trail.',
          schema: { type: 'string' },
          required: true,
        },
        ETag: {
          description: 'A mark of the content, for `If-None-Match`.',
          schema: { type: 'string' },
        },
        Location: {
          description: 'Where to look at what has become of it.',
          schema: { type: 'string' },
          required: true,
        },
        RetryAfter: {
          description: 'Seconds to wait before the request is sent again.',
          schema: { type: 'integer', minimum: 1, maximum: MAX_RETRY_AFTER_SECONDS },
          required: true,
        },
      },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'Signing in sets it.',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: CSRF_HEADER,
          description: 'The token of the session, as signing in and `/api/auth/me` tell it.',
        },
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'An access token of the identity provider, for callers that are no browser. The deployment must set ' +
            'SVC_API_AUDIENCE. A request with a session cookie as well is refused.',
        },
      },
    },
  };
}

function operationOf(endpoint: Endpoint, components: SchemaComponents): OpenApiOperation {
  const notes = [
    ...(endpoint.description === undefined ? [] : [endpoint.description]),
    ...(endpoint.access.kind === 'can' ? [`Needs the capability \`${endpoint.access.capability}\`.`] : []),
    ...(endpoint.devOnly ? ['Exists in development only; elsewhere it answers 404.'] : []),
    ...(endpoint.idpOnly ? ['Exists in the mode `idp` only; elsewhere it answers 404.'] : []),
  ];
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    ...(notes.length > 0 && { description: notes.join(' ') }),
    tags: [moduleOf(endpoint)],
    security: securityOf(endpoint),
    parameters: [
      ...parameters(endpoint, 'path'),
      ...parameters(endpoint, 'query'),
      ...(endpoint.idempotent
        ? [
            {
              name: IDEMPOTENCY_HEADER,
              in: 'header',
              required: false,
              description:
                'Chosen by the client. The same request with the same key has its effect once; another request with it is refused.',
              schema: jsonSchema(IdempotencyKeySchema, 'input'),
            },
          ]
        : []),
    ],
    ...(endpoint.body !== undefined && {
      requestBody: {
        required: !endpoint.body.safeParse({}).success,
        content: {
          'application/json': {
            schema: components.request(endpoint.body),
            ...(EXAMPLES[endpoint.name] !== undefined && { example: EXAMPLES[endpoint.name] }),
          },
        },
      },
    }),
    responses: together(successesOf(endpoint, components), failuresOf(endpoint)),
  };
}

/** Changes with a session always require its token. Sources have neither. */
function securityOf({ access, method }: Endpoint): OpenApiOperation['security'] {
  if (access.kind === 'source' || (access.kind === 'anyone' && method === 'GET')) return [];
  const token = { accessToken: [] };
  if (method === 'GET') return [{ session: [] }, token];
  const both = { session: [], csrf: [] };
  return access.kind === 'anyone' ? [{}, both, token] : [both, token];
}

function parameters(endpoint: Endpoint, where: 'path' | 'query'): JsonSchema[] {
  const schema = where === 'path' ? endpoint.params : endpoint.query;
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...type } = inOneManner(property) as JsonSchema;
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      description:
        description ?? (name === 'id' ? idDescription(endpoint.path) : PARAMETER_DESCRIPTIONS[name]),
      schema: type,
      ...((where === 'path' || required.includes(name)) &&
        PARAMETER_EXAMPLES[name] !== undefined && { example: PARAMETER_EXAMPLES[name] }),
    };
  });
}

const headers = {
  'x-svc-auth-mode': { $ref: '#/components/headers/AuthMode' },
  'x-svc-correlation': { $ref: '#/components/headers/Correlation' },
};

const retryAfter = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };

/** The statuses of answers that are no errors, with the media types of each. */
export function producedBy({
  produces = 'application/json',
  statuses = [],
}: Endpoint): Map<number, string[]> {
  if (typeof produces === 'string' || Array.isArray(produces))
    return new Map([200, ...statuses].map((status) => [status, [produces].flat()]));
  return new Map(Object.entries(produces).map(([status, mediaType]) => [Number(status), [mediaType]]));
}

function successesOf(endpoint: Endpoint, components: SchemaComponents): Record<string, OpenApiResponse> {
  const { response } = endpoint;
  const hasTag = response !== undefined && endpoint.method === 'GET' && !endpoint.carriesSecret;
  const produced = producedBy(endpoint);
  const contentOf = (status: number): MediaTypes => {
    if (response !== undefined) return { 'application/json': { schema: components.answer(response) } };
    const mediaTypes = produced.get(status) ?? [];
    return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: {} }]));
  };
  return Object.fromEntries(
    [...produced.keys()].map((status) => [
      String(status),
      {
        description: endpoint.summary,
        headers: {
          ...headers,
          ...(hasTag && status === 200 && { etag: { $ref: '#/components/headers/ETag' } }),
          ...(((endpoint.access.kind === 'source' && status === 202) || endpoint.location) && {
            location: { $ref: '#/components/headers/Location' },
          }),
        },
        content: contentOf(status),
      },
    ]),
  );
}

/** A page for people, or an answer of a protocol, can have the status of an error of the API. */
function together(
  successes: Record<string, OpenApiResponse>,
  failures: Record<string, OpenApiResponse>,
): Record<string, OpenApiResponse> {
  const merged = { ...successes, ...failures };
  for (const [status, failure] of Object.entries(failures)) {
    const content = { ...failure.content, ...successes[status]?.content };
    merged[status] = { ...failure, content };
  }
  return merged;
}

/** One response per status, because several codes can share one. */
function failuresOf(endpoint: Endpoint): Record<string, OpenApiResponse> {
  const byStatus = Map.groupBy(errorsOf(endpoint), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const references = codes.map((code) => reference(schemaName(code)));
      return [
        String(status),
        {
          description: codes.join(' or '),
          headers: codes.includes('overloaded') ? { ...headers, ...retryAfter } : headers,
          content: {
            'application/json': { schema: references.length === 1 ? references[0] : { oneOf: references } },
          },
        } as OpenApiResponse,
      ];
    }),
  );
}

const schemaName = (code: ErrorCode) => `error_${code}`;

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return inOneManner(z.toJSONSchema(schema, { io })) as JsonSchema;
}
