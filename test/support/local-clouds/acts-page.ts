import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { type Incoming, type Listener, listen } from '../graph/listen.ts';
import type { Acted } from './acts.ts';
import { pageOf } from './acts-html.ts';
import type { ServiceView } from './service-view.ts';

const ActBody = z.strictObject({
  libraryId: z.string().max(200),
  itemId: z.string().max(200).optional(),
  act: z.string(),
});

/**
 * The libraries of the fake and what the service knows of them, in a browser; as JSON the libraries alone. `POST /` with an
 * act, by form or JSON, changes them. Only pages of its own may post.
 */
export const startActsPage = <Act extends string>(
  fake: Acted<Act>,
  view: () => Promise<ServiceView>,
): Promise<Listener> => {
  const page: Promise<Listener> = listen(async (incoming, response) => {
    if (incoming.method === 'POST') act(fake, incoming, response, (await page).origin);
    else if (wantsPage(incoming))
      answer(response, 200, 'text/html; charset=utf-8', pageOf(fake, await view()));
    else answerJson(response, 200, { libraries: fake.libraries() });
  }, null);
  return page;
};

const wantsPage = ({ headers }: Incoming): boolean => (headers.accept ?? '').includes('text/html');

function act<Act extends string>(
  fake: Acted<Act>,
  incoming: Incoming,
  response: ServerResponse,
  origin: string,
): void {
  const { status, body } = acted(fake, incoming, origin);
  // Browsers open the library that the row is in.
  if ('itemId' in body && wantsPage(incoming))
    response.writeHead(303, { location: `/#${encodeURIComponent(body.itemId)}` }).end();
  else answerJson(response, status, body);
}

function acted<Act extends string>(fake: Acted<Act>, { headers, body }: Incoming, origin: string) {
  if (headers.origin !== undefined && headers.origin !== origin)
    return { status: 403, body: { message: 'Another page may not act here.' } };
  const asked = ActBody.safeParse(fieldsOf(body, headers['content-type'] ?? ''));
  const act = fake.acts.find((each) => each === asked.data?.act);
  if (!asked.success || act === undefined) {
    const message = `Send libraryId, itemId and act, which is one of ${fake.acts.join(', ')}.`;
    return { status: 400, body: { message } };
  }
  const itemId = fake.act({ ...asked.data, act });
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
