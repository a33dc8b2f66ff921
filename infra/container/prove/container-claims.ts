import { measured, proved } from './claims.ts';
import { confinementOf, refuseTraces } from './confinement.ts';
import type { Container } from './container.ts';
import type { RunningProject } from './project.ts';

const END_WITHIN_SECONDS = 10;

/** The containers of our services that stay. */
const ours = (running: RunningProject) => ['host', 'worker'].flatMap(running.containers);

export async function proveConfinement(running: RunningProject): Promise<void> {
  for (const container of ours(running)) {
    await proved(
      `${container.name} is confined`,
      () => confinementOf(container),
      (seen) => seen,
    );
  }
}

/** Ends a container by SIGTERM and tells how long it takes. */
export async function proveEndOf(container: Container): Promise<void> {
  const ms = await container.stop(END_WITHIN_SECONDS * 2_000);
  measured(`SIGTERM ends ${container.name}`, ms / 1_000, { limit: END_WITHIN_SECONDS, unit: 's' });
  await proved(
    `${container.name} ends as it should`,
    async () => {
      const code = await container.ended;
      if (code !== 0) throw new Error(`it ended with ${code}`);
    },
    () => 'exit code 0',
  );
}

/** Ends everything, ours first, and looks for traces of all that ran with a read-only root. */
export async function proveEnd(running: RunningProject): Promise<void> {
  for (const container of ours(running)) await proveEndOf(container);
  await running.stop();
  const confined = running.everStarted().filter(({ service }) => service.read_only);
  await proved(
    'nothing is written outside the stated paths',
    () => Promise.all(confined.map(refuseTraces)),
    ({ length }) => `${length} containers, from first to last`,
  );
}
