import { z } from 'zod';
import { SettingsSchema } from '../core/config/config.ts';

const ChartSchema = z.looseObject({
  properties: z.looseObject({ settings: z.looseObject({ properties: z.looseObject({}) }) }),
});

/** A secret belongs into a secret of the cluster, and a path to a file is the chart's own. */
const isPlain = (name: string) =>
  name !== 'AzureWebJobsStorage' && !name.endsWith('_FILE') && !(`${name}_FILE` in SettingsSchema.shape);

/**
 * The schema of the chart's values with all settings of the service that are no secrets, so that Helm refuses others and
 * those that are misspelt.
 */
export function chartSchema(current: string): string {
  const schema = ChartSchema.parse(JSON.parse(current));
  schema.properties.settings.properties = Object.fromEntries(
    Object.entries(SettingsSchema.shape)
      .filter(([name]) => isPlain(name))
      .map(([name, { description }]) => [name, { type: 'string', description }]),
  );
  return `${JSON.stringify(schema, null, 2)}\n`;
}
