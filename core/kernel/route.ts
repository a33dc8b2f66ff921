/** A path template as the specification writes it, `/api/assets/:id`: what logs and the audit trail show of a request. */
export const routeOf = (template: string): string => template.replaceAll(/\{\*?([A-Za-z]{1,40})\}/g, ':$1');
