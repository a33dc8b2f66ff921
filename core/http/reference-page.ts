import { readFile } from 'node:fs/promises';
import path from 'node:path';
import packageFolder from 'swagger-ui-dist/absolute-path.js';
import type { Content } from './declaration.ts';

/** The files of the page: those of the installed package, and the service's own. */
export const REFERENCE_FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'favicon-32x32.png',
  'start.js',
] as const;
export type ReferenceFile = (typeof REFERENCE_FILES)[number];

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
};

/** All files come from this service. The page sets styles on its own elements, which needs the exception. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="/api/docs/favicon-32x32.png">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`;

/** Signed-in readers can call the endpoints. Every change carries the token of their session. */
const START = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  docExpansion: 'none',
  requestInterceptor: async (request) => {
    if (request.method === undefined || request.method === 'GET') return request;
    const me = await fetch('/api/auth/me');
    if (me.ok) request.headers['x-svc-csrf'] = (await me.json()).csrfToken;
    return request;
  },
});
`;

export const referencePage = (): Content => ({
  contentType: 'text/html; charset=utf-8',
  body: PAGE,
  contentSecurityPolicy: POLICY,
});

const cache = new Map<ReferenceFile, Promise<Uint8Array | string>>();

/** One file of the page. It is read once. */
export async function referenceFile(name: ReferenceFile): Promise<Content> {
  const body = cache.get(name) ?? load(name);
  cache.set(name, body);
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return {
    contentType: MEDIA_TYPES[extension] ?? 'application/octet-stream',
    body: await body,
    cacheControl: 'public, max-age=3600',
  };
}

async function load(name: ReferenceFile): Promise<Uint8Array | string> {
  return name === 'start.js' ? START : readFile(path.join(packageFolder(), name));
}
