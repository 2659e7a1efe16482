// Names of countries, as files have them.
import { countries } from './iso-codes.ts';

/**
 * Names that `Intl` doesn't have in English and German, without blanks and accents, and the codes of ISO 3166-1
 * alpha-3.
 */
const countryAliases: readonly string[] = `
  uk:GB england:GB scotland:GB schottland:GB wales:GB northernireland:GB nordirland:GB greatbritain:GB
  britain:GB grossbritannien:GB us:US america:US amerika:US unitedstatesofamerica:US
  vereinigtestaatenvonamerika:US czechrepublic:CZ tschechischerepublik:CZ ceskarepublika:CZ cesko:CZ
  turkey:TR turkiye:TR holland:NL nederland:NL korea:KR republicofkorea:KR russianfederation:RU
  russischefoderation:RU ivorycoast:CI elfenbeinkuste:CI burma:MM birma:MM capeverde:CV kapverden:CV
  swaziland:SZ swasiland:SZ macedonia:MK mazedonien:MK easttimor:TL osttimor:TL weissrussland:BY
  hongkong:HK macau:MO macao:MO palestine:PS palastina:PS vatikan:VA vatican:VA holysee:VA moldau:MD
  moldawien:MD uae:AE vae:AE unitedarabemirates:AE republicofireland:IE eire:IE drcongo:CD
  democraticrepublicofcongo:CD congo:CG kongo:CG osterreich:AT schweiz:CH suisse:CH svizzera:CH italia:IT
  espana:ES belgie:BE belgique:BE danmark:DK sverige:SE norge:NO suomi:FI polska:PL slovensko:SK
  slovenija:SI hrvatska:HR magyarorszag:HU romania:RO brasil:BR hellas:GR xkx:XK and:AD are:AE afg:AF atg:AG
  aia:AI alb:AL arm:AM ago:AO ata:AQ arg:AR asm:AS aut:AT aus:AU abw:AW ala:AX aze:AZ bih:BA brb:BB bgd:BD
  bel:BE bfa:BF bgr:BG bhr:BH bdi:BI ben:BJ blm:BL bmu:BM brn:BN bol:BO bes:BQ bra:BR bhs:BS btn:BT bvt:BV
  bwa:BW blr:BY blz:BZ can:CA cck:CC cod:CD caf:CF cog:CG che:CH civ:CI cok:CK chl:CL cmr:CM chn:CN col:CO
  cri:CR cub:CU cpv:CV cuw:CW cxr:CX cyp:CY cze:CZ deu:DE dji:DJ dnk:DK dma:DM dom:DO dza:DZ ecu:EC est:EE
  egy:EG esh:EH eri:ER esp:ES eth:ET fin:FI fji:FJ flk:FK fsm:FM fro:FO fra:FR gab:GA gbr:GB grd:GD geo:GE
  guf:GF ggy:GG gha:GH gib:GI grl:GL gmb:GM gin:GN glp:GP gnq:GQ grc:GR sgs:GS gtm:GT gum:GU gnb:GW guy:GY
  hkg:HK hmd:HM hnd:HN hrv:HR hti:HT hun:HU idn:ID irl:IE isr:IL imn:IM ind:IN iot:IO irq:IQ irn:IR isl:IS
  ita:IT jey:JE jam:JM jor:JO jpn:JP ken:KE kgz:KG khm:KH kir:KI com:KM kna:KN prk:KP kor:KR kwt:KW cym:KY
  kaz:KZ lao:LA lbn:LB lca:LC lie:LI lka:LK lbr:LR lso:LS ltu:LT lux:LU lva:LV lby:LY mar:MA mco:MC mda:MD
  mne:ME maf:MF mdg:MG mhl:MH mkd:MK mli:ML mmr:MM mng:MN mac:MO mnp:MP mtq:MQ mrt:MR msr:MS mlt:MT mus:MU
  mdv:MV mwi:MW mex:MX mys:MY moz:MZ nam:NA ncl:NC ner:NE nfk:NF nga:NG nic:NI nld:NL nor:NO npl:NP nru:NR
  niu:NU nzl:NZ omn:OM pan:PA per:PE pyf:PF png:PG phl:PH pak:PK pol:PL spm:PM pcn:PN pri:PR pse:PS prt:PT
  plw:PW pry:PY qat:QA reu:RE rou:RO srb:RS rus:RU rwa:RW sau:SA slb:SB syc:SC sdn:SD swe:SE sgp:SG shn:SH
  svn:SI sjm:SJ svk:SK sle:SL smr:SM sen:SN som:SO sur:SR ssd:SS stp:ST slv:SV sxm:SX syr:SY swz:SZ tca:TC
  tcd:TD atf:TF tgo:TG tha:TH tjk:TJ tkl:TK tls:TL tkm:TM tun:TN ton:TO tur:TR tto:TT tuv:TV twn:TW tza:TZ
  ukr:UA uga:UG umi:UM usa:US ury:UY uzb:UZ vat:VA vct:VC ven:VE vgb:VG vir:VI vnm:VN vut:VU wlf:WF wsm:WS
  xkk:XK yem:YE myt:YT zaf:ZA zmb:ZM zwe:ZW
`
  .trim()
  .split(/\s+/);

const codes: ReadonlyMap<string, string> = new Map([
  ...['en', 'de'].flatMap((language) => {
    const names = new Intl.DisplayNames(language, { type: 'region' });
    return [...countries].map((code) => [countryKey(names.of(code) ?? code), code] as const);
  }),
  ...countryAliases.map((entry) => [entry.slice(0, -3), entry.slice(-2)] as const),
  ...[...countries].map((code) => [code.toLowerCase(), code] as const),
]);

/** Returns the code of the country with this name or code, in English or German. */
export function countryNamed(text: string): string | undefined {
  return codes.get(countryKey(text));
}

/** The letters that decide: “Trinidad & Tobago” is “Trinidad and Tobago”, and “United Kingdom (UK)” has no (UK). */
function countryKey(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=\S\s*)\([a-z]{2,3}\)$/v, '')
    .replaceAll(/(?<=\S\s+)(?:and|und)(?=\s)|^the\s/gv, '')
    .replaceAll(/\bsaint\b/gv, 'st')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\d]/gv, '');
}
