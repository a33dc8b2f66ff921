/** The package has no types of its own; this module alone is imported, since the main one loads the whole page. */
declare module 'swagger-ui-dist/absolute-path.js' {
  const folder: () => string;
  export = folder;
}
