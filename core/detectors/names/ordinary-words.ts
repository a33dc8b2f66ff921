/** Frequent English nouns and adjectives that the library's lexicon lacks, in the singular. */
export const ORDINARY_WORDS: readonly string[] = `
  law case sale loss current billing fee faith class job choice clause jury camera basic button space mass mode manual vital banner port favor
  weight duty degree counter art sender journey stock center centre query virtue corner payer poster font holiday profit fleet royalty chance
  junk heart role reader pizza coffee height cart casino factor marble song town trace story demo speaker organ tower winter vest solar cable
  lamp table floor desk chair oak walnut wood glass metal paper box book page line word idea thing place world life country state city house
  room door window wall roof garden kitchen bed bath car truck train bus plane ship boat bike road street bridge park school church court
  bank shop store market price cost tax bill budget salary wage bonus loan debt credit asset fund share bond risk claim policy contract lease
  deed term option part section chapter title note letter mail message reply notice memo report summary draft copy file folder record list
  form field value number code key name date day week month year hour minute second time period season spring summer autumn morning evening
  night group team member unit division branch board panel staff crew union league club party committee council agency bureau office desk
  product item good brand label tag model version edition release update upgrade patch issue bug ticket task project plan goal target phase
  stage step level grade rank score rate ratio index average total sum amount quantity volume size length width depth area zone region site
  link path node port server host client device phone tablet laptop screen monitor keyboard mouse printer scanner cable battery power energy
  water air fire earth light heat cold wind rain snow storm sun moon star sky sea ocean river lake hill mountain forest field farm tree leaf
  flower fruit food meat fish bread milk cheese sugar salt oil wine beer tea drink meal lunch dinner breakfast
  music film movie video photo image picture sound voice game sport ball match race prize award gift toy
  health disease virus pain drug dose pill vaccine treatment surgery clinic ward patient blood bone skin hair hand foot head face eye ear mouth
  man woman child baby boy girl people person user owner buyer seller vendor supplier customer guest visitor passenger retailer newspaper
  police army war peace crime prison trial witness victim judge right privacy freedom liberty loyalty community society culture language
  science research theory method test sample result proof fact truth error mistake failure success problem question answer reason purpose
  hybrid digital virtual mobile global local national federal public private personal general special annual monthly weekly daily
  internal external senior junior chief main major minor final initial early late full empty open closed new old big small high low long
  short fast slow hard soft strong weak rich poor hot cool dry wet clean dirty safe simple complex standard premium advanced limited
  red green blue white black brown yellow orange purple pink grey gray silver gold
  terms sites teams apps data info info web cloud email internet software hardware dashboard settings profile account login password
`
  .trim()
  .split(/\s+/);
