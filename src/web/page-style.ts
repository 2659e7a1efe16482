// The style of all pages: system fonts, both colour schemes, from a phone's width up.

export const pageStyle = `
:root {
  color-scheme: light dark; --ink: light-dark(#1a2036, #e7e9f1);
  --soft: light-dark(#545d78, #a6aec4); --line: light-dark(#e3e6ef, #2a3041);
  --paper: light-dark(#fff, #11141d); --panel: light-dark(#f6f7fb, #191e2b);
  --accent: light-dark(#3446c8, #a9b6ff);
  --good: light-dark(#0b6b3c, #72dca2); --bad: light-dark(#b0231c, #ffb1a8);
  --warn: light-dark(#8a5300, #f2c46d);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; --small: .875rem;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 76px; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif;
  overflow-wrap: break-word;
}
a { color: var(--accent); text-underline-offset: 3px; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
a.main {
  display: inline-block; padding: 12px 24px; border-radius: 8px; background: var(--accent); color: var(--paper);
  font-size: 1.1875rem; font-weight: 650; text-decoration: none;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: fixed; top: 8px; left: 8px; z-index: 3; padding: 8px 16px; background: var(--paper); }
.skip:not(:focus) { transform: translateY(-80px); }
h1, h2 { line-height: 1.25; letter-spacing: -.018em; margin: 0 0 .75rem; font-size: 2.125rem; }
h2 { font-size: 1.625rem; }
* + h2 { margin-top: 2.5rem; }
h3 { font-size: 1.1875rem; line-height: 1.25; margin: 2rem 0 .5rem; }
h3 a { display: inline-block; min-height: 24px; }
h3 a:not(:hover) { color: inherit; text-decoration: none; }
h4 { font-size: .8125rem; color: var(--soft); margin: 1.75rem 0 0; }
p { margin: 0 0 1rem; max-width: 68ch; }
.lead { font-size: 1.1875rem; }
.quiet, small { font-size: var(--small); font-weight: 400; }
.lead, .quiet, small, .rules, dt span { color: var(--soft); }
code, pre { font-family: var(--mono); font-size: .875em; overflow-wrap: anywhere; }
p:not(.endpoint) code, dd code { background: var(--panel); border-radius: 4px; padding: 1px 4px; }

header {
  position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 20px;
  min-height: 60px; padding: 8px 32px; background: var(--paper);
  border-bottom: 1px solid var(--line); font-size: .9375rem; white-space: nowrap;
}
.brand {
  color: var(--ink); font-weight: 700; font-size: 1.125rem; letter-spacing: -.02em;
  text-decoration: none; margin-right: auto;
}
nav {
  font-size: .9063rem; line-height: 1.4; overflow-y: auto; scrollbar-width: thin;
  background: var(--paper);
}
nav ul { list-style: none; margin: 0; padding: 0; }
nav ul ul { margin-bottom: 14px; }
nav > ul > li > a { font-weight: 650; }
nav a {
  display: flex; justify-content: space-between; align-items: baseline; gap: 8px; padding: 5px 12px;
  border-radius: 6px; color: var(--ink); text-decoration: none;
}
nav ul ul a { color: var(--soft); }
nav a:hover, nav a[aria-current] { background: var(--panel); color: var(--accent); }
nav b.method { background: none; padding: 0; font-size: .6875rem; }

section { padding: 48px 0; }
section + section { border-top: 1px solid var(--line); }
article { padding: 8px 0 40px; margin-top: 32px; border-top: 1px solid var(--line); }
.endpoint { margin: 0 0 12px; }
.method {
  flex: none; display: inline-block; font: 650 .75rem/1 var(--mono); padding: 5px 8px;
  border-radius: 5px; color: var(--accent);
  background: color-mix(in srgb, currentColor 11%, transparent);
}
.post { color: var(--good); }
.put, .patch, dt em { color: var(--warn); }
.delete, .problem { color: var(--bad); }
dl { margin: 0; }
dt { font-weight: 600; }
dt span, dt em { font: 400 var(--small) system-ui, sans-serif; margin-left: 4px; }
dd { margin: 2px 0 0; font-size: .9375rem; max-width: 68ch; }
.fields > div { padding: 9px 0; }
.fields > div + div { border-top: 1px solid var(--line); }
.fields + p { margin-top: 1rem; }
.responses { margin: 8px 0; }
.responses > div { display: flex; align-items: baseline; gap: 16px; padding: 4px 0; }
.responses dt { font: 600 var(--small) var(--mono); }
.responses a { display: inline-block; margin-right: 8px; min-height: 26px; white-space: nowrap; }

.sample { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; margin-bottom: 10px; }
.bar { margin: 0; padding: 8px 14px; font-size: var(--small); font-weight: 600; max-width: none; }
pre { margin: 0; padding: 2px 14px 14px; white-space: pre-wrap; font-size: .8125rem; line-height: 1.6; }
pre code { font-size: inherit; }

.wide {
  content-visibility: auto; contain-intrinsic-size: auto 700px; overflow: hidden;
  margin-inline: -6px; padding-inline: 6px; /* outlines of what has the focus */
}
@media (width < 900px) {
  header { padding: 8px 12px; gap: 10px; }
  nav { position: fixed; z-index: 1; inset: 61px 0 0; padding: 16px; }
  nav:not(:target) { display: none; }
  nav a { padding: 9px 12px; }
  main { padding: 0 16px; }
  h1 { font-size: 1.75rem; }
  section { padding: 32px 0; }
}
@media (width >= 900px) {
  body { display: grid; grid-template-columns: 288px minmax(0, 1fr); }
  header { grid-column: 1 / -1; }
  nav {
    display: block; position: sticky; inset: 60px auto auto 0; height: calc(100vh - 60px);
    padding: 24px 20px; border-right: 1px solid var(--line);
  }
  main { padding: 0 40px; max-width: 1240px; }
  .menu { display: none; }
}
@media (width >= 1150px) {
  .wide { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 44px; }
  .wide > :last-child { padding-top: 32px; }
}
`;
