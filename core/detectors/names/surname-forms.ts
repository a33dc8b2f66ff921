import { endings, endsWithOne } from './endings.ts';

/**
 * Typical endings of surnames, folded. Endings that are also common in ordinary words and places are longer by a
 * letter or two, or left out.
 */
const SURNAME_ENDINGS = endings(`
  sson dson rson nson lson tson kson mson pson bson wson ansen ensen insen ersen arsen elsen ilsen olsen dottir
  strom qvist kvist quist lund gren dahl gaard holm berg bergh ainen kinen rinen vinen niemi
  mann maier mayer meier meyer bauer berger stein huber thaler feldt schmid schmidt stra sma veld hoek kamp
  ski skis nska wska lska vska cka vsky nsky lsky rsky skaya skaia skiy skyi skij wicz vich vych vitch ovic evic avic jcic
  czyk czak arek asek icek acek ecek nko enko chuk
  lov nov rov kov tov dov mov bov pov shov chov sov gov zov nev rev kev yev iev eev tsev shev chev
  lova nova rova kova tova dova mova bova pova shova chova sova gova zova cova eva yeva ieva eeva ovna evna
  nagy egyi ogyi falvi escu eanu oiu poulos poulou akis iadis idou oglu shvili dze nyan lyan kyan syan tyan dyan
  auskas vicius viciute iene aitis bekov
  netti retti letti detti setti elli alli illi lini rini tini dini sini nini acci ucci uzzi accio iello arelli otti ardi
  pez menez mirez arez erez orez ndez inez alez guez squez eiro eira alho lhaes raes rault bault nault illard
  swamy swami murthy murthi nathan raman walla wala wani putra
  yama moto mura gawa kawa zaki saki hashi shita naga naka taka hara tani guchi uchi wara ishi
  ова ева ов ев ёв ский ская цкий цкая енко вич вна швили дзе
`);
/** `McTavish`, `O'Rourke`, `al-Zahra`, `Fitzwilliam`. */
const BEGINNING = /^(?:mc|fitz|o['’]|d['’]|al-|el-)\p{L}{3}/u;
/** Words that only look like surnames. */
const ORDINARY = new Set(
  `
  person lesson parson boisson zinsen bremsen umbrella spaghetti confetti graffiti iceberg martini bikini baustein meilenstein
  kaufmann fachmann casanova supernova pilaf wasabi origami tsunami lucky kiosk ombudsmann
  `
    .trim()
    .split(/\s+/),
);

/** Whether a word has the form of a surname. For a double name one part is enough. */
export const hasSurnameForm = (folded: string): boolean =>
  BEGINNING.test(folded) ||
  (folded.includes('-') ? folded.split('-').some(endsAsSurname) : endsAsSurname(folded));

const endsAsSurname = (word: string): boolean => endsWithOne(word, SURNAME_ENDINGS) && !ORDINARY.has(word);

/** Surnames of China, Korea and Vietnam. They are few and short and come first in a name. */
export const SHORT_SURNAMES: readonly string[] = (
  'wang li zhang liu chen yang huang zhao wu zhou xu zhu guo luo zheng liang xie deng feng cao peng zeng xiao yuan cai jiang cheng shen ' +
  'yao kim lee choi jung kang yoon jang lim seo kwon hwang ahn nguyen tran pham huynh phan vu dang bui ngo duong'
).split(' ');
