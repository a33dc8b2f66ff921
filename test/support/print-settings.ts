import { loadConfig } from '../../core/config/config.ts';

/** Prints the settings that this process reads from its environment, with the secrets that they name. */
const { secret: _secret, secretIn, ...settings } = loadConfig();
const read = Object.entries(settings).filter(([name]) => !name.endsWith('_FILE'));
const referred = read.flatMap(([name, variable]) =>
  name.endsWith('_REF') && typeof variable === 'string' ? [[variable, secretIn(variable)]] : [],
);
console.log(JSON.stringify(Object.fromEntries([...read, ...referred])));
