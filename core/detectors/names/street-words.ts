import { endings, endsWithOne } from './endings.ts';
import { phrases, wordList } from './word-lists.ts';

// Words that make the words around them a street. Folded: lower case, without accents.

/** The name precedes: `Benson Park Drive`, `Erzsébet tér`. */
export const AFTER_STREET_NAME = wordList(`
  street st road rd avenue ave av boulevard blvd lane ln drive dr way court ct place pl square sq terrace crescent parkway pkwy
  highway hwy circle cir trail close grove gardens row plaza quay mews esplanade parade broadway strasse str gasse weg platz allee
  utca u ut utja koz ter ulica cesta trg gade vej vag gata gatan tee puiestee straat laan plein ulitsa caddesi sokak
`);

/** The name follows: `rue de la Paix`, `ul. Długa`. */
export const BEFORE_STREET_NAME = wordList(`
  rue avenue av boulevard bd place chemin ch allee impasse quai cours route passage faubourg square residence
  via viale piazza corso largo vicolo strada contrada localita calle avenida avda av plaza pza paseo camino carretera ctra ronda
  travesia glorieta rambla rua travessa praca estrada alameda largo vila ul ulica al aleja aleje os osiedle plac pl rruga ulitsa jalan
`);

/** Endings of a single word: `Hauptstraße`, `Storgatan`, `Frørupvej`, `Ommerweg`. */
const STREET_ENDINGS = endings(`
  strasse straße str gasse weg platz allee ufer damm markt gatan vagen gata veien vegen vegur vej gade straede straat laan plein gracht dijk kade singel dreef katu kuja polku ntie stigen brekka braut stræti straeti
`);

/** Words for a part of a building. A number follows. */
export const IN_THE_HOUSE = wordList(
  `apt apartment suite ste unit flat floor box room app appartement appt etage piso planta lok wohnung`,
);

/** Words that are enough for a street without a house number. */
export const SURE_STREETS = wordList(`street road avenue boulevard rd ave blvd strasse`);

/** Directly before an address in a sentence. A name with a number is then enough. */
export const BEFORE_ADDRESS = phrases(`
  address is, address, address with, address to, addresses, lives at, live at, living at, lived at, meet me at, meeting at, taxi to, sent to, send to, one to
  return to, located at, office is at, is at, it in, arrived at, moved to, ship to, deliver to, delivered to, mailed to, residing at, resides at, enter on
  refers to, here they are, the same, wohnt in, wohnhaft in, adresse, anschrift, adresse est, habite au, habite, direccion, domicilio, indirizzo, abita in
  endereco, adres, zamieszkaly, postanschrift
`);

export const STREET_WORDS = AFTER_STREET_NAME | BEFORE_STREET_NAME;

export const hasStreetEnding = (folded: string): boolean => endsWithOne(folded, STREET_ENDINGS);
