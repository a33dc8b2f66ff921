import { renderTable } from '../infra/local/table.ts';
import { unpackApp } from '../test/support/release/app.ts';
import {
  presentVersion,
  readCode,
  readDatabase,
  recordedReleases,
  releaseBefore,
  unpackMigrations,
} from '../test/support/release/recorded.ts';
import { readOptions } from './support/command-line.ts';
import { startCluster } from './support/database.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';
import { type Effort, type Round, type RoundCounts, upgradeRound } from './upgrade/round.ts';

const USAGE = `npm run bench -- upgrade [--seconds N] [--json]

Upgrades the release before again and again, under load: kills workers, and restores backups into other databases. Fails
if an answer is an error, a unit is lost or takes effect twice, or an audit chain breaks.

  --seconds N  approximate time (default 1800)
  --json       end with one JSON object on the last line`;

const options = readOptions(USAGE, { seconds: 1_800 });

const EFFORT: Effort = options.smoke
  ? { killing: 0, workers: 1, patient: false }
  : { killing: 15, workers: 2, patient: true };

async function run(workspace: Workspace) {
  const release = releaseBefore(await presentVersion(), await recordedReleases());
  const [database, migrations, app, cluster] = await Promise.all([
    readDatabase(release),
    unpackMigrations(release, `${workspace.folder}/migrations`),
    readCode(release).then((code) => unpackApp(code, `${workspace.folder}/release`)),
    startCluster(workspace),
  ]);
  const rounds: Round[] = [];
  const deadline = performance.now() + options.seconds * 1000;
  do {
    const round = await upgradeRound(
      cluster,
      { database, migrations, app },
      `round_${rounds.length + 1}`,
      EFFORT,
    );
    rounds.push(round);
    for (const problem of round.problems) console.log(`round ${rounds.length}: ${problem}`);
  } while (performance.now() < deadline);
  return { from: release.version, to: await presentVersion(), rounds };
}

const began = performance.now();
const { from, to, rounds } = await inWorkspace(run);
const total = (member: keyof RoundCounts) => rounds.reduce((sum, { counts }) => sum + counts[member], 0);
const figures = {
  from,
  to,
  seconds: Math.round((performance.now() - began) / 1000),
  rounds: rounds.length,
  answers: total('answers'),
  slowestAnswerMs: Math.max(...rounds.map(({ slowestAnswerMs }) => slowestAnswerMs)),
  filesAdded: total('filesAdded'),
  filesTakenIn: total('filesTakenIn'),
  workersKilled: total('workersKilled'),
  unitsRetried: total('unitsRetried'),
  backupsRestored: total('backupsRestored'),
  rowsRestored: total('rowsRestored'),
  problems: rounds.reduce((sum, { problems }) => sum + problems.length, 0),
};
console.log(renderTable(['Upgrades under load', 'count'], Object.entries(figures)));
if (options.json) console.log(JSON.stringify(figures));
if (figures.problems > 0) process.exitCode = 1;
