/** The release: `year.month.day.x`. The file `VERSION` says the same, and a test holds them together. */
export const PRODUCT_VERSION = '26.11.28.2';
