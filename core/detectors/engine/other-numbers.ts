/** Things with version or section numbers, which look like IP addresses. */
const VERSIONS =
  'versions?|releases?|builds?|revisions?|firmware|sections?|clauses?|paragraphs?|chapters?|abschnitt|ziffer|kapitel|§{1,2}|v';
/** Things that have numbers in every business. */
const THINGS = [
  'orders?|po|invoices?|tickets?|cases?|incidents?|requests?|tracking|shipments?|batch|lots?|parts?|skus?|items?',
  'applications?|articles?|products?|pages?|amount(?: of)?|betrag|montant|importe',
  'auftrags?|bestell|bestellung|rechnungs?|artikel|material|lieferschein|beleg|vorgangs?|sendungs?|angebots?',
  'vertrags?|commande|facture|dossier|devis|colis|pedido|factura|albar[aá]n|expediente|ordine|fattura|pratica',
  'encomenda|fatura|bestelling|bestel|factuur|zam[oó]wienie|faktura|ordre',
].join('|');
/** Business partners. Several numbers can follow such a word, so only a word for *number* shows that it is theirs. */
const PARTNERS = 'customers?|clients?|vendors?|suppliers?|kunden|lieferanten|klant';
const NUMBER = '(?:[ -]?(?:number|nummer|num[eé]ro|n[uú]mero|nr|no|id)|[ ]n[°º])';

const BEHIND = `${NUMBER}?[.:#]{0,2}[ \\u00a0#]{0,2}`;
const BEHIND_A_VERSION = `(?<![A-Za-z])(?:${VERSIONS})${BEHIND}`;
const BEHIND_A_THING = `(?<![A-Za-z])(?:${VERSIONS}|${THINGS}|(?:${PARTNERS})(?=${NUMBER}))${BEHIND}`;
const CURRENCY = 'EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|HUF|RON|JPY|CNY|INR|AUD|CAD|NZD|SGD|HKD|BRL|MXN|ZAR';
const MONEY = `(?:${CURRENCY}|euros?|dollars?|pounds?|francs?|franken|yen)(?![A-Za-z])`;

/** What all of them end with. Other characters, such as those between cells, spare the search through the words. */
const MAY_END_THERE = '(?<=[A-Za-z§°º.:# \\u00a0])';

/** For case-insensitive patterns: not a number of a version or a section. */
export const NO_VERSION = `(?!${MAY_END_THERE}(?<=${BEHIND_A_VERSION}))`;
/** For case-insensitive patterns: not a number of a version, a section or a thing, such as an order. */
export const NO_THING = `(?!${MAY_END_THERE}(?<=${BEHIND_A_THING}))`;
export const NO_AMOUNT = `(?![ \\u00a0]?${MONEY})`;

/** Most characters before a number that `isNumberOfThing` reads. */
const MAX_WORDS = 32;
const OF_A_THING = new RegExp(`${BEHIND_A_THING}$`, 'i');
const MONEY_BEFORE = new RegExp(`(?<![A-Za-z])(?:${CURRENCY})[ \\u00a0]?$`);
const MONEY_AFTER = new RegExp(`^[ \\u00a0]?${MONEY}`, 'i');

/** Whether the word directly before the number says that it numbers a thing, such as an order. */
export const isNumberOfThing = (text: string, start: number): boolean =>
  OF_A_THING.test(text.slice(Math.max(0, start - MAX_WORDS), start));

/** Whether the name or code of a currency stands directly beside the number. */
export const isMoney = (before: string, after: string): boolean =>
  MONEY_BEFORE.test(before) || MONEY_AFTER.test(after);
