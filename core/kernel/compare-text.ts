/** The order of texts by their code units, which is the same on every machine. For `sort`. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
