import { z } from 'zod';
import { CAPABILITIES, GRANTS } from '../core/authz/capabilities.ts';
import type { Access, Endpoint } from '../core/http/declaration.ts';
import { errorSchema } from '../core/http/errors.ts';
import { IDEMPOTENCY_HEADER } from '../core/http/idempotency.ts';
import { errorsOf, moduleOf, producedBy } from '../core/http/openapi.ts';
import { ERROR_STATUS, type ErrorCode } from '../core/kernel/errors.ts';
import { ROLES } from '../core/kernel/vocabulary.ts';

const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

const table = (heading: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(heading), row(heading.map(() => '---')), ...rows.map(row)].join('\n');

const code = (text: string) => `\`${text}\``;

/** The reference of the HTTP interface as Markdown. Pure: the same endpoints give the same text. */
export function apiReference(endpoints: readonly Endpoint[]): string {
  const modules = [...Map.groupBy(endpoints, moduleOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  return `# API

Written by \`npm run docs\` from the declarations in \`functions/http\`; edit those. The running service gives the
same as an OpenAPI document at \`/api/openapi.json\` and as a page at \`/api/docs\`.

Bodies are JSON. Unknown fields and unknown query parameters are refused. Changes made with a session send its token in
\`x-svc-csrf\`. Every answer carries \`x-svc-correlation\`, and \`x-svc-auth-mode\` save for the CSRF rejection. Lists
answer \`{ items, truncated }\`: they are bounded without pages.

## Endpoints

${modules.map(([name, list]) => `### ${name}\n\n${list.map(endpointText).join('\n\n')}`).join('\n\n')}

## Roles and capabilities

\`tenant\`: in the whole tenant. \`domain\`: in the domains that the principal owns. What is not granted is denied, and
every denial is audited.

${table(
  ['Capability', ...ROLES.map(code)],
  CAPABILITIES.map((capability) => [
    code(capability),
    ...ROLES.map((role) => GRANTS[capability][role] ?? ''),
  ]),
)}

## Errors

${table(
  ['Code', 'Status', 'Fields of the body'],
  (Object.keys(ERROR_STATUS) as ErrorCode[]).map((name) => [
    code(name),
    String(ERROR_STATUS[name]),
    fieldsOf(errorSchema(name)).map(code).join(', '),
  ]),
)}
`;
}

function endpointText(endpoint: Endpoint): string {
  const statuses = [
    ...new Set([...producedBy(endpoint).keys(), ...errorsOf(endpoint).map((name) => ERROR_STATUS[name])]),
  ].sort((a, b) => a - b);
  const query = endpoint.query === undefined ? [] : fieldsOf(endpoint.query);
  const lines = [
    `Access: ${accessText(endpoint.access)}${whereOnly(endpoint)}.`,
    ...(query.length === 0 ? [] : [`Query: ${query.map(code).join(', ')}.`]),
    ...(endpoint.idempotent ? [`Header: ${code(`${IDEMPOTENCY_HEADER}?`)}.`] : []),
    ...(endpoint.body === undefined ? [] : [`Body: ${fieldsOf(endpoint.body).map(code).join(', ')}.`]),
    `Answer: ${answerOf(endpoint).map(code).join(', ')}.`,
    `Statuses: ${statuses.join(', ')}.`,
  ];
  const text = `${sentence(endpoint.summary)} ${endpoint.description ?? ''}`.trim();
  return `#### \`${endpoint.method} ${endpoint.path}\`\n\n${text}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

/** With its full stop, unless it asks. */
const sentence = (summary: string) => (summary.endsWith('?') ? summary : `${summary}.`);

/** Fields of the answer, or the media types of one that has no fields. */
function answerOf(endpoint: Endpoint): string[] {
  if (endpoint.response !== undefined) return fieldsOf(endpoint.response);
  return [...new Set([...producedBy(endpoint).values()].flat())];
}

function whereOnly({ devOnly, idpOnly }: Endpoint): string {
  if (devOnly) return '; in development only';
  return idpOnly ? '; with SVC_AUTH_MODE=idp only' : '';
}

function accessText(access: Access): string {
  switch (access.kind) {
    case 'anyone':
      return 'anyone';
    case 'session':
      return 'anyone signed in';
    case 'source':
      return 'a source that calls back';
    case 'can':
      return code(access.capability);
  }
}

type Shape = { properties?: Record<string, unknown>; required?: string[]; oneOf?: Shape[]; anyOf?: Shape[] };

/** Names of an object's fields, or of those of a union; one that may be left out has a question mark. */
function fieldsOf(schema: z.ZodType): string[] {
  const whole = z.toJSONSchema(schema, { io: 'input' }) as Shape;
  const members = whole.oneOf ?? whole.anyOf ?? [whole];
  const names = new Set(members.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].map((name) =>
    members.every(({ required = [] }) => required.includes(name)) ? name : `${name}?`,
  );
}
