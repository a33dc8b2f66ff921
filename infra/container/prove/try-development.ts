import path from 'node:path';
import { byDevelopmentSignIn } from '../../local/sign-in-as.ts';
import type { BuiltImage, Work } from './buildah.ts';
import { proved } from './claims.ts';
import { readProject } from './compose-file.ts';
import { proveConfinement, proveEnd } from './container-claims.ts';
import { composeProject } from './project.ts';

/** Where the README says that the API answers. */
const SERVICE_URL = 'http://127.0.0.1:7071';

/** The README's third command. Its files are as the first two left them, and so are the users of the containers. */
export async function tryDevelopment(work: Work, images: ReadonlyMap<string, BuiltImage>): Promise<void> {
  console.log('\nAs in the README:');
  const file = path.join(work, 'development/infra/compose/compose.yaml');
  const project = await readProject(file);
  const running = await composeProject(work, project, images);
  await proved('README 3, up --wait', running.up, () => 'every service is healthy or has ended with 0');
  await proved(`GET ${SERVICE_URL}/api/docs`, async () => {
    const response = await fetch(`${SERVICE_URL}/api/docs`);
    if (!response.ok) throw new Error(`answered with ${response.status}`);
  });
  await proved(
    'a person of the development tenant signs in and lists the sources',
    async () => {
      const person = await byDevelopmentSignIn(SERVICE_URL)('platform_admin');
      return person.get<{ items: unknown[] }>('/api/sources');
    },
    ({ items }) => `${items.length} sources`,
  );
  await proveConfinement(running);
  await proveEnd(running);
}
