const BASE = 'https://service.invalid';
const MAX_LENGTH = 2_048;
/** Printable ASCII without spaces and backslashes: what a browser might read as another host is left out. */
const PATH = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/;

/** Whether a sign-in may end at `value`: a path of this service, with query and fragment. */
export const isReturnPath = (value: string): boolean =>
  value.length <= MAX_LENGTH &&
  PATH.test(value) &&
  URL.canParse(value, BASE) &&
  new URL(value, BASE).origin === BASE;
