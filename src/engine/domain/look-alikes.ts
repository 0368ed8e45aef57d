/** The look of a name: the skeleton of Unicode TR39, which is equal where two names look the same. */

/**
 * Characters that look like ASCII, of Unicode's `confusables.txt` (13.0): a prototype and those that look like it, in
 * base 36, as far as NFKD does not make one of the other. Other prototypes are left out.
 */
const lookAlikes =
  "! cj 8y9  & x2w  ' 2o jd jf jg jh ji js ju jv l0 122 125 15l 16b 1kk 1kl 40a 4i4 6c8 6c9 6cb 6cy 6d1 x3g 20k1 " +
  "20k2  '' y je ku l2 16a 16c 5oz 6cc 6cd 6cf 9hf  'B ap  'D ay  'P bo  'T bw  'Y c3  ( 7s8 7si 9hw 1e0u  " +
  '(( 948  ) 7s9 7sj 9hx 1e0v  )) 949  * 19p 6dq 6qf 1f6n  + 4j1 7th 1f2z  +2 8br  , 171 19n 6ca wl5  - k7 1ck 6c0 ' +
  '6c2 6c3 6df 6qa 7ti 8u2  -. wla  . 19c 1dc 1dt 1du wl4 wsu 1gls 2jxp  ., wl7  .. wl6  / 4l1 6dd 6dg 6qd 7e9 7uz ' +
  '8ag 8ue 9ir 9n2 9ub fgf 2k3e  // 8hp  /// 8hn  2 br rs 43j wuc wz3 x22  3 c7 f0 t3 yo 8uk x2i x4b 1jgq 20jf ' +
  '2k1y  4 3wu 1jfz  5 cc 1jgb  6 tt 3xq 8uq 1jh1  7 1fiq 1jgm 2k2a  8 f6 f7 1yi 222 26b 1f6i 2ojv  9 1yl 21z 294 ' +
  '2nh 8ui x2m 1jfw 1jgs 1jh2  : k0 l4 13d 14z 1dv 1dw 1s3 22r 4j0 4qr 4qx 6e2 6ra wl9 x3d  < jm 3zs 4he 6d5 7se ' +
  '2k3a  << 6sq  <<< 6vs  = 3y8 94w 9ls wlb  > jn 3zn 6d6 7sf 20jj 2k3b  >< 8f9  >> 6sr 8bk  >>> 6vt  ? g1 ic 1vh ' +
  '3vy wyz  A pd sw 3vu 4at wku 1f34 20jk  AA x0y  AE 5i yc  AO x10  AR 2rd3  AU x12  AV x14 x16  AY x18  B pe sy ' +
  "3xw 4c7 wk0 x4k 1f2a 1f35 1f5t  C td 3xb 8tg wka 1f36 1f5u 1fdh 1fks 1jhl 1jhu 2rf0  C' av  D 3vk 4bi 4bu wk3  " +
  "E ph t1 3vw 6wv 8xl wkw 1f2e 1jfq 1jfy  F rg 4ac wkd x3s 1f2f 1f39 1fl1 1jfm 1jgi 2k2b  G zw 3wg 3xv wk6  G' " +
  "b7  H pj t9 3wb 48s 8su wkn 1f4f  J ov so 3vv 425 wk9 x4i  K pm t6 3xi 4id 8t0 wk7 1fko  K' bc  L 3xa 42y 8uo " +
  'wkh 1fdn 1fl2 1jfn 1jg2 20ie 2k2y  M po sa t8 3w7 4c0 4ie 8t4 wkf 1f3k 1f69  MB 2rfv  N pp 8t6 wkg 1fkj  O 1c ' +
  "pr ta 11x 1j4 1ye 274 292 3ps 8ta 8yc 9hj wkz 1f2q 1f3f 1fd0 1fia 1fkm 1iog 1jg5 1jhc  O' 3vo  OE 9e  OO wwo " +
  "x1q  P pt tc 3xe 419 8te wk1 1f2t  P' 41y  Q 8yd  QE 2rcw  R bq 3vl 3wy 493 wkj 1fhw 20j9 2k2e  S sl 11r 3x1 " +
  '3x6 wki 1f2u 1fds 20je  T pw te 3vm 6uc 7vd 8ti wk4 1f2v 1f3l 1f6d 1jgc 20i2 2rfs  T3 x0o  U 11p 3k0 40c 6qy ' +
  "6v7 wl0 1fim 1jg8 20jm  U' 413  V vo 19j 1dj 3x5 3zj 8xk wkm wyn 1fkt 1jfk 20i0 2k25  VB 2rfw  W 10c 3w3 3x0 " +
  'wkq 1jhi 1jhr  X pz th 4fh 4hj 7eb 8to 8yl wkr x4j 1f2o 1f3o 1f6f 1f6q 1fl3 1jho  Y px tf xa 3vt 3wd 8tk wks ' +
  '1f3m 1jfo 20jn  Z pi 3wj wkc 1f5h 1jft 1jhh  \\ 6qe 7v1 8ad 8ah 9uc fg6 2k27 2k3f  \\\\ 762 8vt  ^ jo jq  _ ' +
  '1kq  a gh q9 ts 70a  aa x0z  ae 6e yd  ao x11  au x13  av x15 x17  ay x19  b as to 3wv 4a7  bl tn  c u9 5qc 8th ' +
  "xwv 1fel  d zl 3xj 41b wk2  d' 41z  dz ir  e tx xp 6jy xte  f 138 61p x3t xth  g b1 gx 135 5tv  h xn 12o 3wi  " +
  'i 8h h5 h6 qh uu y7 3vp 703 wuf xv9 1jgj  j s3 uw  l 1d 21 3g ba cg pl sm xs 14w 15h 15r 17r 19d 1dd 1je 4ht ' +
  "6qr 73x 8sy 8y7 wky 1f2i 1f61 1f6o 20iw 2ojr  l' 169  lO tq 73c  ll ch 168 6c6 6qt  ls iy  lt 6gm  lz iz  n " +
  '12w 130  o qn qr u6 139 15t 18n 19h 1by 1c1 1cl 1dh 1uu 21y 25i 2cm 2de 2g6 2gy 2jq 2ki 2lc 2na 2o2 2ts 2xc 36l ' +
  '37k 3cv 5qn 5qp 8tb xtp 1fe4 1fje 1jgo 1jh3  o/O 11 19m 6du  o/OO 16x 6cw  o/OOO 16y 6cx  oe 9f  oo 6qm wwp ' +
  "x1r  p qp u8 704 8tf  q 10b 12b 12e  r tv 5ra 8sl xtz xu0 xvl  r' wh  rn 31 1j40 1jhf  s cd ut x0x xwq 1few " +
  '1jgh  sss 2rfg  tf x2v  ts iu  u i3 qt 131 5r0 x3z xu6 xua 1fjq 1jh4  ue 5t7  uo xur  v ql vp 15k 5r4 6qw 6v5 ' +
  'xwp 1j46 1jgg  w hb v5 10d 129 5r5 xvn 1j4a 1j4e 1j4f  x 5z ud 475 48t 4fi 84r 84s 8bz  y gz i7 qb ub xb 3c7 ' +
  '5u4 64f xui 1jh8  z 5r6 xw3 1jgk  { 7sk 2jv8  } 7sl  ~ 6dv 6rg';

const prototypes: ReadonlyMap<string, string> = new Map(
  lookAlikes.split('  ').flatMap((row) => {
    const [prototype = '', ...codes] = row.split(' ');
    return codes.map((code) => [String.fromCodePoint(Number.parseInt(code, 36)), prototype] as const);
  }),
);

/** The skeleton of a text; blanks at its ends, and how many stand in a row, do not count. */
export const toSkeleton = (text: string): string =>
  [...text.normalize('NFKD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')]
    .map((sign) => prototypes.get(sign) ?? sign)
    .join('')
    .normalize('NFKD')
    .replace(/\s+/g, ' ')
    .trim();
