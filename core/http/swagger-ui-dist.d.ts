/** The package has no types. Only this module is imported, because the main one loads the whole page. */
declare module 'swagger-ui-dist/absolute-path.js' {
  const folder: () => string;
  export = folder;
}
