import { z } from 'zod';
import { ConfigError } from './config.ts';
import { readSettings } from './read-settings.ts';
import type { Environment } from './secret-files.ts';
import { file, text } from './setting-kinds.ts';

const secret = z.string().min(1).max(1024).optional();

/** The settings of `npm run mcp`. It reads none of the settings of the service. */
export const AdapterSettingsSchema = z.object({
  SVC_MCP_URL: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .default('http://127.0.0.1:7071')
    .describe('Address of the service; https, unless it is on this machine'),
  SVC_MCP_PRINCIPAL: text('Principal to sign in as, in development only, such as `pri_amara_okafor`'),
  SVC_MCP_SESSION_COOKIE: secret.describe(
    'Value of the cookie `svc_session` of a session, instead of a principal',
  ),
  SVC_MCP_SESSION_COOKIE_FILE: file('`SVC_MCP_SESSION_COOKIE`'),
  SVC_MCP_CSRF_TOKEN: secret.describe('CSRF token of that session, from `GET /api/auth/me`'),
  SVC_MCP_CSRF_TOKEN_FILE: file('`SVC_MCP_CSRF_TOKEN`'),
});
type AdapterSettings = z.infer<typeof AdapterSettingsSchema>;

export type AdapterConfig = {
  /** Without a slash at its end. */
  url: string;
  identity:
    | { kind: 'principal'; principalId: string }
    | { kind: 'session'; cookie: string; csrfToken: string };
};

/** Parses the environment of `npm run mcp`. Throws `ConfigError` with all problems at once. */
export function loadAdapterConfig(env: Environment = process.env): AdapterConfig {
  const inFiles = ['SVC_MCP_SESSION_COOKIE', 'SVC_MCP_CSRF_TOKEN'];
  const { data, problems, fileProblems } = readSettings(AdapterSettingsSchema, env, inFiles);
  if (data === undefined || fileProblems.length > 0) throw new ConfigError([...problems, ...fileProblems]);
  return { url: addressOf(data), identity: identityOf(data) };
}

function addressOf({ SVC_MCP_URL: url }: AdapterSettings): string {
  const { protocol, hostname, origin, pathname } = new URL(url);
  if (protocol === 'http:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) {
    throw new ConfigError(['SVC_MCP_URL: must be https, because the session is sent there']);
  }
  return `${origin}${pathname}`.replace(/\/$/, '');
}

function identityOf(settings: AdapterSettings): AdapterConfig['identity'] {
  const {
    SVC_MCP_PRINCIPAL: principalId,
    SVC_MCP_SESSION_COOKIE: cookie,
    SVC_MCP_CSRF_TOKEN: csrfToken,
  } = settings;
  if (principalId !== undefined && cookie === undefined && csrfToken === undefined) {
    return { kind: 'principal', principalId };
  }
  if (principalId === undefined && cookie !== undefined && csrfToken !== undefined) {
    return { kind: 'session', cookie: cookie.replace(/^svc_session=/, ''), csrfToken };
  }
  throw new ConfigError([
    'SVC_MCP_PRINCIPAL: set it, in development, or both SVC_MCP_SESSION_COOKIE and SVC_MCP_CSRF_TOKEN; not both ways',
  ]);
}
