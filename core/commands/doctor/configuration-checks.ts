import { distance } from 'fastest-levenshtein';
import { type Config, SettingsSchema } from '../../config/config.ts';
import { referencesIn } from '../../config/source-settings.ts';
import { type IntegrationName, missingFor } from '../../integrations/integrations.ts';
import type { MissingSetting } from '../../integrations/source-instances.ts';
import { type Check, counted, fail, pass, skipped, warn } from './check.ts';

const SETTINGS = 'configuration.settings';
/** What every setting begins with has no slips. */
const PREFIX = 'SVC_';
const MAX_NAMES = 20;
/** 32 bytes as base64 have 44 characters. */
const LONG_ENOUGH = 32;

export const CONFIGURATION_CHECKS: readonly Check[] = [
  {
    id: SETTINGS,
    proves: 'Every setting is valid, the files of secrets can be read, and production is safe to start.',
    needs: [],
    run: ({ problems }) =>
      problems.length === 0
        ? pass('Every setting is valid.')
        : fail(`The service refuses to start: ${counted(problems.length, 'setting')} to mend.`, ...problems),
  },
  {
    id: 'configuration.names',
    proves: 'No variable that begins with SVC_ is misspelt.',
    needs: [],
    run: ({ unknownSettings: names }) => {
      if (names.length === 0) return pass('Every SVC_ variable is a setting.');
      return warn(
        `${counted(names.length, 'SVC_ variable')} that nothing reads.`,
        ...names
          .filter((name) => /^\w{1,64}$/.test(name))
          .slice(0, MAX_NAMES)
          .map(slipText),
      );
    },
  },
  {
    id: 'configuration.references',
    proves: 'Every setting that names the variable of a secret leads to one.',
    needs: [SETTINGS],
    run: ({ config }) => {
      const dangling = [...referencesIn(config)].flatMap(([setting, variable]) =>
        config.secretIn(variable) === null ? [setting] : [],
      );
      if (dangling.length === 0) return pass('Every reference leads to a secret.');
      return warn(
        `${counted(dangling.length, 'reference')} to variables that are not set: ${dangling.join(', ')}.`,
        'Set the variable that each names, or the file of the variable with _FILE.',
      );
    },
  },
  {
    id: 'configuration.secrets',
    proves: `The session secret has ${LONG_ENOUGH} characters or more.`,
    needs: [SETTINGS],
    run: ({ config: { SVC_ENV, SVC_SESSION_SECRET } }) => {
      if (SVC_ENV === 'development') return skipped('SVC_ENV is development.');
      if (SVC_SESSION_SECRET.length >= LONG_ENOUGH) return pass('The session secret is long enough.');
      return warn(
        `The session secret has fewer than ${LONG_ENOUGH} characters.`,
        'Make one with openssl rand -base64 32, and change it as docs/operations.md says (Rotate secrets).',
      );
    },
  },
  {
    id: 'configuration.production',
    proves: 'Nothing of development is on in production.',
    needs: [SETTINGS],
    run: ({ config }) => {
      if (config.SVC_ENV === 'development')
        return warn(
          'SVC_ENV is development: the guards of production are off.',
          'Unset SVC_ENV, or set it to production, unless this is for trying out.',
        );
      const steps = [
        ...(config.SVC_CONNECTOR_MODE === 'mock'
          ? [
              'Set SVC_CONNECTOR_MODE to graph: mock is the made-up company of development, which production does not have.',
            ]
          : []),
        ...(config.SVC_DEMO_MODE ? ['Turn SVC_DEMO_MODE off: it says that the data are samples.'] : []),
      ];
      if (steps.length === 0) return pass('Nothing of development is on.');
      return warn('Something of development is on in production.', ...steps);
    },
  },
  {
    id: 'configuration.integrations',
    proves: 'No optional part, such as the AI provider, is configured by half.',
    needs: [SETTINGS],
    run: ({ config }) => {
      const steps = PARTS.flatMap(({ integration, isBegun, what }) => {
        const missing = isBegun(config) ? missingFor(config, integration) : [];
        return missing.length === 0 ? [] : [`${what}: ${missing.map(toSet).join(', ')}.`];
      });
      if (steps.length === 0) return pass('No optional part is configured by half.');
      return warn(
        `${counted(steps.length, 'optional part')} configured by half, and therefore off.`,
        ...steps,
      );
    },
  },
];

/** What somebody switched on, or began to configure. Sources and sign-in have checks of their own. */
const PARTS: readonly {
  integration: IntegrationName;
  what: string;
  isBegun: (config: Config) => boolean;
}[] = [
  {
    integration: 'aiProvider',
    what: 'AI provider',
    isBegun: ({ SVC_AI_ENDPOINT, SVC_AI_DEPLOYMENT, SVC_AI_KEY_REF, SVC_AI_AZURE_IDENTITY }) =>
      SVC_AI_AZURE_IDENTITY ||
      [SVC_AI_ENDPOINT, SVC_AI_DEPLOYMENT, SVC_AI_KEY_REF].some((value) => value !== undefined),
  },
  {
    integration: 'labelRead',
    what: 'Reading labels',
    isBegun: ({ SVC_LABEL_READ_ENABLED }) => SVC_LABEL_READ_ENABLED,
  },
  {
    integration: 'labelWrite',
    what: 'Writing labels',
    isBegun: ({ SVC_LABEL_WRITE_ENABLED }) => SVC_LABEL_WRITE_ENABLED,
  },
  {
    integration: 'changeNotifications',
    what: 'Change notifications',
    isBegun: ({ SVC_CHANGE_NOTIFICATIONS_ENABLED }) => SVC_CHANGE_NOTIFICATIONS_ENABLED,
  },
];

const toSet = (name: MissingSetting) => {
  if (name === 'SVC_CONNECTOR_MODE') return 'set SVC_CONNECTOR_MODE to graph';
  return name === 'SVC_AI_KEY_REF' ? 'set SVC_AI_KEY_REF or SVC_AI_AZURE_IDENTITY' : `set ${name}`;
};

/** An unknown variable, with the setting that is probably meant. */
function slipText(name: string): string {
  const written = name.toUpperCase();
  const [nearest] = Object.keys(SettingsSchema.shape)
    .map((setting) => ({ setting, slips: distance(written, setting.toUpperCase()) }))
    .sort((a, b) => a.slips - b.slips);
  if (nearest === undefined || nearest.slips > mostSlips(written)) return `${name}: remove it.`;
  return `${name}: did you mean ${nearest.setting}?`;
}

/** With more, another setting is meant, or none. */
const mostSlips = (name: string): number => Math.min(Math.max((name.length - PREFIX.length) / 3, 2), 4);
