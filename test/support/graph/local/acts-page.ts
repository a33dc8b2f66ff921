import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { GraphFake } from '../graph-fake.ts';
import { type Incoming, type Listener, listen } from '../listen.ts';
import { pageOf } from './acts-html.ts';
import type { ServiceView } from './service-view.ts';
import { actAsUser, shownLibraries, USER_ACTS } from './user-acts.ts';

const ActBody = z.strictObject({
  libraryId: z.string().max(200),
  itemId: z.string().max(200).optional(),
  act: z.enum(USER_ACTS),
});

/**
 * The libraries of the fake and what the service knows of them, in a browser; as JSON the libraries alone. `POST /` with an
 * act, by form or JSON, changes them. Only pages of its own may post.
 */
export const startActsPage = (fake: GraphFake, view: () => Promise<ServiceView>): Promise<Listener> => {
  const page: Promise<Listener> = listen(async (incoming, response) => {
    const libraries = () => shownLibraries(fake.tenant());
    if (incoming.method === 'POST') act(fake, incoming, response, (await page).origin);
    else if (wantsPage(incoming))
      answer(response, 200, 'text/html; charset=utf-8', pageOf(libraries(), await view()));
    else answerJson(response, 200, { libraries: libraries() });
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
