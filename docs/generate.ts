import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHECKS } from '../core/commands/doctor/checks.ts';
import { AdapterSettingsSchema } from '../core/config/adapter-config.ts';
import { SettingsSchema } from '../core/config/config.ts';
import { configurationTable } from '../core/config/config-table.ts';
import { ALLOWED_CALLS as DRIVE_CALLS } from '../core/connectors/cloud-drive/allowed-calls.ts';
import { ALLOWED_CALLS } from '../core/connectors/m365/allowed-calls.ts';
import { DETECTORS } from '../core/detectors/index.ts';
import { adapterTable } from './adapter-table.ts';
import { apiReference } from './api-reference.ts';
import { chartSchema } from './chart-schema.ts';
import { CHAPTERS } from './conformance/chapters.ts';
import { conformancePage } from './conformance-page.ts';
import { detectorTable } from './detector-table.ts';
import { doctorTable } from './doctor-table.ts';
import { functionFiles } from './function-files.ts';
import { loadFunctions } from './load-functions.ts';
import { driveCallTable, permissionTable } from './permission-table.ts';
import { roomTable } from './room-table.ts';
import { ROOMS } from './rooms.ts';
import { schemaPage } from './schema-page.ts';
import { withSection } from './section.ts';

/** Writes a section that a document takes from the code. */
async function rewrite(file: string, section: string, content: string): Promise<void> {
  const target = path.resolve(import.meta.dirname, file);
  await writeFile(target, withSection(await readFile(target, 'utf8'), section, content));
}

const { endpoints } = await loadFunctions();
await writeFile(path.join(import.meta.dirname, 'api.md'), apiReference(endpoints));
await writeFile(path.join(import.meta.dirname, 'conformance.md'), conformancePage(CHAPTERS));
const chart = path.resolve(import.meta.dirname, '../infra/helm/values.schema.json');
await writeFile(chart, chartSchema(await readFile(chart, 'utf8')));
await rewrite('../README.md', 'settings', configurationTable(SettingsSchema));
await rewrite('detectors.md', 'detectors', detectorTable(DETECTORS));
await rewrite('permissions.md', 'permissions', permissionTable(ALLOWED_CALLS));
await rewrite('permissions.md', 'cloud-drive-calls', driveCallTable(DRIVE_CALLS));
await rewrite('operations.md', 'doctor', doctorTable(CHECKS));
await rewrite('adapter.md', 'tools', adapterTable(endpoints));
await rewrite('adapter.md', 'settings', configurationTable(AdapterSettingsSchema));
await rewrite('architecture.md', 'rooms', roomTable(ROOMS));
const schema = await readFile(path.resolve(import.meta.dirname, '../test/schema.sql'), 'utf8');
await writeFile(path.join(import.meta.dirname, 'schema.md'), `${schemaPage(schema, functionFiles())}\n`);
