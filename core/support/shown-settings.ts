import { isDeepStrictEqual } from 'node:util';
import { type Config, type SettingName, SettingsSchema } from '../config/config.ts';

/** The settings that differ from their defaults, in order. Flags and numbers are shown, everything else as `set`. */
export function shownSettings(config: Config): Partial<Record<SettingName, boolean | number | 'set'>> {
  const names = Object.keys(SettingsSchema.shape) as SettingName[];
  return Object.fromEntries(
    names
      .filter(
        (name) => !isDeepStrictEqual(config[name], SettingsSchema.shape[name].safeParse(undefined).data),
      )
      .map((name) => {
        const value = config[name];
        return [name, typeof value === 'boolean' || typeof value === 'number' ? value : 'set'];
      }),
  );
}
