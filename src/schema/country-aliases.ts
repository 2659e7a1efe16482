// Names of countries that `Intl` doesn't have in English and German, and the codes of ISO 3166-1 alpha-3. Written by
// test/tools/generate-country-aliases.ts; don't edit. From i18n-iso-countries 7.14.0 (MIT), CLDR 48.2 (Unicode-3.0),
// which also has each country's name in its own language, and a list of the tool's.

export const countryAliases: readonly string[] = `
  abw:AW afg:AF ago:AO aia:AI ala:AX aland:AX alb:AL america:US amerika:US and:AD aotearoaneuseeland:NZ
  aotearoanewzealand:NZ are:AE arg:AR arm:AM asm:AS ata:AQ atf:TF atg:AG aus:AU aut:AT aze:AZ azərbaycan:AZ
  bdi:BI bel:BE belgie:BE belgique:BE ben:BJ bes:BQ bfa:BF bgd:BD bgr:BG bhr:BH bhs:BS bih:BA birma:MM
  blm:BL blr:BY blz:BZ bmu:BM bol:BO bonaire:BQ bonairesinteustatiussaba:BQ bosnaihercegovina:BA bosnia:BA
  bouvetøya:BV bra:BR brasil:BR brb:BB britain:GB brn:BN btn:BT burma:MM bvt:BV bwa:BW caf:CF cameroun:CM
  can:CA cck:CC cesko:CZ chagosarchipel:IO chagosarchipelago:IO che:CH chl:CL chn:CN cittadelvaticano:VA
  civ:CI cmr:CM cocosislands:CC cod:CD cog:CG cok:CK col:CO com:KM congo:CG congodemocraticrepublicofthe:CD
  congorepublic:CG cpv:CV cri:CR crnagora:ME cub:CU cuw:CW cxr:CX cym:KY cyp:CY cze:CZ czechrepublic:CZ
  danmark:DK democraticpeoplesrepublicofkorea:KP democraticrepublicofcongo:CD deu:DE dji:DJ dma:DM dnk:DK
  dom:DO dprk:KP drcongo:CD dza:DZ easttimor:TL ecu:EC eesti:EE egy:EG eire:IE elfenbeinkuste:CI england:GB
  eri:ER esh:EH esp:ES espana:ES est:EE eth:ET falklandinselnmalwinen:FK falklandislandsislasmalvinas:FK
  falklandislandsmalvinas:FK fin:FI fji:FJ flk:FK fra:FR francemetropolitaine:FR fro:FO fsm:FM føroyar:FO
  gaana:GH gab:GA gbr:GB geo:GE ggy:GG gha:GH gib:GI gin:GN glp:GP gmb:GM gnb:GW gnq:GQ grc:GR grd:GD
  greatbritain:GB greatbritainnorthernireland:GB grl:GL grossbritannien:GB gtm:GT guf:GF guineaecuatorial:GQ
  guinebissau:GW guinee:GN gum:GU guy:GY guyanefrancaise:GF heardislandmcdonaldislands:HM hellas:GR hkg:HK
  hmd:HM hnd:HN holland:NL holysee:VA holyseevaticancitystate:VA hongkong:HK hrv:HR hrvatska:HR hti:HT
  hun:HU idn:ID imn:IM ind:IN inselman:IM iot:IO irl:IE irn:IR irq:IQ isl:IS islamicrepublicofiran:IR isr:IL
  ita:IT italia:IT ivorycoast:CI jam:JM jey:JE jor:JO jpn:JP kalaallitnunaat:GL kapverde:CV kapverden:CV
  kaz:KZ ken:KE kepulauancocoskeeling:CC kgz:KG khm:KH kir:KI kna:KN kodorosesetibeafrika:CF kongo:CG
  kongodemokratischerepublik:CD kongorepublik:CG kor:KR korea:KR koreademocraticpeoplesrepublicof:KP
  korearepublicof:KR kosove:XK kwt:KW lao:LA laopdr:LA laopeoplesdemocraticrepublic:LA lareunion:RE
  latvija:LV lbn:LB lbr:LR lby:LY lca:LC lie:LI lietuva:LT lka:LK lso:LS ltu:LT lux:LU lva:LV mac:MO
  macao:MO macau:MO macedonia:MK madagasikara:MG maf:MF magyarorszag:HU mar:MA maurice:MU mazedonien:MK
  mco:MC mda:MD mdg:MG mdv:MV metropolitanfrance:FR mex:MX mhl:MH micronesiafederatedstatesof:FM mkd:MK
  mli:ML mlt:MT mmr:MM mne:ME mng:MN mnp:MP mocambique:MZ moldau:MD moldawien:MD moldovarepublicof:MD moz:MZ
  mrt:MR msr:MS mtq:MQ mus:MU mwi:MW mys:MY myt:YT nam:NA namibie:NA ncl:NC nederland:NL ner:NE
  netherlandskingdomofthe:NL nfk:NF nga:NG nic:NI nijar:NE nippon:JP niu:NU nld:NL nor:NO nordirland:GB
  norge:NO northernireland:GB nouvellecaledonie:NC npl:NP nru:NR nzl:NZ omn:OM osttimor:TL oʻzbekiston:UZ
  pak:PK palastina:PS palestine:PS pan:PA pcn:PN peoplesrepublicofchina:CN per:PE phl:PH pilipinas:PH
  pitcairn:PN plw:PW png:PG pol:PL polska:PL polynesiefrancaise:PF prc:CN pri:PR prk:KP prt:PT pry:PY pse:PS
  pyf:PF qat:QA republicadominicana:DO republicamoldova:MD republicofchina:TW republicofcongo:CG
  republicofgambia:GM republicofireland:IE republicofkorea:KR republicofnorthmacedonia:MK republikchina:TW
  republikkongo:CG republikkorea:KR reu:RE rou:RO rus:RU russianfederation:RU russischefoderation:RU rwa:RW
  saotomeeprincipe:ST sau:SA schottland:GB scotland:GB sdn:SD sen:SN senegaal:SN sgp:SG sgs:GS shn:SH
  shqiperi:AL sintmaartendutchpart:SX sjm:SJ slb:SB sle:SL slovakrepublic:SK slovenija:SI slovensko:SK
  slv:SV smr:SM som:SO soomaaliya:SO spm:PM srb:RS ssd:SS staatpalastina:PS stateofpalestine:PS
  stmartinfrenchpart:MF stp:ST stpierreetmiquelon:PM suisse:CH suomi:FI sur:SR svalbardogjanmayen:SJ
  sverige:SE svizzera:CH svk:SK svn:SI swasiland:SZ swaziland:SZ swe:SE swz:SZ sxm:SX syc:SC syr:SY
  syrianarabrepublic:SY syrienarabischerepublik:SY tahiti:PF taiwanprovinceofchina:TW
  tansaniavereinigterepublik:TZ tca:TC tcd:TD terresaustralesfrancaises:TF tgo:TG tha:TH tjk:TJ tkl:TK
  tkm:TM tls:TL ton:TO tschechischerepublik:CZ tto:TT tun:TN tur:TR turkey:TR tuv:TV twn:TW tza:TZ uae:AE
  uburundi:BI uga:UG uk:GB ukr:UA umi:UM unitedrepublicoftanzania:TZ unitedstatesminoroutlyingislands:UM
  unitedstatesofamerica:US urwanda:RW ury:UY usa:US uzb:UZ vae:AE vat:VA vatican:VA vatikan:VA vct:VC ven:VE
  vereinigtestaatenvonamerika:US vgb:VG vir:VI virginislandsbritish:VG virginislandsus:VI vnm:VN
  volksrepublikchina:CN vut:VU wales:GB wallisetfutuna:WF weissrussland:BY wlf:WF wsm:WS xkk:XK xkx:XK
  yem:YE zaf:ZA zmb:ZM zwe:ZW ελλαδα:GR κυπρος:CY беларусь:BY българия:BG казахстан:KZ кыргызстан:KG
  монгол:MN россия:RU севернамакедонија:MK србија:RS тоҷикистон:TJ украіна:UA հայաստան:AM ישראל:IL
  افغانستان:AF الاراضيالفلسطينية:PS الاردن:JO الاماراتالعربيةالمتحدة:AE البحرين:BH الجزاير:DZ السودان:SD
  الصحراءالغربية:EH العراق:IQ الكويت:KW المغرب:MA المملكةالعربيةالسعودية:SA اليمن:YE ایران:IR تشاد:TD
  تونس:TN جزرالقمر:KM جنوبالسودان:SS سوريا:SY عمان:OM قطر:QA لبنان:LB ليبيا:LY مصر:EG موريتانيا:MR
  پاکستان:PK नपल:NP भरत:IN বলদশ:BD ශරලකව:LK ไทย:TH ລາວ:LA འབག:BT မနမ:MM საქართველო:GE 대한민국:KR
  북한:KP ኢትዮጵያ:ET ኤርትራ:ER កមពជ:KH 中国:CN 中國澳門特別行政區:MO 中國香港特別行政區:HK 台湾:TW 台灣:TW 日本:JP 澳門:MO 澳门:MO 香港:HK
`
  .trim()
  .split(/\s+/);
