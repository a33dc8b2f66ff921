import type { Content } from './declaration.ts';

/** The files of the page: the program of the installed package, and the service's own. */
export const REFERENCE_FILES = ['scalar.js', 'start.js'] as const;
export type ReferenceFile = (typeof REFERENCE_FILES)[number];

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
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script src="/api/docs/scalar.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`;

/**
 * Signed-in readers can call the endpoints. Every change carries the token of their session. Nothing is loaded from
 * elsewhere and nothing is sent elsewhere: no fonts, no telemetry, no assistant of the vendor.
 */
const START = `Scalar.createApiReference('#reference', {
  url: '/api/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  onRequestBuilt: async ({ request }) => {
    if (request.method === 'GET') return;
    const me = await fetch('/api/auth/me');
    if (me.ok) request.headers.set('x-svc-csrf', (await me.json()).csrfToken);
  },
});
`;

export const referencePage = (): Content => ({
  contentType: 'text/html; charset=utf-8',
  body: PAGE,
  contentSecurityPolicy: POLICY,
});

const cache = new Map<ReferenceFile, Promise<Uint8Array>>();

/** One file of the page. It is read once. */
export async function referenceFile(name: ReferenceFile): Promise<Content> {
  const body = cache.get(name) ?? load(name);
  cache.set(name, body);
  return {
    contentType: 'text/javascript; charset=utf-8',
    body: await body,
    cacheControl: 'public, max-age=3600',
  };
}

/** The program is a large module, which nobody needs before somebody reads the reference. */
async function load(name: ReferenceFile): Promise<Uint8Array> {
  if (name === 'start.js') return Buffer.from(START);
  const { scalarProgram } = await import('./scalar-program.ts');
  return Buffer.from(scalarProgram());
}
