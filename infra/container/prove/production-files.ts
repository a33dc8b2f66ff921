import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Work } from './buildah.ts';
import { type Project, readProject, type Service } from './compose-file.ts';
import { runProgram } from './run-program.ts';

const WITHIN = { withinMs: 60_000 };

/** Files by share. The second scan takes long enough to be interrupted. */
const SHARES = { office: 600, archive: 1_500 } as const;

type SignIn = { issuer: string; clientId: string; clientSecret: string; redirectUri: string };

/** A second clone, prepared for production as docs/deployment.md says, with shares to scan. */
export async function prepareProduction(work: Work, signIn: SignIn): Promise<Project> {
  const clone = path.join(work, 'production');
  await runProgram('git', ['clone', '--quiet', path.join(work, 'development'), clone], WITHIN);
  const folder = path.join(clone, 'infra/compose');
  await runProgram(path.join(folder, 'prepare.sh'), [], WITHIN);
  const shares = path.join(work, 'shares');
  for (const [name, files] of Object.entries(SHARES)) await fillShare(path.join(shares, name), files);
  const settings = {
    SVC_IDP_ISSUER: signIn.issuer,
    SVC_IDP_CLIENT_ID: signIn.clientId,
    SVC_IDP_CLIENT_SECRET_REF: 'IDP_CLIENT_SECRET',
    SVC_IDP_REDIRECT_URI: signIn.redirectUri,
    SHARES: shares,
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_SHARES: Object.keys(SHARES).join(','),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await appendFile(path.join(folder, '.env'), lines.join(''));
  await writeFile(path.join(folder, 'secrets/idp-client-secret'), signIn.clientSecret);
  return readProject(path.join(folder, 'compose.yaml'));
}

async function fillShare(folder: string, files: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let number = 1; number <= files; number++) {
    const line = `Invoice ${number} of Baltic Castings, amount due EUR ${number}.00, 30 days net, order PO-${number}.\n`;
    await writeFile(path.join(folder, `Invoice ${number}.txt`), line.repeat(20));
  }
}

/** The same, with a user whom the images do not know, as platforms choose one. Mounts in memory are theirs. */
export function asForeigner(project: Project, user: string): Project {
  const services = [...project.services].map(([name, service]): [string, Service] => [
    name,
    service.user === undefined
      ? service
      : {
          ...service,
          user: `${user}:${user}`,
          tmpfs: service.tmpfs.map((text) => text.replace(/uid=\d+,gid=\d+/, `uid=${user},gid=${user}`)),
        },
  ]);
  return { ...project, services: new Map(services) };
}
