/** Function words, folded: they say in which language a text is written and nothing about what it is about. */
export const STOP_WORDS = {
  en: list(`a about above after all also an and any are as at be because been before being below between both but
    by can could did do does doing down during each every few for from further had has have having he her here hers
    him his how i if in into is it its itself just may me might more most must my no nor not of off on once only or
    other our out over own per same shall she should so some such than that the their them then there these they
    this those through to too under until up upon us very via was we were what when where which while who whom why
    will with within without would you your`),
  de: list(`aber alle als also am an andere auch auf aus bei bin bis bist da damit dann das dass dem den der des die
    dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es fur hat haben
    hatte ich ihr ihre ihrem ihren ihrer im in ist ja jede jeder jedes kann kein keine konnen mit muss nach nicht
    noch nur ob oder ohne sehr sein seine sich sie sind so soll sowie uber um und uns unser unter vom von vor war
    was wenn werden wie wir wird wurde zu zum zur zwischen`),
  fr: list(`a afin ainsi alors au aucun aussi autre aux avec avoir car ce ceci cela celle ces cet cette chaque comme
    dans de des deux doit donc dont du elle elles en entre est et etre eu fait ici il ils je la le les leur leurs
    lors lui ma mais me meme mes moi mon ne nos notre nous on ont ou par pas peut plus pour qu quand que quel quelle
    qui sa sans se selon ses si son sont sous sur ta tous tout toute toutes tres tu un une vers vos votre vous`),
  es: list(`a al algo ante antes como con contra cual cuando de del desde donde dos el ella ellas ellos en entre era
    es esa ese eso esta estan estas este esto estos fue ha hasta hay la las le les lo los mas me mi mientras muy no
    nos nosotros o otra otro otros para pero por porque que quien se sea segun ser si sido sin sobre son su sus
    tambien tanto te tiene todo todos tu un una uno unos usted y ya yo`),
  it: list(`a ad agli ai al alla alle allo anche che chi ci come con cui da dagli dai dal dalla dalle degli dei del
    della delle dello di dove e ed era essere fra gli ha hanno i il in io la le lei lo loro lui ma mi mio ne negli
    nei nel nella nelle no noi non nostro o ogni per perche piu puo quale quando quella quello questa questo qui se
    sei si sia sono sta su sua sue sul sulla suo suoi tra tu tutti tutto un una uno vi voi`),
  pt: list(`a ao aos aquele as ate com como da das de dela dele depois do dos e ela elas ele eles em entre era essa
    esse esta estao este eu foi ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa
    nosso num numa o os ou para pela pelas pelo pelos por qual quando que quem se sem ser seu seus so sua suas
    tambem te tem todos um uma umas voce`),
  nl: list(`aan al alle als ander bij binnen daar dan dat de den der deze die dit doen door dus een en er geen had
    heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kunnen maar me meer met mij mijn moet na naar niet
    nog nu of om omdat onder ons ook op over te tegen tot u uit uw van veel voor waar was wat we wel welke werd wie
    wij wordt worden zal ze zelf zich zij zijn zo zonder zou`),
  pl: list(`a aby albo ale az bardzo bez bo by byc byl byla bylo byly ci co czy dla do gdy gdzie i ich ile im inne
    ja jak jako je jego jej jest jeszcze jezeli juz kiedy ktora ktore ktorego ktory ktorych ktorym ktorzy lub ma
    maja mi mnie moga moze mu my na nad nam nas nie nich nim niz o od on ona one oraz po pod przed przez przy sa sie
    swoje ta tak takie tam te tego tej ten to tu tylko tym u w we wszystkie z za ze zostal`),
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Language = keyof typeof STOP_WORDS;

function list(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
