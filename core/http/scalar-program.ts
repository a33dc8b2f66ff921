import scalar from '@scalar/fastify-api-reference';

type Reply = { header(): Reply; send(text: string): void };
type Route = { url: string; handler(request: null, reply: Reply): void };
type Plugin = (server: object, options: object, done: () => void) => void;

/**
 * The program of the reference page. The package holds it as one text and gives it to Fastify alone, so that this
 * plays the part of Fastify. The package that has it as a file brings 400 others (docs/adr/0026).
 */
export function scalarProgram(): string {
  const routes: Route[] = [];
  const server = { route: (route: Route) => routes.push(route), initialConfig: {}, hasPlugin: () => false };
  const options = { routePrefix: '/api/docs', configuration: { url: '/api/openapi.json' } };
  (scalar as unknown as Plugin)(server, options, () => undefined);
  const program: string[] = [];
  const reply: Reply = { header: () => reply, send: (text) => program.push(text) };
  routes.find(({ url }) => url.endsWith('.js'))?.handler(null, reply);
  const [text] = program;
  if (text === undefined) throw new Error('The package of the reference page has no program.');
  return text;
}
