import { readdirSync } from 'node:fs';
import { nodeProblem } from './core/kernel/needed-node.ts';

/**
 * What the language worker loads: all functions, if Node is new enough for them. They are imported only then, because
 * an old Node could not even link them.
 */
const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  // Without any function the worker reports an app that has none, and no error. With one it reports the error.
  const { app } = await import('@azure/functions');
  app.http('needs-newer-node', { handler: () => ({ status: 503, body: problem }) });
  throw new Error(problem);
}

const folder = new URL('functions/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
for (const file of files.filter((name) => /\.[jt]s$/.test(name)).sort()) {
  await import(new URL(file.replaceAll('\\', '/'), folder).href);
}
