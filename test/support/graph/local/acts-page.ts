import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { GraphFake } from '../graph-fake.ts';
import { type Incoming, type Listener, listen } from '../listen.ts';
import { actAsUser, type ShownItem, type ShownLibrary, shownLibraries, USER_ACTS } from './user-acts.ts';

const ActBody = z.strictObject({
  libraryId: z.string().max(200),
  itemId: z.string().max(200).optional(),
  act: z.enum(USER_ACTS),
});

/**
 * The libraries of the fake, in a browser and as JSON: `GET /` lists them, `POST /` with an act, by form or JSON, changes
 * them. Only pages of its own may post.
 */
export const startActsPage = (fake: GraphFake): Promise<Listener> => {
  const page: Promise<Listener> = listen(async (incoming, response) => {
    if (incoming.method === 'POST') act(fake, incoming, response, (await page).origin);
    else if (wantsPage(incoming))
      answer(response, 200, 'text/html; charset=utf-8', pageOf(shownLibraries(fake.tenant())));
    else answerJson(response, 200, { libraries: shownLibraries(fake.tenant()) });
  }, null);
  return page;
};

const wantsPage = ({ headers }: Incoming): boolean => (headers.accept ?? '').includes('text/html');

function act(fake: GraphFake, incoming: Incoming, response: ServerResponse, origin: string): void {
  const { status, body } = acted(fake, incoming, origin);
  // Browsers open the library that the row is in.
  if ('itemId' in body && wantsPage(incoming))
    response.writeHead(303, { location: `/#${encodeURIComponent(body.itemId)}` }).end();
  else answerJson(response, status, body);
}

function acted(fake: GraphFake, { headers, body }: Incoming, origin: string) {
  if (headers.origin !== undefined && headers.origin !== origin)
    return { status: 403, body: { message: 'Another page may not act here.' } };
  const asked = ActBody.safeParse(fieldsOf(body, headers['content-type'] ?? ''));
  if (!asked.success) {
    const message = `Send libraryId, itemId and act, which is one of ${USER_ACTS.join(', ')}.`;
    return { status: 400, body: { message } };
  }
  const itemId = actAsUser(fake, asked.data);
  return itemId === null
    ? { status: 404, body: { message: 'This item does not take this act.' } }
    : { status: 200, body: { itemId } };
}

function fieldsOf(body: string, contentType: string): unknown {
  if (contentType.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body));
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function answer(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
}
const answerJson = (response: ServerResponse, status: number, body: object): void =>
  answer(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`);

const pageOf = (libraries: readonly ShownLibrary[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A fake of Microsoft 365</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td, th { border-top: 1px solid #ddd; padding: .2rem .5rem; text-align: left }
form { display: inline }
summary { cursor: pointer; font-size: 1.2rem; margin-top: 1rem }
</style>
</head>
<body>
<h1>A fake of Microsoft 365</h1>
<p>Act as the people of Nordwind. The service is notified of each change, and reads what changed.</p>
${libraries.map(sectionOf).join('\n')}
</body>
</html>
`;

const sectionOf = ({ libraryId, name, items }: ShownLibrary) => `<details>
<summary>${escaped(name)}: ${items.length}</summary>
<p>${formOf(libraryId, undefined, 'add')}</p>
<table>
<tr><th>Path</th><th>Label</th><th>Shared</th><th></th></tr>
${items.map((item) => rowOf(libraryId, item)).join('\n')}
</table>
</details>`;

const rowOf = (libraryId: string, { itemId, path, kind, label, sharedBy, acts }: ShownItem) =>
  `<tr id="${escaped(itemId)}"><td>${escaped(kind === 'folder' ? `${path}/` : path)}</td><td>${escaped(label ?? '')}</td><td>${sharedBy || ''}</td><td>${acts
    .map((act) => formOf(libraryId, itemId, act))
    .join(' ')}</td></tr>`;

const formOf = (libraryId: string, itemId: string | undefined, act: string) =>
  `<form method="post"><input type="hidden" name="libraryId" value="${escaped(libraryId)}">${
    itemId === undefined ? '' : `<input type="hidden" name="itemId" value="${escaped(itemId)}">`
  }<button name="act" value="${act}">${act}</button></form>`;

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
