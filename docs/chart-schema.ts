import { z } from 'zod';
import { SettingsSchema } from '../core/config/config.ts';

const ChartSchema = z.looseObject({
  properties: z.looseObject({
    settings: z.looseObject({ properties: z.looseObject({}) }),
    secretSettings: z.looseObject({
      propertyNames: z.looseObject({
        anyOf: z.tuple([z.object({ enum: z.array(z.string()) }), z.unknown()]),
      }),
    }),
  }),
});

const isSecret = (name: string) => name === 'AzureWebJobsStorage' || `${name}_FILE` in SettingsSchema.shape;

/**
 * The schema of the chart's values with all settings of the service, plain ones and secrets apart, so that Helm refuses
 * those that are misspelt and secrets that are not in a secret.
 */
export function chartSchema(current: string): string {
  const schema = ChartSchema.parse(JSON.parse(current));
  const { settings, secretSettings } = schema.properties;
  const all = Object.entries(SettingsSchema.shape).filter(([name]) => !name.endsWith('_FILE'));
  settings.properties = Object.fromEntries(
    all
      .filter(([name]) => !isSecret(name))
      .map(([name, { description }]) => [name, { type: 'string', description }]),
  );
  secretSettings.propertyNames.anyOf[0].enum = all.map(([name]) => name).filter(isSecret);
  return `${JSON.stringify(schema, null, 2)}\n`;
}
